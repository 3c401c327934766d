// Package particles is the system of section 4.2: particles in the plane that repel each other
// when near and attract each other when far apart (package sim/particle). The macroscopic
// variable is the energy per pair; for the user's trajectories it can be another observable.
//
// Trajectories are simulated when they are read, or come from NumPy files with the array
// trajectories (E, T, N, D) and arrays of observables (E, T).
package particles
