// Package system defines a system, the subject of macroscopic dynamics: the source of its
// trajectories, its macroscopic variables, the sets of a frame, and its runs on the page.
//
// A system is a value; each package below this one contains one system. Only these packages and
// the benchmarks import the simulators. This package does not import models.
//
// All systems use three parts of this package. NewSimulatedReader makes a Source's Reader from
// a Simulation. Core plays a Simulation in a Live. A Recording reads files that the system's
// Contents describe.
package system
