// Package system defines a system, the subject of macroscopic dynamics: the source of its
// trajectories, its macroscopic variables, the sets of a frame, and its runs on the page.
//
// A system is a value: each package below this one holds one. Only those packages and the
// benchmarks know the simulators. This package knows nothing of models.
//
// A system shares these parts with all others: NewSimulatedReader makes a Source's Reader of a
// Simulation, Core makes a Live play it, and a Recording reads files that the system's Contents
// describe.
package system
