package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/peterbourgon/ff/v3/ffcli"
	"gonum.org/v1/gonum/floats"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/measure/stats"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/excerpt"
	"macroscope/model/work"
	"macroscope/serve/input"
	"macroscope/serve/output"
)

// testCount is how many trajectories of a test are simulated by default if it is of paths.
const testCount = 1000

// evalOptions are the flags of an evaluation.
type evalOptions struct {
	subcommand
	reading
	predictions
	sets, samples       int
	data, macro, folder string
	params, force       string
	eps, zdim           string
	grid                int
	trajectories        int
	seed                uint64
}

func evalCommand(stdout, stderr io.Writer) *ffcli.Command {
	var o evalOptions
	fs := o.flags("eval", stderr, runtime.GOMAXPROCS(0))
	path := fs.String(modelName, "", "checkpoint to evaluate, or a bundle saved by the page, for the model shown in it; MODEL without a flag is the same")
	asJSON := fs.Bool("json", false, "print one JSON object; a figure that is not finite is null, and undefined says why")
	fs.IntVar(&o.sets, "sets", measure.TestSets, "line: validation sets")
	fs.IntVar(&o.samples, "samples", measure.TestSamples, "line: Monte Carlo samples a set")
	fs.StringVar(&o.data, "data", "", "trajectories to predict, see train -h, or a bundle that holds some (default: the paper's three test sets)")
	fs.StringVar(&o.folder, "tests", "", "`folder` of the tests' trajectories as simulate -test writes them, which are otherwise simulated each time")
	fs.StringVar(&o.params, "params", "none", "parameters of the tests, see train -params, as a:6,b:0.2 or drawn from ranges (default: the usual)")
	fs.StringVar(&o.force, "force", "", "particles: force of the tests, a `formula`, see simulate -h (default: the one that the model was trained on); or of -data without a force of their own (default: the paper's)")
	fs.StringVar(&o.eps, "eps", "", "ε of a tunable model, or several, as 0.03,0.1 (default: the system's)")
	fs.StringVar(&o.zdim, "zdim", "", "ẑ dim of a tunable model, or several, as 1,2,8 (default: the system's)")
	fs.IntVar(&o.grid, "grid", 0, "measure only the first test, at so many `values` of each parameter of the model's dynamics, over its training range; line: a tunable model at so many ε of its range and every ẑ dim")
	fs.StringVar(&o.macro, "macro", "", "particles: observable to compare with, see train -h (default: the model's)")
	o.reading.register(fs)
	o.predictions.register(fs)
	fs.IntVar(&o.trajectories, "trajectories", 0, "trajectories at most, of each test (default: "+testCounts()+")")
	fs.Uint64Var(&o.seed, "seed", measure.TestSeed, "seed of what the model is measured on")
	return o.command(fs, func(ctx context.Context) error {
		if *path == "" {
			return fmt.Errorf("eval needs -model, the checkpoint to evaluate")
		}
		m, err := load(stderr, *path)
		if err != nil {
			return err
		}
		if err := o.predictions.open(&o.subcommand, output.Input{Flag: "-data", Path: o.data}, output.Input{Flag: "-model", Path: *path}); err != nil {
			return err
		}
		r, err := o.run(ctx, m)
		if err != nil {
			return err
		}
		if *asJSON {
			return json.NewEncoder(stdout).Encode(r)
		}
		return r.print(stdout)
	})
}

// The method `run` measures a model at every ε and ẑ dim that the flags list. If there are several
// measurements, each row of results for a test also contains ẑ dim. The rows do not contain ε,
// because the dynamics do not depend on ε.
func (o *evalOptions) run(ctx context.Context, m *model.Model) (*result, error) {
	places, err := o.places(m)
	if err != nil {
		return nil, err
	}
	if len(places) > 1 && o.out != nil {
		return nil, errors.New("-predictions are those of one model; give one ε and one ẑ dim with -eps and -zdim")
	}
	all := &result{experiment: m.Config.Spec.Name()}
	for _, p := range places {
		r, err := o.measure(ctx, p)
		if err != nil {
			return nil, err
		}
		r.experiment = all.experiment
		if len(places) == 1 {
			return r, nil
		}
		all.add(r, p.Config.ZDim())
	}
	return all, nil
}

// The command measures the models in the result of `places`. If m is an ordinary model, the result
// is m itself. If m is tunable, the result has an ordinary model for every chosen pair of ε and
// ẑ dim. The flags -eps, -zdim and -grid choose ε and ẑ dim.
func (o *evalOptions) places(m *model.Model) (of []*model.Model, err error) {
	c := &m.Config
	if !c.Tunable() {
		unused := []string{"eps", "zdim"}
		if !c.HasDynamics() {
			unused = append(unused, "grid")
		}
		return []*model.Model{m}, o.refuse(c.Spec.Pair(), unused...)
	}
	epss, zdims := []float64{c.Eps()}, []int{c.Tuning().Usual()}
	if o.given["grid"] && !c.HasDynamics() {
		if o.given["eps"] {
			return nil, fmt.Errorf("-grid chooses the values of ε, and -eps %s names them; leave one of them out", o.eps)
		}
		if err := within("grid", o.grid, 2, 100); err != nil {
			return nil, err
		}
		var low, high float64
		low, high, zdims = c.Tuning().Range()
		epss = logarithmic(low, high, o.grid)
	}
	if o.given["eps"] {
		if epss, err = list(o.eps, setting.Float); err != nil {
			return nil, fmt.Errorf("-eps %s: %w", o.eps, err)
		}
	}
	if len(epss) > 1 && c.HasDynamics() {
		return nil, fmt.Errorf("-eps %s: ε does not change the dynamics, so all would have the same figures; give one", o.eps)
	}
	if o.given["zdim"] {
		if zdims, err = list(o.zdim, strconv.Atoi); err != nil {
			return nil, fmt.Errorf("-zdim %s: %w", o.zdim, err)
		}
	}
	for _, eps := range epss {
		for _, d := range zdims {
			at, err := m.At(eps, d)
			if err != nil {
				return nil, err
			}
			of = append(of, at)
		}
	}
	return of, nil
}

// logarithmic returns n values from low to high in equal ratios.
func logarithmic(low, high float64, n int) []float64 {
	values := floats.LogSpan(make([]float64, n), low, high)
	values[0], values[n-1] = low, high // exact ends, without rounding errors
	return values
}

// list parses values separated by commas, and leaves out repetitions.
func list[T comparable](text string, read func(string) (T, error)) (values []T, err error) {
	for part := range strings.SplitSeq(text, ",") {
		v, err := read(strings.TrimSpace(part))
		if err != nil {
			return nil, fmt.Errorf("%q is not a number of the list; give numbers in decimal digits", part)
		}
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values, nil
}

// measure measures a model that is not tunable.
func (o *evalOptions) measure(ctx context.Context, m *model.Model) (*result, error) {
	c, e := &m.Config, evaluation{model: m, seed: o.seed, workers: o.workers, stderr: o.stderr}
	if !c.HasDynamics() {
		if err := o.refuse(c.Spec.Pair(), "data", "macro", "predictions", "trajectories", "tests", "params", "force"); err != nil {
			return nil, err
		}
		if err := needsDensity(m); err != nil {
			return nil, err
		}
		if o.sets < 1 || o.sets > 1_000_000 || o.samples < 1 || o.samples > 1_000_000 {
			return nil, fmt.Errorf("-sets %d and -samples %d; use numbers from 1 to 1000000", o.sets, o.samples)
		}
		began := time.Now()
		kl, err := measure.KLResult(work.Until(ctx), e.model, o.sets, o.samples, e.seed)
		if err != nil {
			return nil, err
		}
		r := &result{experiment: c.Spec.Name(), single: true, tests: []*measure.Result{kl}}
		r.seconds = time.Since(began).Seconds()
		return r, nil
	}
	unused := []string{"sets", "samples"}
	if c.Data.Observable == "" {
		unused = append(unused, "macro")
	}
	if err := o.refuse(c.Spec.Pair(), unused...); err != nil {
		return nil, err
	}
	count, err := o.count(c.Motion())
	switch {
	case err != nil:
		return nil, err
	case o.data != "":
		if err := o.refuse("that is measured on -data", "params", "grid", "tests"); err != nil {
			return nil, err
		}
		return o.measureData(ctx, &e, count)
	}
	if err := needsData(c); err != nil {
		return nil, err
	}
	at, err := o.at(c)
	switch {
	case err != nil:
		return nil, err
	case o.folder != "" && o.given["seed"]:
		return nil, fmt.Errorf("-tests holds trajectories whose seed simulate -test has chosen; leave -seed or -tests out")
	case (len(at) > 0 || o.force != "" || c.OwnForce() != "") && o.folder != "":
		return nil, fmt.Errorf("-tests holds trajectories with the usual force and parameters; leave -force, -params and -grid out, or -tests")
	}
	e.folder = o.folder
	sys, err := withForce(m.System, o.force)
	if err != nil {
		return nil, err
	}
	for _, params := range at {
		if err := checkParams(sys, params); err != nil {
			return nil, err
		}
	}
	tests := sys.Tests(c.Particles)
	if o.grid > 0 {
		tests = tests[:1]
	}
	return e.tests(ctx, tests, count, at...)
}

// count returns how many trajectories of a test are predicted.
func (o *evalOptions) count(of *system.Motion) (int, error) {
	if !o.given["trajectories"] {
		return of.Trajectories(testCount), nil
	}
	return o.trajectories, within("trajectories", o.trajectories, of.Least, of.Most)
}

// at returns the parameters of the physics for the tests. An empty result means the default
// values.
func (o *evalOptions) at(c *method.Config) ([]system.Ranges, error) {
	params, err := c.Traits.Parameters.Parse(o.params)
	switch {
	case err != nil:
		return nil, fmt.Errorf("-params: %w", err)
	case o.given["grid"] && o.given["params"]:
		return nil, fmt.Errorf("-grid goes over all values of the parameters, and -params %s names some; leave one of them out", o.params)
	case o.given["grid"] && (o.grid < 2 || o.grid > 100):
		return nil, fmt.Errorf("-grid %d; use 2 to 100 values of each parameter", o.grid)
	case o.given["grid"] && len(c.Dynamics.Params) == 0:
		return nil, fmt.Errorf("-grid goes over the parameters that the dynamics are given, and these are given none; use -params")
	case o.given["grid"]:
		return grid(c.Dynamics.Params, o.grid), nil
	case len(params) > 0:
		return []system.Ranges{params}, nil
	}
	return nil, nil
}

// grid returns all combinations of the values of parameters r, as ranges of one value each. `values` is
// the number of values per parameter. The values are evenly spaced over the parameter's range
// and include both ends.
func grid(r system.Ranges, values int) (points []system.Ranges) {
	points = []system.Ranges{nil}
	for _, v := range r {
		var next []system.Ranges
		for _, p := range points {
			for k := range values {
				at := v.Low + (v.High-v.Low)*float64(k)/float64(values-1)
				next = append(next, append(slices.Clone(p), system.Range{Name: v.Name, Low: at, High: at}))
			}
		}
		points = next
	}
	return points
}

// measureData measures a model on the trajectories of -data.
func (o *evalOptions) measureData(ctx context.Context, e *evaluation, count int) (*result, error) {
	began, observable := time.Now(), e.model.Config.Data.Observable
	if o.given["macro"] {
		observable = o.macro
	}
	sys, err := systems.Find(e.model.Config.Spec.System)
	if err == nil && sys.Described != nil {
		sys = e.model.System
	}
	if err == nil {
		sys, err = withForce(sys, o.force)
	}
	if err != nil {
		return nil, err
	}
	o.starts = o.horizon > 0
	src, err := o.openFor(e.stderr, e.model, sys, o.data, observable)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	all := src.Shape().Trajectories
	if !o.given["trajectories"] {
		count = all
	}
	if count = min(count, all); count < e.model.Config.Motion().Least && o.out == nil {
		return nil, fmt.Errorf("%s: there is one trajectory, and the MMD compares ensembles; give two at least", o.data)
	}
	r := &result{experiment: e.model.Config.Spec.Name()}
	if err := o.own(ctx, e, r, src, count); err != nil {
		return nil, fmt.Errorf("%s: %w", o.data, err)
	}
	r.seconds = time.Since(began).Seconds()
	return r, nil
}

// own measures the model on the trajectories of -data, and writes their predictions. If they trained the model, it also
// measures the part that was kept out of training.
func (o *evalOptions) own(ctx context.Context, e *evaluation, r *result, src system.Recorded, count int) error {
	path, task := o.data, e.task(src, count, measure.TestMembers)
	least, dt, err := o.frames(e.model, src, count)
	if err != nil {
		return err
	}
	if task.Frames = least; o.out != nil {
		task.Encode = measure.Closures
	}
	bar := newProgress(e.stderr, path, "trajectory", 0, count)
	p, err := task.RunOwn(src, bar.pause(ctx))
	bar.finish()
	if err != nil {
		return err
	}
	if o.out != nil {
		truth, predicted := e.model.System.Variables(src.Observable()), e.model.System.Variables(e.model.Config.Data.Observable)
		if err := o.write(e.model, p.Prediction, truth, predicted, dt); err != nil {
			return err
		}
		fmt.Fprintf(e.stderr, "wrote %s\n", o.predictions.path)
	}
	if least > 0 {
		p.Prediction = p.Scored()
	}
	switch {
	case p.Prediction == nil:
		r.unscored = "no run has a frame after the one from which it is predicted, so there is nothing to score"
	case p.Trajectories() < e.model.Config.Motion().Least:
		r.unscored = "one run has frames after the one from which it is predicted, and the MMD compares ensembles, so there is nothing to score"
	}
	if r.unscored != "" {
		return nil
	}
	r.single = true
	if err := e.row(ctx, r, path, src, p.Prediction); err != nil {
		return err
	}
	if c := &e.model.Config; c.Traits.Description != nil {
		for k, name := range e.model.System.Macro {
			unit := ""
			if units := e.model.System.Units; units != nil {
				unit = units[k]
			}
			r.errors = append(r.errors, errorsOf{name, unit, p.ErrorsIn(e.model, k)})
			if c.Variables == 1 {
				break
			}
			of, err := p.Of(k).Result(ctx, name)
			if err != nil {
				return err
			}
			r.observables = append(r.observables, of)
		}
	}
	if r.trained = p.Trained; p.Trained {
		tellTrained(e.stderr, path, "")
	}
	switch {
	case p.KeptOut == nil:
	case p.KeptOut.Trajectories() < e.model.Config.Motion().Least:
		fmt.Fprintln(e.stderr, "one trajectory was kept out of training, too few for an MMD")
	default:
		return e.row(ctx, r, "kept out of training", src, p.KeptOut)
	}
	return nil
}

// row adds the figures of a prediction to the result. The source has trajectories of the same size.
func (e *evaluation) row(ctx context.Context, r *result, name string, src system.Source, p *measure.Prediction) error {
	one, err := p.Result(ctx, name)
	if level := levelOf(e.model.System, src.Shape().Particles); err == nil && level != nil {
		maps.Copy(one.Values, stats.Passage(p, *level))
	}
	r.tests = append(r.tests, one)
	return err
}

// evaluation measures a model and shows its progress.
type evaluation struct {
	model   *model.Model
	seed    uint64
	workers int
	stderr  io.Writer
	folder  string // folder with the starts of the tests; "": the starts are simulated
}

// needsDensity returns an error if a model without dynamics has no density either.
func needsDensity(m *model.Model) error {
	if c := &m.Config; !c.Decoder.Density() {
		return fmt.Errorf("the method %s learns no density, so there is no KL to measure and no density to draw; choose a model of another method", c.Spec.Method)
	}
	return nil
}

// task returns the prediction of the first `count` trajectories of a source.
func (e *evaluation) task(src system.Source, count, members int) measure.Task {
	return measure.Task{Model: e.model, Source: src, Count: count, Members: members, Seed: e.seed, Workers: e.workers}
}

// predict predicts the first `count` trajectories of a source. A progress bar shows how many have
// been predicted.
func (e *evaluation) predict(ctx context.Context, name string, src system.Source, count, members int) (*measure.Prediction, error) {
	bar := newProgress(e.stderr, name, "trajectory", 0, count)
	defer bar.finish()
	return e.task(src, count, members).Run(bar.pause(ctx))
}

// The method `tests` measures the model on new trajectories of the given tests. It skips tests that
// the model's encoder rejects. Each element of `at` sets the parameters of the physics. The method
// runs each test once with each element. If `at` is empty, it runs each test with the default
// parameters.
func (e *evaluation) tests(ctx context.Context, tests []system.Test, count int, at ...system.Ranges) (*result, error) {
	began := time.Now()
	r := &result{experiment: e.model.Config.Spec.Name()}
	if len(at) == 0 {
		at = []system.Ranges{nil}
	}
	for _, test := range tests {
		for _, params := range at {
			if err := e.test(ctx, r, test, count, params); err != nil {
				return nil, err
			}
		}
	}
	r.seconds = time.Since(began).Seconds()
	return r, nil
}

// test adds the figures of a test to the result.
func (e *evaluation) test(ctx context.Context, r *result, test system.Test, count int, params system.Ranges) error {
	name, c := test.Name, &e.model.Config
	if len(params) > 0 {
		name += " at " + c.Traits.Parameters.InWords(params)
	}
	src, why, err := e.source(test, count, params...)
	if err != nil {
		return err
	}
	if why != "" {
		r.impossible = append(r.impossible, impossible{name, why})
		return nil
	}
	p, err := e.predict(ctx, name, src, count, measure.TestMembers)
	if err != nil {
		return err
	}
	return e.row(ctx, r, name, src, p)
}

// source returns the trajectories of a test, or the reason why the model's encoder does not
// accept them. If e.folder is set, source reads the trajectories from this folder. They must
// have the shape of simulated trajectories.
func (e *evaluation) source(t system.Test, count int, params ...system.Range) (src system.Source, why string, err error) {
	src, why = testSource(&e.model.Config, t, e.seed, count, params...)
	if why == "" && e.folder != "" {
		src, err = e.recorded(t.Name, src.Shape())
	}
	return src, why, err
}

// recorded reads the trajectories of a test from a file in e.folder. They must have the wanted
// shape.
func (e *evaluation) recorded(test string, want system.Shape) (system.Source, error) {
	c := &e.model.Config
	path := filepath.Join(e.folder, testFile(test, c.Encoder.Ordered() && c.Sets() > 1))
	file, size, err := input.Open(path)
	if err != nil {
		return nil, fmt.Errorf("-tests: %w; write the test with simulate -test", err)
	}
	defer file.Close()
	s, err := excerpt.Read(file, size)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if begin := c.Dynamics.Begin; s.Begin() < begin {
		return nil, fmt.Errorf("%s holds frames up to %d, and the model predicts from frame %d on; write it again with simulate -test -begin %d", path, s.Begin(), begin, begin)
	}
	if got := s.Shape(); got != want {
		return nil, fmt.Errorf("%s holds %d trajectories of %d frames of %d particles in %d dimensions, and the test has %d, %d, %d, %d; write it again with simulate -test", path,
			got.Trajectories, got.Frames, got.Particles, got.Dim, want.Trajectories, want.Frames, want.Particles, want.Dim)
	}
	return s, nil
}

// words returns the numbers as text, with "and" between them.
func words(numbers []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", " and ")
}

// testSource returns the trajectories of a test for a configuration, or the reason why its
// encoder does not accept them.
func testSource(c *method.Config, t system.Test, seed uint64, count int, params ...system.Range) (src system.Source, why string) {
	src = t.Source(system.Choice{Seed: seed, Count: count, Params: params, Fixed: t.Fixed && c.Encoder.Ordered()})
	if !c.Encoder.Ordered() {
		return src, ""
	}
	what := "sets"
	if c.Sets() > 1 {
		what = "frames"
	}
	if n := src.Shape().Particles; n != c.Particles {
		return nil, fmt.Sprintf("its %s are of %d particles, and the encoder takes exactly %d", what, n, c.Particles)
	}
	if !t.Fixed {
		return nil, fmt.Sprintf("its sets have different sizes, and the encoder takes exactly %s particles", words(c.Shape.SetSizes()))
	}
	return src, ""
}

// levelOf returns the extension at which a chain with the given number of particles counts as
// unfolded. It returns nil if the system has no such level or the level is unknown.
func levelOf(sys *system.System, particles int) *float64 {
	if sys.Passed == nil {
		return nil
	}
	if level, known := sys.Passed(particles); known {
		return &level
	}
	return nil
}
