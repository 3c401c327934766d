// Package experiment combines a system and a method: a Config names both and sets all
// sizes; a Model is learned; a Forecast is its prediction, and Evaluate measures
// predictions.
//
// An experiment is specified as system/method@preset, as in particles/flow@laptop. A Method
// is an encoder, a decoder and, for each of its systems, the recipes of its presets, which
// begin with the system's recipes. No other code is specific to a pair. To add a method,
// write a file with its Method (moments_test.go is an example, with its own encoder), and
// add its name to the list in methods.go. The command line, checkpoints, links and sweeps
// then know the method, and the tests cover it.
//
// The state of a model is z = [z̄, ẑ]: the macroscopic variables of the system, then the
// closure variables of every set of a frame, then, if the dynamics use them, the share of the
// first species among all particles, parameters of the physics and a memory of z̄. All
// variables are scaled to [-1, 1] over the training set.
package experiment
