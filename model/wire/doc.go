// Package wire defines the messages between the three parts of the page: a Command goes from
// the shell to the worker, a State comes back to the shell, and a Frame goes from the worker
// to the canvas.
//
// A lab is a Session in the worker and a scene on the canvas, which agree on the rows of a
// Frame. The shell shows its controls and figures, a Panel that the Session describes and a
// State that fills it.
//
// A frame contains the whole picture: a canvas that starts late, or again after a lost
// context, is complete with the next one.
package wire
