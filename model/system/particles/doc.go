// Package particles is the system of section 4.2: particles in the plane that repel each
// other when near and attract each other when far apart (package sim/particle). Its
// macroscopic variable is the energy per pair; the user's trajectories can have another
// observable.
//
// Trajectories are simulated as they are read, or come from NumPy files with the
// array trajectories (E, T, N, D) and arrays of observables (E, T).
package particles
