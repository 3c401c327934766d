package dynamics

import "macroscope/model/compute/tensor"

// Drift is the right-hand side g of dz/dt = g(z), with room for a number of rows.
// Weights and their gradients are arenas of the drift's layout.
type Drift[T tensor.Float] interface {
	// Dim returns D, the length of z.
	Dim() int
	// Forward writes g(z) to dst for z (rows, D), dst (rows, D).
	Forward(dst, params, z []T, rows int)
	// Backward follows a Forward of the same z. It takes the gradient dg (rows, D)
	// of g(z) and overwrites it, adds the gradients of the parameters to grads, and
	// writes the gradient of z to dz (rows, D) unless dz is nil.
	Backward(dz, params, grads, z, dg []T, rows int)
	// Another returns the same drift with separate memory for Forward's results: after a
	// Forward of both, a Backward of either can follow. The two share the rest of their
	// memory, and are not safe for concurrent use together.
	Another() Drift[T]
}
