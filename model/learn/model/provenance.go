package model

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strings"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
)

// Provenance says from which row of a table a model comes, and gives the model's figures in the
// tests of the table. The model's seed tells it from the row's other trainings.
type Provenance struct {
	Row     string  // system/method@preset, and the row's changes of the preset, as NAME=VALUE
	Seconds float64 // time of the model's training, summed over all cores
	Count   int     // number of trajectories in each test, or of validation sets
	Tests   []Tested
}

// Tested is a model's figure in a test, and the same figure over all trainings of the row.
type Tested struct {
	Set   string // name of the test; ValidationSets for a model without dynamics
	Value float64
	Spread
}

// ValidationSets is the name of the only test of models without dynamics.
const ValidationSets = "validation"

const (
	provenancePrefix = "trained."
	provenanceRow    = "row"
	maxRow           = 200 // bytes in the name of a row
)

// table lists the fields of a file's provenance, except for its tests. The provenance describes a
// model with the configuration c and the checksum `sum`.
func (p *Provenance) table(c *method.Config, sum *uint64) setting.Table {
	return setting.Table{
		{Name: provenanceRow, Value: &p.Row}, {Name: "seconds", Value: &p.Seconds, High: 1e9}, {Name: "count", Value: &p.Count, Low: 1, High: method.MaxTrajectories},
		{Name: "sum", Value: sum}, setting.Derived("measure", func() string { return c.Measure().Name }),
	}
}

// table lists the fields of a test.
func (t *Tested) table() setting.Table {
	return setting.Table{
		{Name: t.Set, Value: &t.Value, High: 1e9}, {Name: t.Set + ".trainings", Value: &t.Trainings, Low: 1, High: 1000},
		{Name: t.Set + ".mean", Value: &t.Mean, High: 1e9}, {Name: t.Set + ".sd", Value: &t.SD, High: 1e9},
	}
}

// Preset returns the preset of the row.
func (p *Provenance) Preset() string { return method.ParseSpec(strings.Fields(p.Row)[0]).Preset }

// Changes returns the changes of the preset, as NAME=VALUE.
func (p *Provenance) Changes() []string { return strings.Fields(p.Row)[1:] }

// Test returns the test with this name, or nil if there is none.
func (p *Provenance) Test(set string) *Tested {
	if p == nil {
		return nil
	}
	if i := slices.IndexFunc(p.Tests, func(t Tested) bool { return t.Set == set }); i >= 0 {
		return &p.Tests[i]
	}
	return nil
}

// Provenance returns the model's provenance. It returns nil if none is known, or if the model has
// changed since SetProvenance.
func (m *Model) Provenance() *Provenance {
	if m.provenance == nil || m.provenanceOf != m.sum() {
		return nil
	}
	return m.provenance
}

// SetProvenance gives the model, as it is now, a provenance, which its checkpoints contain. The
// error says which part does not describe such a model.
func (m *Model) SetProvenance(p *Provenance) error {
	if err := m.checkProvenance(p); err != nil {
		return err
	}
	m.provenance, m.provenanceOf = p, m.sum()
	return nil
}

// checkProvenance returns an error if no training of a row makes models such as m.
func (m *Model) checkProvenance(p *Provenance) error {
	c, of := &m.Config, strings.Fields(p.Row)
	if len(of) == 0 || len(p.Row) > maxRow {
		return fmt.Errorf("the name of the row has %d bytes; use one of 1 to %d", len(p.Row), maxRow)
	}
	if spec := method.ParseSpec(of[0]); spec.Pair() != c.Spec.Pair() || !slices.Contains(method.Presets(spec.System, spec.Method), spec.Preset) {
		return fmt.Errorf("the row %s is not of the experiment %s", setting.Quote(of[0]), c.Spec.Pair())
	}
	for _, change := range of[1:] {
		if name, _, _ := strings.Cut(change, "="); c.Table().Find(name) == nil {
			return fmt.Errorf("the row changes %s, which the experiment %s does not have", setting.Quote(name), c.Spec.Pair())
		}
	}
	if len(p.Tests) == 0 {
		return fmt.Errorf("the row %s has no figure", setting.Quote(p.Row))
	}
	names := m.testNames()
	for i := range p.Tests {
		if !slices.Contains(names, p.Tests[i].Set) || p.Test(p.Tests[i].Set) != &p.Tests[i] {
			return fmt.Errorf("there is no test %s, or it occurs twice", setting.Quote(p.Tests[i].Set))
		}
		if err := p.Tests[i].table().Check(); err != nil {
			return err
		}
	}
	sum := uint64(0)
	return p.table(&m.Config, &sum).Check()
}

// testNames lists the tests of the model.
func (m *Model) testNames() (names []string) {
	if m.System.Tests == nil {
		return []string{ValidationSets}
	}
	for _, t := range m.System.Tests(m.Config.Particles) {
		names = append(names, t.Name)
	}
	return names
}

// sum returns a checksum of the model's settings and numbers.
func (m *Model) sum() uint64 {
	f, h := m.file(), crc32.NewIEEE()
	for _, key := range slices.Sorted(maps.Keys(f.Metadata)) {
		fmt.Fprintf(h, "%q %q ", key, f.Metadata[key])
	}
	var b []byte
	for _, t := range f.Tensors {
		fmt.Fprintf(h, "%q %d ", t.Name, t.Shape)
		for part := range slices.Chunk(t.F32, 1024) {
			b = b[:0]
			for _, v := range part {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
			}
			h.Write(b)
		}
		b = b[:0]
		for _, v := range t.F64 { // a few scales
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		h.Write(b)
	}
	return uint64(h.Sum32())
}

// writeProvenance adds the model's provenance to the metadata of its file.
func (m *Model) writeProvenance(f *ckpt.File) {
	p := m.Provenance()
	if p == nil {
		return
	}
	p.table(&m.Config, &m.provenanceOf).Write(f.Metadata, provenancePrefix)
	for i := range p.Tests {
		p.Tests[i].table().Write(f.Metadata, provenancePrefix)
	}
}

// readProvenance reads the provenance in a file. It ignores a provenance of other weights or settings.
func (m *Model) readProvenance(f *ckpt.File) error {
	if _, ok := f.Metadata[provenancePrefix+provenanceRow]; !ok {
		return nil
	}
	p, sum := new(Provenance), uint64(0)
	err := p.table(&m.Config, &sum).Read(f.Metadata, provenancePrefix)
	if err == nil && sum != m.sum() {
		return nil
	}
	for _, name := range m.testNames() {
		if _, ok := f.Metadata[provenancePrefix+name]; !ok {
			continue
		}
		t := Tested{Set: name}
		err = cmp.Or(err, t.table().Read(f.Metadata, provenancePrefix))
		p.Tests = append(p.Tests, t)
	}
	if err = cmp.Or(err, m.checkProvenance(p)); err != nil {
		return fmt.Errorf("the checkpoint’s note on its training cannot be read: %w", err)
	}
	m.provenance, m.provenanceOf = p, sum
	return nil
}
