// Package lj simulates the binary mixing of the paper's section 4.3: atoms in the plane that
// attract and repel each other by truncated Lennard-Jones potentials,
//
//	U_ab(r) = 4 ε_ab ((σ_ab/r)¹² - (σ_ab/r)⁶)   for r < cutoff, 0 beyond,
//
// in a box with reflecting walls, in reduced units with masses of 1. A run does what LAMMPS
// does with the paper's input file:
//
//	lattice      a square lattice, its first row and column on the walls
//	velocities   normal, their sum made zero, then scaled to the temperature
//	relaxation   velocity Verlet at constant energy, one species
//	relabelling  atoms left of the boundary become species 1, others species 2
//	mixing       velocity Verlet with a chain of three Nosé–Hoover thermostats
//
// (Martyna, Klein and Tuckerman 1992; Martyna, Tuckerman, Tobias and Klein 1996). Steps are
// counted from the relabelling; relaxation steps are negative. Atoms that have crossed a wall
// in a drift are reflected before the forces are computed. The temperature is 2K/(2N-2). The
// macroscopic variables are the mixing ratios R_AB and R_BA: the share of the other species
// among all neighbours of one species within the cutoff.
//
// State and observables are float64. Forces are computed in float32 from rounded positions. In a
// box 32 wide, rounding moves a position by up to 1e-6. list.go orders the atoms so that each
// atom's neighbours lie in three contiguous ranges. forces_*.go process these ranges a vector at
// a time.
//
// Equal seeds give equal bits on machines with the same Implementation. Every operation rounds as
// IEEE 754 prescribes. Instructions that estimate a reciprocal or a root are not used, because
// the estimates depend on the processor's maker. Results of different implementations differ by
// 1e-5 after 400 steps, because of rounding. Later they differ completely, because motion is
// chaotic. Means over many runs agree. (On amd64, equal bits require a processor with FMA. GOAMD64
// must be v1 or v2 in the build; the default is v1. On arm64 the compiler also fuses plain code, so
// its results differ.)
package lj
