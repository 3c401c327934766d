package spline

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkRows measures Forward, Backward and Inverse for samples with separate parameters, at the
// sizes of the two-dimensional experiments.
func BenchmarkRows(b *testing.B) {
	s := Spline{Bins: 16, Bound: 5}
	const n = 600
	c := randomCase[float32](s, n, n, 1)
	w := NewRows[float32](s, n)
	for _, stage := range []struct {
		name string
		run  func()
	}{
		{"Forward", func() { w.Forward(c.y, c.logdet, c.x, c.raw) }},
		{"Backward", func() { w.Backward(c.dx, c.draw, c.dy, c.dlogdet) }},
		{"Inverse", func() { w.Inverse(c.dx, nil, c.y, c.raw) }},
	} {
		b.Run(stage.name, func(b *testing.B) {
			w.Forward(c.y, c.logdet, c.x, c.raw)
			for b.Loop() {
				stage.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/sample")
		})
	}
}

// BenchmarkTable times forward and backward of 64 samples that share their parameters, at the
// sizes of the one-dimensional demo.
func BenchmarkTable(b *testing.B) {
	s := Spline{Bins: 50, Bound: 4}
	const sets, per = 64, 64
	c := randomCase[float32](s, sets, sets*per, 1)
	t := NewTable[float32](s, sets, sets*per)
	for _, stage := range []struct {
		name string
		run  func()
	}{
		{"Build", func() { t.Build(c.raw, sets) }},
		{"Forward", func() { t.Forward(c.y, c.logdet, c.x, per) }},
		{"Backward", func() { t.Backward(c.dx, c.dy, c.dlogdet) }},
		{"ParamGrad", func() { t.ParamGrad(c.draw) }},
		{"Inverse", func() { t.Inverse(c.dx, nil, c.y, per) }},
	} {
		b.Run(stage.name, func(b *testing.B) {
			t.Build(c.raw, sets)
			t.Forward(c.y, c.logdet, c.x, per)
			for b.Loop() {
				stage.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*sets*per), "ns/sample")
		})
	}
}

// arrays contains the arguments and results of a call, with random parameters and samples. Some
// samples lie outside the bound.
type arrays[T float32 | float64] struct {
	raw, draw, x, y, logdet, dx, dy, dlogdet []T
}

func randomCase[T float32 | float64](s Spline, splines, samples int, seed uint64) arrays[T] {
	rng := rand.New(rand.NewPCG(seed, 0))
	normal := func(n int, scale float64) []T {
		v := make([]T, n)
		for i := range v {
			v[i] = T(scale * rng.NormFloat64())
		}
		return v
	}
	return arrays[T]{
		raw: normal(splines*s.Params(), 1), draw: make([]T, splines*s.Params()),
		x: normal(samples, s.Bound/2), y: make([]T, samples), logdet: make([]T, samples),
		dx: make([]T, samples), dy: normal(samples, 1), dlogdet: normal(samples, 1),
	}
}
