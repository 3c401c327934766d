// Package particles is the system of section 4.2: particles in the plane that
// repel one another when they are close and attract one another when they are
// not (package sim/particle). Its macroscopic variable is the energy per pair;
// for trajectories of the user's own it may be another observable.
//
// Trajectories are simulated as they are read, or come from NumPy files with the
// array trajectories (E, T, N, D) and arrays of observables (E, T).
package particles
