// Package bridge joins Go to the page: it is the only package, beside the
// canvas's Ebitengine, that knows JavaScript. Structs cross as objects by way of
// vert, data crosses as bytes in one piece (convert.go).
//
// canvas.go is the picture's side. worker.go is what a worker is asked and what it
// answers, turn.go how it divides its time, and pool.go the workers that help it.
package bridge
