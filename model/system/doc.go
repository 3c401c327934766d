// Package system defines a system, the subject of macroscopic dynamics: the source of its
// trajectories, its macroscopic variables, the sets of a frame, and its runs on the page.
//
// A system is a value: each package below this one holds one. Only those packages and the
// benchmarks know the simulators. This package knows nothing of models.
//
// The parts of a system are written once. A Source reads a Simulation by NewSimulatedReader,
// and a Live plays it by its Core. Contents describe the system's files, which a Recording
// reads.
package system
