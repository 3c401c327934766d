// Package runs is the list of models that a session keeps, each under a unique name and
// with the training that it can continue. It limits their number and size, removes the
// oldest automatic ones, and writes runs to a saved session.
//
// The user names some runs; the others are kept automatically, so that a new training
// loses no trained model. If there are too many automatic ones, the oldest are removed;
// named ones stay until the user deletes them.
package runs
