package attention

import (
	"math/rand/v2"
	"testing"

	"macroscope/model/kernel"
	"macroscope/model/set"
	"macroscope/model/tensor"
)

// BenchmarkEncoders is a forward and a backward pass of 2 sets of 300 particles,
// for this encoder and for the DeepSets that it stands beside in the presets. On
// a shared machine the shortest of several rounds tells most:
//
//	go test -run '^$' -bench Encoders -cpu 1 -benchtime 20x -count 20 ./model/attention
func BenchmarkEncoders(b *testing.B) {
	const sets, n = 2, 300
	r := rand.New(rand.NewPCG(1, 2))
	points, ends := make([]float32, sets*n*2), make([]int, sets)
	for i := range points {
		points[i] = float32(r.NormFloat64())
	}
	for i := range ends {
		ends[i] = (i + 1) * n
	}
	perSet := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*sets), "µs/set")
	}
	for name, c := range map[string]Config{
		"attention/width64": Default(),
		"attention/width32": {Dim: 2, Width: 32, Heads: 2, Inducing: 16, Blocks: 2, Seeds: 1, Hidden: 64, ZDim: 8},
	} {
		b.Run(name, func(b *testing.B) {
			var l tensor.Layout
			e := New(c, &l, "e")
			params, grads := make([]float32, l.Size()), make([]float32, l.Size())
			Init(params, e, r)
			w, dz := NewWorkspace[float32](e, sets, sets*n), make([]float32, sets*c.ZDim)
			for b.Loop() {
				copy(dz, Encode(w, params, points, ends))
				Backward(w, params, grads, nil, points, ends, dz)
			}
			perSet(b)
		})
	}
	for name, c := range map[string]set.Config{
		"deepset/128silu":     {Dim: 2, Hidden: []int{128, 128}, Head: []int{128}, ZDim: 8, Act: kernel.SiLU},
		"deepset/128softplus": {Dim: 2, Hidden: []int{128, 128}, Head: []int{128}, ZDim: 8, Act: kernel.Softplus},
		"deepset/64silu":      {Dim: 2, Hidden: []int{64, 64}, Head: []int{64}, ZDim: 8, Act: kernel.SiLU},
	} {
		b.Run(name, func(b *testing.B) {
			var l tensor.Layout
			e := set.New(c, &l, "e")
			params, grads := make([]float32, l.Size()), make([]float32, l.Size())
			set.Init(params, e, r)
			w, dz := set.NewWorkspace[float32](e, sets, sets*n), make([]float32, sets*c.ZDim)
			for b.Loop() {
				copy(dz, set.Encode(e, w, params, points, ends))
				set.Backward(e, w, params, grads, points, ends, dz)
			}
			perSet(b)
		})
	}
}
