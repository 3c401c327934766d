package kernel

import (
	"fmt"
	"testing"
)

// eachBenchmark runs bench for every float32 implementation.
func eachBenchmark(b *testing.B, name string, bench func(b *testing.B)) {
	choice.Each(func(im *impl) { b.Run(fmt.Sprintf("%s/%s", name, im.name), bench) })
}

func BenchmarkGemm(b *testing.B) {
	orientations := []struct {
		name string
		run  func(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool)
	}{{"NN", GemmNN[float32]}, {"NT", GemmNT[float32]}, {"TN", GemmTN[float32]}}
	for _, sh := range []shape{{512, 128, 128}, {4096, 128, 128}, {128, 128, 4096}, {4096, 47, 128}, {47, 128, 4096}, {4096, 128, 2},
		{128, 2, 4096}, {4096, 8, 64}, {4096, 64, 1}, {4096, 1, 64}, {64, 64, 64}} {
		for _, o := range orientations {
			eachBenchmark(b, fmt.Sprintf("%s/%dx%dx%d", o.name, sh.m, sh.n, sh.k), func(b *testing.B) {
				r := newRand()
				x, y, c := uniform(r, sh.m*sh.k), uniform(r, sh.k*sh.n), make([]float32, sh.m*sh.n)
				var s Scratch
				for b.Loop() {
					o.run(&s, c, x, y, sh.m, sh.n, sh.k, false)
				}
				b.ReportMetric(2e-9*float64(sh.m*sh.n*sh.k)*float64(b.N)/b.Elapsed().Seconds(), "GFLOP/s")
			})
		}
	}
}

func BenchmarkAffine(b *testing.B) {
	const rows, in, out = 512, 128, 128
	for act := Identity; act <= SiLU; act++ {
		eachBenchmark(b, act.String(), func(b *testing.B) {
			r := newRand()
			x, w, bias, y := uniform(r, rows*in), uniform(r, in*out), uniform(r, out), make([]float32, rows*out)
			var s Scratch
			for b.Loop() {
				Affine(&s, y, nil, x, w, bias, rows, in, out, act)
			}
			b.ReportMetric(2e-9*rows*in*out*float64(b.N)/b.Elapsed().Seconds(), "GFLOP/s")
		})
	}
}

func BenchmarkElementwise(b *testing.B) {
	const n = 4096
	r := newRand()
	x, y, m, v := uniform(r, n), make([]float32, n), make([]float32, n), make([]float32, n)
	for _, f := range []struct {
		name string
		run  func()
	}{
		{"exp", func() { ExpTo(y, x) }},
		{"log", func() { LogTo(y, x) }},
		{"tanh", func() { TanhTo(y, x) }},
		{"softplus", func() { SoftplusTo(y, x) }},
		{"sigmoid", func() { SigmoidTo(y, x) }},
		{"silu with slopes", func() { Activate(y, m, x, SiLU) }},
		{"adam", func() {
			Adam(y, x, m, v, AdamStep{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, Step: 1})
		}},
		{"softmax16", func() { SoftmaxRows(y, x, n/16, 16) }},
		{"softmax128", func() { SoftmaxRows(y, x, n/128, 128) }},
		{"sum", func() { Sum(x) }},
		{"dot", func() { Dot(x, y) }},
		{"colsum128", func() { ColSum(y, x, n/128, 128) }},
		{"colsum2", func() { ColSum(y, x, n/2, 2) }},
		{"axpy", func() { Axpy(y, 0.5, x) }},
		{"softplusGrad", func() { ActivationGrad(y, x, m, nil, Softplus) }},
	} {
		eachBenchmark(b, f.name, func(b *testing.B) {
			for b.Loop() {
				f.run()
			}
			b.ReportMetric(1e-9*n*float64(b.N)/b.Elapsed().Seconds(), "Gelement/s")
		})
	}
}
