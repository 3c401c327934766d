package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"macroscope/model/experiment"
	"macroscope/model/fit"
	"macroscope/model/system"
)

// probe returns how well the quantities of a system can be told from the state z, as R²
// of a cubic of its moving variables, which is fitted to half of some trajectories and
// measured on the other half.
func probe(ctx context.Context, m *experiment.Model, sys system.Probed, src system.Source, workers int) ([]float64, error) {
	c := &m.Config
	const every = 10 // frames
	v, q := c.States(), len(sys.Quantities())
	type half struct{ z, of []float64 }
	var halves [2]half
	var mu sync.Mutex
	err := src.Each(ctx, fit.ValidationCount, workers, func(e int, t *system.Trajectory) error {
		frames, coder := src.Shape().Frames, m.NewCoder()
		z, of := make([]float32, v), make([]float64, q)
		var mine half
		for k := 0; k < frames; k += every {
			if err := coder.FrameOf(z, t, e, k); err != nil {
				return err
			}
			for _, x := range z[:c.Moving()] {
				mine.z = append(mine.z, float64(x))
			}
			sys.Quantify(of, t, k)
			mine.of = append(mine.of, of...)
		}
		mu.Lock()
		defer mu.Unlock()
		h := &halves[e%2]
		h.z, h.of = append(h.z, mine.z...), append(h.of, mine.of...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	x, y := cubics(halves[0].z, c.Moving()), mat.NewDense(len(halves[0].of)/q, q, halves[0].of)
	var weights mat.Dense
	if err := weights.Solve(x, y); err != nil {
		return nil, fmt.Errorf("the closure variables cannot be probed: %w", err)
	}
	var told mat.Dense
	told.Mul(cubics(halves[1].z, c.Moving()), &weights)
	truth := mat.NewDense(len(halves[1].of)/q, q, halves[1].of)
	shares := make([]float64, q)
	for i := range shares {
		shares[i] = stat.RSquaredFrom(mat.Col(nil, i, &told), mat.Col(nil, i, truth), nil)
	}
	return shares, nil
}

// cubics returns all products of at most three of the numbers in rows of z (n, d), (n, F).
func cubics(z []float64, d int) *mat.Dense {
	var features []float64
	for row := range slices.Chunk(z, d) {
		with := append([]float64{1}, row...)
		for i, a := range with {
			for j, b := range with[:i+1] {
				for _, c := range with[:j+1] {
					features = append(features, a*b*c)
				}
			}
		}
	}
	return mat.NewDense(len(z)/d, len(features)/(len(z)/d), features)
}

// sayProbed says what the closure variables hold of the quantities of a system that has
// some.
func (t *training) sayProbed(ctx context.Context, stderr io.Writer) error {
	sys, is := t.run.Model.System.(system.Probed)
	if !is {
		return nil
	}
	c := &t.run.Model.Config
	src := system.Source(t.own)
	if t.own == nil {
		src = sys.Simulated(c.Choice(system.Validate, c.Seed, fit.ValidationCount))
	}
	shares, err := probe(ctx, t.run.Model, sys, src, t.workers)
	if err != nil {
		return err
	}
	var parts []string
	for i, name := range sys.Quantities() {
		parts = append(parts, fmt.Sprintf("%s with R² %.3f", name, shares[i]))
	}
	_, err = fmt.Fprintf(stderr, "ẑ tells %s\n", strings.Join(parts, ", "))
	return err
}
