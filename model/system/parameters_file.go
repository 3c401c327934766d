package system

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"macroscope/model/file/data"
)

// Write adds the parameters of trajectories to their archive. Each parameter becomes an array (E)
// with the parameter's name. `of` contains the values (P) of each trajectory, or nil for a
// trajectory with the defaults. If all values are defaults, Write adds no array.
func (p Parameters) Write(to *data.Archive, of [][]float64) error {
	if !slices.ContainsFunc(of, func(v []float64) bool { outside, _ := p.Outside(nil, v); return outside != "" }) {
		return nil
	}
	for i, q := range p {
		column := make([]float64, len(of))
		for e := range of {
			column[e] = p.Value(of[e], i)
		}
		if err := to.Array(q.Name, data.NewArray([]int{len(of)}, column)); err != nil {
			return err
		}
	}
	return nil
}

// Read reads the arrays that Write wrote. `names` lists the archive's arrays. The first result has
// the values (P) of each trajectory. It is nil if the archive has no array of a parameter. A
// parameter without an array has its default. The second result names all other arrays. An array
// with a parameter's name is among them if it has more than one dimension.
func (p Parameters) Read(r io.ReaderAt, size int64, names []string, trajectories int) (of [][]float64, others []string, err error) {
	for _, name := range names {
		i := p.Find(name)
		if i < 0 {
			others = append(others, name)
			continue
		}
		flat := true
		a, err := data.ReadArray(r, size, name, func(shape []int) error {
			if flat = len(shape) == 1; flat && shape[0] != trajectories {
				return fmt.Errorf("it has %d numbers, and there are %d trajectories", shape[0], trajectories)
			}
			if !flat {
				return errors.New("it is no parameter")
			}
			return nil
		})
		if !flat {
			others = append(others, name)
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("the parameter %s: %w", name, err)
		}
		if of == nil {
			of = make([][]float64, trajectories)
			for e := range of {
				for _, q := range p {
					of[e] = append(of[e], q.Usual)
				}
			}
		}
		for e, v := range a.Float64s() {
			if math.IsNaN(v) || v < p[i].Low || v > p[i].High {
				return nil, nil, fmt.Errorf("the parameter %s of trajectory %d is %v; use numbers from %g to %g", name, e, v, p[i].Low, p[i].High)
			}
			of[e][i] = v
		}
	}
	return of, others, nil
}
