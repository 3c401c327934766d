package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/lab"
	"macroscope/model/sde"
)

// mixing is the experiment of section 4.3.
type mixing struct{}

func (mixing) name() string { return "mixing" }

// mixingTrajectories is how many trajectories of a test are simulated unless
// another number is given: each takes a second or two.
const mixingTrajectories = 200

// mixingMembers is how many times each trajectory is predicted: between the
// smallest and the largest of 19 lie nine tenths of what follows the same law.
const mixingMembers = 19

// mixingTraining implements training.
type mixingTraining struct {
	run      *lab.MixingRun
	release  func()
	recorded bool
	prepared bool
	began    time.Time
	workers  int
}

func (mixing) train(o *trainOptions, resume *ckpt.File) (training, error) {
	if err := refuse(o.given, "mixing", "macro"); err != nil {
		return nil, err
	}
	var c lab.MixingConfig
	var err error
	if resume != nil {
		var m *lab.MixingModel
		if m, err = lab.MixingFromFile(resume); err == nil {
			c = m.Config
		}
	} else {
		c, err = o.mixingConfig()
	}
	if err != nil {
		return nil, err
	}
	t := &mixingTraining{release: func() {}, recorded: o.data != "", began: time.Now(), workers: o.workers}
	src := lab.MixingSource(c.TrainingSource())
	if o.data != "" {
		if src, t.release, err = openMixing(o.data); err != nil {
			return nil, err
		}
		if resume == nil {
			c = c.ForRecording(src)
		}
	} else if c.Recorded {
		return nil, fmt.Errorf("the training is of trajectories in a file; give them again with -data")
	}
	if resume != nil {
		t.run, err = lab.ResumeMixing(resume, src, o.workers)
	} else {
		t.run, err = lab.NewMixingRun(c, src, o.workers)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// mixingConfig returns what the flags ask for.
func (o *trainOptions) mixingConfig() (lab.MixingConfig, error) {
	c, err := lab.MixingPreset(o.preset)
	if err != nil {
		return c, err
	}
	c.Seed = o.seed
	if o.given["eps"] {
		c.Eps = o.eps
	}
	if o.given["zdim"] {
		c = c.WithZDim(o.zdim)
	}
	switch o.law {
	case "":
	case "joint", "separate":
		c = c.WithJoint(o.law == "joint")
	default:
		return c, fmt.Errorf("-law %s; use joint or separate", o.law)
	}
	if o.given["share"] {
		c = c.WithShare(o.share)
	}
	if o.noise != "" {
		c.Law.Noise.Form = sde.NoiseForm(o.noise)
	}
	if o.drift != "" {
		c.Law.Drift.Form = sde.Form(o.drift)
	}
	if o.steps != 0 {
		c.Steps = o.steps
	}
	if o.lawSteps != 0 {
		c.Law.Steps = o.lawSteps
	}
	return c, c.Validate()
}

func (t *mixingTraining) title() string {
	c := t.run.Model.Config
	laws := "one law"
	if !c.Law.Joint {
		laws = "two laws"
	}
	share := ""
	if c.Law.Share {
		share = ", and the share of species 1"
	}
	return fmt.Sprintf("training mixing: %s of R_AB, R_BA and ẑ dim %d a species%s, noise %s, ε = %g, %d parameters in the autoencoder and %d in the law",
		laws, c.Encoder.ZDim, share, c.Law.Noise.Form, c.Eps, len(t.run.Model.Params), len(t.run.Model.LawParams))
}

func (t *mixingTraining) next(ctx context.Context, stderr io.Writer) (*stage, error) {
	if t.prepared {
		t.run.Next()
		t.prepared = false
	}
	c := t.run.Model.Config
	what, s := "collecting trajectories", &stage{"stage I", nil, c.Batch, "frames", "nats a sample"}
	switch t.run.Stage() {
	case lab.StageLaw:
		what, s = "encoding trajectories", &stage{"stage II", nil, c.Law.Batch * c.Law.Window, "transitions", "nats a transition"}
	case lab.StageDone:
		return nil, nil
	}
	began, count := time.Now(), t.run.Trajectories()
	bar := newProgress(stderr, what, "trajectory", 0, count)
	err := t.run.Prepare(ctx, func(n int) { bar.at(n, noNote) })
	bar.finish()
	if err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	fmt.Fprintf(stderr, "%s: %d in %.1f s (%.3g/s)\n", what, count, seconds, float64(count)/seconds)
	t.prepared, s.trainer = true, t.run.Trainer()
	return s, nil
}

func (t *mixingTraining) checkpoint() *ckpt.File { return t.run.Checkpoint() }

func (t *mixingTraining) close() {
	if t.run != nil {
		t.run.Close()
	}
	t.release()
}

// report says what the model reaches on a few trajectories like those of
// training, unless those are the user's own.
func (t *mixingTraining) report(ctx context.Context, stderr io.Writer) error {
	fmt.Fprintf(stderr, "trained in %.0f s altogether\n", time.Since(t.began).Seconds())
	if t.recorded {
		return nil
	}
	began := time.Now()
	r, err := testMixing(ctx, t.run.Model, lab.MixingTests()[:1], evalSeed, 20, t.workers, stderr)
	if err != nil {
		return err
	}
	return mixingResult{"mixing", r, time.Since(began).Seconds()}.print(stderr)
}

// mmdResult is the figures of one set of trajectories.
type mmdResult struct {
	Set          string  `json:"set"`
	MMD          float64 `json:"mmd"`
	Floor        float64 `json:"floor"`    // MMD between two halves of the true ones
	Coverage     float64 `json:"coverage"` // share of the truth within the ensembles' bands
	Nominal      float64 `json:"nominal"`  // what the coverage should be
	Trajectories int     `json:"trajectories"`
}

func newMMDResult(set string, count int, f *lab.MixingForecast) mmdResult {
	share, nominal := f.Coverage()
	// JSON has no infinity, which is what a rollout that ran away comes to.
	return mmdResult{set, min(f.MMD(), math.MaxFloat64), f.Floor(), share, nominal, count}
}

// mixingDataResult is what eval -json prints for trajectories in a file.
type mixingDataResult struct {
	Experiment string `json:"experiment"`
	mmdResult
	Seconds float64 `json:"seconds"`
}

// mixingResult is what eval -json prints for the test sets.
type mixingResult struct {
	Experiment string      `json:"experiment"`
	Tests      []mmdResult `json:"tests"`
	Seconds    float64     `json:"seconds"`
}

func (mixing) eval(ctx context.Context, o *evalOptions, f *ckpt.File, stderr io.Writer) (result, error) {
	if err := refuse(o.given, "mixing", "sets", "samples", "macro"); err != nil {
		return nil, err
	}
	if o.trajectories < 2 || o.trajectories > 100_000 {
		return nil, fmt.Errorf("-trajectories %d; use a number from 2, which makes an ensemble, to 100000", o.trajectories)
	}
	m, err := lab.MixingFromFile(f)
	if err != nil {
		return nil, err
	}
	began, count := time.Now(), mixingTrajectories
	if o.given["trajectories"] {
		count = o.trajectories
	}
	if o.data == "" {
		tests, err := testMixing(ctx, m, lab.MixingTests(), o.seed, count, o.workers, stderr)
		return mixingResult{"mixing", tests, time.Since(began).Seconds()}, err
	}
	src, closeSource, err := openMixing(o.data)
	if err != nil {
		return nil, err
	}
	defer closeSource()
	all := src.Shape().Trajectories
	if !o.given["trajectories"] {
		count = all
	}
	if count = min(count, all); count < 2 {
		return nil, fmt.Errorf("%s: there is one trajectory, and the MMD compares ensembles; give two at least", o.data)
	}
	r, err := o.predictMixing(ctx, m, src, count, stderr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.data, err)
	}
	return mixingDataResult{"mixing", r, time.Since(began).Seconds()}, nil
}

func (o *evalOptions) predictMixing(ctx context.Context, m *lab.MixingModel, src lab.MixingSource, count int, stderr io.Writer) (mmdResult, error) {
	bar := newProgress(stderr, o.data, "trajectory", 0, count)
	defer bar.finish()
	f, err := m.Evaluate(ctx, src, count, mixingMembers, o.seed, o.workers, func(n int) { bar.at(n, noNote) })
	if err != nil {
		return mmdResult{}, err
	}
	return newMMDResult(o.data, count, f), nil
}

// testMixing measures a model on fresh trajectories of tests.
func testMixing(ctx context.Context, m *lab.MixingModel, tests []lab.MixingTest, seed uint64, count, workers int, stderr io.Writer) ([]mmdResult, error) {
	var results []mmdResult
	for _, test := range tests {
		bar := newProgress(stderr, test.Name, "trajectory", 0, count)
		f, err := m.Evaluate(ctx, test.Source(seed, count), count, mixingMembers, seed, workers, func(n int) { bar.at(n, noNote) })
		bar.finish()
		if err != nil {
			return nil, err
		}
		results = append(results, newMMDResult(test.Name, count, f))
	}
	return results, nil
}

func (r mixingResult) print(w io.Writer) error { return printMMD(w, r.Tests, r.Seconds) }

func (r mixingDataResult) print(w io.Writer) error {
	return printMMD(w, []mmdResult{r.mmdResult}, r.Seconds)
}

func printMMD(w io.Writer, rows []mmdResult, seconds float64) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "set\tMMD\tfloor\tcoverage\tnominal\ttrajectories")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%.3g\t%.3g\t%.3f\t%.3f\t%d\n", r.Set, r.MMD, r.Floor, r.Coverage, r.Nominal, r.Trajectories)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%.1f seconds\n", seconds)
	return err
}
