package reproduce

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/model/learn/method"
	"macroscope/model/learn/sweep"
)

// Size contains the sizes of all tasks.
type Size struct {
	Preset       string
	Sweeps       string // preset of the sweeps, which have many rows
	Seeds        int    // number of trainings of each row
	Trajectories int    // number of trajectories of a test of paths, see system.Motion.Trajectories
}

// Sizes returns the available sizes. The size "quick" takes minutes, and "laptop" a night. The size
// "paper" has the paper's settings.
func Sizes() []Size {
	return []Size{
		{Preset: "quick", Sweeps: "quick", Seeds: 1, Trajectories: 100},
		{Preset: "laptop", Sweeps: "browser", Seeds: 3, Trajectories: 1000},
		{Preset: "paper", Sweeps: "paper", Seeds: 3, Trajectories: 1000},
	}
}

// sizeNames lists the presets of Sizes.
func sizeNames() (names []string) {
	for _, s := range Sizes() {
		names = append(names, s.Preset)
	}
	return names
}

// Tables returns all tables of a size. `flags` are flags that every task gets, such as -workers 1.
func Tables(systems method.Systems, s Size, flags ...string) ([]*Table, error) {
	all, err := plans()
	if err != nil {
		return nil, err
	}
	var tables []*Table
	for _, p := range all {
		if len(p.in(s)) == 0 && p.sweep == "" { // the table does not exist in this size
			continue
		}
		b := &builder{size: s, systems: systems, flags: flags}
		t, err := b.table(p)
		if err != nil {
			return nil, err
		}
		t.tasks = b.tasks
		tables = append(tables, t)
	}
	return tables, nil
}

// table returns the table of a plan, and adds its tasks.
func (b *builder) table(p *plan) (*Table, error) {
	t := &Table{Name: p.name, Title: p.title, Measure: p.measure}
	var pictures []picture
	if p.sweep != "" {
		if err := b.planned(t, p); err != nil {
			return nil, at(p.line, err)
		}
		for _, r := range t.Rows {
			pictures = with(pictures, p.figure, training{Spec: parseTraining(p.sweep).Spec}, r.Cells[0].Files)
		}
	}
	if p.published == "rows" {
		for _, r := range method.PublishedRows(p.rows[0].System) {
			row := Row{Name: r.Name + " (published)"}
			for _, text := range r.Cells {
				row.Cells = append(row.Cells, Cell{Published: text})
			}
			t.Rows = append(t.Rows, row)
		}
	}
	for _, r := range p.in(b.size) {
		files, err := b.row(t, p, r)
		if err != nil {
			return nil, at(r.line, err)
		}
		pictures = with(pictures, r.figure, r.training, files)
	}
	for _, of := range pictures {
		if err := b.draw(t, of); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// planned adds the sweep of a plan to a table, with its further columns.
func (b *builder) planned(t *Table, p *plan) error {
	of := parseTraining(p.sweep)
	var swept []sweep.Swept
	for _, text := range of.changes {
		one, err := sweep.ParseSwept(text)
		if err != nil {
			return err
		}
		swept = append(swept, one)
	}
	of.changes = nil
	if err := b.sweep(t, of, swept, true); err != nil {
		return err
	}
	if p.published == "column" {
		t.Columns = append([]string{t.Columns[0] + " (published)"}, t.Columns...)
		for i := range t.Rows {
			r := &t.Rows[i]
			r.Cells = append([]Cell{{Published: r.Cells[0].Published}}, r.Cells...)
		}
	}
	return b.beside(t, parseTraining(p.beside))
}

// row adds a row to a table. It returns the files with the row's results.
func (b *builder) row(t *Table, p *plan, r planRow) (files []string, err error) {
	c, _, err := b.config(r.training)
	if err != nil {
		return nil, err
	}
	if _, _, zdims := c.Tuning().Range(); c.Tunable() && !slices.Contains(zdims, int(r.zdim)) {
		return nil, fmt.Errorf("the model has no ẑ dim %g; give at=NUMBER with one of %d", r.zdim, zdims)
	}
	m, err := method.FindMethod(r.Method)
	if err != nil {
		return nil, err
	}
	if files, err = b.results(r.training); err != nil {
		return nil, err
	}
	names, cells := cells(&c, p.columns, files)
	if t.Columns == nil {
		t.Columns = names
	}
	for i := range cells {
		if r.zdim > 0 {
			cells[i].At = map[string]float64{"zdim": r.zdim}
		}
	}
	row := Row{Name: m.Title + r.name, Cells: append(cells, make([]Cell, len(t.Columns)-len(cells))...)}
	if p.published == "rows" && r.name == "" {
		row.method = m.Name
	}
	for _, of := range method.PublishedRows(r.System) {
		if p.published == "rows" && of.Method == m.Name && r.Preset == "" { // another preset can have other training data than the paper
			for i, text := range of.Cells {
				row.Cells[i].Published = text
			}
		}
	}
	t.Rows = append(t.Rows, row)
	return files, nil
}

// columns lists, for each measure, the columns that a test has in a table.
var columns = map[string][]struct {
	name string
	Cell
}{
	"kl":  {{"KL", Cell{Figure: "kl"}}},
	"mre": {{"", Cell{Figure: "mre", Also: []string{"median", "max"}}}},
	// Results of earlier programs have the floor, the MMD between two halves of the truth.
	"mmd": {{"", Cell{Figure: "mmd", Also: []string{"perfect", "perfect_sd", "floor", "coverage"}}}},
	"passage": {
		{"error", Cell{Figure: "passage_share", Form: Percent, Also: []string{"passage", "passage_se", "passage_error", "mmd", "perfect", "perfect_sd", "floor", "coverage"}}},
		{"KS", Cell{Figure: "ks", Form: Decimal, Also: []string{"ks_floor", "mean_rms", "mean_floor", "sd_rms", "sd_floor"}}},
	},
}

// cells returns the cells of a row for all tests, and the names of their columns. The measure "" is the
// usual one.
func cells(c *method.Config, measure string, files []string) (names []string, cells []Cell) {
	tests := method.PublishedTests[:]
	switch {
	case measure != "":
		tests = []string{"fast", "medium", "slow"}
	case !c.HasDynamics():
		tests = []string{""}
	}
	if measure == "" {
		measure = c.Measure().Name
	}
	for _, test := range tests {
		for _, column := range columns[measure] {
			cell := column.Cell
			cell.Files, cell.Set = files, test
			cells = append(cells, cell)
			names = append(names, strings.Trim(test+", "+column.name, ", "))
		}
	}
	return names, cells
}

// picture is a figure of a table's models.
type picture struct {
	name    string
	of      training // of one of the models
	results []string // for each model, a file with its results
}

// with adds the model of a row's first result to the figure with this name. Without a name, it adds
// nothing.
func with(pictures []picture, name string, of training, files []string) []picture {
	i := slices.IndexFunc(pictures, func(one picture) bool { return one.name == name })
	switch {
	case name == "":
	case i < 0:
		pictures = append(pictures, picture{name, of, files[:1:1]})
	default:
		pictures[i].results = append(pictures[i].results, files[0])
	}
	return pictures
}
