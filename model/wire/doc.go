// Package wire defines what passes between the three parts of the page: a
// Command goes from the shell to the worker, a State comes back to the shell,
// and a Frame goes from the worker to the canvas.
//
// A Frame is all that the picture needs: a canvas that starts late, or again
// after a lost context, is complete with the next one.
package wire
