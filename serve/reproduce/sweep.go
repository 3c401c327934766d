package reproduce

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/experiment"
)

// Swept is a field of the configuration, by its name, and the values that it takes.
type Swept struct {
	Field  string
	Values []string
}

// Of says which models a sweep is about.
type Of struct {
	Spec    experiment.Spec
	Changes []string // NAME=VALUE, of every training
	Swept   []Swept
	Grid    bool // every combination of the values, not one field at a time
}

// Sweep is the file that a sweep is kept in, which the page reads.
type Sweep struct {
	Experiment string   `json:"experiment"` // SYSTEM/METHOD@PRESET
	Measure    string   `json:"measure"`    // what the values are, in words
	Fields     []Field  `json:"fields"`
	Points     []Point  `json:"points"`
	Command    string   `json:"command"`
	Programs   []string `json:"programs"` // which made the results
}

// Field is a field that a sweep is about.
type Field struct {
	Name  string `json:"name"`
	Label string `json:"label"` // in words
}

// Point is what the trainings of one configuration reach on one set.
type Point struct {
	At        map[string]float64 `json:"at"`            // its fields by their names
	Set       string             `json:"set,omitempty"` // of trajectories; "" is the only one
	Values    []float64          `json:"values"`        // a training each
	Missing   int                `json:"missing,omitempty"`
	Published float64            `json:"published,omitempty"` // the paper's figure; 0 is none
}

// labels are the words for fields; others have their names.
var labels = map[string]string{"eps": "ε", "encoder.zdim": "ẑ dim"}

func label(field string) string {
	if l := labels[field]; l != "" {
		return l
	}
	return field
}

// always are the fields that a point has though they are not swept over.
var always = []string{"eps", "encoder.zdim"}

// published are the paper's figures of in-dst, by system and what alone is not the
// preset's own.
var published = func() map[string]string {
	of := make(map[string]string)
	eps := 1.0
	for i, text := range publishedEps {
		eps /= 10
		of["particles eps="+strconv.FormatFloat(eps, 'g', 6, 64)] = text
		of["particles encoder.zdim="+strconv.Itoa(i+1)] = publishedZDim[i]
	}
	return of
}()

// NewSweep returns the table of a sweep, for SweepGraph and WriteSweep.
func NewSweep(systems experiment.Systems, s Size, of Of, workers int) (*Table, error) {
	b := &builder{size: s, systems: systems, workers: workers}
	t := &Table{Name: "sweep", Title: "Sweep of " + of.Spec.String()}
	err := b.sweep(t, training{of.Spec.System, of.Spec.Method, of.Changes, of.Spec.Preset}, of.Swept, of.Grid)
	t.tasks = b.tasks
	return t, err
}

// SweepGraph returns what a sweep needs, without a task for its own files.
func (t *Table) SweepGraph() (*Graph, error) { return NewGraph(t.tasks) }

// WriteSweep writes what is done of a sweep: to PATH the file that the page reads, and
// beside it a CSV of the same name.
func (t *Table) WriteSweep(dir, path, command string) (done, all int, err error) {
	s, err := t.summarize(folder(dir), true)
	if err != nil {
		return 0, 0, err
	}
	sweep := s.sweep(command)
	for _, p := range sweep.Points {
		done, all = done+len(p.Values), all+len(p.Values)+p.Missing
	}
	if err := writeSweep(path, sweep); err != nil {
		return done, all, err
	}
	_, table, err := s.records()
	if err != nil {
		return done, all, err
	}
	return done, all, replace(strings.TrimSuffix(path, filepath.Ext(path))+".csv", table)
}

func writeSweep(path string, s *Sweep) error {
	b, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return replace(path, append(b, '\n'))
}

// sweep fills a table with a row for every configuration of a sweep.
func (b *builder) sweep(t *Table, of training, swept []Swept, grid bool) error {
	t.experiment = b.spec(of).String()
	own, _, err := b.config(of)
	if err != nil {
		return err
	}
	figure := "kl"
	switch {
	case own.HasDynamics() && own.Traits.Stochastic:
		figure, t.Measure, t.Columns = "mmd", "MMD of the observables", tests
	case own.HasDynamics():
		figure, t.Measure, t.Columns = "mre", "MRE of the observable", tests
	default:
		t.Measure, t.Columns = "KL(q_X ‖ p_θ), nats", []string{"KL"}
	}
	t.Conditions = "networks and schedule of the preset " + b.spec(of).Preset
	if len(swept) == 1 {
		t.Over = label(swept[0].Field)
	}
	fields := slices.Clone(always)
	for _, s := range swept {
		if !slices.Contains(fields, s.Field) {
			fields = append(fields, s.Field)
		}
	}
	for _, changes := range combinations(swept, grid) {
		one := of
		one.changes = slices.Concat(of.changes, changes)
		c, changed, err := b.config(one)
		if err != nil {
			return err
		}
		row := Row{with: make(map[string]float64)}
		for _, name := range fields {
			f := c.Table().Find(name)
			if f == nil {
				return fmt.Errorf("there is no field %q to sweep over", name)
			}
			if row.with[name], err = strconv.ParseFloat(f.Text(), 64); err != nil {
				return fmt.Errorf("the field %s is no number: it cannot be swept over", name)
			}
		}
		if slices.ContainsFunc(t.Rows, func(r Row) bool { return sameFields(r.with, row.with) }) {
			continue // one field at a time meets the preset's own several times
		}
		var names []string
		for _, change := range changes {
			name, value, _ := strings.Cut(change, "=")
			names = append(names, label(name)+" = "+value)
		}
		row.Name = strings.Join(names, ", ")
		if len(swept) == 1 {
			row.At = row.with[swept[0].Field]
		}
		files, err := b.results(one)
		if err != nil {
			return err
		}
		if row.Cells = []Cell{{Files: files, Figure: figure}}; own.HasDynamics() {
			row.Cells = cells(files, figure)
		}
		if of.method == "flow" {
			if p := publishedAt(of.system, changes, changed, row.with); p != "" {
				row.Published = []string{p}
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return nil
}

// combinations returns the changes of every configuration.
func combinations(swept []Swept, grid bool) (list [][]string) {
	if !grid {
		for _, s := range swept {
			for _, v := range s.Values {
				list = append(list, []string{s.Field + "=" + v})
			}
		}
		return list
	}
	list = [][]string{nil}
	for _, s := range swept {
		var next [][]string
		for _, before := range list {
			for _, v := range s.Values {
				next = append(next, append(slices.Clone(before), s.Field+"="+v))
			}
		}
		list = next
	}
	return list
}

func sameFields(a, b map[string]float64) bool {
	for name, v := range a {
		if b[name] != v {
			return false
		}
	}
	return true
}

// publishedAt returns the paper's figure of a configuration that is the preset's own
// but for one field at most.
func publishedAt(system string, asked, changed []string, with map[string]float64) string {
	if len(changed) > 1 || len(asked) == 0 {
		return ""
	}
	name, _, _ := strings.Cut(asked[0], "=")
	if len(changed) == 1 {
		name, _, _ = strings.Cut(changed[0], "=")
	}
	return published[system+" "+name+"="+strconv.FormatFloat(with[name], 'g', 6, 64)]
}

// sweep returns what the file of a sweep says.
func (s *summary) sweep(command string) *Sweep {
	out := &Sweep{Experiment: s.experiment, Measure: s.Measure, Points: []Point{}, Command: command, Programs: s.programs}
	for i, row := range s.Rows {
		for name := range row.with {
			if !slices.ContainsFunc(out.Fields, func(f Field) bool { return f.Name == name }) {
				out.Fields = append(out.Fields, Field{name, label(name)})
			}
		}
		for k, c := range row.Cells {
			f := &s.rows[i][k]
			if len(c.Files) == 0 || len(f.values)+f.missing == 0 {
				continue
			}
			p := Point{At: row.with, Set: c.Set, Values: append([]float64{}, f.values...), Missing: f.missing}
			if k < len(row.Published) {
				_, _ = fmt.Sscan(row.Published[k], &p.Published) // "" is none
			}
			out.Points = append(out.Points, p)
		}
	}
	slices.SortFunc(out.Fields, func(a, b Field) int { return strings.Compare(b.Name, a.Name) })
	return out
}

// sensitivity is a table of our method on particles against one of its settings,
// beside the paper's.
func (b *builder) sensitivity(t *Table, swept Swept) (*Table, error) {
	if err := b.sweep(t, training{system: "particles", method: "flow", preset: b.size.Sweeps}, []Swept{swept}, false); err != nil {
		return nil, err
	}
	t.Columns = append([]string{"in-dst (published)"}, t.Columns...)
	for i := range t.Rows {
		r := &t.Rows[i]
		r.Cells = append([]Cell{{Text: r.Published[0]}}, r.Cells...)
		r.Published = append([]string{""}, r.Published...)
	}
	return t, nil
}

func zdimTable(b *builder) (*Table, error) {
	s := Swept{Field: "encoder.zdim"}
	for d := range publishedZDim {
		s.Values = append(s.Values, strconv.Itoa(d+1))
	}
	return b.sensitivity(&Table{Name: "sensitivity zdim", Title: "Sensitivity to the latent dimension (appendix)"}, s)
}

func epsTable(b *builder) (*Table, error) {
	s := Swept{Field: "eps"}
	for i := range publishedEps {
		s.Values = append(s.Values, fmt.Sprintf("1e-%02d", i+1))
	}
	return b.sensitivity(&Table{Name: "sensitivity eps", Title: "Sensitivity to the kernel width (appendix)"}, s)
}
