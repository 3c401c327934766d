// Package wire defines the messages between the three parts of the page: a Command goes from
// the shell to the worker, a State comes back to the shell, and a Frame goes from the worker
// to the canvas.
//
// A lab is a Session in the worker and a scene on the canvas, which agree on the rows of a
// Frame. The shell shows the lab's controls and figures: the Session describes them as a
// Panel and fills them with a State.
//
// A whole frame contains all of the picture, so a canvas that starts late, or again after a
// lost context, needs no earlier one.
package wire
