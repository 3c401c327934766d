package reproduce

import (
	"fmt"
	"slices"

	"macroscope/model/learn/experiment"
	"macroscope/model/learn/sweep"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
)

// Size contains the sizes of all tasks.
type Size struct {
	Preset       string
	Sweeps       string // preset of the sweeps, which have many rows
	Seeds        int    // number of trainings of each row
	Trajectories int    // number of trajectories per test for deterministic dynamics
	Ensembles    int    // number of trajectories per test for stochastic dynamics
}

// Sizes returns the available sizes. The size "quick" takes minutes, and "laptop" a night. The size
// "paper" has the paper's settings.
func Sizes() []Size {
	return []Size{
		{Preset: "quick", Sweeps: "quick", Seeds: 1, Trajectories: 100, Ensembles: 20},
		{Preset: "laptop", Sweeps: "browser", Seeds: 3, Trajectories: 1000, Ensembles: 200},
		{Preset: "paper", Sweeps: "paper", Seeds: 3, Trajectories: 1000, Ensembles: 200},
	}
}

// preset returns the wanted preset of a system and method. If this preset does not exist, another
// one takes its place: the largest one for "paper", the smallest one for all other names.
func preset(system, method, want string) string {
	names := experiment.Presets(system, method)
	switch {
	case slices.Contains(names, want):
		return want
	case want == "paper":
		return names[len(names)-1]
	}
	return names[0]
}

// Tables returns all tables of a size. `flags` are flags that every task gets, such as -workers 1.
func Tables(systems experiment.Systems, s Size, flags ...string) ([]*Table, error) {
	var tables []*Table
	for _, make := range []func(*builder) (*Table, error){lineTable, particlesTable, mixingTable, zdimTable, epsTable, polymerTable, longPolymerTable} {
		b := &builder{size: s, systems: systems, flags: flags}
		t, err := make(b)
		if err != nil {
			return nil, err
		}
		if t == nil { // the table does not exist in this size
			continue
		}
		t.tasks = b.tasks
		tables = append(tables, t)
	}
	return tables, nil
}

// lineEps are the ε in the line's table.
var lineEps = []string{"0.03", "0.1", "0.3"}

// lineTable returns the table of section 4.1: KL for each ε and ẑ dim.
func lineTable(b *builder) (*Table, error) {
	t := &Table{Name: "line", Title: "Points on a line (section 4.1)"}
	err := b.sweep(t, training{system: "line", method: "flow"}, []sweep.Swept{{Field: "eps", Values: lineEps}, {Field: "encoder.zdim", Values: []string{"1", "2", "4", "8"}}}, true)
	if err != nil {
		return nil, err
	}
	var first []string // first result of each row's trainings
	for _, row := range t.Rows {
		first = append(first, row.Cells[0].Files[0])
	}
	b.draw(t, "line", "line densities", "", 0, first...)
	if err := b.beside(t, training{system: "line", method: experiment.Tunable}, ""); err != nil {
		return nil, err
	}
	return t, b.otherDensities(t)
}

// otherDensities adds a row for each further method that learns a density of the line, at its usual ε and
// ẑ dim. The paper has no such rows.
func (b *builder) otherDensities(t *Table) error {
	for _, m := range experiment.MethodsFor("line") {
		of := training{system: "line", method: m.Name}
		c, _, err := b.config(of)
		if err != nil {
			return err
		}
		if m.Name == "flow" || c.Tunable() || !c.Decoder.Density() {
			continue
		}
		files, err := b.results(of)
		if err != nil {
			return err
		}
		row := Row{Name: fmt.Sprintf("%s, ε = %g, ẑ dim = %d", m.Title, c.Eps(), c.ZDim()), Cells: make([]Cell, len(t.Columns))}
		row.Cells[0].Files = files
		row.Cells[0].Figure, _ = c.Measure()
		t.Rows = append(t.Rows, row)
	}
	return nil
}

// cells returns the cells of one figure for all tests. For MRE and MMD, the CSV contains further
// figures.
func cells(files []string, figure string) (cells []Cell) {
	// Results of earlier programs have the floor, the MMD between two halves of the truth.
	also := map[string][]string{"mre": {"median", "max"}, "mmd": {"perfect", "perfect_sd", "floor", "coverage"}}[figure]
	for _, test := range experiment.PublishedTests {
		cells = append(cells, Cell{Files: files, Set: test, Figure: figure, Also: also})
	}
	return cells
}

// predictions adds rows to the table t and returns the table. The published rows come first. The
// rows of the system's methods follow.
func (b *builder) predictions(t *Table, system, figure string, variants map[string][]variant) (*Table, error) {
	t.Columns = experiment.PublishedTests[:]
	for _, p := range experiment.PublishedRows(system) {
		row := Row{Name: p.Name + " (published)"}
		for _, text := range p.Cells {
			row.Cells = append(row.Cells, Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	var drawn [][2]string // name of each figure, and the file with the results of its model
	for _, m := range experiment.MethodsFor(system) {
		forms := variants[m.Name]
		if forms == nil {
			forms = []variant{{}}
		}
		for _, v := range forms {
			of := training{system: system, method: m.Name, changes: v.changes, preset: v.preset}
			files, err := b.results(of)
			if err != nil {
				return nil, err
			}
			if m.Name == "flow" && v.preset == "" {
				drawn = append(drawn, [2]string{system + " predictions" + v.name, files[0]})
			}
			if m.Name == experiment.Tunable {
				rows, err := b.tunableRows(of, m.Title, files, figure)
				if err != nil {
					return nil, err
				}
				t.Rows = append(t.Rows, rows...)
				continue
			}
			row := Row{Name: m.Title + v.name, Cells: cells(files, figure)}
			if v.name == "" {
				row.method = m.Name
			}
			for _, p := range experiment.PublishedRows(system) {
				if p.Method == m.Name && v.preset == "" { // another preset can have other training data than the paper
					row.Published = p.Cells[:]
				}
			}
			t.Rows = append(t.Rows, row)
		}
	}
	dir, err := b.pictured(system)
	if err != nil {
		return nil, err
	}
	for _, d := range drawn {
		b.draw(t, system, d[0], dir, bandOf(b.size), d[1])
	}
	return t, nil
}

// tunableRows returns one row for each of several ẑ dims of a tunable model.
func (b *builder) tunableRows(of training, title string, files []string, figure string) (rows []Row, err error) {
	c, _, err := b.config(of)
	if err != nil {
		return nil, err
	}
	_, _, zdims := c.Range()
	for _, zdim := range []int{1, 2, 4, 8} {
		if slices.Contains(zdims, zdim) {
			rows = append(rows, Row{Name: fmt.Sprintf("%s, ẑ dim %d", title, zdim), Cells: at(zdim, cells(files, figure))})
		}
	}
	return rows, nil
}

// The function `at` sets the ẑ dim of cells with results of a tunable model. It returns the cells.
func at(zdim int, cells []Cell) []Cell {
	for i := range cells {
		cells[i].At = map[string]float64{"zdim": float64(zdim)}
	}
	return cells
}

// variant is a further row of a method. Its preset is "" for the table's preset.
type variant struct {
	name    string
	changes []string
	preset  string
}

// particlesTable returns the first table of the paper.
func particlesTable(b *builder) (*Table, error) {
	rows := append([]variant{{}}, drifts()...)
	if b.size.Preset == "laptop" {
		rows = append(rows, variant{name: ", trained on 1 to 4 clusters", preset: "wide"})
	}
	return b.predictions(&Table{
		Name: "table 1", Title: "Interacting particles (section 4.2)", Measure: "MRE of the energy",
	}, "particles", "mre", map[string][]variant{"flow": rows})
}

// drifts returns the forms of the drift that the paper mentions without results. Their rows are
// compared with the method's published rows.
func drifts(more ...string) (v []variant) {
	for _, f := range dynamics.Forms() {
		if f := dynamics.Form(f); f != dynamics.FormMLP {
			v = append(v, variant{name: ", " + f.Title(), changes: append([]string{"law.form=" + string(f)}, more...)})
		}
	}
	return v
}

// mixingTable returns the second table of the paper.
func mixingTable(b *builder) (*Table, error) {
	// The models compared with the paper are trained without the share of the first species as
	// a variable: the published models do not have this information.
	bare := []string{"law.share=false"}
	with := []variant{{changes: bare}, {name: ", with the share of species 1 as a variable", changes: []string{"law.share=true"}}}
	forms := map[string][]variant{"flow": append(with, drifts(bare...)...)}
	for _, m := range experiment.MethodsFor("mixing") {
		if m.Name != "flow" {
			forms[m.Name] = []variant{{changes: bare}}
		}
	}
	return b.predictions(&Table{
		Name: "table 2", Title: "Mixing of two species (section 4.3)", Measure: "MMD of the mixing ratios",
	}, "mixing", "mmd", forms)
}

// Section 4.4 has chains of 300 beads that repel one another. Chains of 100 ideal rods take a
// fiftieth of the time.
const shortChains, longChains = 100, 300

// polymerTable returns the table of section 4.4 for short chains. The paper has only a figure
// of these results.
func polymerTable(b *builder) (*Table, error) {
	return b.unfolding("polymer", "chains of 100 ideal rods", shortChains)
}

// longPolymerTable returns the table of section 4.4 for the paper's chains, or nil for the preset
// quick.
func longPolymerTable(b *builder) (*Table, error) {
	if b.size.Preset == "quick" {
		return nil, nil
	}
	return b.unfolding("polymer 300", "chains of 300 beads that repel one another, as the paper has them", longChains)
}

// unfolding returns a table of the unfolding times of chains with the given number of beads.
func (b *builder) unfolding(name, chains string, beads int) (*Table, error) {
	t := &Table{
		Name: name, Title: "Polymers that unfold (section 4.4), " + chains,
		Measure: "error of the mean unfolding time, and Kolmogorov–Smirnov distance (KS) of unfolding times",
	}
	var drawn []string
	rows := b.chains(beads)
	// Models that predict from the same input share a figure. The input is beads or films, one
	// frame or several. figure returns the name of a row's figure and the folder of its tests.
	figure := func(row training) (name, tests string) {
		c, _, err := b.config(row)
		if err != nil {
			return "", ""
		}
		if name = folderOf(&c); c.Dynamics.Begin > 0 {
			name += fmt.Sprint("-", c.Dynamics.Begin)
		}
		return name, testsOf(&c)
	}
	for i, row := range rows {
		m, err := experiment.FindMethod(row.method)
		if err != nil {
			return nil, err
		}
		files, err := b.results(row)
		if err != nil {
			return nil, err
		}
		c, _, err := b.config(row)
		if err != nil {
			return nil, err
		}
		if !c.Tunable() { // the figure shows models that are trained separately
			drawn = append(drawn, files[0])
		}
		line := Row{Name: m.Title + ", from " + map[string]string{polymers: "labelled beads", films: "video"}[row.system]}
		for _, test := range []string{"fast", "medium", "slow"} {
			line.Cells = append(line.Cells,
				Cell{Files: files, Set: test, Figure: "passage_share", Form: Percent, Also: []string{"passage", "passage_se", "passage_error", "mmd", "perfect", "perfect_sd", "floor", "coverage"}},
				Cell{Files: files, Set: test, Figure: "ks", Form: Decimal, Also: []string{"ks_floor", "mean_rms", "mean_floor", "sd_rms", "sd_floor"}})
			if len(t.Rows) == 0 {
				t.Columns = append(t.Columns, test+", error", test+", KS")
			}
		}
		if c.Tunable() {
			at(c.UsualZDim(), line.Cells)
		}
		t.Rows = append(t.Rows, line)
		name, tests := figure(row)
		if i+1 < len(rows) {
			if next, _ := figure(rows[i+1]); next == name {
				continue
			}
		}
		b.draw(t, polymers, name+" predictions", tests, b.size.Ensembles, drawn...)
		drawn = nil
	}
	return t, nil
}

// chains returns the trainings on chains with the given number of beads: first on beads, then
// on films. Short chains use the preset quick or browser. Long chains use the size's preset. Deep
// sets encode beads quickly, so their dynamics are trained on 720 short chains instead of 240, and on
// 600 long chains instead of 300. With fewer, most of the error comes from the choice of chains, which
// is the same for all seeds. A training for every ε has a row of short chains alone.
func (b *builder) chains(beads int) (rows []training) {
	for _, system := range []string{polymers, films} {
		for _, m := range experiment.MethodsFor(system) {
			row := training{system: system, method: m.Name, preset: b.size.Preset}
			more := "law.trajectories=600"
			switch {
			case beads == longChains:
				if m.Name == experiment.Tunable || !slices.Contains(experiment.Presets(system, m.Name), row.preset) {
					continue
				}
			case row.preset == "quick":
				more = ""
			default:
				row.preset, more = "browser", "law.trajectories=720"
			}
			switch m.Encoder().(type) {
			case *encoder.DeepSet, *encoder.Tunable:
				if system == polymers && more != "" {
					row.changes = []string{more}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}
