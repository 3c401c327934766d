// Package session is a lab in the worker: a system that is played, models on show, what they
// make of the run, their training, and everything that a visitor can do with them. There is
// one Session, for every system and every method; what is particular to a system is its
// system.Live, and which models and files come with a lab is a lab.Lab.
//
// A Session is pure computation, so that a test can drive it as a page does. It is made of
// parts, which are packages. Each owns its state; none knows another part or the session:
//
//	run        the run on show: it plays, is sought in, edited and carried by a link
//	models     the models that are kept, that come with the lab, and that are on show
//	training   the training: what Train begins, how it goes on, where it pauses
//	ownfile    the visitor's trajectories, as their file is read and once it is there
//	sweeps     the visitor's sweep
//
//	command ─→ commands ─→ part ─→ Effect ─┐
//	   time ─→ Work ─────→ part ─→ Effect ─┼─→ settle ─→ what follows in other parts,
//	   file ─→ queue ────→ part ─→ Effect ─┘             then: picture and panel are stale
//
//	page asks ─→ View ─→ State, Fill
//
// A part returns an Effect (package effect). What has to follow from it in other parts stands
// in Session.settle, in order: the run; the file that it replaces and the models that look at
// it; the training that waits for a file; the measurement of model A; news and undo; what the
// page has to draw anew. What several parts do together, one after another, is a method of
// the Session in trains, files, open and saved.
//
// Where to look:
//
//	ε changes the picture        commands.go: setOwn, nearest; then models/shown.go: Paint
//	a dropped file is read       files.go: take; then ownfile/own.go: Read, Work
//	a step of training happens   session.go: Work; then training/training.go: Work
//	a file is fetched            queue.go: queue, Fetched
//	a model comes with the lab   models/shipped.go: Ship
//	a training begins            trains.go: start, put; then training/policy.go, follow.go
//	a panel is filled            view.go: State; verdict.go: the sentences and figures
//	a frame is filled            fill.go: Fill; then models/frame.go: Put
//	a link is opened             open.go: follow
//	a session is saved           saved.go; as one file: bundle.go
//	helpers get work             helpers.go
//
// What parts share has packages of its own: runs is a model that is kept, with its training;
// saved is what a session is saved as; export writes a run for other programs.
package session
