// Package mixing is the system of section 4.3: two species of atoms in a box start on the two
// sides of a boundary and mix by molecular dynamics (package sim/lj). The macroscopic variables
// are the mixing ratios R_AB and R_BA. Each species is a separate set.
//
// Trajectories are simulated as they are read, or come from files: NumPy archives with the
// arrays trajectories (E, T, N, 2) and types (E, N), or LAMMPS dumps of one trajectory each.
package mixing
