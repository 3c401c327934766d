// Package session is a lab in the worker: the system that is played, the displayed models,
// their results for the run, their training, and every command of a user. The type Session
// serves every system and every method. A system.Live implements the differences between
// systems; a lab.Lab lists the models and files that come with a lab.
//
// A Session needs no browser, so a test can use it like a page. It consists of four parts:
//
//	workspace  what the visitor works on: the document, and the run, the models, the training, the file and the
//	           sweep that follow from it; settle carries out what a change of one of these means for the others
//	arrivals   brings links, files and saved sessions into the workspace
//	jobs       shares the worker's time among all long work, and says which files this work needs
//	history    undoes changes of the document, and brings them back
//
// The things in a workspace are packages. Each has its own state; none refers to another one or to the session:
//
//	doc        what the visitor has chosen, and which of it travels with a link, a saved session, or history
//	run        the displayed run: playback, seeking, editing, and its part of a link
//	models     the kept, the shipped and the wanted models, and which of them package picture displays
//	training   the training: what the button Train begins, how it continues, where it pauses
//	ownfile    the user's trajectories, while their file is read and afterwards
//	sweeps     the user's sweep
//
//	command ─→ commands ─→ thing ─→ Effect ─┐
//	   time ─→ jobs ─────→ thing ─→ Effect ─┼─→ settle ─→ consequences for other things,
//	fetched ─→ queue ────→ thing ─→ Effect ─┘             then: picture and panel are stale
//	   link, file, undo ─→ document ─→ adopt ─→ settle
//
//	worker asks ─→ Paint ─→ View ─→ State, Fill
//
// A thing returns an Effect (package effect). settle applies its consequences in this order: the run;
// the file that the run replaces; the models that follow the run; the training that waits for a file;
// the measurement of model A; news and undo; redrawing the page. What involves both the training and
// the models is in trains.go.
//
// The table of README.md says in which functions a control changes the picture, a training steps, a file is read, a
// link is opened and a session is saved.
//
// Shared types have separate packages: model/lab/origin says where weights come from, runs contains
// the kept models with their trainings, saved the format of a saved session, door reads what a user brings in a file,
// and export writes a run for other programs.
package session
