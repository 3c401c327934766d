package fit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"macroscope/model/compute/tensor"
	"macroscope/model/file/ckpt"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/learn/train"
	"macroscope/model/system"
	"macroscope/model/work"
)

// forEachPair runs a test for every pair of system and method.
func forEachPair(t *testing.T, do func(t *testing.T, c method.Config, sys *system.System)) {
	for _, pair := range pairs {
		t.Run(pair, func(t *testing.T) {
			c, sys := tiny(pair)
			do(t, c, sys)
		})
	}
}

// withSoap returns the configuration with the optimiser SOAP in every phase.
func withSoap(c method.Config) method.Config {
	c.Optimiser, c.Dynamics.Velocity.Optimiser, c.Dynamics.Rollout.Optimiser = method.SoapOptimiser, method.SoapOptimiser, method.SoapOptimiser
	return c
}

func newRun(t testing.TB, c method.Config, sys *system.System, src system.Source, workers int) *Run {
	t.Helper()
	own, _ := src.(system.Recorded)
	src, err := SourceOr(&c, sys, own)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(c, sys, src, workers)
	if err != nil {
		t.Fatal(err)
	}
	if own != nil {
		if r.Model.Data, err = model.DigestOf(work.Until(t.Context()), own); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(r.Close)
	return r
}

var errEnough = errors.New("enough")

// drive runs a training for some steps, or to its end if steps is 0, and returns the losses
// of every phase.
func drive(t testing.TB, r *Run, steps int) (losses [Done][]float64) {
	t.Helper()
	for r.Stage() != Done {
		if err := r.Prepare(work.Until(context.Background())); err != nil {
			t.Fatal(err)
		}
		err := r.Train(work.Until(context.Background()), func() error {
			losses[r.Stage()] = append(losses[r.Stage()], r.Trainer().Loss())
			if steps--; steps == 0 {
				return errEnough
			}
			return nil
		})
		if err == errEnough {
			return losses
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Next()
	}
	return losses
}

// fileOf returns a checkpoint's bytes.
func fileOf(t testing.TB, f *ckpt.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := ckpt.Encode(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t testing.TB, b []byte) *ckpt.File {
	t.Helper()
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sameModel compares the saved parts of models bit by bit.
func sameModel(t *testing.T, what string, got, want *model.Model) {
	t.Helper()
	a, _ := got.Weights.Split(got.Weights.Params)
	b, _ := want.Weights.Split(want.Weights.Params)
	switch {
	case !slices.Equal(a, b):
		t.Errorf("%s: the encoder has other weights", what)
	case !slices.Equal(got.Weights.DynamicsParams, want.Weights.DynamicsParams):
		t.Errorf("%s: the dynamics have other weights", what)
	case !bytes.Equal(fileOf(t, got.Checkpoint()), fileOf(t, want.Checkpoint())):
		t.Errorf("%s: scales %v, want %v, or other settings", what, got.Scale, want.Scale)
	}
}

// TestEveryParameterLearns checks that every parameter of the autoencoder and of the
// dynamics changes, and that every phase is trained.
func TestEveryParameterLearns(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		r := newRun(t, c, sys, nil, 2)
		m := r.Model
		params, dynamics := slices.Clone(m.Weights.Params), slices.Clone(m.Weights.DynamicsParams)
		losses := drive(t, r, 0)
		for p, want := range map[Stage]int{Autoencoder: c.Steps, Velocity: c.Dynamics.Tries * c.Dynamics.Velocity.Steps, Rollout: c.Dynamics.Rollout.Steps} {
			if c.HasDynamics() && len(losses[p]) != want || slices.ContainsFunc(losses[p], infinite) {
				t.Errorf("phase %d: losses %v of %d steps", p, losses[p], want)
			}
		}
		enc, dec := m.Weights.Split(m.Weights.Params)
		enc0, dec0 := m.Weights.Split(params)
		parts := []model.Arena{}
		moments := m.Weights.Moments(true, m.Weights.Params, params)
		parts = append(parts, moments[:2]...)
		if c.HasDynamics() {
			parts = append(parts, m.Weights.Moments(false, m.Weights.DynamicsParams, dynamics)[0])
		}
		for i, was := range [][]float32{enc0, dec0, dynamics}[:len(parts)] {
			for _, p := range parts[i].Layout.Params() {
				if slices.Equal(tensor.Of(parts[i].Values, p), tensor.Of(was, p)) {
					t.Errorf("%s did not move", p.Name)
				}
			}
		}
		if len(enc)+len(dec) != len(m.Weights.Params) {
			t.Error("encoder and decoder are not all of the parameters")
		}
	})
}

// TestLearns trains for more steps and checks that the loss falls in every phase: it
// compares the mean of the last tenth with the mean of the first tenth.
func TestLearns(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		learns(t, c, sys)
	})
	t.Run("SOAP", func(t *testing.T) {
		c, sys := tiny("particles/flow")
		learns(t, withSoap(c), sys)
	})
}

func learns(t *testing.T, c method.Config, sys *system.System) {
	c.Steps, c.Dynamics.Velocity.Steps, c.Data.Initial = 300, 300, 0
	c.Data.Trajectories, c.Dynamics.Trajectories = 40, 60
	if c.Dynamics.Rollout.Steps > 0 {
		c.Dynamics.Rollout.Steps = 60
	}
	change(&c, map[string]string{"encoder.hidden": "24 16", "hidden": "24 16", "decoder.hidden": "16 24"})
	r := newRun(t, c, sys, nil, 2)
	losses := drive(t, r, 0)
	for p, l := range losses {
		if n := len(l) / 10; n > 0 && Stage(p) != Rollout {
			first, last := mean(l[:n]), mean(l[len(l)-n:])
			t.Logf("phase %d: loss from %.3g to %.3g", p, first, last)
			least := 0.05
			if c.Decoder.Name() == "pointwise" && !c.Encoder.Ordered() {
				least = 0.02 // the loss falls less: an encoder that ignores the order of points cannot restore every point
			}
			if fall := first - last; !(fall > least*math.Abs(first)) {
				t.Errorf("phase %d: the loss goes from %g to %g", p, first, last)
			}
		}
	}
	if !c.HasDynamics() {
		return
	}
	watched := validationSource(r.Model)
	p, err := measure.Task{Model: r.Model, Source: watched, Count: 16, Members: 9, Seed: 1, Workers: 2}.Run(work.Until(context.Background()))
	if err != nil {
		t.Fatal(err)
	}
	// Predictions must have a smaller error than a prediction in which all variables keep their
	// first values.
	still := *p
	still.Members, still.Pred = 1, slices.Clone(p.Truth)
	row := p.Variables * p.Frames
	for i := range still.Pred {
		still.Pred[i] = p.Truth[i/row*row+i%p.Variables]
	}
	if c.Traits.Stochastic {
		if got, limit := value(p.MMD(t.Context())), value(still.MMD(t.Context())); !(got < limit) {
			t.Errorf("MMD %g, and %g of variables that do not change", got, limit)
		}
		return
	}
	_, got, _ := measure.Summary(p.MRE())
	_, limit, _ := measure.Summary(still.MRE())
	most := limit / 2
	if c.Data.Listed { // nothing reorders or turns the 40 trajectories, so they teach less
		most = limit
	}
	if !(got < most) {
		t.Errorf("median MRE %g, and %g of variables that do not change", got, limit)
	}
}

func mean(v []float64) (m float64) {
	for _, x := range v {
		m += x / float64(len(v))
	}
	return m
}

// TestWorkersDoNotMatter checks that the results have the same bits with any number of
// goroutines.
func TestWorkersDoNotMatter(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		var files [2][]byte
		for i, workers := range []int{1, 3} {
			r := newRun(t, c, sys, nil, workers)
			drive(t, r, 0)
			files[i] = fileOf(t, r.Checkpoint())
		}
		if !bytes.Equal(files[0], files[1]) {
			t.Error("three workers end with another file than one")
		}
	})
}

// TestResumesExactly saves and resumes in the middle of every phase and between two phases, with
// another number of workers. The final file must equal the file of an uninterrupted run. A resumed
// run that is saved before it has read its data must give the file from which it was resumed.
func TestResumesExactly(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		resumesExactly(t, c, sys)
		resumesExactly(t, withSoap(c), sys)
	})
}

func resumesExactly(t *testing.T, c method.Config, sys *system.System) {
	whole := newRun(t, c, sys, nil, 1)
	drive(t, whole, 0)
	want := fileOf(t, whole.Checkpoint())
	if Holds(whole.Checkpoint()) != !c.HasDynamics() { // a training of one phase can be continued after its end, so the result of Holds stays true
		t.Errorf("a training that has ended is held: %v", Holds(whole.Checkpoint()))
	}
	if says := Unfinished(whole.Checkpoint()); says != "" {
		t.Errorf("a training that has ended: %s", says)
	}
	at := []int{0, 4, c.Steps}
	if c.HasDynamics() {
		at = append(at, c.Steps+1, c.Steps+c.Dynamics.Velocity.Steps-1)
	}
	for try := range c.Dynamics.Tries - 1 {
		end := c.Steps + (try+1)*c.Dynamics.Velocity.Steps
		at = append(at, end, end+2)
	}
	if c.Dynamics.Tries > 1 {
		at = append(at, c.Steps+c.Dynamics.Tries*c.Dynamics.Velocity.Steps) // the best try is still to be chosen
	}
	if c.Dynamics.Rollout.Steps > 0 {
		at = append(at, c.Steps+c.Dynamics.Velocity.Steps, c.Steps+c.Dynamics.Velocity.Steps+3)
	}
	for _, steps := range at {
		first := newRun(t, c, sys, nil, 2)
		if steps > 0 {
			drive(t, first, steps)
		} else if err := first.Prepare(work.Until(context.Background())); err != nil {
			t.Fatal(err)
		}
		saved := fileOf(t, first.Checkpoint())
		if !Holds(read(t, saved)) {
			t.Errorf("after %d steps, the file holds no training", steps)
		}
		if ended := steps == c.Steps && !c.HasDynamics(); (Unfinished(read(t, saved)) == "") != ended {
			t.Errorf("after %d steps: %q", steps, Unfinished(read(t, saved)))
		}
		second, err := Resume(toys(), read(t, saved), Source(&c, sys), 3)
		if err != nil {
			t.Fatalf("after %d steps: %v", steps, err)
		}
		t.Cleanup(second.Close)
		if !bytes.Equal(fileOf(t, second.Checkpoint()), saved) {
			t.Errorf("after %d steps, the file changes by being read", steps)
		}
		drive(t, second, 0)
		if !bytes.Equal(fileOf(t, second.Checkpoint()), want) {
			t.Errorf("interrupted after %d steps, the run ended with another file", steps)
		}
	}
}

// TestSetRate changes the learning rates of a resumed training: of its present phase, and of its
// later phases.
func TestSetRate(t *testing.T) {
	c, sys := tiny("particles/flow")
	first := newRun(t, c, sys, nil, 1)
	drive(t, first, 4)
	r, err := Resume(toys(), first.Checkpoint(), Source(&c, sys), 1)
	if err != nil {
		t.Fatal(err)
	}
	for name, rate := range map[string]string{"rate": "0.000125", "law.fit.rate": "0.00025", "law.roll.rate": "0.0005"} {
		if err := r.SetRate(name, rate); err != nil {
			t.Fatal(err)
		}
	}
	if r.Stage() != Autoencoder || r.resume == nil {
		t.Fatalf("phase %d", r.Stage())
	}
	for _, want := range []float64{0.000125, 0.00025, 0.0005} {
		if err := r.Prepare(work.Until(t.Context())); err != nil {
			t.Fatal(err)
		}
		if got := r.Trainer().Schedule().Peak; got != want {
			t.Errorf("phase %d has the peak rate %g, want %g", r.Stage(), got, want)
		}
		r.Next()
	}
	if err := r.SetRate("batch", "8"); err == nil {
		t.Error("the batch of a training is changed")
	}
}

// TestBetweenPhases saves a run before its next phase begins.
func TestBetweenPhases(t *testing.T) {
	c, sys := tiny("particles/flow")
	whole := newRun(t, c, sys, nil, 1)
	drive(t, whole, 0)
	r := newRun(t, c, sys, nil, 1)
	drive(t, r, c.Steps)
	r.Next()
	f := read(t, fileOf(t, r.Checkpoint()))
	if f.Metadata[phaseKey] != "2" || f.Metadata[trainingPrefix+"step"] != "" || !Holds(f) {
		t.Errorf("phase %q, step %q", f.Metadata[phaseKey], f.Metadata[trainingPrefix+"step"])
	}
	again, err := Resume(toys(), f, Source(&c, sys), 1)
	if err != nil {
		t.Fatal(err)
	}
	drive(t, again, 0)
	sameModel(t, "resumed between two phases", again.Model, whole.Model)
	if err := again.Prepare(work.Until(context.Background())); err == nil || !strings.Contains(err.Error(), "ended") {
		t.Errorf("another phase after the last: %v", err)
	}
}

// TestPhases lists the phases of a run.
func TestPhases(t *testing.T) {
	for pair, want := range map[string]string{
		"line/flow":      "training: 8 sets (nats a sample)",
		"particles/flow": "stage I: 8 sets (nats a sample), stage II, velocity: 12 pairs (), stage II, rollouts: 8 rollouts ()",
		"mixing/ae-aug":  "stage I: 8 frames (), stage II: 48 transitions (nats a transition)",
	} {
		c, _ := tiny(pair)
		var got []string
		for _, p := range Phases(&c) {
			got = append(got, fmt.Sprintf("%s: %d %s (%s)", p.Name, p.Batch, p.What, p.Unit))
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%s: %s, want %s", pair, text, want)
		}
	}
}

// TestTrajectoriesJoin checks that stage I draws only from the trajectories available at a step.
// Later trajectories may still be missing. The initial trajectories must determine the scale of
// positions. All trajectories must determine the ranges of the macroscopic variables.
func TestTrajectoriesJoin(t *testing.T) {
	for _, pair := range []string{"particles/flow", "particles/ae-aug", "mixing/flow"} {
		c, sys := tiny(pair)
		c.Data.Trajectories, c.Data.Initial, c.Data.Every, c.Data.Thin = 12, 4, 3, 2
		m := model.New(c, sys)
		full, err := collect(m, Source(&c, sys), 2)
		if err != nil {
			t.Fatal(err)
		}
		few := model.New(c, sys)
		few.Config.Data.Trajectories = 4
		if _, err := collect(few, Source(&c, sys), 2); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(few.Scale.Std, m.Scale.Std) || few.Scale.High[0] >= m.Scale.High[0] && few.Scale.Low[0] <= m.Scale.Low[0] {
			t.Errorf("%s: the scales of positions are %v and those of the first four trajectories %v; the ranges are %g … %g and %g … %g",
				pair, m.Scale.Std, few.Scale.Std, m.Scale.Low[0], m.Scale.High[0], few.Scale.Low[0], few.Scale.High[0])
		}
		due := &frames{model: m, kept: full.kept, of: make([]keptFrames, 12)}
		copy(due.of, full.of[:6])
		a, b := newAutoencoder(m, full), newAutoencoder(m, due)
		for step := range 9 { // the sixth trajectory is available from step 6 on, the seventh from step 9
			a.draw(step, 1)
			b.draw(step, 1)
			if !slices.Equal(a.batch.Points, b.batch.Points) || !slices.Equal(a.x, b.x) || !slices.Equal(a.batch.Ends, b.batch.Ends) {
				t.Fatalf("%s: step %d draws other sets once more trajectories are there", pair, step)
			}
		}
	}
}

// TestScales checks that positions are scaled as the system says: to zero mean and unit
// variance, or to [-1, 1]. If positions are turned, both coordinates must have the same
// scale, and the origin must stay fixed.
func TestScales(t *testing.T) {
	for _, pair := range []string{"particles/flow", "particles/ae-aug", "mixing/flow", "mixing/ae-aug"} {
		for _, turn := range []bool{false, true} {
			c, sys := tiny(pair)
			c.Data.Initial = 0
			if c.Data.Turn = turn && c.Traits.Vectors != nil; c.Data.Turn != turn {
				continue
			}
			if !turn {
				c.Data.Views = 1
			}
			m := model.New(c, sys)
			d, err := collect(m, Source(&c, sys), 1)
			if err != nil {
				t.Fatal(err)
			}
			var sum, squares [2]float64
			low, high, n := [2]float64{9, 9}, [2]float64{-9, -9}, 0.0
			for _, k := range d.of {
				scaled := make([]float32, len(k.points))
				m.Scale.Points(scaled, k.points)
				for i, v := range scaled {
					x := float64(v)
					sum[i%2] += x
					squares[i%2] += x * x
					low[i%2], high[i%2] = min(low[i%2], x), max(high[i%2], x)
				}
				n += float64(len(scaled) / 2)
			}
			switch {
			case turn:
				if mean := (squares[0] + squares[1]) / 2 / n; math.Abs(mean-1) > 1e-5 || m.Scale.Mean[0] != 0 || m.Scale.Mean[1] != 0 || m.Scale.Std[0] != m.Scale.Std[1] {
					t.Errorf("%s, turned: mean square %g, scales %+v", pair, mean, m.Scale)
				}
			case c.Traits.Scaling == system.Standardise:
				for k := range 2 {
					if math.Abs(sum[k]/n) > 1e-5 || math.Abs(squares[k]/n-1) > 1e-5 {
						t.Errorf("%s: coordinate %d has the mean %g and the mean square %g", pair, k, sum[k]/n, squares[k]/n)
					}
				}
			default:
				for k := range 2 {
					if math.Abs(low[k]+1) > 1e-6 || math.Abs(high[k]-1) > 1e-6 {
						t.Errorf("%s: coordinate %d goes from %g to %g", pair, k, low[k], high[k])
					}
				}
			}
			for i, name := range sys.Variables("") {
				low, high := math.Inf(1), math.Inf(-1)
				for e := range d.of {
					of := sys.Simulated(system.Choice{Purpose: system.Train, Seed: c.Seed, Count: e + 1, Particles: c.Particles, Fixed: c.Encoder.Ordered()}).(*toySource)
					macro := of.toy.make(of.choice, e).Macro
					for j := i; j < len(macro); j += c.Variables {
						low, high = min(low, macro[j]), max(high, macro[j])
					}
				}
				if m.Scale.Low[i] != low || m.Scale.High[i] != high {
					t.Errorf("%s: %s goes from %g to %g, want %g to %g", pair, name, m.Scale.Low[i], m.Scale.High[i], low, high)
				}
			}
		}
	}
}

// TestClosuresAreScaled checks that the scaled closure variables fill [-1, 1], and that
// unscaling gives the encoder's values again.
func TestClosuresAreScaled(t *testing.T) {
	for _, pair := range moving() {
		c, sys := tiny(pair)
		c.Dynamics.Narrowest = 0 // see TestNarrowest
		r := newRun(t, c, sys, nil, 2)
		drive(t, r, c.Steps+1)
		d := r.data.(*states)
		for i := range d.dim {
			low, high := math.Inf(1), math.Inf(-1)
			for j := i; j < len(d.z); j += d.dim {
				low, high = min(low, float64(d.z[j])), max(high, float64(d.z[j]))
			}
			first, end := c.Variables, c.Variables+c.Sets()*c.ZDim()
			if i >= first && i < end && (math.Abs(low+1) > 1e-6 || math.Abs(high-1) > 1e-6) || low < -1.000001 || high > 1.000001 {
				t.Errorf("%s: variable %d goes from %g to %g", pair, i, low, high)
			}
		}
	}
}

func TestStepDoesNotAllocate(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		r := newRun(t, withSoap(c), sys, nil, 1)
		for r.Stage() != Done {
			if err := r.Prepare(work.Until(context.Background())); err != nil {
				t.Fatal(err)
			}
			for range 6 { // frames differ in their number of particles, so buffers may grow at first
				if err := r.Trainer().Advance(work.Until(t.Context())); err != nil {
					t.Fatal(err)
				}
			}
			if n := testing.AllocsPerRun(5, func() {
				if err := r.Trainer().Advance(work.Until(t.Context())); err != nil {
					t.Fatal(err)
				}
			}); n != 0 {
				t.Errorf("phase %d: %v allocations a step", r.Stage(), n)
			}
			r.Next()
		}
	})
}

// TestStretches checks that the states of a stretch lie Stride frames apart in one trajectory.
// The configured share of stretches must begin with frame 0, and only the first state must have
// noise.
func TestStretches(t *testing.T) {
	c, sys := tiny("particles/flow")
	m := model.New(c, sys)
	d := &states{trajectories: 3, frames: 18, dim: c.States()}
	for i := range 3 * 18 * d.dim {
		d.z = append(d.z, float32(i/d.dim)+float32(i%d.dim)/16)
	}
	for _, noise := range []float64{0, 0.25} {
		roll := c.Dynamics.Rollout
		roll.Noise, roll.Start, roll.Early, roll.Batch, roll.Shards = noise, 0.25, 0, 64, 1
		m.Config.Dynamics.Rollout = roll
		w := newDynamics(m, Rollout, d)
		starts, moved := map[int]int{}, 0
		for step := range 20 {
			w.draw(step, 0)
			for b := range 64 {
				row := w.z[b*4*d.dim : (b+1)*4*d.dim]
				last := int(row[3*d.dim])
				starts[(last-6)%18]++
				for k := range 4 {
					for i := range d.dim {
						want := float32(last-6+2*k) + float32(i)/16
						if got := row[k*d.dim+i]; got != want {
							moved++
							if k > 0 || noise == 0 || math.Abs(float64(got-want)) > 6*noise {
								t.Fatalf("variable %d of frame %d of a stretch is %g, want %g", i, k, got, want)
							}
						}
					}
				}
			}
		}
		if noise > 0 && moved < 20*64*d.dim*9/10 {
			t.Errorf("noise on %d of %d variables", moved, 20*64*d.dim)
		}
		// A quarter of the 1280 stretches begin at frame 0 on purpose, and a twelfth of the
		// other stretches by chance. Five standard deviations are 0.07.
		if share := float64(starts[0]) / 1280; math.Abs(share-(0.25+0.75/12)) > 0.07 || len(starts) != 12 {
			t.Errorf("a share of %g begins with frame 0, of starts %v", share, starts)
		}
	}
}

// TestEarlyStretches checks that the configured share of stretches begins in
// the first quarter of the frames.
func TestEarlyStretches(t *testing.T) {
	c, sys := tiny("particles/flow")
	m := model.New(c, sys)
	d := &states{trajectories: 2, frames: 40, dim: c.States()}
	for i := range 2 * 40 * d.dim {
		d.z = append(d.z, float32(i/d.dim%40))
	}
	roll := c.Dynamics.Rollout
	roll.Noise, roll.Start, roll.Early, roll.Batch, roll.Shards = 0, 0, 0.5, 64, 1
	m.Config.Dynamics.Rollout = roll
	w := newDynamics(m, Rollout, d)
	early, length := 0, (roll.Window+1)*d.dim
	for step := range 20 {
		w.draw(step, 0)
		for b := range 64 {
			if w.z[b*length] < 10 {
				early++
			}
		}
	}
	// Half of the 1280 stretches begin early on purpose. The others have 40-Window·Stride
	// equally likely beginnings, of which 10 are early. Five standard deviations are 0.06.
	want := 0.5 + 0.5*10/float64(40-roll.Window*roll.Stride)
	if share := float64(early) / 1280; math.Abs(share-want) > 0.06 {
		t.Errorf("a share of %g begins early, want %g", share, want)
	}
}

// TestFramesAreDrawn checks the frames that are sampled in stage I. Every frame must be a frame
// from the store, in the networks' units. The configuration determines whether frames are turned,
// and whether their particles are reordered.
func TestFramesAreDrawn(t *testing.T) {
	for pair, want := range map[string]struct{ turned, shuffled bool }{
		"particles/flow": {true, false}, "particles/ae-aug": {true, true}, "mixing/flow": {}, "mixing/ae-aug": {false, true},
	} {
		c, sys := tiny(pair)
		c.Data.Initial = 0
		m := model.New(c, sys)
		d, err := collect(m, Source(&c, sys), 1)
		if err != nil {
			t.Fatal(err)
		}
		// Turns do not change distances from the origin. The function `lengths` returns these
		// distances twice: `in` has the particles' order, and `sorted` is sorted within each set.
		lengths := func(points []float32, ends []int) (in, sorted []float64) {
			begin := 0
			for _, end := range ends {
				for i := begin; i < end; i++ {
					x, y := float64(points[2*i])*m.Scale.Std[0]+m.Scale.Mean[0], float64(points[2*i+1])*m.Scale.Std[1]+m.Scale.Mean[1]
					in = append(in, math.Hypot(x, y))
				}
				sorted = append(sorted, in[begin:end]...)
				slices.Sort(sorted[begin:])
				begin = end
			}
			return in, sorted
		}
		near := func(a, b []float64) bool {
			return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) < 1e-5 })
		}
		w := newAutoencoder(m, d)
		found, inOrder, asIs := 0, 0, 0
		for step := range 10 {
			w.drawFrame(w.choose(step, 0, sample{}))
			in, sorted := lengths(w.frame.Points, w.frame.Ends)
			for i := range len(d.of) * len(d.kept) {
				points, ends := d.frame(i, c.Sets())
				scaled := make([]float32, len(points))
				m.Scale.Points(scaled, points)
				keptIn, keptSorted := lengths(scaled, ends)
				if !slices.Equal(ends, w.frame.Ends) || !near(sorted, keptSorted) {
					continue
				}
				found++
				if near(in, keptIn) {
					inOrder++
				}
				if slices.Equal(scaled, w.frame.Points) {
					asIs++
				}
			}
		}
		if found != 10 || (inOrder == 10) == want.shuffled || (asIs == 10) == (want.turned || want.shuffled) {
			t.Errorf("%s: of 10 frames %d were kept, %d are in their order, %d as they were", pair, found, inOrder, asIs)
		}
	}
}

// TestStretched checks that Stretch multiplies the last coordinate of all particles of a frame by one
// factor, for the encoder alone. What the decoder learns must stay the same: samples of a density, or
// points. A helper must get both sets.
func TestStretched(t *testing.T) {
	for _, pair := range []string{"mixing/flow", "mixing/ae-inve-cd"} {
		t.Run(pair, func(t *testing.T) { stretch(t, pair) })
	}
}

func stretch(t *testing.T, pair string) {
	c, sys := tiny(pair)
	c.Data.Initial, c.Data.Stretch = 0, 0
	m := model.New(c, sys)
	d, err := collect(m, Source(&c, sys), 1)
	if err != nil {
		t.Fatal(err)
	}
	stretched := m.Clone()
	stretched.Config.Data.Stretch = 0.25
	w, plain := newAutoencoder(stretched, d), newAutoencoder(m, d)
	factors := map[float64]bool{}
	for step := range 5 {
		w.draw(step, 0)
		plain.draw(step, 0)
		// Further frames of the shard are other ones, because the factor is a random number.
		one, end := len(w.x)/w.frames, 2*w.batch.Ends[c.Sets()-1]
		if !slices.Equal(w.x[:one], plain.x[:one]) || !slices.Equal(w.truth[:end], plain.batch.Points[:end]) {
			t.Fatalf("step %d: what the decoder learns has changed", step)
		}
		height := func(v float32) float64 { return float64(v)*m.Scale.Std[1] + m.Scale.Mean[1] }
		factor := height(w.batch.Points[1]) / height(plain.batch.Points[1])
		for i := 0; i < end; i += 2 {
			got, want := height(w.batch.Points[i+1]), factor*height(plain.batch.Points[i+1])
			if w.batch.Points[i] != plain.batch.Points[i] || math.Abs(got-want) > 1e-4 {
				t.Fatalf("step %d: particle %d is at height %g, want %g of %g", step, i/2, got, factor, want/factor)
			}
		}
		if factor < 0.75 || factor > 1.25 {
			t.Errorf("step %d: factor %g", step, factor)
		}
		factors[factor] = true
	}
	if len(factors) != 5 {
		t.Errorf("5 frames have the factors %v", factors)
	}
	var job message
	w.pass(&job)
	helper, grads := newAutoencoder(stretched, nil), [2][]float32{}
	if read := reading(job.b); !helper.pass(read) || read.end() != nil {
		t.Fatal("a helper cannot read the shard")
	}
	for i, a := range []*autoencoder{w, helper} {
		grads[i] = make([]float32, len(m.Weights.Params))
		a.gradient(m.Weights.Params, grads[i])
	}
	if !slices.Equal(grads[0], grads[1]) {
		t.Error("a helper computes another gradient")
	}
}

// TestUnseen checks that the encoder does not see the coordinate Unseen in training, and that ẑ does not
// depend on it. The decoder must learn to restore the points with this coordinate.
func TestUnseen(t *testing.T) {
	for _, pair := range []string{"polymer/flow@quick", "polymer/ae-inve-cd@quick"} {
		c, sys := preset(t, pair)
		change(&c, small)
		c.Data.Trajectories, c.Data.Initial, c.Batch, c.Shards = 2, 0, 4, 2
		c.Particles = 6
		m := model.New(c, sys)
		d, err := collect(m, Source(&c, sys), 1)
		if err != nil {
			t.Fatal(err)
		}
		blind := m.Clone()
		blind.Config.Data.Unseen = 2
		w, plain := newAutoencoder(blind, d), newAutoencoder(m, d)
		w.draw(0, 0)
		plain.draw(0, 0)
		if !slices.Equal(w.x, plain.x) || !slices.Equal(w.truth, plain.batch.Points) {
			t.Errorf("%s: what the decoder learns has changed", pair)
		}
		for i, v := range w.batch.Points {
			want := plain.batch.Points[i]
			if i%3 == 1 {
				want = float32(-m.Scale.Mean[1] / m.Scale.Std[1])
			}
			if v != want {
				t.Fatalf("%s: the encoder sees %g as coordinate %d of a bead, want %g", pair, v, i%3, want)
			}
		}
		moved := system.Frame{Points: []float32{1, 2, 0, 3, 4, 0.5, 5, 6, 1}, Ends: []int{3}}
		for _, k := range []int{1, 2} { // coordinates that change
			codes := [2][]float32{make([]float32, 3), make([]float32, 3)}
			for i := range codes {
				blind.NewCoder().Encode(codes[i], &moved)
				moved.Points[3+k-1] += 7
			}
			if same := slices.Equal(codes[0], codes[1]); same != (k == 2) {
				t.Errorf("%s: ẑ %v stays the same after coordinate %d has changed: %v", pair, codes[0], k, same)
			}
		}
	}
}

// TestNarrowest checks that Narrowest widens the ranges of ẑ that are narrower than a share of the widest
// one, about their middles.
func TestNarrowest(t *testing.T) {
	c, sys := tiny("mixing/flow")
	for _, tc := range []struct {
		least      float64
		first, end [4]float64 // the range of the numbers of ẑ, which go from 0 to 4, 1, 2 and 3
	}{
		{0, [4]float64{0, 0, 0, 0}, [4]float64{4, 1, 2, 3}},
		{0.5, [4]float64{0, -0.5, 0, 0}, [4]float64{4, 1.5, 2, 3}},
		{1, [4]float64{0, -1.5, -1, -0.5}, [4]float64{4, 2.5, 3, 3.5}},
	} {
		c.Dynamics.Narrowest = tc.least
		m := model.New(c, sys)
		d := newStates(m, system.Shape{Trajectories: 1, Frames: 2})
		copy(d.read[d.dim+c.Variables:], []float32{4, 1, 2, 3})
		if err := d.ready(1); err != nil {
			t.Fatal(err)
		}
		for i := range tc.first {
			k := c.Variables + i
			if m.Scale.Low[k] != tc.first[i] || m.Scale.High[k] != tc.end[i] {
				t.Errorf("least %g: number %d has the range %g to %g, want %g to %g", tc.least, i, m.Scale.Low[k], m.Scale.High[k], tc.first[i], tc.end[i])
			}
			if got, want := float64(d.z[k]), m.Scale.State(k, 0); math.Abs(got-want) > 1e-6 {
				t.Errorf("least %g: number %d is scaled to %g, want %g", tc.least, i, got, want)
			}
		}
	}
}

// TestImages checks the states of the mirror images of a trajectory: they must equal the states of the
// trajectory after it has been mirrored in each way.
func TestImages(t *testing.T) {
	for _, pair := range []string{"polymer/flow", "polymer-video/flow-memory"} {
		c, sys := preset(t, pair+"@quick")
		change(&c, small)
		c.Dynamics.Trajectories, c.Dynamics.Images = 5, 8
		c.Particles = 6
		m, src := model.New(c, sys), Source(&c, sys)
		shape := src.Shape()
		d := newStates(m, shape)
		if d.trajectories != 8*5 || len(d.read)*2*4 != statesBytes(&c, shape) {
			t.Errorf("%s: %d trajectories with images in %d numbers", pair, d.trajectories, len(d.read))
		}
		const index = 3
		err := system.Each(work.Until(t.Context()), src, index+1, 1, func(e int, of *system.Trajectory) error {
			if e != index {
				return nil
			}
			it := d.item()
			turned := of.Clone()
			if err := it.fill(turned, e, work.Until(t.Context())); err != nil {
				return err
			}
			it.enter(e)
			want := make([]float32, d.frames*d.dim)
			for way := range 8 {
				mirrored := of.Clone()
				m.System.Mirror(mirrored.Points, len(mirrored.Species), uint(way))
				if err := m.NewCoder().Trajectory(want, mirrored, e); err != nil {
					return err
				}
				if got := d.of(d.read, e*d.images+way); !slices.Equal(got, want) {
					t.Errorf("%s: image %d begins with the state %g, want %g", pair, way, got[:d.dim], want[:d.dim])
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// TestPairs checks that the frames of a one-step loss come in pairs of consecutive frames. Both
// frames must be turned by the same angle, and each must have its own macroscopic variables and
// time.
func TestPairs(t *testing.T) {
	for _, pair := range []string{"particles/flow in pairs", "mixing/inve"} {
		c, sys := tiny(pair)
		m := model.New(c, sys)
		d, err := collect(m, Source(&c, sys), 1)
		if err != nil {
			t.Fatal(err)
		}
		w := newAutoencoder(m, d)
		row, kept := c.Variables+1, len(d.kept)
		firsts := map[int]bool{}
		for step := range 40 {
			w.draw(step, 0)
			var before sample
			for b := range w.frames {
				// Find the frame by its macroscopic variables and its time.
				at := w.states[b*row : (b+1)*row]
				index := -1
				for i := range len(d.of) * kept {
					macro := d.macros(i)
					same := float32(float64(d.kept[i%kept])*c.Dynamics.Dt) == at[c.Variables]
					for k, v := range macro {
						same = same && float32(m.Scale.State(k, v)) == at[k]
					}
					if same {
						index = i
					}
				}
				if index < 0 {
					t.Fatalf("%s: frame %d has states %v, which are no frame's", pair, b, at)
				}
				if b%2 == 1 && (index != before.index+1 || index/kept != before.index/kept) {
					t.Errorf("%s: frame %d of trajectories of %d follows frame %d", pair, index, kept, before.index)
				}
				if b%2 == 0 {
					firsts[index%kept] = true
				}
				before = sample{index: index}
				// The points must be the frame's points, up to a turn.
				begin := 0
				if b > 0 {
					begin = w.batch.Ends[b*c.Sets()-1]
				}
				from, _ := d.frame(index, c.Sets())
				for i := range len(from) / 2 {
					x, y := w.batch.Points[2*(begin+i)], w.batch.Points[2*(begin+i)+1]
					got := math.Hypot(float64(x)*m.Scale.Std[0]+m.Scale.Mean[0], float64(y)*m.Scale.Std[1]+m.Scale.Mean[1])
					if want := math.Hypot(float64(from[2*i]), float64(from[2*i+1])); math.Abs(got-want) > 1e-5*(1+want) {
						t.Fatalf("%s: a particle at %g of frame %d is at %g in the batch", pair, want, index, got)
					}
				}
			}
		}
		if len(firsts) != kept-1 {
			t.Errorf("%s: pairs begin with %d of %d frames; the last alone can begin none", pair, len(firsts), kept)
		}
	}
}

// TestPairsTurnAlike checks that both frames of a pair are turned by the same angle and
// mirrored alike, and that the second frame follows the first in time.
func TestPairsTurnAlike(t *testing.T) {
	c, sys := tiny("particles/flow in pairs")
	m := model.New(c, sys)
	d, err := collect(m, Source(&c, sys), 1)
	if err != nil {
		t.Fatal(err)
	}
	w := newAutoencoder(m, d)
	turned := 0
	for step := range 10 {
		first := w.choose(step, 0, sample{})
		second := w.choose(step, 1, first)
		if second.turn != first.turn || second.index != first.index+1 {
			t.Fatalf("%+v follows %+v", second, first)
		}
		if first.turn != (model.Turn{}) {
			turned++
		}
	}
	if turned == 0 {
		t.Error("no frame is turned")
	}
}

func TestDiverges(t *testing.T) {
	forEachPair(t, func(t *testing.T, c method.Config, sys *system.System) {
		r := newRun(t, c, sys, nil, 2)
		drive(t, r, 4)
		// These weights are finite, but they give an infinite loss.
		for i := range r.Model.Weights.Params {
			r.Model.Weights.Params[i] *= 1e30
		}
		before := fileOf(t, r.Checkpoint())
		err := r.Trainer().Advance(work.Until(t.Context()))
		var d *train.Diverged
		if !errors.As(err, &d) || d.Step != 4 || !strings.Contains(err.Error(), "are kept") {
			t.Fatalf("error %v", err)
		}
		if !bytes.Equal(fileOf(t, r.Checkpoint()), before) {
			t.Error("a step that diverged has changed the run")
		}
		if _, err := readRun(toys(), read(t, before)); err != nil {
			t.Errorf("it cannot be opened: %v", err)
		}
	})
}

// TestNothingToLearn checks the errors for data that cannot be scaled.
func TestNothingToLearn(t *testing.T) {
	c, sys := tiny("particles/flow")
	own := toyOf(sys).record(4, 7, true, true, "energy")
	c = c.ForData(own, 1)
	try := func(change func(*system.Trajectory)) error {
		bad := *own
		bad.of = nil
		for i := range own.of {
			var t system.Trajectory
			own.Raw(&t, i)
			change(&t)
			bad.of = append(bad.of, t)
		}
		return newRun(t, c, sys, &bad, 1).Prepare(work.Until(context.Background()))
	}
	if err := try(func(*system.Trajectory) {}); err != nil {
		t.Error(err)
	}
	for says, change := range map[string]func(*system.Trajectory){
		"the energy is 3 in every frame": func(t *system.Trajectory) {
			for i := range t.Macro {
				t.Macro[i] = 3
			}
		},
		"the energy is -2 in every frame": func(t *system.Trajectory) { // but for rounding errors
			for i := range t.Macro {
				t.Macro[i] = -2 + 1e-9*math.Sin(float64(i))
			}
		},
		"nothing moves: the frames of each trajectory are all the same": func(t *system.Trajectory) {
			size := len(t.Points) / len(t.Macro)
			for i := size; i < len(t.Points); i++ {
				t.Points[i] = t.Points[i-size]
			}
		},
		"coordinate 1 of all particles is 2 in every frame": func(t *system.Trajectory) {
			for i := 1; i < len(t.Points); i += 2 {
				t.Points[i] = 2
			}
		},
		"coordinate 1 of particle 2 in frame 0 is NaN": func(t *system.Trajectory) { t.Points[5] = float32(math.NaN()) },
	} {
		if err := try(change); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
	// With all parameters at 0, the encoder gives every frame the same ẑ.
	r := newRun(t, c, sys, own, 1)
	drive(t, r, c.Steps)
	clear(r.Model.Weights.Params)
	r.Next()
	if err := r.Prepare(work.Until(context.Background())); err == nil || !strings.Contains(err.Error(), "closure variable 0 goes from") {
		t.Errorf("error %v", err)
	}
}

// TestRefuses checks the errors for unsuitable data and files.
func TestRefuses(t *testing.T) {
	c, sys := tiny("particles/flow")
	s := toyOf(sys)
	other := c
	other.Particles = 9
	if _, err := New(c, sys, Source(&other, sys), 1); err == nil || !strings.Contains(err.Error(), "9 particles and the model trains on 7") {
		t.Errorf("other particles: %v", err)
	}
	space := c
	space.Shape.Dim, space.Data.Turn, space.Data.Views = 3, false, 1
	if _, err := New(space, sys, Source(&c, sys), 1); err == nil || !strings.Contains(err.Error(), "2 coordinates and the model is for 3") {
		t.Errorf("other coordinates: %v", err)
	}
	own := s.record(6, 7, true, true, "energy")
	mine := c.ForData(own, 1)
	for count, says := range map[int]string{3: "there are 3 trajectories; use", 5: "5 trajectories and the training began with 6"} {
		fewer, err := SourceOr(&mine, sys, s.record(count, 7, true, true, "energy"))
		if err == nil {
			_, err = New(mine, sys, fewer, 1)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%d of the user's own: %v", count, err)
		}
	}
	c.Batch = 7
	if _, err := New(c, sys, own, 1); err == nil || !strings.Contains(err.Error(), "shards") {
		t.Errorf("a configuration that cannot be: %v", err)
	}

	long, _ := tiny("mixing/flow")
	long.Dynamics.Velocity.Window = 14
	mix, err := toys().Find("mixing")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := New(long, mix, Source(&long, mix), 1); err == nil || !strings.Contains(err.Error(), "stretches of 15 frames, and the trajectories have 14") {
		t.Errorf("stretches longer than trajectories: %v", err)
	}
	long.Dynamics.Velocity.Window, long.Dynamics.Joint, long.Dynamics.Begin = 8, true, 6
	if _, err := New(long, mix, Source(&long, mix), 1); err == nil || !strings.Contains(err.Error(), "stretches of 9 frames, and the trajectories have 8") {
		t.Errorf("stretches longer than what follows the past: %v", err)
	}
}

// TestSetsOfOtherSizes trains an encoder for sets of fixed sizes on trajectories with sets of
// other sizes. Both stages must return an error that says which sizes the encoder takes.
func TestSetsOfOtherSizes(t *testing.T) {
	c, sys := tiny("mixing/ae-aug")
	s := toyOf(sys)
	fixed, ragged := s.record(8, 7, true, false, ""), s.record(8, 7, false, false, "")
	c = c.ForData(fixed, 2)
	c.Data.Trajectories = 3
	for from, stage := range map[int]string{2: "I", 5: "II"} {
		own := *fixed
		own.of = append(slices.Clone(fixed.of[:from]), ragged.of[from:]...)
		r := newRun(t, c, sys, &own, 2)
		err := r.Prepare(work.Until(context.Background()))
		if stage == "II" {
			if err != nil {
				t.Fatal(err)
			}
			r.Next()
			err = r.Prepare(work.Until(context.Background()))
		}
		if err == nil || !strings.Contains(err.Error(), "takes exactly") || !strings.Contains(err.Error(), "trajectory ") {
			t.Errorf("stage %s: error %v", stage, err)
		}
		l, err := NewLive(c, sys, &own, nil, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		for range 10_000 {
			if err = l.Work(0); err != nil || l.Stage() == Done {
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), "takes exactly") {
			t.Errorf("stage %s in a page: error %v", stage, err)
		}
	}
}

// TestReadRefuses damages the state of a training in a checkpoint. Read must return an error.
func TestReadRefuses(t *testing.T) {
	type change func(*ckpt.File)
	set := func(key, value string) change { return func(f *ckpt.File) { f.Metadata[key] = value } }
	saved := func(pair string, steps int) []byte {
		c, sys := tiny(pair)
		r := newRun(t, c, sys, nil, 1)
		drive(t, r, steps)
		return fileOf(t, r.Checkpoint())
	}
	particles, augmented, mixing, line := saved("particles/flow", 12), saved("particles/ae-aug", 3), saved("mixing/flow", 12), saved("line/flow", 3)
	for _, tc := range []struct {
		name   string
		file   []byte
		change change
		says   string
	}{
		{"weights alone", particles, func(f *ckpt.File) { delete(f.Metadata, phaseKey) }, "weights alone"},
		{"weights alone of one phase", line, func(f *ckpt.File) { delete(f.Metadata, trainingPrefix+"step") }, "weights alone"},
		{"no phase", particles, set(phaseKey, "0"), `phase of training cannot be "0"`},
		{"a fifth phase", particles, set(phaseKey, "5"), "from 1 to 4"},
		{"text for a phase", particles, set(phaseKey, "II"), "phase of training"},
		{"a phase that there is not", mixing, set(phaseKey, "3"), "phase"},
		{"a missing step", particles, func(f *ckpt.File) { delete(f.Metadata, trainingPrefix+"peak") }, "no training.peak"},
		{"a step below 0", particles, set(trainingPrefix+"step", "-1"), "step -1"},
		{"a step beyond all", particles, set(trainingPrefix+"step", "10000001"), "step 10000001"},
		{"a schedule that begins later", particles, set(trainingPrefix+"cyclestart", "9"), "began at 9"},
		{"a rate that is not a number", particles, set(trainingPrefix+"peak", "NaN"), "cannot be read"},
		{"an infinite rate", particles, set(trainingPrefix+"peak", "Inf"), "give a number"},
		{"a schedule of no steps", particles, set(trainingPrefix+"steps", "0"), "schedule cannot be used"},
		{"missing moments", particles, func(f *ckpt.File) {
			f.Tensors = slices.DeleteFunc(f.Tensors, func(t ckpt.Tensor) bool { return strings.HasPrefix(t.Name, "law.adam.v.") })
		}, "law.adam.v."},
		{"a moment that is not finite", particles, func(f *ckpt.File) {
			for i := range f.Tensors {
				if strings.HasPrefix(f.Tensors[i].Name, "law.adam.m.") {
					f.Tensors[i].F32[0] = float32(math.Inf(1))
				}
			}
		}, "not finite"},
		{"a missing decoder", augmented, func(f *ckpt.File) {
			f.Tensors = slices.DeleteFunc(f.Tensors, func(t ckpt.Tensor) bool { return strings.HasPrefix(t.Name, "decoder.param.") })
		}, "lacks its decoder"},
		{"a decoder that is not finite", augmented, func(f *ckpt.File) {
			for i := range f.Tensors {
				if strings.HasPrefix(f.Tensors[i].Name, "decoder.param.") {
					f.Tensors[i].F32[0] = float32(math.NaN())
				}
			}
		}, "weight that is not a finite"},
		{"dynamics where there are none", line, func(f *ckpt.File) { f.Metadata["config.law.dt"], f.Metadata[phaseKey] = "1", "2" }, "phase"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := read(t, tc.file)
			if _, err := readRun(toys(), f); err != nil {
				t.Fatalf("it cannot be read as it is: %v", err)
			}
			tc.change(f)
			_, err := readRun(toys(), f)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
			if _, err := ResumeLive(toys(), f, nil, nil, time.Now); err == nil {
				t.Error("a page goes on with it")
			}
		})
	}
}

// TestOlderLineFile continues from a file written before checkpoints had a phase.
func TestOlderLineFile(t *testing.T) {
	c, sys := tiny("line/flow")
	r := newRun(t, c, sys, nil, 1)
	drive(t, r, 3)
	f := r.Checkpoint()
	if _, ok := f.Metadata[phaseKey]; ok {
		t.Errorf("a training of one phase writes phase %q", f.Metadata[phaseKey])
	}
	again, err := Resume(toys(), f, nil, 1)
	if err != nil || again.Stage() != Autoencoder {
		t.Fatalf("%v", err)
	}
}

// TestTrain checks the reasons for which Train ends, and that it can go on after a pause or `stepped` has
// failed.
func TestTrain(t *testing.T) {
	c, sys := tiny("line/flow")
	whole := newRun(t, c, sys, nil, 1)
	drive(t, whole, 0)
	for _, workers := range []int{1, 2} {
		r := newRun(t, c, sys, nil, workers)
		if err := r.Prepare(work.Until(t.Context())); err != nil {
			t.Fatal(err)
		}
		pauses, steps := 0, 0
		if err := r.Train(func(float64) error {
			if pauses++; pauses > 2*c.Shards+1 {
				return errEnough
			}
			return nil
		}, func() error { steps++; return nil }); err != errEnough || r.Step() != 2 || steps != 2 {
			t.Errorf("%d workers, the pause fails: error %v, step %d, %d calls of stepped", workers, err, r.Step(), steps)
		}
		if err := r.Train(work.Until(t.Context()), func() error { return errEnough }); err != errEnough || r.Step() != 3 {
			t.Errorf("%d workers, stepped fails: error %v, step %d", workers, err, r.Step())
		}
		if err := r.Train(work.Until(t.Context()), nil); err != nil || r.Step() != r.Steps() || r.Stage() != Autoencoder {
			t.Errorf("%d workers: error %v, step %d of %d", workers, err, r.Step(), r.Steps())
		}
		sameModel(t, fmt.Sprint(workers, " workers, interrupted"), r.Model, whole.Model)
		r.ready = func() error { return errEnough }
		if err := r.Train(work.Until(t.Context()), nil); err != errEnough {
			t.Errorf("ready fails: error %v", err)
		}
	}
}

// TestContext checks that reading stops when its context is cancelled.
func TestContext(t *testing.T) {
	c, sys := tiny("mixing/flow")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := newRun(t, c, sys, nil, 2).Prepare(work.Until(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// TestPrepareCounts checks that the share which the pause of Prepare gets is that of the trajectories read
// so far.
func TestPrepareCounts(t *testing.T) {
	c, sys := tiny("particles/flow")
	r := newRun(t, c, sys, nil, 2)
	for r.Stage() != Done {
		var mu sync.Mutex
		reads := float64(r.Trajectories())
		told := make(map[float64]bool)
		if err := r.Prepare(func(share float64) error {
			mu.Lock()
			defer mu.Unlock()
			told[math.Round(share*reads)] = true
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if reads > 0 && !(told[0] && told[1] && told[reads]) {
			t.Errorf("phase %d: told %v of %g trajectories", r.Stage(), told, reads)
		}
		r.Next()
	}
}

// value returns a function's result. The function fails only if its context is cancelled.
func value(v float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return v
}
