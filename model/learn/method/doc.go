// Package method says what is trained. A Config names a system and a method, and has all settings of a
// training: the data, the encoder and the decoder (stage I), and the dynamics (stage II).
//
// A Config is specified as system/method@preset, as in particles/flow@laptop. The methods are paragraphs of
// methods.txt, and the settings of their presets are lines of presets.txt. No other code of this package is
// specific to a method. An example of a method with its own encoder is moments_test.go.
//
// The state of a model is z = [z̄, ẑ]. It begins with the macroscopic variables of the system
// and the closure variables of every set of a frame. The dynamics can also use the share of the
// first species among all particles, parameters of the physics and a memory of z̄; these come
// last. All variables are scaled to [-1, 1] over the training set. Networks are the networks of a Config,
// without weights.
package method
