// Package system defines a system, the subject of macroscopic dynamics. A System is a value: facts, and functions
// that may be nil. It provides trajectories and their macroscopic variables. It divides the particles of a
// frame into sets. It also plays runs on the page.
//
// The subpackages line, particles, mixing, polymer, flock and own contain the systems. Of the packages in
// model, only the systems and the benchmarks import the simulators. This package does not import
// models.
//
// The systems share three parts of this package. Record makes the trajectories of a Source from a
// Simulation; a simulator that runs several trajectories together is a Joint instead. A Core plays a
// Simulation and implements most methods of a Live. System.Open reads files that the system's Contents
// describe.
package system
