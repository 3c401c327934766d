// Package runs is the list of models that a session keeps, each under a name of
// its own: how many there may be, and how they are written to a saved session and
// read again.
package runs
