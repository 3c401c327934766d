package wire

// Command is one thing that the visitor, or the shell on the visitor's behalf,
// asks of the worker. Values come as text, and the worker checks them.
type Command struct {
	Kind  string `js:"kind"`
	Name  string `js:"name"`  // Set: the control; File: the file's name
	Value string `js:"value"` // Set: the new value; Add, Remove: a position; RunTo: a step; Link: a fragment
	Data  []byte `js:"-"`     // File, Restore: the bytes
}

// The kinds of Command.
const (
	Set     = "set"     // change the control Name ("eps", "zdim", "n", "seed", "set") to Value
	Train   = "train"   // start or go on training
	Pause   = "pause"   // stop training, keep everything
	Step    = "step"    // one training step
	Reset   = "reset"   // back to the same seed's first weights
	NewSeed = "newseed" // another seed, from scratch
	RunTo   = "runto"   // train up to step Value, then pause
	Another = "another" // show another set of the stream
	Drift   = "drift"   // Value "on" or "off": let the shown mixture wander
	Add     = "add"     // add a particle at Value
	Remove  = "remove"  // remove the particle nearest to Value
	Shipped = "shipped" // go back to the shipped model
	Link    = "link"    // take every setting from a URL fragment
	File    = "file"    // a dropped file: data or a checkpoint
	Restore = "restore" // the bytes of an earlier State.Saved
	Save    = "save"    // ask for a checkpoint to download
)

// State is what the shell shows in its controls and its status line.
type State struct {
	Eps       float64 `js:"eps"`  // standard deviation of the kernel
	ZDim      int     `js:"zdim"` // latent dimension
	N         int     `js:"n"`    // particles in a set
	Seed      string  `js:"seed"` // decimal; a uint64 does not fit a JS number
	Set       int     `js:"set"`  // index of the set shown
	Drift     bool    `js:"drift"`
	OwnData   bool    `js:"ownData"`   // the particles are the visitor's
	DataName  string  `js:"dataName"`  // their file's name, if they came from one
	Status    string  `js:"status"`    // Status.String()
	Refitting bool    `js:"refitting"` // the model has not caught up with the target
	FitEps    float64 `js:"fitEps"`    // the ε that the model was last trained for
	Step      int     `js:"step"`
	Total     int     `js:"total"`
	Loss      float64 `js:"loss"`  // nats a sample
	KL        float64 `js:"kl"`    // nats, held-out sets; NaN before the first measurement
	SetKL     float64 `js:"setKL"` // nats, the set shown
	SetsPerS  float64 `js:"setsPerS"`
	SecsLeft  float64 `js:"secsLeft"`
	Fragment  string  `js:"fragment"` // the whole state as a URL fragment, without '#'
	Model     string  `js:"model"`    // where the weights are from, in words
	Kernel    string  `js:"kernel"`   // kernel.Name()
}

// Notice is one sentence for the visitor.
type Notice struct {
	Text  string `js:"text"`
	Error bool   `js:"error"`
}

// Status says what training is doing.
type Status uint8

// The states of training.
const (
	Idle     Status = iota // not started
	Training               // running
	Paused                 // stopped by the visitor, can go on
	Done                   // the schedule has ended
	Diverged               // stopped because a number stopped being finite
)

// String returns the status as a word.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "unknown"
}

var statusNames = [...]string{"idle", "training", "paused", "done", "diverged"}
