package dynamics

import "macroscope/model/compute/tensor"

// Drift is the right-hand side g of dz/dt = g(z). It evaluates at most a fixed number of rows.
// Weights and their gradients are arenas of the drift's layout.
type Drift[T tensor.Float] interface {
	// Dim returns D, the length of z.
	Dim() int
	// Forward writes g(z) for z (rows, D) to dst (rows, D).
	Forward(dst, params, z []T, rows int)
	// Backward must be called after Forward with the same z. It overwrites dg (rows, D), the
	// gradient of g(z). It adds the gradients of the parameters to grads. It writes the gradient of
	// z to dz (rows, D), unless dz is nil.
	Backward(dz, params, grads, z, dg []T, rows int)
	// Another returns the same drift with its own memory for Forward's results: after a Forward
	// of both drifts, either can do a Backward. The two share the rest of their memory and must
	// not be used concurrently.
	Another() Drift[T]
}
