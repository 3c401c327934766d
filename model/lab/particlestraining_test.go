package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/data"
	"macroscope/model/train"
	"macroscope/model/wire"
)

// tinyParticles trains in a moment, while its trajectories are being simulated.
func tinyParticles() ParticlesConfig {
	c := smallParticles()
	c.Particles, c.Trajectories, c.Warm, c.Every, c.Thin = 12, 9, 3, 4, 7
	c.Batch, c.Shards, c.Samples, c.Steps = 8, 4, 8, 30
	c.Law.Trajectories = 6
	c.Law.Fit.Steps, c.Law.Roll.Steps = 12, 8
	c.Views = 4
	return c
}

// fakeCrew is helpers without workers: their answers wait until the training's
// worker looks at them, as messages do.
type fakeCrew struct {
	t       *testing.T
	helpers []wire.Helper
	answers [][]answer
	given   map[uint32]int // jobs by their kind
	bytes   int
}

type answer struct {
	result []byte
	err    error
}

func newFakeCrew(t *testing.T, n int) *fakeCrew {
	c := &fakeCrew{t: t, given: map[uint32]int{}, answers: make([][]answer, n)}
	for range n {
		c.helpers = append(c.helpers, newParticlesHelper())
	}
	return c
}

// turn is a turn of the worker's.
func (c *fakeCrew) turn(tr *particlesTraining) error {
	for k, h := range c.helpers {
		for len(c.answers[k]) < 2 {
			job := tr.Job(k)
			if job == nil {
				break
			}
			kind := (&unpacker{b: job}).number()
			c.given[kind]++
			c.bytes += len(job)
			result, err := h.Do(job)
			if err != nil {
				c.t.Errorf("helper %d: %v", k, err)
			}
			c.answers[k] = append(c.answers[k], answer{slices.Clone(result), err})
		}
	}
	if err := tr.Work(0); err != nil {
		return err
	}
	for k := range c.helpers {
		if len(c.answers[k]) > 0 {
			a := c.answers[k][0]
			c.answers[k] = c.answers[k][1:]
			if err := tr.Done(k, a.result, a.err); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *fakeCrew) lose(tr *particlesTraining, k int) {
	tr.Lost(k)
	c.helpers[k], c.answers[k] = newParticlesHelper(), nil
}

// steps counts those of all stages.
func (t *particlesTraining) steps() int {
	c := t.run.Model.Config
	n := 0
	for s, steps := range []int{StageFit: c.Steps, StageLaw: c.Law.Fit.Steps, StageRoll: c.Law.Roll.Steps} {
		if s < t.run.stage {
			n += steps
		}
	}
	if t.run.trainer != nil {
		n += t.run.trainer.Step()
	}
	return n
}

func newTraining(t testing.TB, c ParticlesConfig, src Source) *particlesTraining {
	t.Helper()
	tr, err := newParticlesTraining(c, src, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	tr.crew.worth = -1 // every step is worth sharing
	t.Cleanup(tr.Close)
	return tr
}

func finish(t testing.TB, tr *particlesTraining) {
	t.Helper()
	for !tr.Finished() {
		if err := tr.Work(time.Second); err != nil {
			t.Fatal(err)
		}
	}
}

func sameModel(t *testing.T, what string, got, want *ParticlesModel) {
	t.Helper()
	switch {
	case !slices.Equal(got.Params, want.Params):
		t.Errorf("%s: the autoencoder has other weights", what)
	case !slices.Equal(got.LawParams, want.LawParams):
		t.Errorf("%s: the law has other weights", what)
	case !slices.Equal(got.Scale.Std, want.Scale.Std) || !slices.Equal(got.Scale.Low, want.Scale.Low) || !slices.Equal(got.Scale.High, want.Scale.High):
		t.Errorf("%s: scales %v, want %v", what, got.Scale, want.Scale)
	}
}

// TestTrainingIsARun trains in slices, alone and with helpers one of which is
// lost twice, and wants the bits of the command line's training.
func TestTrainingIsARun(t *testing.T) {
	c := tinyParticles()
	r := newRun(t, c, 2)
	trainParticles(t, r, 0)
	for _, hands := range []int{0, 1, 3} {
		tr := newTraining(t, c, nil)
		tr.SetHands(hands)
		crew := newFakeCrew(t, hands)
		for turn := 0; !tr.Finished(); turn++ {
			if err := crew.turn(tr); err != nil {
				t.Fatal(err)
			}
			if hands > 0 && turn%40 == 25 {
				crew.lose(tr, turn%hands)
			}
			if turn > 1_000_000 {
				t.Fatalf("%d helpers: no end", hands)
			}
		}
		what := map[int]string{0: "alone", 1: "one helper", 3: "three helpers"}[hands]
		sameModel(t, what, tr.Model(), r.Model)
		if hands > 0 && (crew.given[jobTrajectory] == 0 || crew.given[jobShards] == 0) {
			t.Errorf("%s: jobs by kind %v, which shows nothing", what, crew.given)
		}
	}
}

// TestTrainingMeasuresAsEvaluate compares the last error of the trajectories held
// out with the one that Evaluate finds. The law passes their states through in
// other numbers of rows, which may round otherwise.
func TestTrainingMeasuresAsEvaluate(t *testing.T) {
	tr := newTraining(t, tinyParticles(), nil)
	if tr.Usable() {
		t.Error("a law that has not been trained counts as usable")
	}
	finish(t, tr)
	m := tr.Model()
	r, err := m.Evaluate(context.Background(), m.Config.heldOutSource(heldOutCount), heldOutCount, 2, nothing)
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := r.Summary()
	p := tr.Progress()
	if !(math.Abs(p.MRE-want) <= 1e-4*want) {
		t.Errorf("MRE %g, want %g", p.MRE, want)
	}
	if !tr.Usable() || p.Share != 1 || p.Stage != StageDone || tr.Hands() != 0 {
		t.Errorf("usable %v, progress %+v, %d hands after the end", tr.Usable(), p, tr.Hands())
	}
	for stage := StageFit; stage < StageDone; stage++ {
		if len(tr.Curves().loss[stage].step) == 0 {
			t.Errorf("stage %d left no curve", stage)
		}
	}
	if at := tr.Curves().mre.step; len(at) < 2*measurements || at[len(at)-1] != 20 {
		t.Errorf("measured at the steps %v, want %d of them to the end at 20", at, 2*measurements)
	}
}

// TestTrainingProgress wants a share that grows to 1 and a figure of the time
// left as soon as something has been measured.
func TestTrainingProgress(t *testing.T) {
	clock := time.Unix(0, 0)
	tr, err := newParticlesTraining(tinyParticles(), nil, nil, func() time.Time {
		clock = clock.Add(time.Millisecond)
		return clock
	})
	if err != nil {
		t.Fatal(err)
	}
	share, tasks := 0.0, map[string]bool{}
	for !tr.Finished() {
		if err := tr.Work(3 * time.Millisecond); err != nil {
			t.Fatal(err)
		}
		p := tr.Progress()
		if !(p.Share >= share-1e-9 && p.Share <= 1) {
			t.Fatalf("share %g after %g, %+v", p.Share, share, p)
		}
		share = p.Share
		what, _, _ := strings.Cut(p.Task, ",")
		tasks[what] = true
		if clock.Unix() > 5 && !(p.SecsLeft >= 0) {
			t.Fatalf("%g seconds left: %+v", p.SecsLeft, p)
		}
	}
	if len(tasks) < 6 { // five kinds of work and the end, and numbers in some of them
		t.Errorf("tasks %v", tasks)
	}
}

// TestTrainingResumes interrupts at any stage, goes on here and on the command
// line, and wants the same bits.
func TestTrainingResumes(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds without SIMD, and no matter of kernels")
	}
	c := tinyParticles()
	whole := newTraining(t, c, nil)
	finish(t, whole)
	for _, at := range []struct{ steps, pieces int }{{0, 5}, {1, 0}, {11, 0}, {29, 0}, {30, 40}, {35, 0}, {42, 0}, {46, 0}, {50, 0}} {
		tr := newTraining(t, c, nil)
		for tr.steps() < at.steps {
			if err := tr.Work(0); err != nil {
				t.Fatal(err)
			}
		}
		for range at.pieces {
			if err := tr.Work(0); err != nil {
				t.Fatal(err)
			}
		}
		saved := throughFile(t, tr.Checkpoint())
		again, err := resumeParticlesTraining(saved, nil, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Work(0); err != nil { // a little, then once more
			t.Fatal(err)
		}
		if again, err = resumeParticlesTraining(throughFile(t, again.Checkpoint()), nil, time.Now); err != nil {
			t.Fatal(err)
		}
		finish(t, again)
		sameModel(t, "resumed", again.Model(), whole.Model())
		run, err := ResumeParticles(throughFile(t, tr.Checkpoint()), c.TrainingSource(), 2)
		if err != nil {
			t.Fatal(err)
		}
		trainParticles(t, run, 0)
		sameModel(t, "resumed by the command line", run.Model, whole.Model())
		if t.Failed() {
			t.Fatalf("after %d steps and %d pieces", at.steps, at.pieces)
		}
	}
}

func throughFile(t testing.TB, f *ckpt.File) *ckpt.File {
	t.Helper()
	var b bytes.Buffer
	if err := ckpt.Encode(&b, f); err != nil {
		t.Fatal(err)
	}
	f, err := ckpt.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestDataFitIntoATab wants all presets, and a large recording, to keep no more
// than a tab has room for, and what fits as it is.
func TestDataFitIntoATab(t *testing.T) {
	for _, tc := range []struct {
		preset string
		s      Shape
		same   bool
	}{
		{"browser", Shape{600, 301, 300, 2}, true}, {"laptop", Shape{4000, 301, 300, 2}, false},
		{"paper", Shape{8000, 301, 300, 2}, false}, {"laptop", Shape{200, 1000, 20_000, 3}, false},
	} {
		before, err := ParticlesPreset(tc.preset)
		if err != nil {
			t.Fatal(err)
		}
		c := before.fitting(tc.s)
		bytes := c.fitBytes(tc.s)
		if err := c.Validate(); err != nil || bytes > 160<<20 || len(c.fitFrames(tc.s.Frames)) < 8 || c.Trajectories < 1 {
			t.Errorf("%s of %v: %d MB of %d trajectories, every %d frames; error %v", tc.preset, tc.s, bytes>>20, c.Trajectories, c.Thin, err)
		}
		if same := c.Thin == before.Thin && c.Trajectories == before.Trajectories && c.Warm == before.Warm; same != tc.same {
			t.Errorf("%s of %v: as it was is %v, want %v", tc.preset, tc.s, same, tc.same)
		}
		if !tc.same && bytes < 80<<20 {
			t.Errorf("%s of %v: keeps %d MB, and there is room for twice as many", tc.preset, tc.s, bytes>>20)
		}
		if !tc.same && c.available(c.Steps, c.Trajectories) < c.Trajectories {
			t.Errorf("%s of %v: not all of %d trajectories join", tc.preset, tc.s, c.Trajectories)
		}
	}
	big := tinyParticles()
	big.Trajectories, big.Particles, big.Thin = 8000, 300, 1
	if _, err := resumeParticlesTraining(NewParticlesModel(big).Checkpoint(), nil, time.Now); err == nil || !strings.Contains(err.Error(), "command line") {
		t.Errorf("data of gigabytes: error %v", err)
	}
}

// TestTrainingGoesOnWithWeights begins with the weights of another ε. It wants
// them where it begins, a resumed one to end as an uninterrupted one, and an
// error for weights of another latent dimension.
func TestTrainingGoesOnWithWeights(t *testing.T) {
	c := tinyParticles()
	first := newTraining(t, c, nil)
	finish(t, first)
	c.Eps = 0.05
	tr, err := newParticlesTraining(c, nil, first.Model(), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	m := tr.Model()
	sameModel(t, "at the beginning", m, first.Model())
	if m.Config.Eps != 0.05 || m.Config.Steps != 10 || m.Config.Rate >= c.Rate {
		t.Errorf("ε %g, %d steps at %g", m.Config.Eps, m.Config.Steps, m.Config.Rate)
	}
	for tr.steps() < 5 {
		if err := tr.Work(0); err != nil {
			t.Fatal(err)
		}
	}
	again, err := resumeParticlesTraining(throughFile(t, tr.Checkpoint()), nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	finish(t, tr)
	finish(t, again)
	sameModel(t, "resumed", again.Model(), m)
	if slices.Equal(m.Params, first.Model().Params) || slices.Equal(m.LawParams, first.Model().LawParams) {
		t.Error("the weights did not move")
	}
	if _, err := newParticlesTraining(c.WithZDim(2), nil, m, time.Now); err == nil || !strings.Contains(err.Error(), "closure variables") {
		t.Errorf("weights of another latent dimension: error %v", err)
	}
}

// TestTrainingOnARecording trains on a file, with its own values of the energy,
// with computed ones and with another observable, alone and with a helper that
// is lost now and then.
func TestTrainingOnARecording(t *testing.T) {
	system := smallSystem()
	var x []float32
	var macro []float64
	for _, r := range readAll(t, NewSimulated(system, 4, 6)) {
		x, macro = append(x, r.Frames...), append(macro, r.Macro...)
	}
	shape := []int{6, system.Steps + 1, system.N, 2}
	bare := map[string]*data.Array{"trajectories": data.NewArray(shape, x)}
	full := map[string]*data.Array{"trajectories": bare["trajectories"], "macro": data.NewArray(shape[:2], macro)}
	for _, tc := range []struct {
		name       string
		arrays     map[string]*data.Array
		observable string
	}{{"energy", full, Energy}, {"computed", bare, Energy}, {"gyration", bare, Gyration}} {
		t.Run(tc.name, func(t *testing.T) {
			file := archive(t, tc.arrays)
			rec, err := OpenRecording(file, file.Size(), tc.observable)
			if err != nil {
				t.Fatal(err)
			}
			c := tinyParticles().ForRecording(rec, tc.observable)
			r, err := NewParticlesRun(c, rec, 1)
			if err != nil {
				t.Fatal(err)
			}
			trainParticles(t, r, 0)
			for _, hands := range []int{0, 1} {
				tr := newTraining(t, c, rec)
				tr.SetHands(hands)
				crew := newFakeCrew(t, hands)
				for turn := 0; !tr.Finished(); turn++ {
					if err := crew.turn(tr); err != nil {
						t.Fatal(err)
					}
					if hands > 0 && turn%7 == 5 {
						crew.lose(tr, 0)
					}
				}
				sameModel(t, tc.name, tr.Model(), r.Model)
			}
		})
	}
	c := tinyParticles()
	c.Recorded = true
	if _, err := newParticlesTraining(c, nil, nil, time.Now); err == nil || !strings.Contains(err.Error(), "open them again") {
		t.Errorf("own data that are missing: error %v", err)
	}
}

// TestTrainingDiverges blows a weight up, with and without a helper, and wants
// the weights from before and no more work.
func TestTrainingDiverges(t *testing.T) {
	for _, hands := range []int{0, 1} {
		tr := newTraining(t, tinyParticles(), nil)
		tr.SetHands(hands)
		crew := newFakeCrew(t, hands)
		for tr.steps() < 3 {
			if err := crew.turn(tr); err != nil {
				t.Fatal(err)
			}
		}
		at := tr.steps()
		tr.run.trainer.Adam.M[0] = float32(math.Inf(1)) // one more step spoils the weights
		var err error
		for err == nil {
			err = crew.turn(tr)
		}
		var d *train.Diverged
		if !errors.As(err, &d) || d.Step != at+1 {
			t.Fatalf("%d helpers: error %v, want divergence in step %d", hands, err, at+1)
		}
		if tr.Work(time.Second) != err || tr.Hands() != 0 || tr.Job(0) != nil {
			t.Errorf("%d helpers: work goes on after a divergence", hands)
		}
	}
}

// TestHelpersSaveTime plays steps of stage I, and of stretches with their fewer
// and longer shards, on a clock of its own: a shard takes as long as it does in a
// tab, a message what one of 160 kB takes on its way and half of that at either
// end. The bounds are what is left of the ideal, the step's shards in equal
// rounds, when every step waits for its messages.
func TestHelpersSaveTime(t *testing.T) {
	const send, travel, take = 0.1, 0.3, 0.1 // ms
	for _, tc := range []struct {
		shards, helpers int
		shard           float64 // ms
		least           float64 // times as fast as alone
	}{{8, 1, 4.3, 1.8}, {8, 2, 4.3, 2.3}, {8, 3, 4.3, 3.3}, {8, 7, 4.3, 5.6}, {4, 1, 20, 1.85}, {4, 3, 20, 3.6}} {
		c := tinyParticles()
		c.Warm, c.Shards, c.Steps = 0, tc.shards, 1000
		clock := 0.0
		tr, err := newParticlesTraining(c, nil, nil, func() time.Time { return time.Unix(0, int64(clock*1e6)) })
		if err != nil {
			t.Fatal(err)
		}
		tr.crew.worth = -1
		for tr.steps() < 1 {
			if err := tr.Work(0); err != nil {
				t.Fatal(err)
			}
		}
		tr.SetHands(tc.helpers)
		type message struct {
			at     float64
			result []byte
		}
		helpers, free, answers := make([]wire.Helper, tc.helpers), make([]float64, tc.helpers), make([][]message, tc.helpers)
		give := func(k int) {
			for len(answers[k]) < 2 {
				job := tr.Job(k)
				if job == nil {
					return
				}
				clock += send
				result, err := helpers[k].Do(job)
				if err != nil {
					t.Fatal(err)
				}
				open := tr.crew.hands[k].open
				free[k] = max(free[k], clock+travel) + float64(open[len(open)-1].count)*tc.shard
				answers[k] = append(answers[k], message{free[k] + travel, slices.Clone(result)})
			}
		}
		for k := range helpers {
			helpers[k] = newParticlesHelper()
			give(k)
		}
		const steps = 40
		for clock = 0; tr.steps() < 1+steps; {
			next := math.Inf(1)
			for k := range helpers {
				for len(answers[k]) > 0 && answers[k][0].at <= clock {
					m := answers[k][0]
					answers[k] = answers[k][1:]
					clock += take
					if err := tr.Done(k, m.result, nil); err != nil {
						t.Fatal(err)
					}
					give(k)
				}
			}
			for k := range helpers {
				give(k)
				if len(answers[k]) > 0 {
					next = min(next, answers[k][0].at)
				}
			}
			step, waiting := tr.steps(), tr.run.trainer.Waiting()
			if err := tr.Work(0); err != nil {
				t.Fatal(err)
			}
			if tr.steps() != step || tr.run.trainer.Waiting() != waiting {
				clock += tc.shard
			} else {
				clock = max(clock, next)
			}
		}
		alone := float64(tc.shards) * tc.shard
		if got := alone * steps / clock; !(got >= tc.least) {
			t.Errorf("%d shards of %g ms with %d helpers: %.2f times as fast as alone, want %g", tc.shards, tc.shard, tc.helpers, got, tc.least)
		} else {
			t.Logf("%d shards of %g ms with %d helpers: %.2f times as fast as alone", tc.shards, tc.shard, tc.helpers, got)
		}
	}
}

// TestHelperThatFails answers with errors and with nonsense. The training must
// do the work itself and give the helper no more of it.
func TestHelperThatFails(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds without SIMD, and no matter of kernels")
	}
	c := tinyParticles()
	want := newTraining(t, c, nil)
	finish(t, want)
	for _, tc := range []struct {
		name   string
		result []byte
		err    error
	}{{"an error", nil, errors.New("out of memory")}, {"nothing", nil, nil}, {"nonsense", make([]byte, 9), nil}} {
		t.Run(tc.name, func(t *testing.T) {
			tr := newTraining(t, c, nil)
			tr.SetHands(1)
			helper, jobs := newParticlesHelper(), 0
			for !tr.Finished() {
				if job := tr.Job(0); job != nil {
					jobs++
					result, err := helper.Do(job)
					if jobs > 6 {
						result, err = tc.result, tc.err
					}
					if err := tr.Done(0, result, err); err != nil {
						t.Fatal(err)
					}
				}
				if err := tr.Work(0); err != nil {
					t.Fatal(err)
				}
			}
			sameModel(t, tc.name, tr.Model(), want.Model())
			if jobs != 7 {
				t.Errorf("%d jobs, want 6 and one that failed", jobs)
			}
		})
	}
}

// TestSharedStepDoesNotAllocate takes steps with a helper. What a browser copies
// is not counted.
func TestSharedStepDoesNotAllocate(t *testing.T) {
	c := tinyParticles()
	c.Warm, c.Steps = 0, 1000
	tr := newTraining(t, c, nil)
	tr.SetHands(1)
	helper := newParticlesHelper()
	step := func() {
		for at := tr.steps(); tr.steps() == at; {
			if job := tr.Job(0); job != nil {
				result, err := helper.Do(job)
				if err := tr.Done(0, result, err); err != nil {
					t.Fatal(err)
				}
			}
			if tr.steps() == at {
				if err := tr.Work(0); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for range 20 {
		step()
	}
	// One point of the loss curve in so many steps lets its slice grow.
	if n := testing.AllocsPerRun(50, step); n > 0 {
		t.Errorf("%v allocations a step", n)
	}
}

// FuzzHelper gives a helper bytes for jobs. It must answer or refuse.
func FuzzHelper(f *testing.F) {
	tr := newTraining(f, tinyParticles(), nil)
	tr.SetHands(1)
	helper := newParticlesHelper()
	var model []byte
	for n := 0; n < 200 && !tr.Finished(); n++ {
		job := tr.Job(0)
		if job == nil {
			if err := tr.Work(0); err != nil {
				f.Fatal(err)
			}
			continue
		}
		if model == nil {
			model = slices.Clone(job)
		} else if n%5 == 0 {
			f.Add(slices.Clone(job))
		}
		result, err := helper.Do(job)
		if err := tr.Done(0, result, err); err != nil {
			f.Fatal(err)
		}
	}
	f.Add([]byte{})
	f.Add(appendNumbers(nil, jobTrajectory, uint32(forFit), 1, 1, 2, 12))
	f.Fuzz(func(t *testing.T, job []byte) {
		if (&unpacker{b: job}).number() == jobModel {
			return // a checkpoint, which has a test of its own
		}
		h := newParticlesHelper()
		if _, err := h.Do(job); err == nil {
			t.Fatal("a helper without a model has done something")
		}
		if _, err := h.Do(model); err != nil {
			t.Fatal(err)
		}
		h.Do(job)
	})
}

// BenchmarkSharedTraining measures stage I of preset browser alone and with
// helpers, each a goroutine that answers as a worker does.
func BenchmarkSharedTraining(b *testing.B) {
	for _, hands := range []int{0, 1, 3} {
		b.Run(fmt.Sprintf("helpers=%d", hands), func(b *testing.B) {
			c, err := ParticlesPreset("browser")
			if err != nil {
				b.Fatal(err)
			}
			c.Warm, c.Trajectories, c.Steps = 4, 4, 1_000_000
			tr, err := newParticlesTraining(c, nil, nil, time.Now)
			if err != nil {
				b.Fatal(err)
			}
			defer tr.Close()
			tr.SetHands(hands)
			type message struct {
				hand int
				b    []byte
			}
			answers, jobs, open := make(chan message, 2*hands), make([]chan []byte, hands), make([]int, hands)
			for k := range hands {
				jobs[k] = make(chan []byte, 2)
				defer close(jobs[k])
				go func() {
					helper := newParticlesHelper()
					for job := range jobs[k] {
						result, err := helper.Do(job)
						if err != nil {
							b.Error(err)
						}
						answers <- message{k, slices.Clone(result)}
					}
				}()
			}
			give := func(k int) {
				for open[k] < 2 {
					job := tr.Job(k)
					if job == nil {
						return
					}
					open[k]++
					jobs[k] <- slices.Clone(job)
				}
			}
			take := func(m message) {
				open[m.hand]--
				if err := tr.Done(m.hand, m.b, nil); err != nil {
					b.Fatal(err)
				}
				give(m.hand)
			}
			turn := func() {
				for k := range hands {
					give(k)
				}
				before := tr.steps()
				began := time.Now()
				if err := tr.Work(10 * time.Millisecond); err != nil {
					b.Fatal(err)
				}
				if tr.steps() == before && time.Since(began) < time.Millisecond && hands > 0 {
					take(<-answers) // nothing to do here
				}
				for len(answers) > 0 {
					take(<-answers)
				}
			}
			for tr.steps() < 5 {
				turn()
			}
			b.ResetTimer()
			for first := tr.steps(); tr.steps() < first+b.N; {
				turn()
			}
			b.ReportMetric(float64(b.N*c.Batch)/b.Elapsed().Seconds(), "sets/s")
		})
	}
}
