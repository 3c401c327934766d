// Package particle simulates the interacting particles of Kolokolnikov, Sun,
// Uminsky and Bertozzi (2011) that the paper studies in its section 4.2:
//
//	dx_i/dt = (1/N) Σ_{j≠i} F(r_ij) (x_i - x_j)/r_ij,   F(r) = tanh(a(1-r)) + b,
//
// in the plane, by the forward Euler method. They follow the gradient of
//
//	E = Σ_{i<j} (1/a) log cosh(a(1-r_ij)) + b(1-r_ij),   dx_i/dt = -∇_i E / N,
//
// so E can only fall; E per pair, E/(N(N-1)/2), is the macroscopic variable.
//
// A Force of the user's own can be in place of F. It is a table, made once.
//
// One pass over the pairs, each taken once, yields velocities and energy
// together. refPairs is its definition; tiled.go arranges the work for vector
// units, pairs512.go, pairs256.go and pairs_128.go do it, and dispatch.go
// chooses as the program starts. Positions and velocities are float32. Against
// the definition in float64, the tanh of a force is right to 4e-7, N times a
// velocity to 1e-6 of N times the largest force, and for 300 particles at a = 4
// the energy to 1e-7 of itself.
//
// Equal seeds give equal bits wherever Implementation is the same: every
// operation rounds as IEEE 754 prescribes, and none is an estimate, which would
// differ between makers of processors. Between implementations positions differ
// by 5e-6 after 300 steps. (On amd64 this takes a processor with FMA and a build
// for GOAMD64=v1 or v2, the default; on arm64 the compiler fuses plain code as
// well, and its results are its own.)
package particle
