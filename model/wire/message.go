package wire

// Command is one request to the worker. It comes from the user, or from the shell on the user's
// behalf. Values are text, and the worker checks them.
type Command struct {
	Kind  string `js:"kind"`
	Name  string `js:"name"`  // Set and Press: ID of the control. File: name of the file. Save: Model, Bundle or another file. Restore: a newer URL fragment of the session, or ""
	Value string `js:"value"` // Set: the new value. Link and Restore: a URL fragment. Add and Remove: a place in the picture
	Data  []byte `js:"-"`     // File, Restore: the bytes
}

// The kinds of Command.
const (
	Set     = "set"     // change the control with the ID Name to the value in Value
	Press   = "press"   // press the Panel's button with the ID Name
	Train   = "train"   // start or continue training
	Pause   = "pause"   // stop training, keep everything
	Add     = "add"     // add a particle at Value
	Remove  = "remove"  // remove the particle nearest to Value
	Link    = "link"    // take all settings from the URL fragment in Value (see Door)
	File    = "file"    // a dropped or opened file: data, a checkpoint or a bundle
	Restore = "restore" // restore a session from the parts returned by Saved, joined by Whole
	Save    = "save"    // request a file for download: Model, or another file of the lab
)

// Door is the Name of a Link command if the user has no link with settings. The lab then opens in
// its opening state (Opening in model/lab), which may differ from its default settings.
const Door = "door"

// Files that every lab can save: its model, in the format safetensors, and its complete state,
// as a bundle.
const (
	Model  = "model"
	Bundle = "bundle"
)

// Notice is one sentence for the user, with a button if it has an action.
type Notice struct {
	Text   string `js:"text"`
	Error  bool   `js:"error"`
	Action string `js:"action"` // the button's label
	Press  string `js:"press"`  // ID of the Panel's button that the action presses
}

// Status is the state of training.
type Status int

// The states of training.
const (
	Idle     Status = iota // not started
	Training               // running
	Paused                 // stopped by the user, can continue
	Done                   // the schedule has ended
	Diverged               // stopped because a number was not finite
)

// String returns the status as a word.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return "unknown"
}

var statusNames = [...]string{"idle", "training", "paused", "done", "diverged"}
