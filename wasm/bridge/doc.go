// Package bridge joins Go to the page: apart from the canvas's Ebitengine, it is the only
// package that knows JavaScript. Structs cross as objects by vert, data as bytes in one piece
// (convert.go).
//
// canvas.go is the picture's side. worker.go has the requests and answers of a worker,
// turn.go the division of its time, and pool.go its helpers.
package bridge
