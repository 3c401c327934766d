// Package sweeps is a sweep that a visitor runs in a lab: what is asked for, and the
// sweep.Run that is under way, stopped or done, if there is one. It knows nothing of the
// lab's own training and its models on show: what it has to be told of them is a Given.
package sweeps
