package dynamics

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/optim"
	"macroscope/model/compute/tensor"
)

// BenchmarkStep times one training step of stage II, Adam included, on a batch
// of 512 rows of nine variables.
func BenchmarkStep(b *testing.B) {
	const rows, dt = 512, 0.002
	mlp, onsager, resnet, confined := Default(), Default(), Default(), Default()
	onsager.Form, resnet.Form = FormOnsager, FormResNet
	confined.Confined = true
	for _, bc := range []struct {
		name     string
		dynamics DriftConfig
		method   Method
		steps    int
	}{
		{"mlp", mlp, Euler, 1}, {"confined", confined, Euler, 1}, {"onsager", onsager, Euler, 1}, {"onsager-resnet", resnet, Euler, 1},
		{"mlp", mlp, Euler, 8}, {"mlp", mlp, RK4, 1}, {"mlp", mlp, RK4, 8},
	} {
		b.Run(fmt.Sprintf("%s/%s/%d", bc.name, bc.method, bc.steps), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			var layout tensor.Layout
			dynamics := NewDriftNet(bc.dynamics, 9, &layout, "g")
			params, grads := make([]float32, layout.Size()), make([]float32, layout.Size())
			Init(params, dynamics, rng)
			z := make([]float32, rows*(bc.steps+1)*9)
			for i := range z {
				z[i] = 2*rng.Float32() - 1
			}
			l := NewLoss(NewDrift[float32](dynamics, rows), bc.method, bc.steps, rows)
			adam := optim.NewAdam[float32](optim.Default(), len(params))
			for b.Loop() {
				clear(grads)
				l.Gradient(params, grads, z, rows, dt)
				adam.Update(params, grads, 1e-9)
			}
			b.ReportMetric(float64(rows*bc.steps)*float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}

// BenchmarkLikelihood times one training step of stochastic dynamics, Adam included, on 512
// pairs of four variables, with the paper's drift of the mixing experiment and each kind of
// diffusion.
func BenchmarkLikelihood(b *testing.B) {
	const rows, dim, dt = 512, 4, 0.01
	for _, form := range []NoiseForm{NoiseConstant, NoiseDiagonal, NoiseFull} {
		b.Run(string(form), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			n := DefaultNoise()
			n.Form = form
			var layout tensor.Layout
			dynamics := NewDriftNet(DriftConfig{Form: FormMLP, Hidden: []int{128, 128}, Act: kernel.Tanh}, dim, &layout, "g")
			noise := NewNoise(n, dim, &layout, "sigma")
			params, grads := make([]float32, layout.Size()), make([]float32, layout.Size())
			Init(params, dynamics, rng)
			InitNoise(params, noise, rng)
			z := make([]float32, rows*2*dim)
			for i := range z {
				z[i] = 2*rng.Float32() - 1
			}
			l := NewLikelihood(NewDrift[float32](dynamics, rows), NewDiffusion[float32](noise, rows), 1, rows)
			adam := optim.NewAdam[float32](optim.Default(), len(params))
			for b.Loop() {
				clear(grads)
				l.Gradient(nil, params, grads, z, rows, dt)
				adam.Update(params, grads, 1e-9)
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
		})
	}
}

// BenchmarkRollout times ensembles of the dynamics of BenchmarkLikelihood.
func BenchmarkRollout(b *testing.B) {
	const initial, members, steps, dim, rows = 10, 20, 100, 4, 200
	rng := rand.New(rand.NewPCG(1, 2))
	var layout tensor.Layout
	dynamics := NewDriftNet(DriftConfig{Form: FormMLP, Hidden: []int{128, 128}, Act: kernel.Tanh}, dim, &layout, "g")
	noise := NewNoise(DefaultNoise(), dim, &layout, "sigma")
	params := make([]float32, layout.Size())
	Init(params, dynamics, rng)
	InitNoise(params, noise, rng)
	z0, path := make([]float32, initial*dim), make([]float32, initial*members*(steps+1)*dim)
	s := NewEulerMaruyama(NewDrift[float32](dynamics, rows), NewDiffusion[float32](noise, rows), rows)
	for b.Loop() {
		s.Rollout(path, params, z0, initial, members, steps, 0.01, rng)
	}
	b.ReportMetric(initial*members*steps*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}
