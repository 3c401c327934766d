// Package wire defines the messages between the three parts of the page: a Command goes from
// the shell to the worker, a State comes back to the shell, and a Frame goes from the worker to
// the canvas.
//
// A lab consists of a Session in the worker and a scene on the canvas. Both use the same rows
// of a Frame. The shell shows the lab's controls and figures: the Session describes them in a
// Panel and gives their values in a State.
//
// A whole frame contains all data of the picture. A canvas that starts late, or restarts after
// a lost context, therefore needs no earlier frame.
package wire
