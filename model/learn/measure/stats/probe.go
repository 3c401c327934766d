package stats

import (
	"errors"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/work"
)

// Probe measures how well the state z determines a system's quantities. For each quantity, it returns R² of
// the best cubic of the variables of z that are not frozen. It uses some frames of the first `count`
// trajectories.
func Probe(pause work.Pause, m *model.Model, sys *system.System, src system.Source, count, workers int) ([]float64, error) {
	c := &m.Config
	const every = 10 // one frame in 10 is used
	v, q := c.States(), len(sys.Quantities)
	var z, of []float64
	var mu sync.Mutex
	err := system.Each(pause, src, count, workers, func(e int, t *system.Trajectory) error {
		coder, state, quantities := m.NewCoder(), make([]float32, v), make([]float64, q)
		mu.Lock()
		defer mu.Unlock()
		for k := 0; k < src.Shape().Frames; k += every {
			if err := coder.FrameOf(state, t, e, k); err != nil {
				return err
			}
			for _, x := range state[:c.Moving()] {
				z = append(z, float64(x))
			}
			sys.Quantify(quantities, t, k)
			of = append(of, quantities...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	x, y := cubics(z, c.Moving()), mat.NewDense(len(of)/q, q, of)
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDThin) {
		return nil, errors.New("the closure variables cannot be probed, since their cubics have no singular values")
	}
	// If variables hardly vary, as with an untrained encoder, some cubics are nearly equal. The fit
	// omits singular vectors whose singular value is below `alike` times the largest one.
	const alike = 1e-10
	var weights, told mat.Dense
	svd.SolveTo(&weights, y, svd.Rank(alike))
	told.Mul(x, &weights)
	shares := make([]float64, q)
	for i := range shares {
		shares[i] = stat.RSquaredFrom(mat.Col(nil, i, &told), mat.Col(nil, i, y), nil)
	}
	return shares, nil
}

// cubics returns the products of at most three numbers from a row of z (n, d). The result has one
// row of products for each row of z.
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
