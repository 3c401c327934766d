// Package session is a lab in the worker: a system that is played, models on
// show, what they make of the run, their training, and everything that a visitor
// can do with them. There is one Session, for every system and every method; what
// is particular to a system is its system.Live, and which models and files come
// with a lab is a lab.Lab.
//
// A Session is pure computation, so that a test can drive it as a page does. Its
// parts are types of their own, a file each, which share the Session; it alone talks to
// the page. Which file does what:
//
//	session      what belongs to all parts, and the turns of Work
//	opening      settings all at once, of a link or a first visit; shipped: the models that
//	             come with the lab, as they are wanted and come; foresee: before they are
//	command      what the visitor asks for; made: what that must not lose; ask: questions
//	playback     the run of particles on show; aside: what is shown beside it
//	display      the models on show; latent: their portrait; order: shuffled labels
//	frame        the picture; state: the panel; verdict, figures: what is said there
//	trainer      the training; sampler: of single sets, as the visitor turns ε;
//	             setaside: what it leaves behind; until: where it pauses;
//	             expect: how long it takes; helpers: who computes for it; codes: the file
//	             that it learns from
//	sweeper      the visitor's sweep, which is a sweeper.Sweeper
//	library      models that are kept
//	own          trajectories of the visitor's own; reading: their file, as it is read
//	files        what is dropped and saved; link, saved, bundle: in a link, in the
//	             browser, in one file
//	list         the labs of a program, of which each has its sessions
//
// What needs none of the Session is in packages beside it: which configuration Train
// begins with in plan, files that are read in pieces in intake, sweeps in sweeper.
package session
