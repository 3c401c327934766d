// Package scene is the picture of the 1-D demo: the particles and their
// densities, the latent, and the history of training, laid out for whatever
// size there is, with what the pointer and the keyboard do to it.
//
// A Scene reads the newest wire.DemoFrame from its Source and keeps nothing that
// the next frame does not bring again, but for the pointer. It appends to a
// plot.Batch and knows no screen.
package scene
