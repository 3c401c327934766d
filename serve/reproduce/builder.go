package reproduce

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/learn/sweep"
	"macroscope/model/system"
)

// builder collects the tasks of tables.
type builder struct {
	size    Size
	systems method.Systems
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
	if sys, err := b.systems.Find(t.System); err != nil {
		return nil, err
	} else if sys.Tests != nil {
		folder = testsOf(&c)
		tests = b.starts(&c, folder, sys.Tests(c.Particles), b.count(&c))
	}
	for seed := 1; seed <= b.size.Seeds; seed++ {
		name := fmt.Sprintf("%s seed %d", base, seed)
		place := fileName(name)
		model, partial := "models/"+place+".safetensors", "models/"+place+".part.safetensors"
		args := []string{"train", "-experiment", spec.String(), "-seed", fmt.Sprint(seed)}
		for _, change := range changes {
			args = append(args, "-set", change)
		}
		if n := fmt.Sprint("law.trajectories=", c.Dynamics.Trajectories); c.Traits.Sized && !slices.Contains(changes, n) { // without law.trajectories, the training would use the whole file, even if this model needs fewer trajectories
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
		if folder != "" {
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
func (b *builder) spec(t training) method.Spec {
	s, size := t.Spec, b.size.Preset
	switch s.Preset {
	case "":
	case "sweeps":
		size = cmp.Or(b.size.Sweeps, size)
	default:
		return s
	}
	names := method.Presets(s.System, s.Method)
	switch {
	case len(names) == 0 || slices.Contains(names, size):
		s.Preset = size
	case size == "paper":
		s.Preset = names[len(names)-1]
	default:
		s.Preset = names[0]
	}
	return s
}

// config returns the configuration of a row's trainings, and the row's changes. A change is left
// out if the preset already has the new value. A training that occurs in several tables is
// therefore one task.
func (b *builder) config(t training) (c method.Config, changes []string, err error) {
	return sweep.Config(b.systems, b.spec(t), t.changes)
}

// placesOf returns the arguments for measuring a tunable model at all ẑ dims. If the model has no
// dynamics, there is a measurement for every pair of a ẑ dim and an ε in lineEps. `places` is the
// number of measurements.
func placesOf(c *method.Config) (args []string, places int) {
	_, _, zdims := c.Tuning().Range()
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
	tests, starts := testsOf(&c), b.count(&c)
	if !c.Traits.Sized {
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
		if tests == "" { // each task then simulates three trajectories
			one.Seconds += 3 / b.perSecond(&c)
		}
		one.Args = slices.Concat([]string{"figure", "-model", strings.Join(models, ",")}, more, b.flags, []string{"-out", one.Out[0]})
		t.figures = append(t.figures, one)
	}
	return nil
}

// count returns how many trajectories of a test are used.
func (b *builder) count(c *method.Config) int { return c.Motion().Trajectories(b.size.Trajectories) }

// fixed reports whether an encoder needs sets of fixed sizes. Only trajectories that are simulated
// with -fixed have such sets.
func fixed(c *method.Config) bool { return c.Encoder.Ordered() && c.Sets() > 1 }

// usualSize and longSize are the numbers of particles in the tables of systems whose motion depends on this
// number.
const usualSize, longSize = 100, 300

// lineEps are the ε in the table of the line.
var lineEps = []string{"0.03", "0.1", "0.3"}

// perSecond returns how many trajectories of a configuration's system a core simulates per second. Single sets
// take no time.
func (b *builder) perSecond(c *method.Config) float64 {
	sys, _ := b.systems.Find(c.Spec.System) // every configuration has a system
	if sys.PerSecond == nil {
		return math.Inf(1)
	}
	return sys.PerSecond(c.Particles)
}

// folderOf returns the name of the folder for a configuration's data, given the system that the data are of: the
// name of the system and, for longer chains, the number of beads.
func folderOf(c *method.Config, system string) string {
	if c.Traits.Sized && c.Particles != usualSize {
		return fmt.Sprintf("%s-%d", system, c.Particles)
	}
	return system
}

// simulates returns the name of the system whose trajectories a configuration reads: beads instead of films.
func simulates(c *method.Config) string { return cmp.Or(c.Traits.Simulates, c.Traits.Name) }

// dataOf returns the name of a configuration's data as folderOf does, with beads instead of films.
func dataOf(c *method.Config) string { return folderOf(c, simulates(c)) }

// trainings returns the trainings that read the same simulations as a configuration. For chains, these
// are the rows of a table.
func (b *builder) trainings(c *method.Config) (configs []method.Config) {
	var all []training
	if c.Traits.Sized {
		table := simulates(c)
		if c.Particles == longSize {
			table += " 300"
		}
		plans, _ := plans() // without plans, Tables has no builder
		for _, r := range plans[slices.IndexFunc(plans, func(p *plan) bool { return p.name == table })].in(b.size) {
			all = append(all, r.training)
		}
	} else {
		for _, m := range method.MethodsFor(c.Spec.System) {
			all = append(all, training{Spec: method.Spec{System: c.Spec.System, Method: m.Name}})
		}
	}
	for _, t := range all {
		if c, _, err := b.config(t); err == nil {
			configs = append(configs, c)
		}
	}
	return configs
}

// data adds the task that simulates the file on which a system's models are trained, and returns
// the file. It returns "" if every training simulates its own trajectories because this is cheap.
// All trainings on chains read one file of beads, and films are made from the beads.
func (b *builder) data(c *method.Config) string {
	if !c.Traits.Stochastic {
		return ""
	}
	n := 0
	for _, other := range b.trainings(c) {
		n = max(n, other.Data.Trajectories, other.Dynamics.Trajectories)
	}
	name := dataOf(c)
	if fixed(c) {
		name += "-fixed"
	}
	b.simulate(c, name, "", n, "data/"+name+".npz")
	return "data/" + name + ".npz"
}

// simulate adds a task that simulates n trajectories of a configuration's system. They start as in a test
// if `test` is not "". For chains, the second output has the films.
func (b *builder) simulate(c *method.Config, name, test string, n int, out ...string) {
	args := []string{"simulate", "-experiment", simulates(c)}
	if test != "" {
		args = append(args, "-test", test)
	}
	args = slices.Concat(args, []string{"-n", fmt.Sprint(n)}, b.flags)
	if fixed(c) {
		args = append(args, "-fixed")
	}
	if c.Traits.Sized && test != "" { // the files contain every frame that any model reads before its first prediction
		begin := 0
		for _, other := range b.trainings(c) {
			begin = max(begin, other.Dynamics.Begin)
		}
		args = append(args, "-begin", fmt.Sprint(begin))
	}
	if c.Traits.Sized {
		args = append(args, "-particles", fmt.Sprint(c.Particles))
	}
	args = append(args, "-out", out[0])
	if len(out) > 1 {
		args = append(args, "-film", out[1])
	}
	b.add(&Task{Name: name + ": simulate", Group: simulations, Args: args, Out: out, Seconds: float64(n) / b.perSecond(c)})
}

// testsOf returns the folder with the tests for a configuration.
func testsOf(c *method.Config) string { return "tests/" + folderOf(c, c.Spec.System) }

// starts adds tasks that simulate `count` trajectories of each test. It returns the files of these
// trajectories that a configuration reads. They are in the folder `dir`.
func (b *builder) starts(c *method.Config, dir string, tests []system.Test, count int) (files []string) {
	for _, t := range tests {
		name := t.Name
		if fixed(c) {
			if !t.Fixed {
				continue
			}
			name += "-fixed"
		}
		out := []string{dir + "/" + name + ".npz"}
		files = append(files, out[0])
		if c.Traits.Sized {
			beads := "tests/" + dataOf(c) + "/" + name + ".npz"
			sys, _ := b.systems.Find(simulates(c))
			out = []string{beads, "tests/" + folderOf(c, sys.Pictures.Film().Name) + "/" + name + ".npz"}
		}
		b.simulate(c, dataOf(c)+" "+name, t.Name, count, out...)
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
	if sys.Pictured == nil {
		return "", nil
	}
	c, _, err := b.config(training{Spec: method.Spec{System: name, Method: "flow"}})
	if err != nil {
		return "", err
	}
	dir = "tests/" + name + "-figure"
	b.starts(&c, dir, sys.Pictured(), bandOf(b.size))
	return dir, nil
}

// bandOf returns the number of trajectories in a band of a figure.
func bandOf(s Size) int { return min(system.SDE.Trajectories(s.Trajectories), 100) }

// estimate returns a rough time in seconds that a training takes on one core. The time includes the
// arithmetic of the networks and the training's simulations.
func (b *builder) estimate(c *method.Config) float64 {
	sys, err := b.systems.Find(c.Spec.System)
	if err != nil {
		return 0
	}
	const rate = 1.5e11 // floating-point operations per second, measured over whole trainings
	enc, dec, dyn := c.Networks().WeightCounts()
	encode, samples := float64(c.Particles*enc), float64(c.Sets()*c.Decoder.Samples)
	if c.Encoder.Ordered() {
		encode = float64(enc)
	}
	if !c.Decoder.Density() {
		samples = 1
	}
	seconds := float64(c.Steps*c.Batch) * 6 * (encode + samples*float64(dec)) / rate
	d := &c.Dynamics
	seconds += float64(d.Velocity.Steps*d.Velocity.Batch*d.Velocity.Window) * 6 * float64(dyn) / rate
	seconds += float64(d.Rollout.Steps*d.Rollout.Batch*d.Rollout.Window) * 8 * 6 * float64(dyn) / rate
	if src := fit.Source(c, sys); src != nil {
		seconds += float64(d.Trajectories*src.Shape().Frames) * 2 * encode / rate
	}
	if !c.Traits.Stochastic { // all trainings of a stochastic system share one simulation
		seconds += float64(c.Data.Trajectories+d.Trajectories) / b.perSecond(c)
	}
	return seconds
}
