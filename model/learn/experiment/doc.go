// Package experiment combines a system and a method. A Config names both and sets all sizes. A
// Model contains the learned parameters, a Forecast is its prediction, and a Task measures
// predictions.
//
// An experiment is specified as system/method@preset, as in particles/flow@laptop. A Method
// contains an encoder and a decoder. It also contains one recipe for each preset of each of its
// systems. Most recipes extend the recipes that presets.go lists for the system. No other code of
// this package is specific to a pair. To add a method, write a file with its Method, and add its name to the list
// in methods.go. The command line, checkpoints, links and sweeps then know the method, and the
// tests cover it. An example with its own encoder is moments_test.go.
//
// The state of a model is z = [z̄, ẑ]. It begins with the macroscopic variables of the system
// and the closure variables of every set of a frame. The dynamics can also use the share of the
// first species among all particles, parameters of the physics and a memory of z̄; these come
// last. All variables are scaled to [-1, 1] over the training set.
package experiment
