// Package bridge connects Go with the page. Apart from Ebitengine in the canvas, no other
// package uses JavaScript. Structs are passed as objects, converted by package vert; data are
// passed as bytes in one piece (convert.go).
//
// canvas.go is for the picture. worker.go contains the requests and answers of a worker,
// turn.go divides the worker's time, and pool.go manages its helpers.
package bridge
