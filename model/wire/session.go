package wire

import "time"

// Demo is the lab that the page opens with.
const Demo = "demo"

// Session is a lab in the worker: settings, data, models and their training, driven by a
// user. It only computes, so a test can drive it as a page does. It is not safe for
// concurrent use. A nil Notice means no message.
type Session interface {
	// Lab is the lab's name in links.
	Lab() string
	// Panel describes the controls around the picture.
	Panel() *Panel
	// Wants names a file of the site, relative to the page, that the session needs; "":
	// none.
	Wants() string
	// Fetched passes the file that Wants named, or the error of fetching it.
	Fetched(name string, data []byte, err error) *Notice
	// Apply carries a command out.
	Apply(Command) *Notice
	// Work computes for about budget and says whether more work is due soon.
	Work(budget time.Duration) (busy bool, notice *Notice)
	// AppendFrame appends to dst the changes of the picture since the last call, encoded, or
	// nothing if there are none.
	AppendFrame(dst []byte) []byte
	// Forget says that the canvas lost the frames from AppendFrame: the next result is the
	// whole picture.
	Forget()
	// StateChanged says whether State would differ from its last result.
	StateChanged() bool
	// State fills the panel.
	State() State
	// Status is the state of training.
	Status() Status
	// Training says whether a training runs that should be saved from time to time.
	Training() bool
	// Fragment returns all settings as a URL fragment, without '#'.
	Fragment() string
	// Saved returns the state for a later session, in parts, the first without a key; nil if
	// there is nothing worth keeping. The error says why it cannot be saved.
	Saved() ([]Part, error)
	// Save makes a file for the user: Model, Bundle or another that the panel offers.
	Save(what string) (name string, data []byte, err error)
}

// Sparing is a Session that measures the speed of the machine while it is idle.
type Sparing interface {
	Session
	// Spare makes one measurement, unless it would take longer than most, and says whether
	// there are more to make.
	Spare(most time.Duration) (more bool)
}

// Pooled is a Session for which other workers, the helpers, compute. Every job ends once,
// by Done or by Lost; the jobs of one helper end in their order.
type Pooled interface {
	Session
	// Cores passes the number of workers that the machine has room for, this one included.
	Cores(n int)
	// Helpers returns the number of helpers that the session can use at present.
	Helpers() int
	// Job returns the next job for helper k, nil if there is none now. It is valid until the
	// next call.
	Job(k int) []byte
	// Done passes the result of the oldest open job of helper k, or its error. The session
	// may keep result.
	Done(k int, result []byte, err error) *Notice
	// Lost says that helper k has ended and its state is lost; another may take its place.
	// Its open jobs go to other helpers, or this session does them.
	Lost(k int)
}

// Helper does the jobs of a Pooled session in a separate worker.
type Helper interface {
	// Do carries out a job. The result is valid until the next call. Between pieces of
	// work, as short as in Session.Work, it calls alive.
	Do(job []byte, alive func()) (result []byte, err error)
}
