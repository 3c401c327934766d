package wire

// Panel describes the controls around a lab's picture. The shell makes real controls of it;
// the session checks their values.
//
// Titles, labels, notes, terms, summaries and warnings are plain text in which **…** is
// emphasised, Greek letters are symbols, q_X has an index, and […|target] has the colour of
// the target; latent, learned and mixture are colours too, wrong is the colour of errors, and
// […|aside] is left out where there is little room.
type Panel struct {
	Lab       string    `js:"lab"`
	Title     string    `js:"title"`     // "Interacting particles"
	Tagline   string    `js:"tagline"`   // one sentence
	Picture   string    `js:"picture"`   // describes the canvas for users who cannot see it
	Transport []Control `js:"transport"` // under the picture
	Figures   []Figure  `js:"figures"`   // next to the transport
	Groups    []Group   `js:"groups"`
	Help      []Entry   `js:"help"`    // symbols and words of the lab, explained
	Try       []string  `js:"try"`     // first things to try, a sentence each
	Accepts   string    `js:"accepts"` // endings of the files that open, ".npz,.npy"
	Drop      string    `js:"drop"`    // files to drop, for the curtain
	Largest   int       `js:"largest"` // MiB of the largest file that can be opened; 0 is 256
}

// Group is controls under one heading.
type Group struct {
	ID       string    `js:"id"`
	Title    string    `js:"title"`
	Note     string    `js:"note"` // a sentence under the heading; may be ""
	Closed   bool      `js:"closed"`
	Peek     bool      `js:"peek"` // stays visible on a phone while the other groups are hidden
	Controls []Control `js:"controls"`
}

// The kinds of Control. A Button sends Press with its ID; any other sends Set with its ID and
// value.
const (
	Slider = "slider" // a range and a number field; Min, Max, Step, Log or Stops
	Range  = "range"  // a range alone; the value is shown by the picture
	Number = "number" // a number field alone
	Field  = "field"  // text
	Choice = "choice" // one of Options
	Switch = "switch" // "on" or "off"
	Button = "button"
	Open   = "open"   // a button that opens a file
	Export = "export" // a button that saves the file Value: sent as Save with that name
	Image  = "image"  // a button that saves the picture as PNG
	Sweep  = "sweep"  // a button that shows the sweep in the file Value
	Curve  = "curve"  // a button with a drawing of the setting Value next to it, as a formula's curve
	Runs   = "runs"   // the list of State.Runs
)

// Control is one control of a panel.
type Control struct {
	ID      string    `js:"id"`
	Kind    string    `js:"kind"`
	Label   string    `js:"label"`
	Unit    string    `js:"unit"`
	Hint    string    `js:"hint"` // its effect, a sentence
	Key     string    `js:"key"`  // shortcut: KeyboardEvent.key, letters in lower case
	Icon    string    `js:"icon"` // of the page's sprites: train, pause, step, reset, dice…
	Value   string    `js:"value"`
	Min     float64   `js:"min"`
	Max     float64   `js:"max"`
	Step    float64   `js:"step"`
	Log     bool      `js:"log"`   // a logarithmic slider
	Stops   []float64 `js:"stops"` // a slider among these
	Ticks   []float64 `js:"ticks"` // named under a slider
	Options []Option  `js:"options"`
	Primary bool      `js:"primary"`
	Beside  bool      `js:"beside"` // a Button on the same line as the field before it
	Moves   bool      `js:"moves"`  // a Switch that is turned on for users without settings, unless they prefer less motion
}

// Option is one answer of a Choice.
type Option struct {
	Value string `js:"value"`
	Label string `js:"label"`
}

// Entry explains one symbol or word. A symbol has the same name everywhere, in all labs.
type Entry struct {
	Term string `js:"term"`
	Name string `js:"name"` // of a symbol: "kernel width"; "" for a word
	Text string `js:"text"`
}

// Figure is a number that the shell shows, or its description in a Panel.
type Figure struct {
	ID    string `js:"id"`
	Label string `js:"label"`
	Unit  string `js:"unit"`
	Hint  string `js:"hint"` // the description of the number
	Text  string `js:"text"` // in a State: the number
}

// Run is a kept training.
type Run struct {
	Name   string `js:"name"`
	Detail string `js:"detail"` // its settings and its result
	Shown  string `js:"shown"`  // "a" or "b" if it is displayed, otherwise ""
	Fixed  bool   `js:"fixed"`  // it comes with the lab, and cannot be removed
}

// Ask is a question to the user, who presses the button Accept or Cancel. Texts are as in a
// Panel.
type Ask struct {
	Title  string   `js:"title"` // "" asks nothing
	Text   string   `js:"text"`
	Facts  []Entry  `js:"facts"`  // the summary of the file
	Points []string `js:"points"` // remarks, a sentence each
	Accept string   `js:"accept"` // the label of the button; "" leaves Cancel alone
	Lab    string   `js:"lab"`    // lab that opens the last file on Accept; "" is this one
}

// The buttons of an Ask.
const (
	Accept = "accept"
	Cancel = "cancel"
)

// State fills a Panel.
type State struct {
	Lab      string             `js:"lab"`
	Status   string             `js:"status"`  // Status.String()
	Playing  bool               `js:"playing"` // something moves
	Summary  string             `js:"summary"` // the sentence above the picture
	Values   map[string]string  `js:"values"`  // of every control that has one, by ID
	Labels   map[string]string  `js:"labels"`  // of buttons with changed labels, by ID
	Pressed  map[string]bool    `js:"pressed"` // of buttons that stay pressed, by ID
	Off      map[string]string  `js:"off"`     // why a control cannot be used now, by ID
	Max      map[string]float64 `js:"max"`     // of ranges with a changed end, by ID
	Figures  []Figure           `js:"figures"`
	Task     string             `js:"task"`     // the current long task, in words; "" is none
	Progress float64            `js:"progress"` // of the task, from 0 to 1
	SecsLeft float64            `js:"secsLeft"`
	Takes    map[string]float64 `js:"takes"`   // expected seconds, on this machine, of the task that a button begins or continues, by ID
	Warning  string             `js:"warning"` // a warning about the displayed state; "" is none
	Runs     []Run              `js:"runs"`
	Sweep    string             `js:"sweep"`    // the file of the user's sweep; "" if there is none
	Fragment string             `js:"fragment"` // the whole state as a URL fragment, without '#'
	Short    string             `js:"short"`    // the same without the settings that the lab opens with anyway
	Carries  string             `js:"carries"`  // contents of Fragment other than settings, in words; "" is none
	Leaves   []string           `js:"leaves"`   // contents that it leaves out, a phrase each
	Hidden   map[string]bool    `js:"hidden"`   // controls without an effect now, by ID
	Ask      Ask                `js:"ask"`      // the question to the user
	Model    string             `js:"model"`    // the source of the weights, in words
	Kernel   string             `js:"kernel"`   // kernel.Name()
}
