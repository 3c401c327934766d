// Package system defines a system, the subject of macroscopic dynamics. A system provides
// trajectories, macroscopic variables, the sets of particles in a frame, and runs on the page.
//
// The subpackages line, particles, mixing and polymer contain the systems. Of the packages in
// model, only the systems and the benchmarks import the simulators. This package does not import
// models.
//
// All systems use three parts of this package. NewSimulatedReader makes a Source's Reader from
// a Simulation. Core plays a Simulation in a Live. A Recording reads files that the system's
// Contents describe.
package system
