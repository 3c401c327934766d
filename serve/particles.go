package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"text/tabwriter"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/data"
	"macroscope/model/lab"
	"macroscope/sim/particle"
)

// particles is the experiment of section 4.2.
type particles struct{}

func (particles) name() string { return "particles" }

// particlesTraining implements training.
type particlesTraining struct {
	run      *lab.ParticlesRun
	file     *os.File // of -data, or nil
	prepared bool
	began    time.Time
	workers  int
}

func (particles) train(o *trainOptions, resume *ckpt.File) (training, error) {
	if err := refuse(o.given, "particles", "law", "share", "noise", "drift"); err != nil {
		return nil, err
	}
	t := &particlesTraining{began: time.Now(), workers: o.workers}
	var c lab.ParticlesConfig
	var err error
	if resume != nil {
		var m *lab.ParticlesModel
		if m, err = lab.ParticlesFromFile(resume); err == nil {
			c = m.Config
		}
	} else {
		c, err = o.particlesConfig()
	}
	if err != nil {
		return nil, err
	}
	src := lab.Source(c.TrainingSource())
	if o.data != "" {
		macro := o.macro
		if resume != nil {
			macro = c.Macro
		}
		file, recording, err := openRecording(o.data, macro)
		if err != nil {
			return nil, err
		}
		t.file, src = file, recording
		if resume == nil {
			c = c.ForRecording(recording, macro)
		}
	} else if c.Recorded {
		return nil, fmt.Errorf("the training is of data of your own; give them again with -data")
	} else if c.Macro != lab.Energy {
		return nil, fmt.Errorf("only the energy of simulated particles can be learned without -data; give data, or leave -macro out")
	}
	if resume != nil {
		t.run, err = lab.ResumeParticles(resume, src, o.workers)
	} else {
		t.run, err = lab.NewParticlesRun(c, src, o.workers)
	}
	if err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// particlesConfig returns what the flags ask for.
func (o *trainOptions) particlesConfig() (lab.ParticlesConfig, error) {
	c, err := lab.ParticlesPreset(o.preset)
	if err != nil {
		return c, err
	}
	c.Seed, c.Macro = o.seed, o.macro
	if o.given["eps"] {
		c.Eps = o.eps
	}
	if o.given["zdim"] {
		c = c.WithZDim(o.zdim)
	}
	if o.steps != 0 {
		c.Steps = o.steps
	}
	if o.lawSteps != 0 {
		c.Law = c.Law.WithSteps(o.lawSteps)
	}
	return c, c.Validate()
}

// openRecording opens a file of trajectories.
func openRecording(path, macro string) (*os.File, *lab.Recording, error) {
	file, size, err := openFile(path)
	if err != nil {
		return nil, nil, err
	}
	recording, err := lab.OpenRecording(file, size, macro)
	if err != nil {
		file.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, recording, nil
}

func (t *particlesTraining) title() string {
	c := t.run.Model.Config
	return fmt.Sprintf("training particles: %s and ẑ dim %d, ε = %g, %d parameters in the autoencoder and %d in the law",
		c.Macro, c.Encoder.ZDim, c.Eps, len(t.run.Model.Params), len(t.run.Model.LawParams))
}

func (t *particlesTraining) next(ctx context.Context, stderr io.Writer) (*stage, error) {
	if t.prepared {
		t.run.Next()
		t.prepared = false
	}
	c := t.run.Model.Config
	what, s := "collecting trajectories", &stage{"stage I", nil, c.Batch, "sets", "nats a sample"}
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

// prepare lets a training read what its present stage needs, with a bar.
func prepare(ctx context.Context, r interface {
	Trajectories() int
	Prepare(ctx context.Context, done func(trajectories int)) error
}, what string, stderr io.Writer) error {
	began := time.Now()
	bar := newProgress(stderr, what, "trajectory", 0, r.Trajectories())
	read := 0 // none where the stage goes on with the data of the last
	err := r.Prepare(ctx, func(n int) {
		read = n
		bar.at(n, noNote)
	})
	bar.finish()
	if err != nil {
		return err
	}
	seconds := time.Since(began).Seconds()
	if read > 0 {
		fmt.Fprintf(stderr, "%s: %d in %.1f s (%.0f/s)\n", what, read, seconds, float64(read)/seconds)
	}
	return nil
}

func noNote() string { return "" }

func (t *particlesTraining) checkpoint() *ckpt.File { return t.run.Checkpoint() }

func (t *particlesTraining) close() {
	if t.run != nil {
		t.run.Close()
	}
	if t.file != nil {
		t.file.Close()
	}
}

func (t *particlesTraining) report(ctx context.Context, stderr io.Writer) error {
	fmt.Fprintf(stderr, "trained in %.0f s altogether\n", time.Since(t.began).Seconds())
	if t.file != nil {
		return nil
	}
	r, err := testParticles(ctx, t.run.Model, evalSeed, 100, t.workers, stderr)
	if err != nil {
		return err
	}
	return r.print(stderr)
}

// rolloutResult is the figures of one set of trajectories.
type rolloutResult struct {
	Set          string  `json:"set"`
	MRE          float64 `json:"mre"` // mean over trajectories
	Median       float64 `json:"median"`
	Max          float64 `json:"max"`
	Trajectories int     `json:"trajectories"`
}

func newRolloutResult(set string, r *lab.Rollouts) rolloutResult {
	mean, median, largest := r.Summary()
	// JSON has no infinity, which is what a rollout that ran away comes to.
	finite := func(v float64) float64 { return min(v, math.MaxFloat64) }
	return rolloutResult{set, finite(mean), finite(median), finite(largest), len(r.MRE)}
}

// dataResult is what eval -json prints for a file of trajectories.
type dataResult struct {
	Experiment string `json:"experiment"`
	rolloutResult
	Seconds float64 `json:"seconds"`
}

// testResult is what eval -json prints for the test sets.
type testResult struct {
	Experiment string          `json:"experiment"`
	Tests      []rolloutResult `json:"tests"`
	Seconds    float64         `json:"seconds"`
}

func (particles) eval(ctx context.Context, o *evalOptions, f *ckpt.File, stderr io.Writer) (result, error) {
	if err := refuse(o.given, "particles", "sets", "samples"); err != nil {
		return nil, err
	}
	if o.trajectories < 1 || o.trajectories > 1_000_000 {
		return nil, fmt.Errorf("-trajectories %d; use a number from 1 to 1000000", o.trajectories)
	}
	m, err := lab.ParticlesFromFile(f)
	if err != nil {
		return nil, err
	}
	if o.data == "" {
		if m.Config.Recorded {
			return nil, fmt.Errorf("the model is of data of your own; give trajectories to predict with -data")
		}
		return testParticles(ctx, m, o.seed, o.trajectories, o.workers, stderr)
	}
	began := time.Now()
	macro := m.Config.Macro
	if o.given["macro"] {
		macro = o.macro
	}
	file, recording, err := openRecording(o.data, macro)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	count := recording.Shape().Trajectories
	if o.given["trajectories"] {
		count = min(count, o.trajectories)
	}
	rollouts, err := predict(ctx, m, recording, o.data, count, o.workers, stderr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.data, err)
	}
	return dataResult{"particles", newRolloutResult(o.data, rollouts), time.Since(began).Seconds()}, nil
}

// testParticles measures a model on fresh trajectories of every test set.
func testParticles(ctx context.Context, m *lab.ParticlesModel, seed uint64, count, workers int, stderr io.Writer) (testResult, error) {
	began := time.Now()
	r := testResult{Experiment: "particles"}
	for _, test := range lab.TestSets() {
		rollouts, err := predict(ctx, m, test.Source(seed, count), test.Name, count, workers, stderr)
		if err != nil {
			return r, err
		}
		r.Tests = append(r.Tests, newRolloutResult(test.Name, rollouts))
	}
	r.Seconds = time.Since(began).Seconds()
	return r, nil
}

// evaluator is a model that predicts trajectories.
type evaluator interface {
	Evaluate(ctx context.Context, src lab.Source, count, workers int, done func(int)) (*lab.Rollouts, error)
}

func predict(ctx context.Context, m evaluator, src lab.Source, what string, count, workers int, stderr io.Writer) (*lab.Rollouts, error) {
	bar := newProgress(stderr, what, "trajectory", 0, count)
	defer bar.finish()
	return m.Evaluate(ctx, src, count, workers, func(n int) { bar.at(n, noNote) })
}

func (r testResult) print(w io.Writer) error {
	return printRollouts(w, r.Tests, r.Seconds)
}

func (r dataResult) print(w io.Writer) error {
	return printRollouts(w, []rolloutResult{r.rolloutResult}, r.Seconds)
}

func printRollouts(w io.Writer, rows []rolloutResult, seconds float64) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "set\tMRE\tmedian\tmax\ttrajectories")
	for _, r := range rows {
		fmt.Fprintf(t, "%s\t%.3g\t%.3g\t%.3g\t%d\n", r.Set, r.MRE, r.Median, r.Max, r.Trajectories)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "%.1f seconds\n", seconds)
	return err
}

func (particles) simulate(ctx context.Context, o *simulateOptions, stderr io.Writer) error {
	if err := refuse(o.given, "particles", "boundary", "height"); err != nil {
		return err
	}
	c := particle.Default()
	c.N, c.Components, c.Steps = o.particles, o.components, o.step
	if err := c.Validate(); err != nil {
		return err
	}
	src := lab.NewSimulated(c, o.seed, o.n)
	return o.write(stderr, func(w io.Writer, done func(int)) error {
		return writeTrajectories(ctx, w, src, o.workers, done)
	})
}

// writeTrajectories writes an archive while its trajectories are simulated;
// those that are early wait in memory.
func writeTrajectories(ctx context.Context, w io.Writer, src lab.Source, workers int, done func(int)) error {
	s := src.Shape()
	archive := data.NewArchive(w)
	rows, err := archive.Rows("trajectories", []int{s.Trajectories, s.Frames, s.Particles, s.Dim})
	if err != nil {
		return err
	}
	var mu sync.Mutex
	macro := make([]float64, s.Trajectories*s.Frames)
	early := make(map[int][]float32)
	written := 0
	err = src.Each(ctx, s.Trajectories, workers, func(i int, t *lab.Recorded) error {
		copy(macro[i*s.Frames:], t.Macro)
		mu.Lock()
		defer mu.Unlock()
		if i != written {
			early[i] = append([]float32(nil), t.Frames...)
			return nil
		}
		for frames := t.Frames; frames != nil; frames = early[written] {
			if err := rows.Write(frames); err != nil {
				return err
			}
			delete(early, written)
			written++
		}
		done(written)
		return nil
	})
	if err != nil {
		return err
	}
	if err := archive.Array("types", data.NewArray([]int{s.Trajectories, s.Particles}, make([]int64, s.Trajectories*s.Particles))); err != nil {
		return err
	}
	if err := archive.Array("macro", data.NewArray([]int{s.Trajectories, s.Frames, 1}, macro)); err != nil {
		return err
	}
	return archive.Close()
}
