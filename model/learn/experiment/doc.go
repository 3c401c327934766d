// Package experiment puts a system and a method together: a Config says which,
// and how large everything is; a Model is what is learned; a Forecast is what it
// predicts, and Evaluate measures that.
//
// An experiment is specified as system/method@preset, as in
// particles/flow@laptop. A Method is an encoder, a decoder and, for each of its systems, the
// recipes of its presets, which begin with those of the system. Nothing else is written for a
// pair. To add a method: a file with its Method, as moments_test.go has one with an encoder of
// its own, and a name in the list of methods.go. The command line, checkpoints, links and sweeps
// follow, and the tests run over that list.
//
// The state of a model is z = [z̄, ẑ]: the macroscopic variables of the system,
// then the closure variables of every set of a frame, then, where the dynamics
// want it, the share of particles that are of the first species, parameters of the physics
// and a memory of z̄. All of it is
// scaled to [-1, 1] over the training set.
package experiment
