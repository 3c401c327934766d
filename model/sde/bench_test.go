package sde

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"macroscope/model/optim"
	"macroscope/model/tensor"
)

// BenchmarkStep times one training step of stage II, Adam included, on a batch
// of 512 rows of nine variables.
func BenchmarkStep(b *testing.B) {
	const rows, dt = 512, 0.002
	mlp, onsager, confined := Default(), Default(), Default()
	onsager.Form = FormOnsager
	confined.Confined = true
	for _, bc := range []struct {
		name   string
		law    Config
		method Method
		steps  int
	}{
		{"mlp", mlp, Euler, 1}, {"confined", confined, Euler, 1}, {"onsager", onsager, Euler, 1},
		{"mlp", mlp, Euler, 8}, {"mlp", mlp, RK4, 1}, {"mlp", mlp, RK4, 8},
	} {
		b.Run(fmt.Sprintf("%s/%s/%d", bc.name, bc.method, bc.steps), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			var layout tensor.Layout
			law := New(bc.law, &layout, "g")
			params, grads := make([]float32, layout.Size()), make([]float32, layout.Size())
			Init(params, law, rng)
			z := make([]float32, rows*(bc.steps+1)*bc.law.Dim)
			for i := range z {
				z[i] = 2*rng.Float32() - 1
			}
			l := NewLoss(NewDrift[float32](law, rows), bc.method, bc.steps, rows)
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
