package wire

import "time"

// Demo is the first lab that the page opens.
const Demo = "demo"

// Session is a lab in the worker: settings, data, models and their training, controlled by a user.
// A Session only computes, so a test can take the place of the page. A Session is not safe for
// concurrent use. Where a method returns a Notice, nil means no message.
type Session interface {
	// Lab returns the lab's name in links.
	Lab() string
	// Panel describes the controls around the picture.
	Panel() *Panel
	// Wants returns the name of a file of the site that the session needs, relative to the
	// page. It returns "" if there is none.
	Wants() string
	// Fetched passes a file to the session, or the error of fetching it. The session has requested
	// this file through Wants.
	Fetched(name string, data []byte, err error) *Notice
	// Apply carries out a command.
	Apply(Command) *Notice
	// Work computes for about the time `budget` and reports whether more work is due soon.
	Work(budget time.Duration) (busy bool, notice *Notice)
	// AppendFrame appends to dst the encoded changes of the picture since the last call. It
	// appends nothing if nothing has changed.
	AppendFrame(dst []byte) []byte
	// Forget is called when the canvas has lost the frames from AppendFrame. The next
	// AppendFrame then returns the whole picture.
	Forget()
	// StateChanged reports whether State would differ from its last result.
	StateChanged() bool
	// State returns the values for the panel.
	State() State
	// Status returns the state of training.
	Status() Status
	// Training reports whether a training is running that should be saved from time to time.
	Training() bool
	// Fragment returns State.Fragment.
	Fragment() string
	// Saved returns the state for a later session, in parts; the first part has no key. It
	// returns nil if there is nothing worth keeping. The error says why the state cannot be
	// saved.
	Saved() ([]Part, error)
	// Save makes a file for the user: Model, Bundle or another file that the panel offers.
	Save(what string) (name string, data []byte, err error)
}

// Renewing is a Session that can begin anew, with another panel, while its lab stays the same.
type Renewing interface {
	Session
	// Renewed reports whether the session has begun anew since the last call.
	Renewed() bool
}

// Pooled is a Session for which other workers, the helpers, compute. Every job ends exactly once:
// with a call of Done, or with a call of Lost. The jobs of one helper end in the order in which Job
// returned them.
type Pooled interface {
	Session
	// Cores passes the number of workers that the machine can run at once, including this one.
	Cores(n int)
	// Helpers returns the number of helpers that the session can use at present.
	Helpers() int
	// Job returns the next job for helper k, or nil if there is none now. The result is valid
	// until the next call.
	Job(k int) []byte
	// Done passes the result, or the error, of the oldest open job of helper k. The session may
	// keep the slice `result`.
	Done(k int, result []byte, err error) *Notice
	// Lost is called when helper k has ended and its state is lost; another helper may replace
	// it. The open jobs of helper k go to other helpers, or this session does them.
	Lost(k int)
}

// Helper does the jobs of a Pooled session in a separate worker.
type Helper interface {
	// Do carries out a job. The result is valid until the next call. Do calls `alive`
	// between short pieces of work, to show that the worker has not hung.
	Do(job []byte, alive func()) (result []byte, err error)
}
