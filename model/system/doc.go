// Package system defines a system, the subject of macroscopic dynamics. A System is a value: facts, and functions
// that may be nil. It provides trajectories and their macroscopic variables. It divides the particles of a
// frame into sets. It also plays runs on the page.
//
// The subpackages line, particles, mixing, polymer, flock and own contain the systems. Of the packages in
// model, only the systems and the benchmarks import the simulators. This package does not import
// models.
//
// The systems share three parts. Record makes the trajectories of a Source from a Simulation; a simulator
// that runs several trajectories together is a Joint instead. System.Open reads files that the system's
// Contents describe. A Core, in package core, plays a Simulation and implements most methods of a Live. Package
// excerpt has parts of trajectories: what predictions begin with, and what is kept out of a training.
package system
