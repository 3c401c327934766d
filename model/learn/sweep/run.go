package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"macroscope/model/compute/kernel"
	"macroscope/model/file/ckpt"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/learn/train"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/work"
)

const (
	// MostTrainings is the largest number of trainings in a Run. The number is limited because a
	// Run keeps models in memory.
	MostTrainings = 48
	// testTrajectories is the number of trajectories on which dynamics are measured. The
	// trajectories come from the system's first test. The command line uses 1000 by default.
	testTrajectories = 100
)

// Run trains and measures the models of a sweep one after another, in short pieces of work:
// first all configurations with the first seed, then all with the next seed. It is not safe for
// concurrent use.
type Run struct {
	of      Of
	seeds   int
	systems method.Systems
	sys     *system.System
	now     func() time.Time

	points []Configuration
	values [][]float64 // values of every point by seed: NaN before the measurement, infinite after a diverged training
	models [][]byte    // checkpoints of the first seed with 16-bit weights; nil before the training

	live   *fit.Live    // training in progress; nil between two trainings
	model  *model.Model // trained model that is being measured, otherwise nil
	tests  *work.Pieces // the measurement of this model; nil if no model is being measured
	tested float64      // the result of the measurement
	spent  float64      // seconds spent on measured trainings and on the training in progress
	past   int          // number of measured trainings
	last   time.Time    // when Work last ended; zero after Pause
}

// NewRun returns a sweep that trains each configuration once for each of the given number of seeds.
func NewRun(of Of, seeds int, systems method.Systems, now func() time.Time) (*Run, error) {
	r := &Run{of: of, seeds: seeds, systems: systems, now: now}
	n := of.most()
	if seeds < 1 || n < 1 || n > MostTrainings/seeds {
		return nil, fmt.Errorf("a sweep here has at most %d trainings, one for each combination of values and each seed; give fewer values or fewer seeds", MostTrainings)
	}
	var err error
	if r.sys, err = systems.Find(of.Spec.System); err != nil {
		return nil, err
	}
	if r.points, err = of.Configurations(systems); err != nil {
		return nil, err
	}
	most, kept := 0, 0 // bytes of the largest training; bytes of all models
	for i := range r.points {
		c := &r.points[i].Config
		bytes, err := fit.TabRoom(*c, r.sys)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.points[i].Name, err)
		}
		most, kept = max(most, bytes), kept+2*c.Networks().Weights()
		if most+kept > fit.MaxTab {
			return nil, fmt.Errorf("the %d models and the largest training take about %d MB, and a tab has room for %d MB; try fewer values or smaller networks, or use macroscope sweep", n, (most+kept)>>20, fit.MaxTab>>20)
		}
		if r.sys.Tests == nil && !c.Decoder.Density() {
			return nil, fmt.Errorf("the method %s learns no density to be measured", of.Spec.Method)
		}
		unknown := make([]float64, seeds)
		for k := range unknown {
			unknown[k] = math.NaN()
		}
		r.values = append(r.values, unknown)
	}
	r.models = make([][]byte, len(r.points))
	return r, nil
}

// next returns the training that is in progress or comes next. ok is false if all are done.
func (r *Run) next() (point, seed int, ok bool) {
	for seed := range r.seeds {
		for point := range r.points {
			if math.IsNaN(r.values[point][seed]) {
				return point, seed, true
			}
		}
	}
	return 0, 0, false
}

// Done reports whether all models are trained and measured.
func (r *Run) Done() bool {
	_, _, more := r.next()
	return !more
}

// Same reports whether another sweep has the same trainings.
func (r *Run) Same(other *Run) bool {
	return r.seeds == other.seeds && slices.Equal(r.of.Args(), other.of.Args())
}

// Pool returns the pool that gives work of the training in progress to helpers. It returns nil if
// no training is in progress.
func (r *Run) Pool() *fit.Pool {
	if r.live == nil {
		return nil
	}
	return r.live.Pool
}

// Close ends the training in progress.
func (r *Run) Close() {
	if r.live != nil {
		r.live.Close()
	}
	if r.tests != nil {
		r.tests.Close()
	}
	r.live, r.model, r.tests = nil, nil, nil
}

// Pause is called when no work will be done until the next call of Work. The time until then is
// not counted.
func (r *Run) Pause() { r.last = time.Time{} }

// Work trains and measures for about the time given as budget. An error ends the sweep. A training
// that diverges is not an error.
func (r *Run) Work(budget time.Duration) error {
	began := r.now()
	if !r.last.IsZero() {
		r.spent += began.Sub(r.last).Seconds()
	}
	defer func() {
		r.last = r.now()
		r.spent += r.last.Sub(began).Seconds()
	}()
	point, seed, ok := r.next()
	switch {
	case !ok:
		return nil
	case r.tests != nil:
		for more := true; more; {
			var err error
			if more, err = r.tests.Next(); err != nil {
				return err
			}
			if r.now().Sub(began) >= budget && more {
				return nil
			}
		}
		return r.measured(point, seed, r.tested)
	case r.live == nil:
		c := r.points[point].Config
		c.Seed = uint64(seed) + 1
		var err error
		r.live, err = fit.NewLive(c, r.sys, nil, nil, r.now)
		return err
	case r.live.Stage() == fit.Done:
		r.test(r.live.Model)
		return nil
	}
	return r.trained(point, seed, r.live.Work(budget))
}

// The method `test` starts to measure a model, and releases the data of the model's training.
func (r *Run) test(m *model.Model) {
	r.Close()
	r.model = m
	r.tests = work.Begin(func(pause work.Pause) (err error) {
		r.tested, err = test(m, pause)
		return err
	})
}

// trained handles the error of a piece of training. A training that has diverged gets an
// infinite value.
func (r *Run) trained(point, seed int, err error) error {
	var diverged *train.Diverged
	if errors.As(err, &diverged) {
		return r.measured(point, seed, math.Inf(1))
	}
	return err
}

// Answered handles the error `err`, which the pool has returned for a helper's answer. A training
// that has diverged gets an infinite value. Any other error is returned.
func (r *Run) Answered(err error) error {
	point, seed, ok := r.next()
	if !ok {
		return nil
	}
	return r.trained(point, seed, err)
}

// measured is called with the result of a training. It stores the result and closes the training.
func (r *Run) measured(point, seed int, value float64) error {
	if value-value != 0 {
		value = math.Inf(1)
	}
	r.values[point][seed] = value
	r.past++
	var err error
	if seed == 0 && !math.IsInf(value, 0) {
		f := r.model.Checkpoint()
		f.Halve()
		r.models[point], err = encoded(f, setting.Table{{Name: "point", Value: &point}})
	}
	r.Close()
	return err
}

// Model returns the checkpoint of a point, or nil if there is none. The points are numbered as in
// the result of the method File.
func (r *Run) Model(point int) []byte {
	if point < 0 || point >= len(r.models) {
		return nil
	}
	return r.models[point]
}

// File returns the results so far.
func (r *Run) File() *File {
	out := &File{
		Experiment: r.of.Spec.String(), Measure: r.points[0].Config.Measure().Words, Fields: Fields(r.points[0].At), Points: []Point{},
		Command: r.command(), Programs: []string{"the page, " + kernel.Name()},
	}
	set := firstTest(r.sys, &r.points[0].Config).Name
	for i, k := range r.points {
		p := Point{At: k.At, Set: set, Values: []float64{}}
		for _, v := range r.values[i] {
			if v-v == 0 {
				p.Values = append(p.Values, v)
			} else {
				p.Missing++
			}
		}
		p.Published, _ = strconv.ParseFloat(k.Published, 64) // "" gives 0, which means none
		out.Points = append(out.Points, p)
	}
	return out
}

// command returns a command line that repeats the sweep and gives the same results.
func (r *Run) command() string {
	args := append(append([]string{"macroscope sweep"}, r.of.Args()...), "-seeds", strconv.Itoa(r.seeds))
	if r.sys.Tests != nil {
		args = append(args, "-trajectories", strconv.Itoa(testTrajectories*r.sys.Motion().Share))
	}
	return strings.Join(args, " ")
}

// Progress is the progress of a sweep.
type Progress struct {
	Done, All int     // number of trainings: done, and in total
	Doing     string  // the present work, in words
	Share     float64 // share of the whole sweep that is done, from 0 to 1
	SecsLeft  float64 // seconds until the end; NaN while unknown
}

// Progress returns the progress of the sweep.
func (r *Run) Progress() Progress {
	p := Progress{All: len(r.points) * r.seeds, SecsLeft: math.NaN()}
	for i := range r.points {
		for _, v := range r.values[i] {
			if !math.IsNaN(v) {
				p.Done++
			}
		}
	}
	share := 0.0 // finished share of the present training and its tests
	switch point, _, ok := r.next(); {
	case !ok:
		p.SecsLeft = 0
	case r.tests != nil:
		share = trainingShare + (1-trainingShare)*r.tests.Share()
		p.Doing = fmt.Sprintf("measuring %d of %d, %s", p.Done+1, p.All, r.points[point].Name)
	case r.live != nil:
		of := r.live.Progress()
		share = trainingShare * of.Share
		p.SecsLeft = of.SecsLeft / (1 - of.Share) / trainingShare * (float64(p.All-p.Done) - share)
		p.Doing = fmt.Sprintf("training %d of %d, %s: %s", p.Done+1, p.All, r.points[point].Name, of.Doing)
		if of.Step > 0 { // the phase's data are available
			p.Doing += fmt.Sprintf(", step %d of %d", of.Step, of.Steps)
		}
	default:
		p.Doing = fmt.Sprintf("training %d of %d, %s", p.Done+1, p.All, r.points[point].Name)
	}
	if p.Share = (float64(p.Done) + share) / float64(p.All); r.past > 0 || share > 0.1 {
		each := r.spent / (float64(r.past) + share) // seconds per training, measured in this sweep
		p.SecsLeft = each * (float64(p.All-p.Done) - share)
	}
	return p
}

// trainingShare is the approximate share of a point's time that the training takes; the rest is
// the measurement.
const trainingShare = 0.93

// mostSpent is the largest number of seconds in a saved sweep: thirty years.
const mostSpent = 1e9

// prefix is the beginning of the names of a sweep's fields in a checkpoint.
const prefix = "sweep."

// saved is the saved state of a sweep, except its models.
type saved struct {
	spec, over, set, values string
	grid, trains, measures  bool
	seeds, past             int
	spent                   float64
}

func (s *saved) table() setting.Table {
	return setting.Table{
		{Name: "experiment", Value: &s.spec}, {Name: "over", Value: &s.over}, {Name: "set", Value: &s.set}, {Name: "values", Value: &s.values},
		{Name: "grid", Value: &s.grid, Switch: true}, {Name: "trains", Value: &s.trains, Switch: true}, {Name: "measures", Value: &s.measures, Switch: true},
		{Name: "seeds", Value: &s.seeds, Low: 1, High: MostTrainings}, {Name: "past", Value: &s.past, High: MostTrainings}, {Name: "spent", Value: &s.spent, High: mostSpent},
	}
}

// Saved returns the arguments of Restore. `state` includes the training in progress. `models` are
// the trained models. A model does not change after its training, so it need not be saved again.
// `more` is a table of further fields to save with the state. Their names must differ from the
// names of the sweep's fields.
func (r *Run) Saved(more setting.Table) (state []byte, models [][]byte, err error) {
	s := saved{
		spec: r.of.Spec.String(), set: strings.Join(r.of.Changes, " "), grid: r.of.Grid, seeds: r.seeds, past: r.past, spent: r.spent,
		trains: r.live != nil, measures: r.tests != nil,
	}
	var over, values []string
	for _, one := range r.of.Swept {
		over = append(over, one.String())
	}
	for _, of := range r.values {
		for _, v := range of {
			values = append(values, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
	s.over, s.values = strings.Join(over, " "), strings.Join(values, " ")
	f := &ckpt.File{Metadata: make(map[string]string)}
	switch {
	case r.tests != nil:
		f = r.model.Checkpoint()
	case r.live != nil:
		f = r.live.Checkpoint()
	}
	if state, err = encoded(f, append(s.table(), more...)); err != nil {
		return nil, nil, err
	}
	for _, m := range r.models {
		if m != nil {
			models = append(models, m)
		}
	}
	return state, models, nil
}

// encoded writes a table of the sweep's fields into a checkpoint and returns the bytes of the
// checkpoint.
func encoded(f *ckpt.File, of setting.Table) ([]byte, error) {
	of.Write(f.Metadata, prefix)
	var b bytes.Buffer
	err := ckpt.Encode(&b, f)
	return b.Bytes(), err
}

// Restore returns a sweep that continues from the result of Saved.
func Restore(state []byte, models [][]byte, more setting.Table, systems method.Systems, now func() time.Time) (*Run, error) {
	f, err := ckpt.Decode(bytes.NewReader(state))
	if err != nil {
		return nil, err
	}
	var s saved
	if err := append(s.table(), more...).Read(f.Metadata, prefix); err != nil {
		return nil, err
	}
	of := Of{Spec: method.ParseSpec(s.spec), Changes: strings.Fields(s.set), Grid: s.grid}
	for text := range strings.FieldsSeq(s.over) {
		one, err := ParseSwept(text)
		if err != nil {
			return nil, err
		}
		of.Swept = append(of.Swept, one)
	}
	r, err := NewRun(of, s.seeds, systems, now)
	if err != nil {
		return nil, err
	}
	values := strings.Fields(s.values)
	if len(values) != len(r.points)*r.seeds {
		return nil, fmt.Errorf("the sweep has %d values, not %d", len(values), len(r.points)*r.seeds)
	}
	for i, text := range values {
		if r.values[i/r.seeds][i%r.seeds], err = strconv.ParseFloat(text, 64); err != nil {
			return nil, fmt.Errorf("the sweep's value %s is no number", setting.Quote(text))
		}
	}
	r.past, r.spent = s.past, s.spent
	for _, m := range models {
		if err := r.take(m); err != nil {
			return nil, err
		}
	}
	switch {
	case r.Done():
	case s.measures: // the measurement starts again, because partial measurements are not saved
		m, err := model.Open(systems, f)
		if err != nil {
			return nil, err
		}
		r.test(m)
		return r, nil
	case s.trains:
		r.live, err = fit.ResumeLive(systems, f, nil, nil, now)
	}
	return r, err
}

// take stores a model that came from Saved. The model's metadata contain the index of
// the model's point.
func (r *Run) take(model []byte) error {
	f, err := ckpt.Decode(bytes.NewReader(model))
	point := 0
	if err == nil {
		err = setting.Table{{Name: "point", Value: &point, High: float64(len(r.models) - 1)}}.Read(f.Metadata, prefix)
	}
	if err == nil {
		r.models[point] = model
	}
	return err
}

// firstTest returns the first test of a system, or an empty one if it has none.
func firstTest(sys *system.System, c *method.Config) system.Test {
	if sys.Tests == nil {
		return system.Test{}
	}
	return sys.Tests(c.Particles)[0]
}

// test measures a model in the same way as the command `eval`.
func test(m *model.Model, pause work.Pause) (float64, error) {
	m = m.Usual()
	c := &m.Config
	if m.System.Tests == nil {
		return measure.KL(pause, m, c.Eps(), measure.TestSets, measure.TestSamples, measure.TestSeed)
	}
	p, err := measure.Task{
		Model: m, Source: firstTest(m.System, c).Source(system.Choice{Seed: measure.TestSeed, Count: testTrajectories}),
		Count: testTrajectories, Members: measure.TestMembers, Seed: measure.TestSeed,
	}.Bounded().Run(pause)
	if err != nil {
		return 0, err
	}
	return p.Value(), nil
}
