package reproduce

import (
	"flag"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
)

// FigureTolerance is how much the figure of a file may differ from the figure in the record of its
// training, as a share of the recorded figure. A file has weights of 16 bits.
const FigureTolerance = 0.02

// Provenance returns the provenance of a model that comes from a recorded training. `path` is the file
// of records that Publish writes, `name` the name of the training, such as "particles/flow@laptop seed 2",
// and `result` what eval -json prints for the file of the model. The error says in
// what the model differs from the record.
func Provenance(systems method.Systems, path, name string, m *model.Model, result []byte) (*model.Provenance, error) {
	records, err := readRecords(path)
	if err != nil {
		return nil, err
	}
	p, err := provenanceOf(systems, records, name, m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	got, err := readMeasured(result, m)
	if err != nil {
		return nil, fmt.Errorf("the result is not what eval -json prints for this model: %w", err)
	}
	if got.Count != p.Count {
		return nil, fmt.Errorf("the result is of tests with %d trajectories or sets, and the record of %d; measure the file again", got.Count, p.Count)
	}
	for i := range p.Tests {
		t := &p.Tests[i]
		own := got.Test(t.Set)
		if own == nil {
			return nil, fmt.Errorf("the result lacks the test %s, which the record has; measure the file again", t.Set)
		}
		if !(math.Abs(own.Value-t.Value) <= FigureTolerance*t.Value) {
			return nil, fmt.Errorf("the file’s figure in the test %s is %.4g, and the record’s %.4g; they may differ by %.0f %%", t.Set, own.Value, t.Value, 100*FigureTolerance)
		}
		t.Value = own.Value
	}
	return p, nil
}

// provenanceOf returns the provenance of a model from the training with this name, with the figures
// of the record.
func provenanceOf(systems method.Systems, records []record, name string, m *model.Model) (*model.Provenance, error) {
	const eval, seed = ": eval", " seed "
	i := slices.IndexFunc(records, func(r record) bool { return r.Name == name+eval })
	at := strings.LastIndex(name, seed)
	if i < 0 || at < 0 {
		return nil, fmt.Errorf("there is no record %q; a training is called, for example, “particles/flow@laptop seed 1”", name)
	}
	c, err := records[i].config(systems)
	if err == nil {
		err = sameSettings(&m.Config, c)
	}
	if err != nil {
		return nil, fmt.Errorf("the record %q: %w", name, err)
	}
	p, err := readMeasured(records[i].Result, m)
	if err != nil {
		return nil, fmt.Errorf("the record %q: %w", name, err)
	}
	p.Row, p.Seconds = name[:at], records[i].Training
	values := make(map[string][]float64)
	for _, r := range records {
		if of, found := strings.CutSuffix(r.Name, eval); !found || !strings.HasPrefix(of, p.Row+seed) {
			continue
		}
		one, err := readMeasured(r.Result, m)
		if err != nil {
			return nil, fmt.Errorf("the record %q: %w", r.Name, err)
		}
		for _, t := range one.Tests {
			values[t.Set] = append(values[t.Set], t.Value)
		}
	}
	for i := range p.Tests {
		p.Tests[i].Spread = model.SpreadOf(values[p.Tests[i].Set])
	}
	return p, nil
}

// config returns the configuration of the training that made a record's model.
func (r *record) config(systems method.Systems) (c method.Config, err error) {
	i := slices.IndexFunc(r.Commands, func(line string) bool { return strings.HasPrefix(line, "macroscope train ") })
	if i < 0 {
		return c, fmt.Errorf("it has no command that trains")
	}
	// The other flags of a training do not change its configuration.
	fs := flag.NewFlagSet("train", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	var changes []string
	spec, seed := fs.String("experiment", "", ""), fs.Uint64("seed", 1, "")
	fs.Func("set", "", func(text string) error {
		changes = append(changes, text)
		return nil
	})
	for _, name := range []string{"workers", "out", "data"} {
		fs.String(name, "", "")
	}
	fs.Bool("report", true, "")
	fs.Bool("plain", false, "")
	if err := fs.Parse(strings.Fields(r.Commands[i])[2:]); err != nil || fs.NArg() > 0 {
		return c, fmt.Errorf("its command %q cannot be read", r.Commands[i])
	}
	if c, err = systems.Preset(*spec); err != nil {
		return c, err
	}
	for _, change := range changes {
		name, value, _ := strings.Cut(change, "=")
		if err := c.Set(name, value); err != nil {
			return c, err
		}
	}
	c.Seed = *seed
	return c, nil
}

// sameSettings returns an error that names a setting in which a model differs from its training. Settings
// that follow from the data, or have no effect, are not compared.
func sameSettings(model *method.Config, training method.Config) error {
	if model.Spec.Pair() != training.Spec.Pair() {
		return fmt.Errorf("it is of %s, and the model of %s", training.Spec.Pair(), model.Spec.Pair())
	}
	own := model.Table()
	for _, f := range training.Table() {
		if of := own.Find(f.Name); !f.Follows && f.Needs == "" && (of == nil || of.Text() != f.Text()) {
			is := "without it"
			if of != nil {
				is = of.Text()
			}
			return fmt.Errorf("it was trained with %s = %s, and the model is %s", f.Name, setting.Quote(f.Text()), setting.Quote(is))
		}
	}
	return nil
}

// readMeasured reads what eval -json prints for a model: its figure in each test of a table, and the
// number of trajectories in each test, or of validation sets.
func readMeasured(result []byte, m *model.Model) (*model.Provenance, error) {
	of, err := readResults(result)
	if err != nil {
		return nil, err
	}
	if method.NamedSpec(of.experiment).Pair() != m.Config.Spec.Pair() {
		return nil, fmt.Errorf("it is of the experiment %s", setting.Quote(of.experiment))
	}
	tests, figure, p := of.all[1:], m.Config.Measure(), new(model.Provenance)
	if !m.Config.HasDynamics() {
		tests = of.all[:1]
		tests[0].Set = model.ValidationSets
	}
	for _, t := range tests {
		v, count := t.Number(figure.Name), t.Number(figure.Many)
		switch {
		case math.IsNaN(v + count):
			return nil, fmt.Errorf("its test %s has no %s, or no number of %s", setting.Quote(t.Set), figure.Name, figure.Many)
		case p.Test(t.Set) != nil:
			return nil, fmt.Errorf("its test %s occurs twice, as for a model that serves several ε or ẑ dim", setting.Quote(t.Set))
		case p.Tests != nil && float64(p.Count) != count:
			return nil, fmt.Errorf("its tests have %d and %g trajectories", p.Count, count)
		}
		p.Count, p.Tests = int(count), append(p.Tests, model.Tested{Set: t.Set, Value: v})
	}
	if p.Tests == nil {
		return nil, fmt.Errorf("it has no tests")
	}
	return p, nil
}
