// Package experiment combines a system and a method. A Config names both and sets all sizes. A
// Model contains the learned parameters, a Forecast is its prediction, and a Task measures
// predictions.
//
// An experiment is specified as system/method@preset, as in particles/flow@laptop. The file methods.txt
// lists the methods. Each has an encoder and a decoder, and presets for its systems. The file presets.txt
// contains the settings of all presets, by the names that the flag -set and checkpoints use. No other code
// of this package is specific to a pair. To add a method, add a paragraph to methods.txt, and the settings
// that differ to presets.txt. The command line, checkpoints, links and sweeps then know the method, and
// the tests cover it. An example with its own encoder is moments_test.go. The file published.txt contains
// the paper's figures.
//
// The state of a model is z = [z̄, ẑ]. It begins with the macroscopic variables of the system
// and the closure variables of every set of a frame. The dynamics can also use the share of the
// first species among all particles, parameters of the physics and a memory of z̄; these come
// last. All variables are scaled to [-1, 1] over the training set.
package experiment
