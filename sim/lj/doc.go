// Package lj simulates the binary mixing of the paper's section 4.3: atoms in
// the plane that attract and repel each other by truncated Lennard-Jones
// potentials,
//
//	U_ab(r) = 4 ε_ab ((σ_ab/r)¹² - (σ_ab/r)⁶)   for r < cutoff, else 0,
//
// in a box with reflecting walls, in reduced units with masses of 1. It means
// what LAMMPS means by the paper's input file:
//
//	lattice      a square lattice, its first row and column on the walls
//	velocities   normal, their sum made zero, then scaled to the temperature
//	relaxation   velocity Verlet at constant energy, one species
//	relabelling  atoms left of the boundary become species 1, others species 2
//	mixing       velocity Verlet with a chain of three Nosé–Hoover thermostats
//
// (Martyna, Klein and Tuckerman 1992; Martyna, Tuckerman, Tobias and Klein
// 1996). Steps are counted from the relabelling; those of the relaxation are
// negative. Atoms that a drift carries through a wall are reflected before the
// forces are computed. The temperature is 2K/(2N-2), the macroscopic variables
// are the mixing ratios R_AB and R_BA: of all neighbours that the atoms of one
// species have within the cutoff, the share that is of the other.
//
// The state is float64 and so is everything that is measured; forces are
// computed in float32 from positions rounded to that, a rounding of up to 1e-6
// in a box 32 wide. list.go arranges atoms so that the neighbours of each lie in
// three contiguous ranges, which forces_*.go take a vector at a time.
//
// Equal seeds give equal bits wherever Implementation is the same: every
// operation rounds as IEEE 754 prescribes, and none is an estimate, which would
// differ between makers of processors. Between implementations
// results differ by rounding and then, since motion is chaotic, in full: by 1e-5
// after 400 steps. Measured means of many runs agree. (On amd64 this takes a
// processor with FMA and a build for GOAMD64=v1 or v2, the default; on arm64 the
// compiler fuses plain code as well, and its results are its own.)
package lj
