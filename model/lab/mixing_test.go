package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"macroscope/model/ckpt"
	"macroscope/model/sde"
	"macroscope/model/train"
	"macroscope/sim/lj"
)

// smallMixing is an experiment that trains in a moment, and its data: 36 atoms
// in a box of 8 × 8.
func smallMixing() (MixingConfig, *SimulatedMixing) {
	c, err := MixingPreset("laptop")
	if err != nil {
		panic(err)
	}
	c.Particles, c.Trajectories, c.Thin, c.Batch, c.Shards, c.Samples, c.Steps = 36, 10, 3, 8, 4, 16, 100
	c.Encoder.Hidden, c.Encoder.Head = []int{24, 24}, []int{24}
	c.Flow.Layers, c.Flow.Bins, c.Flow.Hidden = 2, 6, []int{16, 16}
	c.Law.Trajectories, c.Law.Batch, c.Law.Window, c.Law.Shards, c.Law.Steps = 12, 16, 8, 4, 150
	c.Law.Drift.Hidden, c.Law.Noise.Hidden = []int{16}, []int{8}
	return c, NewSimulatedMixing(smallBox(), []Range{{3, 5}}, 1, 12)
}

func smallBox() lj.Config {
	s := lj.Default()
	s.Width, s.Height, s.Boundary, s.Relaxation, s.Steps, s.Every = 8, 8, 4, 100, 800, 20
	return s
}

// trainMixing takes a run to its end, or to a number of steps altogether.
func trainMixing(t testing.TB, r *MixingRun, steps int) {
	t.Helper()
	for r.Stage() != StageDone {
		if err := r.Prepare(context.Background(), nothing); err != nil {
			t.Fatal(err)
		}
		errEnough := errors.New("enough")
		err := train.Run(context.Background(), r.Trainer(), r.Trainer().Steps(), func() error {
			if steps--; steps == 0 {
				return errEnough
			}
			return nil
		})
		if err == errEnough {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Next()
	}
}

func newMixingRun(t testing.TB, c MixingConfig, src MixingSource, workers int) *MixingRun {
	t.Helper()
	r, err := NewMixingRun(c, src, workers)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// TestMixingLearns trains every form of the law: every parameter must move, and
// forecasts must be nearer to the truth than ratios that stay where they begin.
// Over 30 seeds the logarithm of the quotient of both MMDs is -0.69 ± 0.3 in the
// form with the widest, -0.59 ± 0.19 in that with the highest mean, and the share
// of the truth among the members 0.50 ± 0.09 in the form with the lowest: the mean
// of eight is above 0, or below 0.3, by 6 standard errors, once in 5·10⁸ times.
func TestMixingLearns(t *testing.T) {
	for _, tc := range []struct {
		joint, share bool
		noise        sde.NoiseForm
	}{
		{true, true, sde.NoiseDiagonal}, {true, true, sde.NoiseFull}, {true, false, sde.NoiseDiagonal},
		{false, false, sde.NoiseDiagonal}, {false, true, sde.NoiseConstant},
	} {
		t.Run(fmt.Sprintf("joint %t, share %t, noise %s", tc.joint, tc.share, tc.noise), func(t *testing.T) {
			c, src := smallMixing()
			c = c.WithJoint(tc.joint).WithShare(tc.share)
			c.Law.Noise.Form, c.Law.Steps = tc.noise, 400
			r := newMixingRun(t, c, src, 2)
			m := r.Model
			startFit, startLaw := slices.Clone(m.Params), slices.Clone(m.LawParams)
			trainMixing(t, r, 0)
			for _, p := range m.Layout.Params() {
				if slices.Equal(m.Params[p.Offset:p.Offset+p.Len()], startFit[p.Offset:p.Offset+p.Len()]) {
					t.Errorf("%s did not move", p.Name)
				}
			}
			for _, p := range m.LawLayout.Params() {
				if slices.Equal(m.LawParams[p.Offset:p.Offset+p.Len()], startLaw[p.Offset:p.Offset+p.Len()]) {
					t.Errorf("%s did not move", p.Name)
				}
			}
			if testing.Short() && tc.noise != sde.NoiseConstant {
				return
			}
			const runs = 8
			var nearer, covered float64
			for seed := range uint64(runs) {
				if seed > 0 {
					c.Seed, src.Seed = 1+seed, 1+seed
					r = newMixingRun(t, c, src, 2)
					trainMixing(t, r, 0)
				}
				test := NewSimulatedMixing(smallBox(), []Range{{3, 5}}, 100+seed, 12)
				f, err := r.Model.Evaluate(context.Background(), test, 12, 9, 1, 2, nothing)
				if err != nil {
					t.Fatal(err)
				}
				still := &MixingForecast{Frames: f.Frames, Members: 1, Pred: slices.Clone(f.Truth), Truth: f.Truth}
				for i := range still.Pred {
					still.Pred[i] = f.Truth[i/(2*f.Frames)*2*f.Frames+i%2]
				}
				share, nominal := f.Coverage()
				if !(f.Floor() > 0) || share > 1 || nominal != 0.8 {
					t.Errorf("floor %g, a share of %g of the truth lies among the members, and nominally %g", f.Floor(), share, nominal)
				}
				nearer, covered = nearer+math.Log(f.MMD()/still.MMD())/runs, covered+share/runs
			}
			if !(nearer < 0) {
				t.Errorf("MMD is e^%g of that of ratios that do not change", nearer)
			}
			if !(covered > 0.3) {
				t.Errorf("a share of %g of the truth lies among the members", covered)
			}
		})
	}
}

// TestAnotherLaw wants the law that is trained on another's encoded trajectories
// to end with the bits of a run from the start.
func TestAnotherLaw(t *testing.T) {
	c, src := smallMixing()
	c.Steps, c.Law.Steps = 12, 10
	c = c.WithShare(true).WithJoint(true)
	first := newMixingRun(t, c, src, 1)
	if _, err := first.Another(false, false); err == nil {
		t.Error("a law was begun before there was anything to learn from")
	}
	trainMixing(t, first, 0)
	for _, form := range []struct{ joint, share bool }{{false, true}, {true, false}, {false, false}} {
		again, err := first.Another(form.joint, form.share)
		if err != nil {
			t.Fatal(err)
		}
		trainMixing(t, again, 0)
		whole := newMixingRun(t, c.WithShare(form.share).WithJoint(form.joint), src, 1)
		trainMixing(t, whole, 0)
		var a, b bytes.Buffer
		if err := errors.Join(ckpt.Encode(&a, again.Model.Checkpoint()), ckpt.Encode(&b, whole.Model.Checkpoint())); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("joint %t, share %t: the models differ", form.joint, form.share)
		}
	}
}

// TestMixingStarts wants of starts alone what whole trajectories give.
func TestMixingStarts(t *testing.T) {
	c, src := smallMixing()
	m := NewMixingModel(c)
	starts, err := CollectMixingStarts(context.Background(), src, 4, 2, nothing)
	if err != nil {
		t.Fatal(err)
	}
	if got := starts.Shape(); got.Trajectories != 4 || got.Frames != src.Shape().Frames {
		t.Errorf("shape %+v", got)
	}
	want, err := m.Evaluate(context.Background(), src, 4, 3, 1, 1, nothing)
	if err != nil {
		t.Fatal(err)
	}
	got, err := m.Evaluate(context.Background(), starts, 4, 3, 1, 1, nothing)
	if err != nil || !slices.Equal(got.Pred, want.Pred) || !slices.Equal(got.Truth, want.Truth) {
		t.Errorf("starts give other forecasts (%v)", err)
	}
}

// TestMixingIgnoresWorkers wants the same bits however many goroutines share
// the work, in both stages and in predictions.
func TestMixingIgnoresWorkers(t *testing.T) {
	c, src := smallMixing()
	c.Steps, c.Law.Steps = 12, 10
	var params [2][]float32
	var pred [2]*MixingForecast
	for i, workers := range []int{1, 3} {
		r := newMixingRun(t, c, src, workers)
		trainMixing(t, r, 0)
		params[i] = append(slices.Clone(r.Model.Params), r.Model.LawParams...)
		var err error
		if pred[i], err = r.Model.Evaluate(context.Background(), src, 10, 5, 1, workers, nothing); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(params[0], params[1]) {
		t.Error("three workers end with other weights than one")
	}
	if !slices.Equal(pred[0].Pred, pred[1].Pred) {
		t.Error("three workers predict otherwise than one")
	}
}

// TestMixingResumesExactly goes through the bytes of a file in either stage and
// between them, and wants the bits of a run without interruption.
func TestMixingResumesExactly(t *testing.T) {
	c, src := smallMixing()
	c = c.WithJoint(false).WithZDim(2)
	c.Steps, c.Law.Steps = 12, 10
	whole := newMixingRun(t, c, src, 1)
	trainMixing(t, whole, 0)
	for _, steps := range []int{5, 12, 17} {
		first := newMixingRun(t, c, src, 2)
		trainMixing(t, first, steps)
		var file bytes.Buffer
		if err := ckpt.Encode(&file, first.Checkpoint()); err != nil {
			t.Fatal(err)
		}
		content, err := ckpt.Decode(&file)
		if err != nil {
			t.Fatal(err)
		}
		second, err := ResumeMixing(content, src, 1)
		if err != nil {
			t.Fatal(err)
		}
		trainMixing(t, second, 0)
		if !slices.Equal(second.Model.Params, whole.Model.Params) || !slices.Equal(second.Model.LawParams, whole.Model.LawParams) {
			t.Errorf("interrupted after %d steps, the run ended with other weights", steps)
		}
		if !slices.Equal(second.Model.Scale.High, whole.Model.Scale.High) || !slices.Equal(second.Model.Scale.Std, whole.Model.Scale.Std) {
			t.Errorf("interrupted after %d steps, the run ended with other scales", steps)
		}
	}
}

func TestMixingStepDoesNotAllocate(t *testing.T) {
	c, src := smallMixing()
	r := newMixingRun(t, c, src, 1)
	for _, stage := range []string{"I", "II"} {
		if err := r.Prepare(context.Background(), nothing); err != nil {
			t.Fatal(err)
		}
		trainSteps(t, r.Trainer(), 2)
		if n := testing.AllocsPerRun(5, func() {
			if err := r.Trainer().Advance(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("stage %s: %v allocations a step", stage, n)
		}
		r.Next()
	}
}

// TestOrderOfAtoms shuffles a frame and its species with it: what is predicted
// from it must be the same bits.
func TestOrderOfAtoms(t *testing.T) {
	c, src := smallMixing()
	m := NewMixingModel(c)
	var frame []float32
	var types []uint8
	var ratios []float64
	if err := src.Each(context.Background(), 1, 1, func(_ int, r *Mixed) error {
		frame, types, ratios = slices.Clone(r.Frames[:72]), slices.Clone(r.Types), slices.Clone(r.Ratios[:2])
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	const members, frames = 3, 20
	want, got := make([]float32, members*frames*2), make([]float32, members*frames*2)
	m.Predict(want, frame, types, ratios, members, frames, 1)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 5 {
		var shuffled []float32
		var kinds []uint8
		for _, i := range rng.Perm(len(types)) {
			shuffled, kinds = append(shuffled, frame[2*i], frame[2*i+1]), append(kinds, types[i])
		}
		if m.Predict(got, shuffled, kinds, ratios, members, frames, 1); !slices.Equal(got, want) {
			t.Fatal("a prediction depends on the order of the atoms")
		}
	}
	if m.Predict(got, frame, types, ratios, members, frames, 2); slices.Equal(got, want) {
		t.Error("another seed predicts the same")
	}
}

// TestSharedEncoder exchanges the species: their closures must change places.
func TestSharedEncoder(t *testing.T) {
	c, _ := smallMixing()
	m := NewMixingModel(c)
	rng := rand.New(rand.NewPCG(1, 2))
	frame, types, swapped := make([]float32, 72), make([]uint8, 36), make([]uint8, 36)
	for i := range types {
		frame[2*i], frame[2*i+1] = rng.Float32(), rng.Float32()
		types[i], swapped[i] = uint8(1+i%3/2), uint8(2-i%3/2)
	}
	a, b := make([]float32, 5), make([]float32, 5)
	enc := m.newEncoder(36)
	enc.encode(a, frame, types, []float64{0.1, 0.2})
	enc.encode(b, frame, swapped, []float64{0.1, 0.2})
	if a[2] != b[3] || a[3] != b[2] || a[2] == a[3] {
		t.Errorf("closures %v, and %v with the species exchanged", a[2:4], b[2:4])
	}
	// 24 of 36 atoms are of species 1, and then 12; [0, 1] becomes [-1, 1].
	if share := [2]float32{a[4], b[4]}; math.Abs(float64(share[0]-1./3)) > 1e-6 || math.Abs(float64(share[1]+1./3)) > 1e-6 {
		t.Errorf("shares %v, want 1/3 and -1/3", share)
	}
}

// TestShareIsHeld evaluates laws whose last variable is the share: a likelihood
// must be that of the other variables, and rollouts must leave it alone.
func TestShareIsHeld(t *testing.T) {
	for _, form := range []sde.NoiseForm{sde.NoiseDiagonal, sde.NoiseFull} {
		c, _ := smallMixing()
		c.Law.Noise.Form = form
		m := NewMixingModel(c)
		l := &m.laws[0]
		const rows, d = 6, 5
		rng := rand.New(rand.NewPCG(1, 3))
		z := make([]float32, rows*2*d)
		for i := range z {
			z[i] = float32(rng.NormFloat64()) / 2
			if i%d == d-1 {
				z[i] = 0.25
			}
		}
		drift, noise := l.parts(rows, unnoticed(c.Law.Dt))
		got := sde.NewLikelihood(drift, noise, 1, rows).Value(m.LawParams, z, rows, c.Law.Dt)

		// The same by hand from Σ's leading part.
		var g, sigma []float32 = make([]float32, rows*d), make([]float32, rows*noise.Width())
		from := make([]float32, rows*d)
		for r := range rows {
			copy(from[r*d:], z[r*2*d:r*2*d+d])
		}
		drift.Forward(g, m.LawParams, from, rows)
		noise.Forward(sigma, m.LawParams, from, rows)
		want := 0.0
		for r := range rows {
			var w [d - 1]float64
			for j := range w {
				w[j] = (float64(z[r*2*d+d+j]) - float64(z[r*2*d+j]) - c.Law.Dt*float64(g[r*d+j])) / math.Sqrt(c.Law.Dt)
				row := sigma[r*noise.Width():]
				for k := range j {
					if form == sde.NoiseFull {
						w[j] -= float64(row[d+j*(j-1)/2+k]) * w[k]
					}
				}
				w[j] /= float64(row[j])
				want += (w[j]*w[j]/2 + math.Log(float64(row[j])) + math.Log(2*math.Pi*c.Law.Dt)/2) / rows
			}
		}
		// float32 sums of squares of up to thousands.
		if !(math.Abs(got-want) <= 1e-5*math.Abs(want)) {
			t.Errorf("%s: likelihood %g, want %g", form, got, want)
		}
		drift, noise = l.parts(rows, 0)
		path := make([]float32, rows*21*d)
		sde.NewEulerMaruyama(drift, noise, rows).Rollout(path, m.LawParams, from, rows, 1, 20, c.Law.Dt, rng)
		for i := d - 1; i < len(path); i += d {
			if path[i] != 0.25 {
				t.Fatalf("%s: the share becomes %g", form, path[i])
			}
		}
	}
}

func TestReadMixingRefuses(t *testing.T) {
	c, src := smallMixing()
	m := NewMixingModel(c)
	for _, tc := range []struct {
		name   string
		change func(*ckpt.File)
		says   string
	}{
		{"another experiment", func(f *ckpt.File) { f.Metadata[metaExperiment] = "particles" }, "particles"},
		{"a missing setting", func(f *ckpt.File) { delete(f.Metadata, "config.law.joint") }, "config.law.joint"},
		{"an absurd setting", func(f *ckpt.File) { f.Metadata["config.law.window"] = "-1" }, "-1 steps"},
		{"laws of another number of variables", func(f *ckpt.File) { f.Metadata["config.law.joint"] = "false" }, "5 variables"},
		{"a missing scale", func(f *ckpt.File) {
			f.Tensors = slices.DeleteFunc(f.Tensors, func(t ckpt.Tensor) bool { return t.Name == "scale.low" })
		}, "scale.low"},
		{"a missing law", func(f *ckpt.File) {
			f.Tensors = slices.DeleteFunc(f.Tensors, func(t ckpt.Tensor) bool { return strings.HasPrefix(t.Name, lawPrefix) })
		}, "missing"},
		{"a weight that is not a number", func(f *ckpt.File) { f.Tensor("law.param.law.drift.0.bias").F32[0] = float32(math.NaN()) }, "not a finite number"},
		{"no training", func(*ckpt.File) {}, "weights alone"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := ckpt.Encode(&b, m.Checkpoint()); err != nil {
				t.Fatal(err)
			}
			f, err := ckpt.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			tc.change(f)
			if _, err := ResumeMixing(f, src, 1); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
		})
	}
}

func TestMixingConfigValidate(t *testing.T) {
	for _, preset := range []string{"browser", "laptop", "paper"} {
		c, err := MixingPreset(preset)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []MixingConfig{c, c.WithJoint(!c.Law.Joint), c.WithZDim(3), c.WithShare(!c.Law.Share)} {
			if err := c.Validate(); err != nil {
				t.Errorf("%s: %v", preset, err)
			}
		}
	}
	if _, err := MixingPreset("enormous"); err == nil {
		t.Error("there is a preset enormous")
	}
	for name, change := range map[string]func(*MixingConfig){
		"ε 0": func(c *MixingConfig) { c.Eps = 0 }, "ε NaN": func(c *MixingConfig) { c.Eps = math.NaN() },
		"one particle": func(c *MixingConfig) { c.Particles = 1 }, "no trajectories": func(c *MixingConfig) { c.Trajectories = 0 },
		"no frames": func(c *MixingConfig) { c.Thin = 0 }, "space": func(c *MixingConfig) { c.Encoder.Dim, c.Flow.Dim = 3, 3 },
		"unequal ẑ": func(c *MixingConfig) { c.Law.Drift.Dim = 3 }, "uneven shards": func(c *MixingConfig) { c.Shards = 3 },
		"no samples": func(c *MixingConfig) { c.Samples = 0 }, "no steps": func(c *MixingConfig) { c.Steps = 0 },
		"no time": func(c *MixingConfig) { c.Law.Dt = 0 }, "no stretch": func(c *MixingConfig) { c.Law.Window = 0 },
		"long stretches":   func(c *MixingConfig) { c.Law.Batch, c.Law.Window, c.Law.Shards = 65536, 100_000, 1 },
		"uneven stretches": func(c *MixingConfig) { c.Law.Shards = 7 }, "decay": func(c *MixingConfig) { c.Law.Decay = -1 },
		"no floor": func(c *MixingConfig) { c.Law.Noise.Floor = 0 }, "no law steps": func(c *MixingConfig) { c.Law.Steps = 0 },
	} {
		c, _ := smallMixing()
		if change(&c); c.Validate() == nil {
			t.Errorf("%s passes", name)
		}
	}
}

// Training the mixing experiment in both stages, as the command line does for
// longer, on a small box.
func ExampleMixingRun() {
	c, src := smallMixing()
	c.Steps, c.Law.Steps = 20, 20
	r, err := NewMixingRun(c, src, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for r.Stage() != StageDone {
		if err := r.Prepare(context.Background(), func(int) {}); err != nil {
			fmt.Println(err)
		}
		if err := train.Run(context.Background(), r.Trainer(), r.Trainer().Steps(), func() error { return nil }); err != nil {
			fmt.Println(err)
		}
		r.Next()
	}
	forecast, err := r.Model.Evaluate(context.Background(), src, 4, 2, 1, 1, func(int) {})
	fmt.Println(len(forecast.Pred), len(forecast.Truth), forecast.Frames, err)
	// Output: 656 328 41 <nil>
}
