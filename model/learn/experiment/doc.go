// Package experiment puts a system and a method together: a Config says which,
// and how large everything is; a Model is what is learned; a Forecast is what it
// predicts, and Evaluate measures that.
//
// An experiment is specified as system/method@preset, as in
// particles/flow@laptop. A method is a row of Methods: an encoder and a decoder.
// What a pair is trained with is a row of presets. Nothing is written for a pair.
//
// The state of a model is z = [z̄, ẑ]: the macroscopic variables of the system,
// then the closure variables of every set of a frame, then, where the dynamics
// want it, the share of particles that are of the first species, parameters of the physics
// and a memory of z̄. All of it is
// scaled to [-1, 1] over the training set.
package experiment
