// Package sweeps manages a user's sweep in a lab: the request, and the sweep.Run if there
// is one, which is running, stopped or done. About the lab's own training and displayed
// models it knows only what a Given contains.
package sweeps
