// Package scene is the pictures of the labs, laid out for whatever size there is,
// with what the pointer and the keyboard do to them: that of the 1-D demo, its
// particles, densities, latent and history of training, and those that Register
// adds.
//
// A picture reads the newest frame and keeps nothing that the next one does not
// bring again, but for the pointer and what glides. It appends to a plot.Batch and
// knows no screen.
package scene
