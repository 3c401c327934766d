// Package bridge joins Go to the page. No other package uses JavaScript, apart from the canvas's
// Ebitengine. Structs cross as objects, converted by package vert, and data as bytes in one piece
// (convert.go).
//
// canvas.go is for the picture. worker.go has the requests and answers of a worker, turn.go divides
// the worker's time, and pool.go manages its helpers.
package bridge
