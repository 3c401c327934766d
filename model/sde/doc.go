// Package sde holds the learned macroscopic law dz = g(z) dt of the variables
// z = [z̄, ẑ]: the observables that are given and the closure that the encoder
// has learned (stage II of the paper).
//
// A Law describes a drift g, an MLP or an OnsagerNet (Yu, Tian, E and Li,
// Physical Review Fluids 6, 114402, 2021), either of them confined to a box on
// request. It is evaluated through a Drift, which owns the room for a number
// of rows and serves one goroutine at a time. An Integrator advances z by
// Euler's method or the classical Runge–Kutta method; a Loss differentiates
// exactly through several such steps. Rows are independent states. Nothing
// allocates after it is made.
package sde
