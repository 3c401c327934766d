package lab

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"macroscope/model/metric"
	"macroscope/sim/particle"
)

// shippedParticles opens the model that comes with the lab.
func shippedParticles(t testing.TB) *ParticlesModel {
	t.Helper()
	f, err := os.Open("../../assets/" + ParticlesShipped)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, _, err := ReadParticles(f)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func recordedRun(t testing.TB, n, steps int) *particle.Trajectory {
	t.Helper()
	c := particle.Default()
	c.N, c.Steps = n, steps
	sim, err := particle.New(c, particle.InitialPositions(c, 7, 0))
	if err != nil {
		t.Fatal(err)
	}
	run := particle.NewTrajectory(c)
	if err := sim.Record(run); err != nil {
		t.Fatal(err)
	}
	return run
}

func TestPlaneOrderIsOrdered(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	frame := make([]float32, 2*101)
	for i := range frame {
		frame[i] = float32(r.IntN(7)) // many share a coordinate
	}
	var o planeOrder
	if got := o.sorted(frame); !slices.Equal(got, ordered(frame, 2)) {
		t.Errorf("got %v", got)
	}
	if n := testing.AllocsPerRun(10, func() { o.sorted(frame) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestForecastIsPredict wants the prediction that is worked out in steps to be
// Predict's to the bit, in any order of the particles, and its errors the MRE.
func TestForecastIsPredict(t *testing.T) {
	m := shippedParticles(t)
	run := recordedRun(t, 50, 40)
	want := make([]float32, 41)
	m.Predict(want, run.Frames[:100], run.Energy[0])
	f := newForecast(m)
	for range 2 { // the second time in memory that has been used
		f.begin(run.Frames[:100], run.Energy[0], 40, false)
		for f.step() {
		}
		if !f.complete() || !slices.Equal(f.pred, want) {
			t.Fatalf("got %v, want %v", f.pred, want)
		}
	}
	truth := make([]float32, 41)
	for k, v := range run.Energy {
		truth[k] = float32(m.Scale.Macro(0, v))
	}
	// The mean of the errors rounds in another order than the metric does.
	errors := make([]float32, 41)
	if got, want := f.errors(errors, run.Energy), metric.MRE(make([]float64, 1), want, truth); math.Abs(got-want) > 1e-12*want {
		t.Errorf("MRE %g, want %g", got, want)
	}
	for i := range 2 {
		z := f.closure(0)
		v := newParticlesView(m)
		code, scaled := make([]float32, 8), make([]float32, 8)
		v.encode(code, v.order.sorted(run.Frames[:100]))
		v.scaled(scaled, code)
		// View 0 is turned by no angle, which multiplies by 1 and adds 0.
		if !slices.Equal(z, scaled) {
			t.Errorf("%d: predicted ẑ of frame 0 is %v, want %v", i, z, scaled)
		}
	}
}

func TestForecastSaysWhatHasLeft(t *testing.T) {
	m := shippedParticles(t)
	run := recordedRun(t, 300, 300)
	f := newForecast(m)
	f.begin(run.Frames[:600], run.Energy[0], 300, false)
	for f.step() {
	}
	if frame, i := f.left(); frame >= 0 {
		t.Errorf("a run like those of training has left: variable %d at frame %d, %v", i, frame, f.future[frame*9:(frame+1)*9])
	}
	f.future[9*17+3] = -1.5
	frame, i := f.left()
	if frame != 17 || i != 3 {
		t.Fatalf("left at %d by %d", frame, i)
	}
	if got, want := f.leftWhat("energy", 17, 3), "the predicted closure variable ẑ₃ is 25% of its range below the smallest value that training covered"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestViewDensity wants the learned density to hold nearly all its mass in the
// window, and the target's to hold all of it.
func TestViewDensity(t *testing.T) {
	m := shippedParticles(t)
	run := recordedRun(t, 300, 300)
	v, target := newParticlesView(m), newParticlesTarget()
	code := make([]float32, 8)
	for _, k := range []int{0, 300} {
		frame := run.Frames[k*600 : (k+1)*600]
		const half = 1.5
		target.set(frame, m.sigma(0.01), [2]float64{-half, -half}, [2]float64{half, half})
		v.encode(code, target.sorted)
		target.draw()
		v.aim(target, code)
		for !v.evaluate() {
		}
		v.draw(code)
		cell := (2 * half / gridSide) * (2 * half / gridSide)
		for name, density := range map[string][]float32{"target": target.q, "learned": v.p} {
			mass := 0.0
			for _, p := range density {
				mass += float64(p) * cell
			}
			// The learned density is sampled at the centres, not averaged over the cells.
			if mass < 0.95 || mass > 1.05 {
				t.Errorf("frame %d: the %s density has the mass %g", k, name, mass)
			}
		}
		if kl := v.kl(target, code); !(kl > 0.1 && kl < 10) {
			t.Errorf("frame %d: KL %g", k, kl)
		}
		inside := 0
		for i := 0; i < len(v.samples); i += 2 {
			if math.Hypot(float64(v.samples[i]), float64(v.samples[i+1])) < half {
				inside++
			}
		}
		if inside < shownSamples*9/10 {
			t.Errorf("frame %d: %d of %d samples are near the particles", k, inside, shownSamples)
		}
		if n := testing.AllocsPerRun(2, func() {
			target.set(frame, m.sigma(0.01), [2]float64{-half, -half}, [2]float64{half, half})
			v.encode(code, target.sorted)
			target.draw()
			v.aim(target, code)
			v.evaluate()
			v.kl(target, code)
			v.draw(code)
		}); n != 0 {
			t.Errorf("%v allocations a picture", n)
		}
	}
}

// TestTargetPointsFollowTheTarget wants log q at points drawn from q_X to lie
// between what one particle far from all others would give, and all in one place.
func TestTargetPointsFollowTheTarget(t *testing.T) {
	run := recordedRun(t, 300, 1)
	target := newParticlesTarget()
	for _, eps := range []float64{1e-8, 0.01, 1} {
		target.set(run.Frames[:600], [2]float64{eps, eps}, [2]float64{-2, -2}, [2]float64{2, 2})
		target.draw()
		// The mean of log q over q's own points is at least that of one particle's
		// peak shared among all, and at most the peak itself.
		peak := -2*math.Log(eps) - math.Log(2*math.Pi)
		for k, l32 := range target.logq {
			l := float64(l32)
			if l > peak+1e-4 || math.IsInf(l, 0) || l < peak-math.Log(300)-20 {
				t.Fatalf("ε = %g: log q at point %d is %g, and the kernel's peak %g", eps, k, l, peak)
			}
		}
	}
}

func BenchmarkPaint(b *testing.B) {
	m := shippedParticles(b)
	run := recordedRun(b, 300, 1)
	v, target := newParticlesView(m), newParticlesTarget()
	code := make([]float32, 8)
	b.Run("target", func(b *testing.B) {
		for b.Loop() {
			target.set(run.Frames[:600], m.sigma(0.01), [2]float64{-1.5, -1.5}, [2]float64{1.5, 1.5})
		}
	})
	b.Run("points", func(b *testing.B) {
		for b.Loop() {
			target.draw()
		}
	})
	b.Run("density", func(b *testing.B) { // a seventh of it
		for b.Loop() {
			v.aim(target, code)
			v.evaluate()
		}
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			v.encode(code, target.sorted)
		}
	})
	b.Run("kl", func(b *testing.B) {
		for b.Loop() {
			v.kl(target, code)
		}
	})
	b.Run("samples", func(b *testing.B) {
		for b.Loop() {
			v.draw(code)
		}
	})
	f := newForecast(m)
	b.Run("forecast", func(b *testing.B) {
		f.begin(run.Frames[:600], run.Energy[0], 300, false)
		for b.Loop() {
			if !f.step() {
				f.begin(run.Frames[:600], run.Energy[0], 300, false)
			}
		}
	})
}
