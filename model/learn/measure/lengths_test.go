package measure

import (
	"context"
	"math"
	"slices"
	"testing"

	"macroscope/model/net/metric"
	"macroscope/sim/rng"
)

// uneven returns predictions of four trajectories of 4, 6, 6 and 9 frames of 9, from frame 1 on. Behind the ends it has
// NaN.
func uneven(members int) *Prediction {
	p := &Prediction{Frames: 9, Members: members, Variables: 2, Begin: 1, Ensemble: members > 1, Lengths: []int{4, 6, 6, 9}, Stretch: 1, Unit: 2}
	p.Truth, p.Pred, p.Left = make([]float32, 4*9*2), make([]float32, 4*members*9*2), make([]bool, 4*9)
	src := rng.New(1, "uneven")
	fill := func(x []float32, n int) {
		for i := range x {
			if x[i] = float32(src.NormFloat64()); i >= 2*n {
				x[i] = float32(math.NaN())
			}
		}
	}
	for e, n := range p.Lengths {
		fill(p.Truth[e*18:][:18], n)
		for j := range members {
			fill(p.Pred[(e*members+j)*18:][:18], n)
		}
	}
	p.tell()
	return p
}

// cut returns the prediction of the given trajectories alone, up to a frame.
func (p *Prediction) cut(frames int, of ...int) *Prediction {
	c := *p
	c.Frames, c.Lengths, c.Truth, c.Pred, c.Left = frames, nil, nil, nil, make([]bool, len(of)*frames)
	for _, e := range of {
		c.Truth = append(c.Truth, p.Truth[e*18:][:2*frames]...)
		for j := range p.Members {
			c.Pred = append(c.Pred, p.Pred[(e*p.Members+j)*18:][:2*frames]...)
		}
	}
	return &c
}

// TestUneven compares the figures of trajectories of different lengths with figures of each trajectory alone, and of each
// span of frames with the trajectories that have it.
func TestUneven(t *testing.T) {
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-12*math.Abs(want)) {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	one := uneven(1)
	for e, got := range one.MRE() {
		near("an MRE", got, one.cut(one.Lengths[e], e).MRE()[0])
	}
	square, count := 0.0, 0
	for e, n := range one.Lengths {
		r := one.cut(n, e).RMSE()
		square, count = square+r*r*float64(n-2), count+n-2
	}
	near("the RMSE", one.RMSE(), math.Sqrt(square/float64(count)))
	near("the RMSE inside", one.Leaving().Inside, one.RMSE())

	p := uneven(19)
	share := 0.0
	for e, n := range p.Lengths {
		s, _, _ := p.cut(n, e).Coverage()
		share += s / 4
	}
	got, _, _ := p.Coverage()
	near("the coverage", got, share)

	// Frames 1 to 3 are of all trajectories, 4 and 5 of three, and the rest of one.
	mmd := func(p *Prediction, first int) float64 {
		row := 2 * p.Frames
		var a, b []float32
		for e := range p.Trajectories() {
			a, b = append(a, p.Pred[e*p.Members*row:][2*first:row]...), append(b, p.Truth[e*row:][2*first:row]...)
		}
		for _, x := range [][]float32{a, b} {
			for i := range x {
				x[i] /= 2
			}
		}
		v, err := metric.MMD(context.Background(), make([]float64, p.Frames-first), a, b, 2)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	v, err := p.MMD(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	near("the MMD", v, 3./5*mmd(p.cut(4, 0, 1, 2, 3), 1)+2./5*mmd(p.cut(6, 1, 2, 3), 4))
	whole, three := p.cut(4, 0, 1, 2, 3), p.cut(6, 1, 2, 3)
	three.Begin = 4
	perfect, sd, err := p.PerfectMMD(context.Background())
	a, sa, errA := whole.PerfectMMD(context.Background())
	b, sb, errB := three.PerfectMMD(context.Background())
	if err != nil || errA != nil || errB != nil {
		t.Fatal(err, errA, errB)
	}
	near("a perfect model's MMD", perfect, 3./5*a+2./5*b)
	near("its standard deviation", sd, 3./5*sa+2./5*sb)

	var c calibrator
	weights := make([]float64, 4)
	p.each(func(e int, weight float64, values []float32, truth float32) {
		weights[e] += weight
		c.Add(values, truth, weight)
	})
	for _, w := range weights {
		near("the weight of a run", w, 1)
	}
	if slices.ContainsFunc(c.scores, func(s float64) bool { return s != s }) {
		t.Error("bands are calibrated by frames that are not there")
	}
}
