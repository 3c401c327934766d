// Package particle simulates the interacting particles of Kolokolnikov, Sun, Uminsky and
// Bertozzi (2011) that the paper studies in its section 4.2:
//
//	dx_i/dt = (1/N) Σ_{j≠i} F(r_ij) (x_i - x_j)/r_ij,   F(r) = tanh(a(1-r)) + b,
//
// in the plane, by the forward Euler method. The particles follow the gradient of
//
//	E = Σ_{i<j} (1/a) log cosh(a(1-r_ij)) + b(1-r_ij),   dx_i/dt = -∇_i E / N,
//
// so E can only fall; E per pair, E/(N(N-1)/2), is the macroscopic variable.
//
// A user-defined Force can replace F. It is tabulated once, before the simulation. A step within which
// it changes too much for the Euler method is taken in shorter pieces (refine.go).
//
// One pass over the pairs visits each pair once and yields velocities and energy together.
// refPairs defines the result. tiled.go arranges the work for vector units, pairs512.go,
// pairs256.go and pairs_128.go contain the loops for each width, and dispatch.go chooses among
// them on first use. Positions and velocities are float32. The errors against the definition in
// float64 are 4e-7 for the tanh in a force, 1e-6 of the largest force for a velocity, and a
// relative 1e-7 for the energy of 300 particles at a = 4.
//
// Equal seeds give equal bits wherever Implementation is the same. Every operation rounds as
// IEEE 754 prescribes. Instructions that estimate a reciprocal or a root are not used, because
// the estimates depend on the processor's maker. Positions of different implementations differ
// by 5e-6 after 300 steps. (On amd64 equal bits require a processor with FMA and a build for
// GOAMD64=v1 or v2, the default. On arm64 the compiler also fuses plain code, so its results
// differ.)
package particle
