// Package dynamics holds the learned macroscopic dynamics
//
//	dz = g(z) dt + Σ(z) dW
//
// of the variables z = [z̄, ẑ]: the observables that are given and the closure
// that the encoder has learned (stage II of the paper). The equation is meant in
// Itô's sense, W is a standard Brownian motion of as many components as z has,
// and deterministic dynamics have no Σ.
//
// Dynamics describes a drift g, an MLP or one of two forms of OnsagerNet (Yu,
// Tian, E and Li, Physical Review Fluids 6, 114402, 2021), which differ in their
// networks, each of them confined to a box on request; a Noise describes a diffusion Σ, constant, diagonal or triangular.
// They are evaluated through a Drift and a Diffusion, which own the room for a
// number of rows and are not safe for concurrent use.
//
// Without noise, an Integrator advances z by Euler's method or the classical
// Runge–Kutta method, and a Loss differentiates exactly through several such
// steps. With it, EulerMaruyama advances z, and a Likelihood measures and
// differentiates the density of its steps. Rows are independent states. Nothing
// allocates after it is made.
package dynamics
