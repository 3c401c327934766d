package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/lab"
)

// ordered is the baseline AE-Aug of section 4.2, whose encoder depends on the
// order of particles.
type ordered struct{}

func (ordered) name() string { return "ae-aug" }

// orderedTraining implements training.
type orderedTraining struct {
	run      *lab.OrderedRun
	prepared bool
	began    time.Time
	workers  int
}

func (e ordered) train(o *trainOptions, resume *ckpt.File) (training, error) {
	if err := refuse(o.given, e.name(), "law", "share", "noise", "drift", "data", "macro", "eps"); err != nil {
		return nil, err
	}
	t := &orderedTraining{began: time.Now(), workers: o.workers}
	if resume != nil {
		m, err := lab.OrderedFromFile(resume)
		if err == nil {
			t.run, err = lab.ResumeOrdered(resume, m.Config.TrainingSource(), o.workers)
		}
		return t, err
	}
	c, err := lab.OrderedPreset(o.preset)
	if err != nil {
		return nil, err
	}
	c.Seed = o.seed
	if o.given["zdim"] {
		c = c.WithZDim(o.zdim)
	}
	if o.steps != 0 {
		c.Steps = o.steps
	}
	if o.lawSteps != 0 {
		c.Law = c.Law.WithSteps(o.lawSteps)
	}
	t.run, err = lab.NewOrderedRun(c, c.TrainingSource(), o.workers)
	return t, err
}

func (t *orderedTraining) title() string {
	c := t.run.Model.Config
	return fmt.Sprintf("training ae-aug: %s and ẑ dim %d of exactly %d particles, %d parameters in the autoencoder and %d in the law",
		lab.Energy, c.ZDim, c.Particles, len(t.run.Model.Params), len(t.run.Model.LawParams()))
}

func (t *orderedTraining) next(ctx context.Context, stderr io.Writer) (*stage, error) {
	if t.prepared {
		t.run.Next()
		t.prepared = false
	}
	c := t.run.Model.Config
	what, s := "collecting trajectories", &stage{"stage I", nil, c.Batch, "sets", "squared error"}
	switch t.run.Stage() {
	case lab.StageLaw:
		what, s = "encoding trajectories", &stage{"stage II, steps", nil, c.Law.Fit.Batch, "pairs", ""}
	case lab.StageRoll:
		what, s = "encoding trajectories", &stage{"stage II, rollouts", nil, c.Law.Roll.Batch, "rollouts", ""}
	case lab.StageDone:
		return nil, nil
	}
	if err := prepare(ctx, t.run, what, stderr); err != nil {
		return nil, err
	}
	t.prepared, s.trainer = true, t.run.Trainer()
	return s, nil
}

func (t *orderedTraining) checkpoint() *ckpt.File { return t.run.Checkpoint() }

func (t *orderedTraining) close() {
	if t.run != nil {
		t.run.Close()
	}
}

func (t *orderedTraining) report(ctx context.Context, stderr io.Writer) error {
	fmt.Fprintf(stderr, "trained in %.0f s altogether\n", time.Since(t.began).Seconds())
	r, err := testOrdered(ctx, t.run.Model, evalSeed, 100, t.workers, stderr)
	if err != nil {
		return err
	}
	return r.print(stderr)
}

// orderedResult is what eval -json prints: the test sets that can be encoded,
// and why the others cannot.
type orderedResult struct {
	testResult
	Impossible []impossible `json:"impossible"`
}

type impossible struct {
	Set string `json:"set"`
	Why string `json:"why"`
}

// testOrdered measures a model on fresh trajectories of every test set that
// has as many particles as it takes.
func testOrdered(ctx context.Context, m *lab.OrderedModel, seed uint64, count, workers int, stderr io.Writer) (orderedResult, error) {
	began := time.Now()
	r := orderedResult{testResult: testResult{Experiment: ordered{}.name()}}
	for _, test := range lab.TestSets() {
		if test.Particles != m.Particles() {
			r.Impossible = append(r.Impossible, impossible{test.Name, fmt.Sprintf("its sets are of %d particles, and the encoder takes exactly %d", test.Particles, m.Particles())})
			continue
		}
		rollouts, err := predict(ctx, m, test.Source(seed, count), test.Name, count, workers, stderr)
		if err != nil {
			return r, err
		}
		r.Tests = append(r.Tests, newRolloutResult(test.Name, rollouts))
	}
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

func (r orderedResult) print(w io.Writer) error {
	if err := r.testResult.print(w); err != nil {
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, i := range r.Impossible {
		fmt.Fprintf(t, "%s\tn/a\t%s\n", i.Set, i.Why)
	}
	return t.Flush()
}

func (e ordered) eval(ctx context.Context, o *evalOptions, f *ckpt.File, stderr io.Writer) (result, error) {
	if err := refuse(o.given, e.name(), "sets", "samples", "data", "macro"); err != nil {
		return nil, err
	}
	if o.trajectories < 1 || o.trajectories > 1_000_000 {
		return nil, fmt.Errorf("-trajectories %d; use a number from 1 to 1000000", o.trajectories)
	}
	m, err := lab.OrderedFromFile(f)
	if err != nil {
		return nil, err
	}
	return testOrdered(ctx, m, o.seed, o.trajectories, o.workers, stderr)
}

func (ordered) simulate(context.Context, *simulateOptions, io.Writer) error {
	return fmt.Errorf("ae-aug learns from the trajectories of particles; use simulate -experiment particles")
}

func (e ordered) table(ctx context.Context, o *tableOptions, stdout, stderr io.Writer) error {
	if err := refuse(o.given, e.name(), "law", "data"); err != nil {
		return err
	}
	if o.seeds < 1 || o.seeds > 100 || o.trajectories < 1 || o.trajectories > 1_000_000 {
		return fmt.Errorf("-seeds %d and -trajectories %d; use up to 100 and up to 1000000", o.seeds, o.trajectories)
	}
	mre := make(map[string][]float64)
	for k := range o.seeds {
		m, err := o.orderedModel(ctx, o.seed+uint64(k), stderr)
		if err != nil {
			return err
		}
		r, err := testOrdered(ctx, m, evalSeed, o.trajectories, o.workers, stderr)
		if err != nil {
			return err
		}
		fmt.Fprintf(stderr, "seed %d\n", o.seed+uint64(k))
		if err := r.print(stderr); err != nil {
			return err
		}
		for _, t := range r.Tests {
			mre[t.Set] = append(mre[t.Set], t.MRE)
		}
	}
	printOrdered(stdout, o.preset, mre)
	return nil
}

// orderedModel opens the model of a seed, or trains it.
func (o *tableOptions) orderedModel(ctx context.Context, seed uint64, stderr io.Writer) (*lab.OrderedModel, error) {
	name := fmt.Sprintf("particles-ordered-%s-seed%d.safetensors", o.preset, seed)
	if seed == 1 && o.preset == "laptop" {
		name = "particles-ordered.safetensors" // the one that the lab ships
	}
	path := filepath.Join(o.models, name)
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		m, err := lab.ReadOrdered(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return m, nil
	}
	if !os.IsNotExist(err) {
		return nil, err
	}
	t, err := ordered{}.train(&trainOptions{preset: o.preset, seed: seed, workers: o.workers}, nil)
	if err != nil {
		return nil, err
	}
	defer t.close()
	fmt.Fprintln(stderr, t.title())
	if err := toTheEnd(ctx, t, stderr); err != nil {
		return nil, err
	}
	m := t.(*orderedTraining).run.Model
	return m, ckpt.Save(path, m.Checkpoint())
}

// printOrdered prints means and standard deviations over the trainings beside
// the published row.
func printOrdered(w io.Writer, preset string, mre map[string][]float64) {
	head, rule, row := "| MRE |", "|---|", fmt.Sprintf("| Macroscope, AE-Aug, %s |", preset)
	for _, t := range lab.TestSets() {
		head += fmt.Sprintf(" %s |", t.Name)
		rule += "---|"
		var sum, squares float64
		n := float64(len(mre[t.Name]))
		for _, v := range mre[t.Name] {
			sum += v
			squares += v * v
		}
		switch mean := sum / n; {
		case n == 0:
			row += " n/a |"
		case n == 1:
			row += fmt.Sprintf(" %.2e |", mean)
		default:
			row += fmt.Sprintf(" %.2e ± %.1e |", mean, math.Sqrt(max(squares-n*mean*mean, 0)/(n-1)))
		}
	}
	p := published[0]
	fmt.Fprintf(w, "%s\n%s\n| %s | %s | %s | %s |\n%s\n", head, rule, p[0], p[1], p[2], p[3], row)
}
