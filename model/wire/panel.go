package wire

// Panel describes what the shell shows around a lab's picture. The shell makes
// real controls of it; what a value may be is the session's to say.
//
// Titles, labels, notes, terms, summaries and warnings are plain text in which
// **…** is emphasised, Greek letters are symbols, q_X has an index, and […|target]
// has the colour of the target; latent, learned and mixture are colours too, wrong
// is that of an error, and […|aside] is left out where there is little room.
type Panel struct {
	Lab       string    `js:"lab"`
	Title     string    `js:"title"`     // "Interacting particles"
	Tagline   string    `js:"tagline"`   // one sentence
	Picture   string    `js:"picture"`   // the canvas described for those who do not see it
	Transport []Control `js:"transport"` // under the picture
	Figures   []Figure  `js:"figures"`   // beside the transport
	Groups    []Group   `js:"groups"`
	Help      []Entry   `js:"help"`    // symbols and words of the lab, explained
	Try       []string  `js:"try"`     // what to try first, a sentence each
	Accepts   string    `js:"accepts"` // endings of the files that can be opened, ".npz,.npy"
	Drop      string    `js:"drop"`    // what may be dropped, for the curtain
	Largest   int       `js:"largest"` // MiB of the largest file that can be opened; 0 is 256
}

// Group is controls under one heading.
type Group struct {
	ID       string    `js:"id"`
	Title    string    `js:"title"`
	Note     string    `js:"note"` // a sentence under the heading; may be ""
	Closed   bool      `js:"closed"`
	Peek     bool      `js:"peek"` // stays in sight on a phone while the other groups are put away
	Controls []Control `js:"controls"`
}

// The kinds of Control. A change of any but Button is sent as Set with its ID
// and value, a Button as Press with its ID.
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
	Curve  = "curve"  // a button beside which the setting Value is drawn, as a formula's curve
	Runs   = "runs"   // the list of State.Runs
)

// Control is one control of a panel.
type Control struct {
	ID      string    `js:"id"`
	Kind    string    `js:"kind"`
	Label   string    `js:"label"`
	Unit    string    `js:"unit"`
	Hint    string    `js:"hint"` // what it does, a sentence
	Key     string    `js:"key"`  // shortcut: KeyboardEvent.key, letters in lower case
	Icon    string    `js:"icon"` // of the page's sprites: train, pause, step, reset, dice…
	Value   string    `js:"value"`
	Min     float64   `js:"min"`
	Max     float64   `js:"max"`
	Step    float64   `js:"step"`
	Log     bool      `js:"log"`   // a slider of decades
	Stops   []float64 `js:"stops"` // a slider among these
	Ticks   []float64 `js:"ticks"` // named under a slider
	Options []Option  `js:"options"`
	Primary bool      `js:"primary"`
	Beside  bool      `js:"beside"` // a Button on the line of the field before it
	Moves   bool      `js:"moves"`  // a Switch that goes on for visitors who come without settings of their own, unless they prefer less motion
}

// Option is one answer of a Choice.
type Option struct {
	Value string `js:"value"`
	Label string `js:"label"`
}

// Entry explains one symbol or word. A symbol has one name, in every lab and
// wherever it is written.
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
	Hint  string `js:"hint"` // in full what the number is
	Text  string `js:"text"` // in a State: the number
}

// Run is a training that is kept.
type Run struct {
	Name   string `js:"name"`
	Detail string `js:"detail"` // its settings and what it reached
	Shown  string `js:"shown"`  // "a" or "b" if it is on show, else ""
	Fixed  bool   `js:"fixed"`  // it comes with the lab, and stays
}

// Ask is a question that waits for the visitor, who presses the button Accept or
// Cancel. Texts are as in a Panel.
type Ask struct {
	Title  string   `js:"title"` // "" asks nothing
	Text   string   `js:"text"`
	Facts  []Entry  `js:"facts"`  // what was understood
	Points []string `js:"points"` // what is to be known, a sentence each
	Accept string   `js:"accept"` // the words of the button; "" leaves Cancel alone
	Lab    string   `js:"lab"`    // lab in which the last file is to be opened on Accept; "" is this one
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
	Summary  string             `js:"summary"` // the sentence over the picture
	Values   map[string]string  `js:"values"`  // of every control that has one, by ID
	Labels   map[string]string  `js:"labels"`  // of buttons whose words have changed, by ID
	Pressed  map[string]bool    `js:"pressed"` // of buttons that stay pressed, by ID
	Off      map[string]string  `js:"off"`     // why a control cannot be used now, by ID
	Max      map[string]float64 `js:"max"`     // of ranges whose end has moved, by ID
	Figures  []Figure           `js:"figures"`
	Task     string             `js:"task"`     // what takes long, in words; "" is nothing
	Progress float64            `js:"progress"` // of that, from 0 to 1
	SecsLeft float64            `js:"secsLeft"`
	Takes    map[string]float64 `js:"takes"`   // seconds that what a button begins, or goes on with, is expected to take on this machine, by ID
	Warning  string             `js:"warning"` // what the visitor should know of what is on show; "" is nothing
	Runs     []Run              `js:"runs"`
	Sweep    string             `js:"sweep"`    // the file of the visitor's own sweep; "" if there is none
	Fragment string             `js:"fragment"` // the whole state as a URL fragment, without '#'
	Short    string             `js:"short"`    // the same without what the lab opens with anyway
	Carries  string             `js:"carries"`  // what Fragment has beside settings, in words; "" is nothing
	Leaves   []string           `js:"leaves"`   // what it leaves out, a phrase each
	Hidden   map[string]bool    `js:"hidden"`   // controls that mean nothing now, by ID
	Ask      Ask                `js:"ask"`      // what the visitor is to decide
	Model    string             `js:"model"`    // where the weights are from, in words
	Kernel   string             `js:"kernel"`   // kernel.Name()
}
