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
	"macroscope/model/system"
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

// described is a provenance, and the checksum of the model that it describes.
type described struct {
	provenance *Provenance // nil if none is known
	sum        uint64
}

// Provenance returns the model's provenance. It returns nil if none is known, or if the model has
// changed since SetProvenance.
func (m *Model) Provenance() *Provenance {
	if m.described.provenance == nil || m.described.sum != checksum(m.file()) {
		return nil
	}
	return m.described.provenance
}

// SetProvenance gives the model, as it is now, a provenance, which its checkpoints contain. The
// error says which part does not describe such a model.
func (m *Model) SetProvenance(p *Provenance) error {
	if err := p.check(&m.Config, tests(m.System, m.Config.Particles)); err != nil {
		return err
	}
	m.described = described{p, checksum(m.file())}
	return nil
}

// readProvenance reads the model's provenance from its file.
func (m *Model) readProvenance(f *ckpt.File) (err error) {
	if _, ok := f.Metadata[provenancePrefix+provenanceRow]; ok {
		m.described, err = readDescribed(f, &m.Config, tests(m.System, m.Config.Particles), checksum(m.file()))
	}
	return err
}

// check returns an error if no training of a row makes models with the configuration c and with tests of these names.
func (p *Provenance) check(c *method.Config, tests []string) error {
	of := strings.Fields(p.Row)
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
	for i := range p.Tests {
		if !slices.Contains(tests, p.Tests[i].Set) || p.Test(p.Tests[i].Set) != &p.Tests[i] {
			return fmt.Errorf("there is no test %s, or it occurs twice", setting.Quote(p.Tests[i].Set))
		}
		if err := p.Tests[i].table().Check(); err != nil {
			return err
		}
	}
	sum := uint64(0)
	return p.table(c, &sum).Check()
}

// tests lists the names of the tests of a system's models.
func tests(of *system.System, particles int) (names []string) {
	if of.Tests == nil {
		return []string{ValidationSets}
	}
	for _, t := range of.Tests(particles) {
		names = append(names, t.Name)
	}
	return names
}

// checksum returns a checksum of the settings and numbers in a model's file.
func checksum(f *ckpt.File) uint64 {
	h := crc32.NewIEEE()
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

// write adds the provenance of a model with the configuration c to the metadata of its file.
func (d *described) write(f *ckpt.File, c *method.Config) {
	d.provenance.table(c, &d.sum).Write(f.Metadata, provenancePrefix)
	for i := range d.provenance.Tests {
		d.provenance.Tests[i].table().Write(f.Metadata, provenancePrefix)
	}
}

// readDescribed reads the provenance in a file. The model has the configuration c, these tests and this checksum.
// readDescribed ignores a provenance of other weights or settings.
func readDescribed(f *ckpt.File, c *method.Config, tests []string, of uint64) (described, error) {
	p, sum := new(Provenance), uint64(0)
	err := p.table(c, &sum).Read(f.Metadata, provenancePrefix)
	if err == nil && sum != of {
		return described{}, nil
	}
	for _, name := range tests {
		if _, ok := f.Metadata[provenancePrefix+name]; !ok {
			continue
		}
		t := Tested{Set: name}
		err = cmp.Or(err, t.table().Read(f.Metadata, provenancePrefix))
		p.Tests = append(p.Tests, t)
	}
	if err = cmp.Or(err, p.check(c, tests)); err != nil {
		return described{}, fmt.Errorf("the checkpoint’s note on its training cannot be read: %w", err)
	}
	return described{p, sum}, nil
}
