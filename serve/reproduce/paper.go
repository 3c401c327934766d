package reproduce

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"macroscope/model/encoder"
	"macroscope/model/experiment"
	"macroscope/model/fit"
	"macroscope/model/sde"
	"macroscope/model/sweep"
	"macroscope/model/system"
)

// Size is how large everything is.
type Size struct {
	Preset       string
	Sweeps       string // preset of the tables against a setting, which have many rows
	Seeds        int    // trainings of each row
	Trajectories int    // of each test where dynamics are deterministic
	Ensembles    int    // of each test where they are stochastic
}

// Sizes are the sizes that there are: minutes, a night, and the paper's own.
func Sizes() []Size {
	return []Size{
		{Preset: "quick", Sweeps: "quick", Seeds: 1, Trajectories: 100, Ensembles: 20},
		{Preset: "laptop", Sweeps: "browser", Seeds: 3, Trajectories: 1000, Ensembles: 200},
		{Preset: "paper", Sweeps: "paper", Seeds: 3, Trajectories: 1000, Ensembles: 200},
	}
}

// preset returns a preset of a pair, the smallest that it has instead of one that
// it lacks.
func preset(system, method, want string) string {
	names := experiment.Presets(system, method)
	if slices.Contains(names, want) {
		return want
	}
	return names[0]
}

// Published are the rows of the paper's tables, by system: the mean MRE, or the
// MMD, of in-dst, diff-init and diff-N, as it prints them.
var Published = map[string][]PublishedRow{
	"particles": {
		{"ae-aug", "AE-Aug", [3]string{"1.25e-3", "8.04e-4", "n/a"}},
		{"ae-inve", "AE-InvE", [3]string{"2.41e-4", "5.87e-4", "2.49e-4"}},
		{"ae-inve-cd", "AE-InvE-CD", [3]string{"6.14e-5", "3.90e-4", "6.43e-5"}},
		{"inve", "InvE", [3]string{"6.01e-5", "4.85e-4", "6.13e-5"}},
		{"flow", "paper, DeepSet", [3]string{"5.19e-5", "4.38e-4", "5.22e-5"}},
		{"flow-st", "paper, Set Transformer", [3]string{"3.20e-5", "1.70e-3", "2.60e-5"}},
	},
	"mixing": {
		{"ae-aug", "AE-Aug", [3]string{"1.91e-2", "1.07e-1", "n/a"}},
		{"ae-inve", "AE-InvE", [3]string{"2.60e-2", "9.17e-2", "5.26e-2"}},
		{"ae-inve-cd", "AE-InvE-CD", [3]string{"2.24e-2", "1.04e-1", "2.16e-2"}},
		{"inve", "InvE", [3]string{"1.43e-1", "1.22e-1", "1.41e-1"}},
		{"flow", "paper", [3]string{"1.09e-2", "5.70e-2", "9.64e-3"}},
	},
}

// PublishedRow is a row of the paper's.
type PublishedRow struct {
	Method string // of ours that it is about, "" if none
	Name   string
	Cells  [3]string
}

// Table is one of the tables: its cells, and the tasks that make them.
type Table struct {
	Name, Title string
	Measure     string   // what the cells are
	Conditions  string   // under which, in words; "" where there is nothing to say
	Columns     []string // after the row's name
	Rows        []Row
	Over        string // the quantity that rows go through, for a figure; "" is none
	experiment  string // of a sweep, SYSTEM/METHOD@PRESET; "" is none
	tasks       []*Task
	figures     []*Task // which draw models of the table
}

// Row is a line of a table: text as published, or figures over several trainings.
type Row struct {
	Name  string
	At    float64 // its value of Over
	Cells []Cell
	with  map[string]float64 // of a sweep: the fields that it is about
	// Published are the paper's figures of the columns; "" is none, and so is nil.
	Published []string
}

// Cell is a text, or the figure of a set of trajectories in results files.
type Cell struct {
	Text        string
	Files       []string
	Set, Figure string
	Form        Form     // in which the figure is shown
	Also        []string // figures for the CSV alone
}

// Form is how a table shows a figure.
type Form int

// The forms.
const (
	Scientific Form = iota // with a power of ten
	Decimal
	Percent // of 1, with its sign
)

// builder makes tasks.
type builder struct {
	size    Size
	systems experiment.Systems
	workers int
	tasks   []*Task
}

func (b *builder) add(t *Task) { b.tasks = append(b.tasks, t) }

// Tables returns all tables of a size, whose processes have so many workers.
func Tables(systems experiment.Systems, s Size, workers int) ([]*Table, error) {
	var tables []*Table
	for _, make := range []func(*builder) (*Table, error){lineTable, particlesTable, mixingTable, zdimTable, epsTable, polymerTable, longPolymerTable} {
		b := &builder{size: s, systems: systems, workers: workers}
		t, err := make(b)
		if err != nil {
			return nil, err
		}
		if t == nil { // the size has none
			continue
		}
		t.tasks = b.tasks
		tables = append(tables, t)
	}
	return tables, nil
}

// Tasks returns what the tables need: of each its trainings, then its figures, which
// nothing waits for, and its own task.
func Tasks(tables []*Table, common []string) (tasks []*Task) {
	for _, t := range tables {
		own := &Task{
			Name: t.Name, Group: "tables", Args: append([]string{"reproduce", "-render", t.Name, "-dir", "."}, common...), Out: []string{t.file() + ".md", t.file() + ".csv"},
		}
		if t.Over != "" {
			own.Out = append(own.Out, t.file()+".png", t.file()+".svg")
		}
		if t.experiment != "" {
			own.Out = append(own.Out, t.file()+".json")
		}
		for _, r := range t.Rows {
			for _, c := range r.Cells {
				for _, f := range c.Files {
					if !slices.Contains(own.In, f) {
						own.In = append(own.In, f)
					}
				}
			}
		}
		tasks = append(append(append(tasks, t.tasks...), t.figures...), own)
	}
	return tasks
}

func (t *Table) file() string { return "paper/" + strings.ReplaceAll(t.Name, " ", "-") }

// training is a row's training: a pair and changes of its preset.
type training struct {
	system, method string
	changes        []string // NAME=VALUE
	preset         string   // "" is the size's
}

// results trains a row with all seeds, measures it and returns the files of the
// results.
func (b *builder) results(t training) (files []string, err error) {
	spec := b.spec(t)
	c, changes, err := b.config(t)
	if err != nil {
		return nil, err
	}
	data := b.data(&c)
	pair := t.system + "/" + t.method
	base := strings.Join(append([]string{spec.String()}, changes...), " ")
	for seed := 1; seed <= b.size.Seeds; seed++ {
		name := fmt.Sprintf("%s seed %d", base, seed)
		place := fileName(name)
		model, partial := "models/"+place+".safetensors", "models/"+place+".part.safetensors"
		args := []string{"train", "-experiment", spec.String(), "-seed", fmt.Sprint(seed)}
		for _, change := range changes {
			args = append(args, "-set", change)
		}
		if n := fmt.Sprint("law.trajectories=", c.Dynamics.Trajectories); isChains(&c) && !slices.Contains(changes, n) { // others take more of the file
			args = append(args, "-set", n)
		}
		rest := []string{"-report=false", "-workers", fmt.Sprint(b.workers), "-out", partial}
		train := &Task{
			Name: name + ": train", Group: "train " + pair, Out: []string{model}, Settings: c.Settings(),
			Partial: partial, Resume: append([]string{"train", "-resume", partial}, rest...), Seconds: b.estimate(&c),
		}
		if data != "" {
			rest = append(rest, "-data", data)
			train.Resume = append(train.Resume, "-data", data)
			train.In = []string{data}
		}
		train.Args = append(args, rest...)
		b.add(train)
		result := "results/" + place + ".json"
		eval := &Task{
			Name: name + ": eval", Group: "eval " + pair, In: []string{model}, Out: []string{result}, Stdout: true, Record: true,
			Args: []string{"eval", "-json", "-model", model, "-workers", fmt.Sprint(b.workers)}, Seconds: 8,
		}
		if c.HasDynamics() {
			folder, tests := b.tests(&c)
			eval.In = append(eval.In, tests...)
			eval.Args = append(eval.Args, "-tests", folder, "-trajectories", fmt.Sprint(b.count(&c)))
		}
		b.add(eval)
		files = append(files, result)
	}
	return files, nil
}

func (b *builder) spec(t training) experiment.Spec {
	return experiment.Spec{System: t.system, Method: t.method, Preset: preset(t.system, t.method, cmp.Or(t.preset, b.size.Preset))}
}

// config returns what a row trains, and those of its changes that do change the
// preset: a training that several tables have is one task.
func (b *builder) config(t training) (c experiment.Config, changes []string, err error) {
	return sweep.Config(b.systems, b.spec(t), t.changes)
}

// draw adds a figure of a system's models of results, as PNG and as SVG, with so many starts
// of the tests in a folder; "": they are simulated.
func (b *builder) draw(t *Table, system, name, tests string, starts int, results ...string) {
	var models, in []string
	for _, r := range results {
		models = append(models, "models/"+strings.TrimSuffix(filepath.Base(r), ".json")+".safetensors")
	}
	var more []string
	if tests != "" {
		more = []string{"-tests", tests, "-trajectories", fmt.Sprint(starts)}
		for _, task := range b.tasks {
			for _, file := range task.Out {
				if strings.HasPrefix(file, tests+"/") && !slices.Contains(in, file) {
					in = append(in, file)
				}
			}
		}
	}
	for _, ending := range []string{".png", ".svg"} {
		one := &Task{
			Name: "figure " + name + ending, Group: "figures", In: slices.Concat(models, in), Out: []string{"paper/" + fileName(name) + ending}, Seconds: 10, Record: true,
		}
		if tests == "" && simulated[system] > 0 {
			one.Seconds += simulated[system] / perSecond[system]
		}
		one.Args = slices.Concat([]string{"figure", "-model", strings.Join(models, ",")}, more, []string{"-workers", fmt.Sprint(b.workers), "-out", one.Out[0]})
		t.figures = append(t.figures, one)
	}
}

// fileName returns a name as a part of a path.
func fileName(name string) string { return (&Task{Name: name}).file() }

// count returns how many trajectories a test has.
func (b *builder) count(c *experiment.Config) int {
	if c.Traits.Stochastic {
		return b.size.Ensembles
	}
	return b.size.Trajectories
}

// fixed says whether an encoder needs sets of one size, which trajectories do not
// have by themselves.
func fixed(c *experiment.Config) bool { return c.Encoder.Ordered() && c.Sets() > 1 }

// simulated is how many trajectories macroscope figure simulates where it is given no
// tests.
var simulated = map[string]float64{"particles": 3}

// perSecond is how many trajectories of a system one core simulates in a second:
// measured natively, for the estimates alone.
var perSecond = map[string]float64{"particles": 90, "mixing": 0.8, polymers: 8, polymers + "-300": 0.09}

// polymers and films are the systems of chains, of which every preset has its own.
const polymers, films = "polymer", "polymer-video"

// isChains says whether a configuration is of chains, as beads or as films.
func isChains(c *experiment.Config) bool { return strings.HasPrefix(c.Spec.System, polymers) }

// folderOf returns the name under which data of a configuration lie: that of its system
// and, of chains of other than the fewest beads that have tests, their number.
func folderOf(c *experiment.Config) string {
	if isChains(c) && c.Particles != shortChains {
		return fmt.Sprintf("%s-%d", c.Spec.System, c.Particles)
	}
	return c.Spec.System
}

// chainArgs are the arguments with which chains of a configuration are simulated.
func chainArgs(c *experiment.Config) []string {
	if !isChains(c) {
		return nil
	}
	return []string{"-particles", fmt.Sprint(c.Particles)}
}

// data returns the file that a system's models are trained on, "" where each
// training simulates its own, which costs little.
func (b *builder) data(c *experiment.Config) string {
	if !c.Traits.Stochastic {
		return ""
	}
	var all []training // which methods of the size have
	for _, m := range experiment.MethodsFor(c.Spec.System) {
		all = append(all, training{system: c.Spec.System, method: m.Name})
	}
	experimentOf, name := c.Spec.System, folderOf(c)
	if isChains(c) { // one file of beads, of which films are drawn as they are read
		all, experimentOf, name = b.chains(c.Particles), polymers, strings.Replace(name, films, polymers, 1)
	}
	n := 0
	for _, t := range all {
		if other, _, err := b.config(t); err == nil {
			n = max(n, other.Trajectories, other.Dynamics.Trajectories)
		}
	}
	args := []string{"simulate", "-experiment", experimentOf, "-n", fmt.Sprint(n), "-workers", fmt.Sprint(b.workers)}
	if fixed(c) {
		name, args = name+"-fixed", append(args, "-fixed")
	}
	args = append(args, chainArgs(c)...)
	file := "data/" + name + ".npz"
	b.add(&Task{Name: name + ": simulate", Group: simulations, Args: append(args, "-out", file), Out: []string{file}, Seconds: float64(n) / perSecond[strings.TrimSuffix(name, "-fixed")]})
	return file
}

// testsOf returns the folder of the tests of a configuration.
func testsOf(c *experiment.Config) string { return "tests/" + folderOf(c) }

// tests returns the folder and the files of a system's tests.
func (b *builder) tests(c *experiment.Config) (dir string, files []string) {
	sys, err := b.systems.Find(c.Spec.System)
	if err != nil {
		return "", nil
	}
	dir = testsOf(c)
	if isChains(c) {
		return dir, b.chainTests(c, sys.Tests(c.Particles))
	}
	return dir, b.starts(c, dir, sys.Tests(c.Particles), b.count(c))
}

// chainTests adds the simulations of tests of chains, each of which is written as beads and
// as films, up to the frame that any model of these is told, and returns the files that a
// configuration has.
func (b *builder) chainTests(c *experiment.Config, tests []system.Test) (files []string) {
	begin := 0
	for _, t := range b.chains(c.Particles) {
		if other, _, err := b.config(t); err == nil {
			begin = max(begin, other.Dynamics.Begin)
		}
	}
	beads, film := *c, *c
	beads.Spec.System, film.Spec.System = polymers, films
	for _, t := range tests {
		out := []string{testsOf(&beads) + "/" + t.Name + ".npz", testsOf(&film) + "/" + t.Name + ".npz"}
		args := []string{"simulate", "-experiment", polymers, "-test", t.Name, "-n", fmt.Sprint(b.count(c)), "-workers", fmt.Sprint(b.workers), "-begin", fmt.Sprint(begin)}
		b.add(&Task{
			Name: folderOf(&beads) + " " + t.Name + ": simulate", Group: simulations, Args: slices.Concat(args, chainArgs(c), []string{"-out", out[0], "-film", out[1]}), Out: out,
			Seconds: float64(b.count(c)) / perSecond[folderOf(&beads)],
		})
		files = append(files, testsOf(c)+"/"+t.Name+".npz")
	}
	return files
}

// pictured returns the folder of the tests that the figure of a system shows, "" where it
// has none of its own.
func (b *builder) pictured(name string) (dir string, err error) {
	sys, err := b.systems.Find(name)
	if err != nil {
		return "", err
	}
	p, ok := sys.(system.Pictured)
	if !ok {
		return "", nil
	}
	c, _, err := b.config(training{system: name, method: "flow"})
	if err != nil {
		return "", err
	}
	dir = "tests/" + name + "-figure"
	b.starts(&c, dir, p.Pictured(), bandOf(b.size))
	return dir, nil
}

// bandOf is how many trajectories a band of a figure is of.
func bandOf(s Size) int { return min(s.Ensembles, 100) }

// starts adds the simulations of tests, and returns their files in a folder.
func (b *builder) starts(c *experiment.Config, dir string, tests []system.Test, count int) (files []string) {
	for _, t := range tests {
		name := t.Name
		args := []string{"simulate", "-experiment", c.Spec.System, "-test", t.Name, "-n", fmt.Sprint(count), "-workers", fmt.Sprint(b.workers)}
		if fixed(c) {
			if t.Fixed == nil {
				continue
			}
			name, args = name+"-fixed", append(args, "-fixed")
		}
		file := filepath.ToSlash(filepath.Join(dir, name+".npz"))
		b.add(&Task{
			Name: c.Spec.System + " " + name + ": simulate", Group: simulations, Args: append(args, "-out", file), Out: []string{file},
			Seconds: float64(count) / perSecond[c.Spec.System],
		})
		files = append(files, file)
	}
	return files
}

// estimate returns about how many seconds of one core a training takes: the
// arithmetic of its networks, and its simulations.
func (b *builder) estimate(c *experiment.Config) float64 {
	sys, err := b.systems.Find(c.Spec.System)
	if err != nil {
		return 0
	}
	const rate = 1.5e11 // floating-point operations a second, measured over whole trainings
	enc, dec, dyn := experiment.New(*c, sys).Sizes()
	encode, samples := float64(c.Particles*enc), float64(c.Sets()*c.Decoder.Samples)
	if c.Encoder.Ordered() {
		encode = float64(enc)
	}
	if !c.Decoder.Density() {
		samples = 1
	}
	seconds := float64(c.Steps*c.Batch) * 6 * (encode + samples*float64(dec)) / rate
	if !c.HasDynamics() {
		return seconds
	}
	d := &c.Dynamics
	seconds += float64(d.Fit.Steps*d.Fit.Batch*d.Fit.Window) * 6 * float64(dyn) / rate
	seconds += float64(d.Roll.Steps*d.Roll.Batch*d.Roll.Window) * 8 * 6 * float64(dyn) / rate
	if src := fit.Source(c, sys); src != nil {
		seconds += float64(d.Trajectories*src.Shape().Frames) * 2 * encode / rate
	}
	if !c.Traits.Stochastic { // which are simulated once for all
		seconds += float64(c.Trajectories+d.Trajectories) / perSecond[c.Spec.System]
	}
	return seconds
}

// lineTable is section 4.1: KL against ε and ẑ dim.
func lineTable(b *builder) (*Table, error) {
	t := &Table{Name: "line", Title: "Points on a line (section 4.1)"}
	err := b.sweep(t, training{system: "line", method: "flow"}, []sweep.Swept{{Field: "eps", Values: []string{"0.03", "0.1", "0.3"}}, {Field: "encoder.zdim", Values: []string{"1", "2", "4", "8"}}}, true)
	if err != nil {
		return nil, err
	}
	var first []string // of each row's trainings
	for _, row := range t.Rows {
		first = append(first, row.Cells[0].Files[0])
	}
	b.draw(t, "line", "line densities", "", 0, first...)
	return t, nil
}

// tests names the columns of tables of predictions.
var tests = []string{"in-dst", "diff-init", "diff-N"}

// cells returns a figure of all tests, and others for the CSV.
func cells(files []string, figure string) (cells []Cell) {
	also := map[string][]string{"mre": {"median", "max"}, "mmd": {"floor", "coverage"}}[figure]
	for _, test := range tests {
		cells = append(cells, Cell{Files: files, Set: test, Figure: figure, Also: also})
	}
	return cells
}

// predictions is a table of a system's methods, beside the published rows.
func (b *builder) predictions(t *Table, system, figure string, variants map[string][]variant) (*Table, error) {
	t.Columns = tests
	for _, p := range Published[system] {
		row := Row{Name: p.Name + " (published)"}
		for _, text := range p.Cells {
			row.Cells = append(row.Cells, Cell{Text: text})
		}
		t.Rows = append(t.Rows, row)
	}
	var drawn [][2]string // figures and the results of their models
	for _, m := range experiment.MethodsFor(system) {
		forms := variants[m.Name]
		if forms == nil {
			forms = []variant{{}}
		}
		for _, v := range forms {
			files, err := b.results(training{system: system, method: m.Name, changes: v.changes})
			if err != nil {
				return nil, err
			}
			if m.Name == "flow" {
				drawn = append(drawn, [2]string{system + " predictions" + v.name, files[0]})
			}
			row := Row{Name: m.Title + v.name, Cells: cells(files, figure)}
			for _, p := range Published[system] {
				if p.Method == m.Name {
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

// variant is a form of a row.
type variant struct {
	name    string
	changes []string
}

// particlesTable is the first table of the paper.
func particlesTable(b *builder) (*Table, error) {
	return b.predictions(&Table{
		Name: "table 1", Title: "Interacting particles (section 4.2)", Measure: "MRE of the energy",
	}, "particles", "mre", map[string][]variant{"flow": append([]variant{{}}, drifts()...)})
}

// drifts are the forms of the drift that the paper names and its tables lack: rows
// that are compared with the published ones of the method.
func drifts(more ...string) (v []variant) {
	for _, f := range sde.Forms() {
		if f := sde.Form(f); f != sde.FormMLP {
			v = append(v, variant{", " + f.Title(), append([]string{"law.form=" + string(f)}, more...)})
		}
	}
	return v
}

// mixingTable is the second.
func mixingTable(b *builder) (*Table, error) {
	// The share of the first species among the variables is information that the
	// published models lack.
	with := []variant{{}, {", with the share of species 1 as a variable", []string{"law.share=true"}}}
	bare := []string{"law.share=false"}
	with[0].changes = bare
	forms := map[string][]variant{"flow": append(with, drifts(bare...)...)}
	for _, m := range experiment.MethodsFor("mixing") {
		if m.Name != "flow" {
			forms[m.Name] = []variant{{"", bare}}
		}
	}
	return b.predictions(&Table{
		Name: "table 2", Title: "Mixing of two species (section 4.3)", Measure: "MMD of the mixing ratios",
	}, "mixing", "mmd", forms)
}

// Section 4.4 is of chains of 300 beads that repel one another. Chains of 100 ideal rods
// cost a fiftieth of those.
const shortChains, longChains = 100, 300

// polymerTable is section 4.4, of which the paper has a figure alone, for short chains.
func polymerTable(b *builder) (*Table, error) {
	return b.unfolding("polymer", "chains of 100 ideal rods", shortChains)
}

// longPolymerTable is the same for the paper's chains, nil where all is to take minutes.
func longPolymerTable(b *builder) (*Table, error) {
	if b.size.Preset == "quick" {
		return nil, nil
	}
	return b.unfolding("polymer 300", "chains of 300 beads that repel one another, as the paper has them", longChains)
}

// unfolding is a table of when chains of so many beads unfold.
func (b *builder) unfolding(name, chains string, beads int) (*Table, error) {
	t := &Table{
		Name: name, Title: "Polymers that unfold (section 4.4), " + chains,
		Measure: "error of the mean unfolding time, and Kolmogorov–Smirnov distance (KS) of unfolding times",
	}
	var drawn []string
	rows := b.chains(beads)
	// What is predicted from one frame, of beads or of films, has a figure.
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
		drawn = append(drawn, files[0])
		line := Row{Name: m.Title + ", from " + map[string]string{polymers: "marked beads", films: "video"}[row.system]}
		for _, test := range []string{"fast", "medium", "slow"} {
			line.Cells = append(line.Cells,
				Cell{Files: files, Set: test, Figure: "passage_share", Form: Percent, Also: []string{"passage", "passage_se", "passage_error", "mmd", "floor", "coverage"}},
				Cell{Files: files, Set: test, Figure: "ks", Form: Decimal, Also: []string{"ks_floor", "mean_rms", "mean_floor", "sd_rms", "sd_floor"}})
			if len(t.Rows) == 0 {
				t.Columns = append(t.Columns, test+", error", test+", KS")
			}
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

// chains returns the trainings on chains of so many beads, first those on beads: of short
// ones preset quick or browser, of which dynamics of deep sets of beads, which are encoded
// quickly, have three times as many chains, since 240 leave errors that all seeds share;
// of long ones the size's own.
func (b *builder) chains(beads int) (rows []training) {
	for _, system := range []string{polymers, films} {
		for _, m := range experiment.MethodsFor(system) {
			row := training{system: system, method: m.Name, preset: b.size.Preset}
			switch {
			case beads == longChains:
				if !slices.Contains(experiment.Presets(system, m.Name), row.preset) {
					continue
				}
			case row.preset != "quick":
				row.preset = "browser"
				if system == polymers && m.Encoder == encoder.DeepSet {
					row.changes = []string{"law.trajectories=720"}
				}
			}
			rows = append(rows, row)
		}
	}
	return rows
}
