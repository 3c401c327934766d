// Package wire defines what passes between the three parts of the page: a
// Command goes from the shell to the worker, a State comes back to the shell,
// and a Frame goes from the worker to the canvas.
//
// A lab is a Session in the worker and a scene on the canvas, which agree on
// the rows of a Frame. What the shell shows of it, its controls and figures, is
// a Panel that the Session describes, and a State that fills it. The 1-D demo,
// with which the page opens, has a panel of its own in the page, and so a state
// (DemoState) and a frame (DemoFrame) of its own.
//
// Only what changed travels: a frame says what of the picture has changed since
// the one before. A canvas that starts late, or again after a lost context, is
// given a whole one, and so is one that misses the frame before (ErrBase).
package wire
