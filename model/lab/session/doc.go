// Package session is a lab in the worker: the system that is played, the displayed models,
// their results for the run, their training, and every command of a user. The type Session
// serves every system and every method. A system.Live implements the differences between
// systems; a lab.Lab lists the models and files that come with a lab.
//
// A Session needs no browser, so a test can use it like a page. Its parts are packages. Each
// has its own state; none refers to another part or to the session:
//
//	run        the displayed run: playback, seeking, editing, and its part of a link
//	models     the kept, the shipped and the displayed models; package picture draws the displayed ones
//	training   the training: what the button Train begins, how it continues, where it pauses
//	ownfile    the user's trajectories, while their file is read and afterwards
//	sweeps     the user's sweep
//	survey     the measurements for the panel on ε and ẑ dim
//
//	command ─→ commands ─→ part ─→ Effect ─┐
//	   time ─→ Work ─────→ part ─→ Effect ─┼─→ settle ─→ consequences in other parts,
//	fetched ─→ queue ────→ part ─→ Effect ─┘             then: picture and panel are stale
//
//	worker asks ─→ Paint ─→ View ─→ State, Fill
//
// A part returns an Effect (package effect). Session.settle applies its consequences to other
// parts in this order: the run; the file that the run replaces; the models that follow the run;
// the training that waits for a file; the measurement of model A; news and undo; redrawing the
// page. Operations that involve several parts are methods of the Session in trains.go, files.go,
// open.go, saved.go, save.go and adopt.go.
//
// The table of README.md says in which functions a control changes the picture, a training steps, a file is read, a
// link is opened and a session is saved.
//
// Shared types have separate packages: model/lab/origin says where weights come from, runs contains
// the kept models with their trainings, saved the format of a saved session, door reads what a user brings in a file,
// and export writes a run for other programs.
package session
