// Package linalg implements portrait.Algebra with Gonum. It is separate from package portrait,
// so programs without portraits do not contain Gonum.
package linalg

import (
	"slices"

	"macroscope/model/lab/view/portrait"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// Gonum is a portrait.Algebra.
type Gonum struct{}

var _ portrait.Algebra = Gonum{}

// negligible is the largest singular value that counts as 0, relative to the largest singular
// value.
const negligible = 1e-7

// Solve implements portrait.Algebra.
func (Gonum) Solve(x, a, b []float64) bool {
	n := len(b)
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(n, n, a), mat.SVDThin) {
		return false
	}
	rank := svd.Rank(negligible)
	if rank == 0 {
		return false
	}
	svd.SolveVecTo(mat.NewVecDense(n, x), mat.NewVecDense(n, b), rank)
	return true
}

// Eigenvalues implements portrait.Algebra.
func (Gonum) Eigenvalues(a []float64, n int) []complex128 {
	if slices.ContainsFunc(a, func(v float64) bool { return v-v != 0 }) {
		return nil // with NaN, Gonum's iteration would never end
	}
	var eigen mat.Eigen
	if !eigen.Factorize(mat.NewDense(n, n, a), mat.EigenNone) {
		return nil
	}
	return eigen.Values(nil)
}

// Principal implements portrait.Algebra.
func (Gonum) Principal(states []float64, dim int) (mean, axes, share []float64, ok bool) {
	n := len(states) / dim
	if n < 2 {
		return nil, nil, nil, false
	}
	x := mat.NewDense(n, dim, states[:n*dim])
	mean = make([]float64, dim)
	for j := range dim {
		mean[j] = stat.Mean(mat.Col(nil, j, x), nil)
	}
	var pc stat.PC
	if !pc.PrincipalComponents(x, nil) {
		return nil, nil, nil, false
	}
	var vectors mat.Dense
	pc.VectorsTo(&vectors)
	share = make([]float64, dim)
	sum := 0.0
	for i, v := range pc.VarsTo(nil) { // with fewer states than dim, there are fewer axes than dim
		share[i] = v
		sum += v
	}
	if !(sum > 0) {
		return nil, nil, nil, false
	}
	_, count := vectors.Dims()
	axes = make([]float64, dim*dim)
	for i := range share {
		share[i] /= sum
		if i >= count {
			continue
		}
		axis := axes[i*dim : (i+1)*dim]
		largest := 0
		for j := range axis {
			if axis[j] = vectors.At(j, i); axis[j]*axis[j] > axis[largest]*axis[largest] {
				largest = j
			}
		}
		if axis[largest] < 0 {
			for j := range axis {
				axis[j] = -axis[j]
			}
		}
	}
	return mean, axes, share, true
}
