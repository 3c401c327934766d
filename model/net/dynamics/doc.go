// Package dynamics holds the learned macroscopic dynamics
//
//	dz = g(z) dt + Σ(z) dW
//
// of the variables z = [z̄, ẑ]: the given observables and the closure variables learned by the
// encoder (stage II of the paper). It is an Itô equation. W is a standard Brownian motion with
// as many components as z. Deterministic dynamics have no Σ.
//
// Dynamics describes a drift g: an MLP or an OnsagerNet (Yu, Tian, E and Li, Physical Review
// Fluids 6, 114402, 2021). OnsagerNets have two forms with different networks. Every drift can be
// confined to a box. A Noise describes a diffusion Σ: constant, diagonal or triangular. A Drift
// evaluates g, and a Diffusion evaluates Σ, for at most a fixed number of rows. Neither is safe for
// concurrent use.
//
// Without noise, an Integrator advances z by Euler's method or the classical Runge–Kutta
// method, and a Loss differentiates exactly through several such steps. With noise,
// EulerMaruyama advances z, and a Likelihood computes the density of such steps and the
// density's gradient. Rows are independent states. Only constructors allocate.
package dynamics
