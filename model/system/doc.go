// Package system says what a system is that macroscopic dynamics are learned
// of: where its trajectories come from, which macroscopic variables it has, into
// which sets a frame falls, and how it is played on the page.
//
// A system is a value: the packages below this one hold one each, and are the
// only ones, beside the benchmarks, that know the simulators. Nothing in here
// knows of models.
//
// The parts of a system are written once. A simulator becomes a Simulation, which a Source
// reads by NewSimulatedReader and a Live plays by its Core. Contents describe the system's
// files, which a Recording reads.
package system
