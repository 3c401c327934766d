package view_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/view"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/line"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/sim/rng"
)

func shipped(t testing.TB, name string) *model.Model {
	t.Helper()
	b, err := os.ReadFile("../../../assets/models/" + name + ".safetensors")
	if err != nil {
		t.Fatal(err)
	}
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(method.Systems{line.System(), particles.System(), mixing.System()}, f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// cloud fills a frame with sets of n normally distributed particles each.
func cloud(f *system.Frame, m *model.Model, n int) {
	r := rng.New(3, "view test")
	d, sets := m.Config.Dim(), m.Config.Sets()
	f.Points, f.Ends = f.Points[:0], f.Ends[:0]
	for s := range sets {
		for i := range n * d {
			mean, std := m.Scale.Mean[i%d], m.Scale.Std[i%d]
			f.Points = append(f.Points, float32(mean+0.5*std*r.NormFloat64()))
		}
		f.Ends = append(f.Ends, (s+1)*n)
	}
}

// TestPredictionIsPredict checks that the stepwise prediction has the same bits as Predict,
// also after a restart.
func TestPredictionIsPredict(t *testing.T) {
	m := shipped(t, "particles-laptop")
	var f system.Frame
	const frames, seed = 20, 5
	p := view.NewPrediction(m, 1)
	var generations []uint64
	for _, n := range []int{40, 25} {
		cloud(&f, m, n)
		macro := []float64{0.5}
		want := make([]float32, frames)
		measure.Predict(m, want, &f, macro, 1, frames, seed)
		p.Begin(&f, macro, frames-1, seed, false)
		if !p.Begun() || p.Complete() {
			t.Fatal("a prediction that has begun says that it has not, or that it is complete")
		}
		generations = append(generations, p.Generation)
		for p.Step() {
			generations = append(generations, p.Generation)
		}
		if !p.Complete() || p.Done != frames-1 {
			t.Fatalf("complete %t, done %d", p.Complete(), p.Done)
		}
		for k, v := range want {
			if got := float32(m.Scale.Value(0, float64(v))); p.Mean[k] != got {
				t.Fatalf("%d particles, frame %d: %v, Predict finds %v", n, k, p.Mean[k], got)
			}
		}
		errs := make([]float32, frames)
		if mre := p.Errors(errs, func(k int) float64 { return m.Scale.Value(0, float64(want[k])) }); !(mre < 1e-9) {
			t.Errorf("MRE %g against itself", mre)
		}
	}
	if p.End(); p.Begun() {
		t.Error("it has ended and says that it has begun")
	}
	if last := generations[len(generations)-1]; last == generations[0] {
		t.Error("the generation is the same after all has changed")
	}
}

// TestBands checks that an ensemble's mean lies in its band.
func TestBands(t *testing.T) {
	m := shipped(t, "mixing-laptop")
	var f system.Frame
	cloud(&f, m, 60)
	p := view.NewPrediction(m, 39)
	p.Begin(&f, []float64{0.1, 0.2}, 10, 1, false)
	for p.Step() {
	}
	for i := range p.Mean[2:] {
		if k := i + 2; !(p.Low[k] <= p.Mean[k] && p.Mean[k] <= p.High[k] && p.Low[k] < p.High[k]) {
			t.Errorf("frame %d: %v to %v round %v", k/2, p.Low[k], p.High[k], p.Mean[k])
		}
	}
	if n := p.Within(10, []float64{float64(p.Low[20]), float64(p.High[21]) + 1}); n != 1 {
		t.Errorf("%d of two values lie in the band, want the first", n)
	}
}

// TestDensity measures a Gaussian set with a shipped model, in one and in two dimensions. The
// learned density and, on a line, the target must integrate to one over a window that contains
// them. The KL must be small.
func TestDensity(t *testing.T) {
	for _, tc := range []struct {
		model      string
		n          int
		half, most float64
		eps        float64
	}{
		{"demo-eps0.1-z8", 200, 4, 0.3, 0.1},
		{"particles-laptop", 300, 6, 3, 0.01},
	} {
		m := shipped(t, tc.model)
		d := m.Config.Dim()
		var f system.Frame
		cloud(&f, m, tc.n)
		w := view.Window{Lo: [2]float64{-tc.half, -tc.half}, Hi: [2]float64{tc.half, tc.half}}
		target, density := view.NewTarget(d, nil), view.NewDensity(m)
		target.Take(f.Points, view.Sigma(m, tc.eps), w)
		z := make([]float32, m.Config.ZDim())
		m.NewCoder().Encode(z, &f)
		density.Aim(w, z)
		if density.Sketch(0); density.Blank {
			t.Errorf("%s: there is nothing after the sketch", tc.model)
		}
		for !density.Evaluate() {
		}
		cell := math.Pow(2*tc.half, float64(d)) / float64(len(density.P))
		for name, p := range map[string][]float32{"target": target.Q, "learned density": density.P} {
			if p == nil {
				continue // the picture draws targets in the plane
			}
			sum := 0.0
			for _, v := range p {
				sum += float64(v) * cell
			}
			if !(math.Abs(sum-1) < 0.05) {
				t.Errorf("%s: the %s integrates to %g", tc.model, name, sum)
			}
		}
		if kl := density.KL(target, z); !(kl > -0.05 && kl < tc.most) {
			t.Errorf("%s: KL %g", tc.model, kl)
		}
		density.Draw(z)
		for _, v := range density.Samples {
			if !(math.Abs(float64(v)) < tc.half) {
				t.Fatalf("%s: a sample at %v", tc.model, v)
			}
		}
		if n := testing.AllocsPerRun(10, func() {
			density.Stale = true
			density.Aim(w, z)
			density.Sketch(0)
			for !density.Evaluate() {
			}
			target.Take(f.Points, view.Sigma(m, tc.eps), w)
			density.KL(target, z)
			density.Draw(z)
		}); n != 0 {
			t.Errorf("%s: %v allocations", tc.model, n)
		}
	}
	m, half := shipped(t, "particles-laptop"), 1.3
	var f system.Frame
	cloud(&f, m, 300)
	z := make([]float32, m.Config.ZDim())
	m.NewCoder().Encode(z, &f)
	density := view.NewDensity(m)
	density.Aim(view.Window{Lo: [2]float64{-half, -half}, Hi: [2]float64{half, half}}, z)
	var sketches [view.Finest][]float32
	for level := range sketches {
		density.Sketch(level)
		sketches[level] = slices.Clone(density.P)
	}
	for !density.Evaluate() {
	}
	for level, most := range []float64{0.1, 0.03} {
		var off, all float64
		for i, v := range density.P {
			off, all = off+math.Abs(float64(sketches[level][i]-v))/2, all+float64(v)
		}
		if off/all > most {
			t.Errorf("level %d: %.3f of it lies elsewhere in the end", level, off/all)
		}
	}
	if view.NewDensity(shipped(t, "particles-ae-aug")) != nil {
		t.Error("AE-Aug, which learns no density, has one")
	}
}

// TestSmoothOfANormalCloud measures a normal cloud of width s. The best smooth density q is nearly
// the cloud's own density. For n kernels of width σ, KL(kernels ‖ q) is d ln(s/σ) − ln n nats. The
// cloud does not lie at the origin, which must have no effect.
func TestSmoothOfANormalCloud(t *testing.T) {
	const n, sigma, s = 400, 1e-4, 0.5
	for _, d := range []int{1, 2} {
		r := rand.New(rand.NewPCG(1, uint64(d)))
		points := make([]float32, n*d)
		for i := range points {
			points[i] = float32(2 + s*r.NormFloat64())
		}
		target := view.NewTarget(d, nil)
		target.Take(points, [16]float64{sigma, sigma, sigma}, view.Window{Lo: [2]float64{-4, -4}, Hi: [2]float64{4, 4}})
		// The measured width of the cloud has a standard error of 3.5 %.
		if got, want := target.Blur(), sigma/s; math.Abs(got/want-1) > 0.1 {
			t.Errorf("%d coordinates: kernels are %g of the cloud's width, want %g", d, got, want)
		}
		want := float64(d)*math.Log(s/sigma) - math.Log(n)
		if got := target.Smooth(); math.Abs(got-want) > 0.15*float64(d) {
			t.Errorf("%d coordinates: spikes of %g nats, want %g", d, got, want)
		}
	}
}

// TestSmooth checks the KL of a smooth copy. If the kernels overlap, the KL must be zero. If the
// kernels are far apart, a width of ε' instead of ε must increase the KL by log(ε/ε') per
// coordinate.
func TestSmooth(t *testing.T) {
	for d, model := range map[int]string{1: "demo-eps0.1-z8", 2: "particles-laptop"} {
		m := shipped(t, model)
		var f system.Frame
		cloud(&f, m, 300)
		w := view.Window{Lo: [2]float64{-4, -4}, Hi: [2]float64{4, 4}}
		target := view.NewTarget(d, nil)
		of := func(sigma float64) float64 {
			target.Take(f.Points, [16]float64{sigma, sigma, sigma}, w)
			return target.Smooth()
		}
		if wide := of(2); wide != 0 {
			t.Errorf("%d coordinates: of wide kernels the smooth copy is %g nats away", d, wide)
		}
		// At 1e-6 even the nearest of 300 particles are many kernel widths apart.
		narrow, narrower := of(1e-6), of(1e-7)
		if got, want := narrower-narrow, float64(d)*math.Log(10); math.Abs(got-want) > 0.01 {
			t.Errorf("%d coordinates: a tenth of the width adds %g nats, want %g", d, got, want)
		}
		sigma := 1e-3
		if n := testing.AllocsPerRun(5, func() {
			sigma /= 2
			of(sigma)
		}); n != 0 {
			t.Errorf("%d coordinates: %v allocations", d, n)
		}
	}
}
