package reproduce

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"macroscope/model/learn/experiment"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/sweep"
	"macroscope/model/system"
)

// builder collects the tasks of tables.
type builder struct {
	size    Size
	systems experiment.Systems
	flags   []string // flags of every task
	tasks   []*Task
}

func (b *builder) add(t *Task) { b.tasks = append(b.tasks, t) }

// results adds the tasks that train and measure a row with all seeds. It returns the files with
// the results.
func (b *builder) results(t training) (files []string, err error) {
	spec := b.spec(t)
	c, changes, err := b.config(t)
	if err != nil {
		return nil, err
	}
	data := b.data(&c)
	pair := t.Pair()
	base := strings.Join(append([]string{spec.String()}, changes...), " ")
	settings, seconds := c.Settings(), b.estimate(&c)
	var folder string
	var tests []string
	if c.HasDynamics() {
		folder, tests = b.tests(&c)
	}
	for seed := 1; seed <= b.size.Seeds; seed++ {
		name := fmt.Sprintf("%s seed %d", base, seed)
		place := fileName(name)
		model, partial := "models/"+place+".safetensors", "models/"+place+".part.safetensors"
		args := []string{"train", "-experiment", spec.String(), "-seed", fmt.Sprint(seed)}
		for _, change := range changes {
			args = append(args, "-set", change)
		}
		if n := fmt.Sprint("law.trajectories=", c.Dynamics.Trajectories); isChains(&c) && !slices.Contains(changes, n) { // without law.trajectories, the training would use the whole file, even if this model needs fewer trajectories
			args = append(args, "-set", n)
		}
		rest := slices.Concat([]string{"-report=false"}, b.flags, []string{"-out", partial})
		train := &Task{
			Name: name + ": train", Group: "train " + pair, Out: []string{model}, Settings: settings,
			Partial: partial, Resume: append([]string{"train", "-resume", partial}, rest...), Seconds: seconds,
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
			Args: append([]string{"eval", "-json", "-model", model}, b.flags...), Seconds: 8,
		}
		if c.Tunable() {
			places, n := placesOf(&c)
			eval.Args, eval.Seconds = append(eval.Args, places...), eval.Seconds*float64(n)
		}
		if c.HasDynamics() {
			eval.In = append(eval.In, tests...)
			eval.Args = append(eval.Args, "-tests", folder, "-trajectories", fmt.Sprint(b.count(&c)))
		}
		b.add(eval)
		files = append(files, result)
	}
	return files, nil
}

// spec returns the system, method and preset of a row's trainings. If the preset is that of the size, and
// does not exist, another one takes its place: the largest one for "paper", the smallest one for all
// other names.
func (b *builder) spec(t training) experiment.Spec {
	s, names := t.Spec, experiment.Presets(t.System, t.Method)
	if s.Preset == "" || s.Preset == "sweeps" {
		size := s.Preset
		if s.Preset = b.size.Preset; size != "" {
			s.Preset = cmp.Or(b.size.Sweeps, b.size.Preset)
		}
		switch {
		case len(names) == 0 || slices.Contains(names, s.Preset):
		case s.Preset == "paper":
			s.Preset = names[len(names)-1]
		default:
			s.Preset = names[0]
		}
	}
	return s
}

// config returns the configuration of a row's trainings, and the row's changes. A change is left
// out if the preset already has the new value. A training that occurs in several tables is
// therefore one task.
func (b *builder) config(t training) (c experiment.Config, changes []string, err error) {
	return sweep.Config(b.systems, b.spec(t), t.changes)
}

// placesOf returns the arguments for measuring a tunable model at all ẑ dims. If the model has no
// dynamics, there is a measurement for every pair of a ẑ dim and an ε in lineEps. `places` is the
// number of measurements.
func placesOf(c *experiment.Config) (args []string, places int) {
	_, _, zdims := c.Range()
	args, places = []string{"-zdim", strings.Trim(strings.ReplaceAll(fmt.Sprint(zdims), " ", ","), "[]")}, len(zdims)
	if !c.HasDynamics() {
		args, places = append(args, "-eps", strings.Join(lineEps, ",")), places*len(lineEps)
	}
	return args, places
}

// The method `draw` adds two tasks to a table. One task draws a figure as PNG, and the other task
// draws it as SVG. The models predict trajectories of tests. If the system has no tests for its figure,
// each task simulates trajectories itself.
func (b *builder) draw(t *Table, of picture) error {
	c, _, err := b.config(of.of)
	if err != nil {
		return err
	}
	tests, starts := testsOf(&c), b.size.Ensembles
	if !isChains(&c) {
		starts = bandOf(b.size)
		if tests, err = b.pictured(of.of.System); err != nil {
			return err
		}
	}
	var models, in []string
	for _, r := range of.results {
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
			Name: "figure " + of.name + ending, Group: "figures", In: slices.Concat(models, in), Out: []string{"paper/" + fileName(of.name) + ending}, Seconds: 10, Record: true,
		}
		if n := simulated[c.Spec.System]; tests == "" && n > 0 {
			one.Seconds += n / perSecond[c.Spec.System]
		}
		one.Args = slices.Concat([]string{"figure", "-model", strings.Join(models, ",")}, more, b.flags, []string{"-out", one.Out[0]})
		t.figures = append(t.figures, one)
	}
	return nil
}

// fileName returns a name in a form that can be a part of a path.
func fileName(name string) string { return (&Task{Name: name}).file() }

// count returns how many trajectories of a test are used.
func (b *builder) count(c *experiment.Config) int {
	if c.Traits.Stochastic {
		return b.size.Ensembles
	}
	return b.size.Trajectories
}

// fixed reports whether an encoder needs sets of fixed sizes. Only trajectories that are simulated
// with -fixed have such sets.
func fixed(c *experiment.Config) bool { return c.Encoder.Ordered() && c.Sets() > 1 }

// simulated contains a number of trajectories for each system. "macroscope figure" simulates this
// number of trajectories if it gets no tests.
var simulated = map[string]float64{"particles": 3}

// perSecond is how many trajectories of a system a core simulates per second, measured
// natively. It is used only for estimates.
var perSecond = map[string]float64{"particles": 90, "mixing": 0.8, polymers: 8, polymers + "-300": 0.09}

// shortChains and longChains are the numbers of beads in the tables of chains.
const shortChains, longChains = 100, 300

// lineEps are the ε in the table of the line.
var lineEps = []string{"0.03", "0.1", "0.3"}

// polymers and films are the names of two systems. Both simulate chains. In polymers, a frame is a
// set of beads. In films, a frame is a picture.
const polymers, films = "polymer", "polymer-video"

// isChains reports whether a configuration is for chains, as beads or as films.
func isChains(c *experiment.Config) bool { return strings.HasPrefix(c.Spec.System, polymers) }

// folderOf returns the name of the folder for a configuration's data: the name of its system
// and, for longer chains, the number of beads.
func folderOf(c *experiment.Config) string {
	if isChains(c) && c.Particles != shortChains {
		return fmt.Sprintf("%s-%d", c.Spec.System, c.Particles)
	}
	return c.Spec.System
}

// chainArgs returns the arguments to simulate a configuration's chains.
func chainArgs(c *experiment.Config) []string {
	if !isChains(c) {
		return nil
	}
	return []string{"-particles", fmt.Sprint(c.Particles)}
}

// chains returns the trainings of the table for chains of so many beads.
func (b *builder) chains(beads int) (of []training) {
	name := polymers
	if beads == longChains {
		name += " 300"
	}
	all, _ := plans() // without plans, Tables has no builder
	for _, p := range all {
		for _, r := range p.in(b.size) {
			if p.name == name {
				of = append(of, r.training)
			}
		}
	}
	return of
}

// data adds the task that simulates the file on which a system's models are trained, and returns
// the file. It returns "" if every training simulates its own trajectories because this is cheap.
func (b *builder) data(c *experiment.Config) string {
	if !c.Traits.Stochastic {
		return ""
	}
	var all []training // all trainings of this size
	for _, m := range experiment.MethodsFor(c.Spec.System) {
		all = append(all, training{Spec: experiment.Spec{System: c.Spec.System, Method: m.Name}})
	}
	experimentOf, name := c.Spec.System, folderOf(c)
	if isChains(c) { // all trainings on chains read one file of beads, and films are made from the beads
		all, experimentOf, name = b.chains(c.Particles), polymers, strings.Replace(name, films, polymers, 1)
	}
	n := 0
	for _, t := range all {
		if other, _, err := b.config(t); err == nil {
			n = max(n, other.Trajectories, other.Dynamics.Trajectories)
		}
	}
	args := append([]string{"simulate", "-experiment", experimentOf, "-n", fmt.Sprint(n)}, b.flags...)
	if fixed(c) {
		name, args = name+"-fixed", append(args, "-fixed")
	}
	args = append(args, chainArgs(c)...)
	file := "data/" + name + ".npz"
	b.add(&Task{Name: name + ": simulate", Group: simulations, Args: append(args, "-out", file), Out: []string{file}, Seconds: float64(n) / perSecond[strings.TrimSuffix(name, "-fixed")]})
	return file
}

// testsOf returns the folder with the tests for a configuration.
func testsOf(c *experiment.Config) string { return "tests/" + folderOf(c) }

// The method `tests` adds the tasks that simulate the tests of a configuration's system. It returns
// the folder of the tests and the files that the configuration reads.
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

// chainTests adds the tasks that simulate the tests of chains, and returns the files that a
// configuration reads. Each task writes the chains as beads and as films. The files contain every
// frame that any model reads before its first prediction.
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
		args := slices.Concat([]string{"simulate", "-experiment", polymers, "-test", t.Name, "-n", fmt.Sprint(b.count(c))}, b.flags, []string{"-begin", fmt.Sprint(begin)})
		b.add(&Task{
			Name: folderOf(&beads) + " " + t.Name + ": simulate", Group: simulations, Args: slices.Concat(args, chainArgs(c), []string{"-out", out[0], "-film", out[1]}), Out: out,
			Seconds: float64(b.count(c)) / perSecond[folderOf(&beads)],
		})
		files = append(files, testsOf(c)+"/"+t.Name+".npz")
	}
	return files
}

// pictured adds the tasks that simulate the tests in a system's figure, and returns their folder,
// or "" if the system has no such figure.
func (b *builder) pictured(name string) (dir string, err error) {
	sys, err := b.systems.Find(name)
	if err != nil {
		return "", err
	}
	p, ok := sys.(system.Pictured)
	if !ok {
		return "", nil
	}
	c, _, err := b.config(training{Spec: experiment.Spec{System: name, Method: "flow"}})
	if err != nil {
		return "", err
	}
	dir = "tests/" + name + "-figure"
	b.starts(&c, dir, p.Pictured(), bandOf(b.size))
	return dir, nil
}

// bandOf returns the number of trajectories in a band of a figure.
func bandOf(s Size) int { return min(s.Ensembles, 100) }

// The method `starts` adds tasks that simulate `count` trajectories of each test. It returns the
// files of these trajectories. The files are in the folder `dir`.
func (b *builder) starts(c *experiment.Config, dir string, tests []system.Test, count int) (files []string) {
	for _, t := range tests {
		name := t.Name
		args := append([]string{"simulate", "-experiment", c.Spec.System, "-test", t.Name, "-n", fmt.Sprint(count)}, b.flags...)
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

// estimate returns a rough time in seconds that a training takes on one core. The time includes the
// arithmetic of the networks and the training's simulations.
func (b *builder) estimate(c *experiment.Config) float64 {
	sys, err := b.systems.Find(c.Spec.System)
	if err != nil {
		return 0
	}
	const rate = 1.5e11 // floating-point operations per second, measured over whole trainings
	enc, dec, dyn := c.Sizes()
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
	if !c.Traits.Stochastic { // all trainings of a stochastic system share one simulation
		seconds += float64(c.Trajectories+d.Trajectories) / perSecond[c.Spec.System]
	}
	return seconds
}
