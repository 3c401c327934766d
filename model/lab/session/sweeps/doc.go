// Package sweeps is a user's sweep in a lab: the request, and the sweep.Run that is running,
// stopped or done, if there is one. It knows nothing of the lab's own training and displayed
// models: a Given holds the facts it needs from them.
package sweeps
