// Package session is a lab in the worker: a system that is played, models on
// show, what they make of the run, their training, and everything that a visitor
// can do with them. There is one Session, for every system and every method; what
// is particular to a system is its system.Live, and which models and files come
// with a lab is a lab.Lab.
//
// A Session is pure computation, so that a test can drive it as a page does. Its
// parts are types of their own: the playback (the run of particles on show), the
// display (models on show), the trainer, the library (models that are kept), own
// (trajectories of the visitor's own) and order (the shuffling of labels). They
// share the Session, which alone talks to the page.
package session
