// Package sweeps manages a user's sweep in a lab: the request, and the sweep.Run if there is
// one. The sweep is running, stopped or done. The package learns about the lab's own training
// and displayed models only from a Given.
package sweeps
