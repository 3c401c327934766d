package wire

import "time"

// Demo is the lab that the page opens with.
const Demo = "demo"

// Session is a lab in the worker: settings, data, models and their training, as
// a visitor drives them. It is pure computation, so that a test can drive it as
// a page does, and is not safe for concurrent use. A nil Notice means that there
// is nothing to say.
type Session interface {
	// Lab is the lab's name in links.
	Lab() string
	// Panel is what the shell shows around the picture.
	Panel() *Panel
	// Wants names a file of the bundle, relative to the page, that the session
	// would like to have fetched; "" is none.
	Wants() string
	// Fetched hands over the file that Wants named, or why it could not be had.
	Fetched(name string, data []byte, err error) *Notice
	// Apply carries a command out.
	Apply(Command) *Notice
	// Work computes for about budget and says whether there is more to do soon.
	Work(budget time.Duration) (busy bool, notice *Notice)
	// AppendFrame appends to dst what has changed of the picture since the last
	// call, encoded, or nothing if it is the same picture.
	AppendFrame(dst []byte) []byte
	// Forget says that the canvas has nothing of what AppendFrame gave so far:
	// the next result is the whole picture.
	Forget()
	// StateChanged says whether State differs from its last result.
	StateChanged() bool
	// State fills the panel.
	State() State
	// Status is what training is doing.
	Status() Status
	// Training says whether something is trained, which is worth saving now and then.
	Training() bool
	// Fragment is all settings as a URL fragment, without '#'.
	Fragment() string
	// Saved is all that a later session needs to go on from here, in parts of
	// which the first has no key; nil while there is nothing worth keeping. The error
	// says why it cannot be saved.
	Saved() ([]Part, error)
	// Save makes a file for the visitor to keep: Model, or another that the
	// panel offers.
	Save(what string) (name string, data []byte, err error)
}

// Sparing is a Session that measures how fast the machine is while nothing else is to
// be done.
type Sparing interface {
	Session
	// Spare measures for a moment, unless that would take longer than most, and says
	// whether there is more to measure.
	Spare(most time.Duration) (more bool)
}

// Foreseeing is a Session that takes files before they are wanted, while nothing is to be
// done.
type Foreseeing interface {
	Session
	// Foresees names a file that the visitor may ask for next, "" if there is none.
	Foresees() string
	// Foreseen takes what Foresees named, or the reason why it could not be had.
	Foreseen(name string, data []byte, err error)
}

// Pooled is a Session that other workers compute for. Every job is answered
// once, by Done or by Lost, and those of one helper in their order.
type Pooled interface {
	Session
	// Cores says how many workers the machine has room for, this one included.
	Cores(n int)
	// Helpers is how many helpers the session has a use for at present.
	Helpers() int
	// Job returns the next job for helper k, nil if there is none now. It holds
	// until the next call.
	Job(k int) []byte
	// Done hands over the answer to the oldest job that helper k has not
	// answered, or the reason why there is none. It may keep result.
	Done(k int, result []byte, err error) *Notice
	// Lost says that helper k is gone, and what it knew; another may come in its
	// place. The jobs that it has not answered are given to others, or done here.
	Lost(k int)
}

// Helper does the jobs of a Pooled session in a worker of its own.
type Helper interface {
	// Do carries a job out. The result holds until the next call. It calls alive between
	// the pieces of the work, none of which takes longer than one of Session.Work.
	Do(job []byte, alive func()) (result []byte, err error)
}
