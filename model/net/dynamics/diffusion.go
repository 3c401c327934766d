package dynamics

import "macroscope/model/compute/tensor"

// Diffusion is the factor Σ of the noise in dz = g(z) dt + Σ(z) dW. It evaluates at most a
// fixed number of rows. Σ is a lower-triangular matrix with a positive diagonal: every positive
// definite covariance ΣΣᵀ has exactly one such factor.
//
// Σ is stored as its diagonal (D), followed by the elements below the diagonal, row by row. Width
// is then D(D+1)/2. If Σ is always diagonal, only its diagonal is stored, and Width is D.
type Diffusion[T tensor.Float] interface {
	// Dim returns D, the length of z.
	Dim() int
	// Width returns the number of stored elements of Σ: D or D(D+1)/2.
	Width() int
	// Forward writes Σ(z) to dst (rows, Width) for z (rows, D).
	Forward(dst, params, z []T, rows int)
	// Backward must be called after Forward with the same z. It overwrites ds (rows, Width),
	// the gradient of Σ(z). It adds the gradients of the parameters to grads and, unless dz is
	// nil, writes the gradient of z to dz (rows, D).
	Backward(dz, params, grads, z, ds []T, rows int)
}

// below returns the elements of row j of Σ (D, D) left of the diagonal.
func below[T tensor.Float](sigma []T, dim, j int) []T {
	if len(sigma) == dim {
		return nil
	}
	begin := dim + j*(j-1)/2
	return sigma[begin : begin+j]
}

// addProduct adds Σx to dst (D).
func addProduct[T tensor.Float](dst, sigma, x []T) {
	for j := range dst {
		sum := sigma[j] * x[j]
		for k, s := range below(sigma, len(dst), j) {
			sum += s * x[k]
		}
		dst[j] += sum
	}
}

// solve replaces x (D) by Σ⁻¹x.
func solve[T tensor.Float](sigma, x []T) {
	for j := range x {
		for k, s := range below(sigma, len(x), j) {
			x[j] -= s * x[k]
		}
		x[j] /= sigma[j]
	}
}

// solveTransposed replaces x (D) by Σ⁻ᵀx.
func solveTransposed[T tensor.Float](sigma, x []T) {
	for j := len(x) - 1; j >= 0; j-- {
		x[j] /= sigma[j]
		for k, s := range below(sigma, len(x), j) {
			x[k] -= s * x[j]
		}
	}
}

// Covariance returns element (i, j) of ΣΣᵀ for a Σ with dim rows, stored as Forward writes it.
func Covariance[T tensor.Float](sigma []T, dim, i, j int) float64 {
	element := func(row, col int) float64 {
		if row == col {
			return float64(sigma[row])
		}
		if b := below(sigma, dim, row); col < len(b) {
			return float64(b[col])
		}
		return 0
	}
	sum := 0.0
	for k := range min(i, j) + 1 {
		sum += element(i, k) * element(j, k)
	}
	return sum
}
