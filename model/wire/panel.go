package wire

// Panel describes the controls around a lab's picture. The shell makes HTML controls of it;
// the session checks their values.
//
// Titles, labels, notes, terms, summaries and warnings are plain text in which **…** is
// emphasised, Greek letters are set as symbols, and q_X with an index. […|target] has the
// colour of the target; latent, learned, mixture and wrong (errors) are further colours.
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
	Drop      string    `js:"drop"`    // files to drop, named while a file is dragged over the page
	Largest   int       `js:"largest"` // MiB of the largest file that can be opened; 0 is 256
}

// Group is controls under one heading.
type Group struct {
	ID       string    `js:"id"`
	Title    string    `js:"title"`
	Note     string    `js:"note"` // a sentence under the heading; may be ""
	Closed   bool      `js:"closed"`
	Peek     bool      `js:"peek"` // the group stays visible on a phone while the other groups are hidden
	Controls []Control `js:"controls"`
}

// The kinds of Control. A Button sends Press with its ID; any other sends Set with its ID and
// value.
const (
	Slider = "slider" // a range and a number field; with Min, Max and Step, and with Log or Stops
	Range  = "range"  // a range; only the picture shows the value
	Number = "number" // a number field
	Field  = "field"  // text
	Choice = "choice" // one of Options
	Switch = "switch" // "on" or "off"
	Button = "button"
	Open   = "open"   // a button that opens a file
	Export = "export" // a button that saves the file Value: it sends Save with that name
	Image  = "image"  // a button that saves the picture as PNG
	Sweep  = "sweep"  // a button that shows the sweep in the file Value
	Curve  = "curve"  // a button and a drawing of the curve in the setting Value
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
	Icon    string    `js:"icon"` // name of a picture: train, pause, step, reset, dice…
	Value   string    `js:"value"`
	Min     float64   `js:"min"`
	Max     float64   `js:"max"`
	Step    float64   `js:"step"`
	Log     bool      `js:"log"`   // a logarithmic slider
	Stops   []float64 `js:"stops"` // the only values of a slider
	Ticks   []float64 `js:"ticks"` // values labelled under a slider
	Options []Option  `js:"options"`
	Primary bool      `js:"primary"`
	Beside  bool      `js:"beside"` // a Button on the line of the control before it
	Moves   bool      `js:"moves"`  // a Switch that is turned on by default, unless the user prefers less motion
}

// Option is one answer of a Choice.
type Option struct {
	Value string `js:"value"`
	Label string `js:"label"`
}

// Entry explains a symbol or a word. A symbol has the same name in all labs.
type Entry struct {
	Term string `js:"term"`
	Name string `js:"name"` // of a symbol: "kernel width"; "" for a word
	Text string `js:"text"`
}

// Figure is a number that the shell shows. A Panel has its description, a State its value.
type Figure struct {
	ID    string `js:"id"`
	Label string `js:"label"`
	Unit  string `js:"unit"`
	Hint  string `js:"hint"` // the description of the number
	Text  string `js:"text"` // in a State: the number
	Fold  bool   `js:"fold"` // it is in the fold of further figures
}

// Run is a kept training.
type Run struct {
	Name   string `js:"name"`
	Detail string `js:"detail"` // its settings and its result
	Shown  string `js:"shown"`  // "a" or "b" if its model is displayed, otherwise ""
	Fixed  bool   `js:"fixed"`  // it belongs to the lab and cannot be removed
}

// Ask is a question to the user, who answers with the button Accept or Cancel. Texts are as
// in a Panel.
type Ask struct {
	Title  string   `js:"title"` // "": no question
	Text   string   `js:"text"`
	Facts  []Entry  `js:"facts"`  // the summary of the file
	Points []string `js:"points"` // remarks, a sentence each
	Accept string   `js:"accept"` // label of the button Accept; "": only Cancel
	Lab    string   `js:"lab"`    // the lab that opens the last file on Accept; "": this one
}

// The buttons of an Ask.
const (
	Accept = "accept"
	Cancel = "cancel"
)

// State fills a Panel.
type State struct {
	Lab      string             `js:"lab"`
	Status   string             `js:"status"`  // in words: Status.String()
	Playing  bool               `js:"playing"` // the picture moves by itself
	Summary  string             `js:"summary"` // the sentence above the picture
	Values   map[string]string  `js:"values"`  // of every control that has one, by ID; 0 while that is measured
	Labels   map[string]string  `js:"labels"`  // of buttons with changed labels, by ID
	Pressed  map[string]bool    `js:"pressed"` // of buttons that stay pressed, by ID
	Off      map[string]string  `js:"off"`     // by ID: why a control cannot be used now
	Max      map[string]float64 `js:"max"`     // by ID: the new Max of a range
	Figures  []Figure           `js:"figures"`
	Task     string             `js:"task"`     // the current long task, in words; "": none
	Progress float64            `js:"progress"` // of the task, from 0 to 1
	SecsLeft float64            `js:"secsLeft"`
	Takes    map[string]float64 `js:"takes"`   // by ID: seconds that a button's task is expected to take on this machine
	Warning  string             `js:"warning"` // a warning about the displayed state; "": none
	Runs     []Run              `js:"runs"`
	Sweep    string             `js:"sweep"`    // the file of the user's sweep; "" if there is none
	Fragment string             `js:"fragment"` // the whole state as a URL fragment, without '#'
	Short    string             `js:"short"`    // Fragment without the settings with which the lab opens anyway
	Carries  string             `js:"carries"`  // contents of Fragment other than settings, in words; "": none
	Leaves   []string           `js:"leaves"`   // what Fragment leaves out, a phrase each
	Hidden   map[string]bool    `js:"hidden"`   // controls that have no effect now, by ID
	Ask      Ask                `js:"ask"`      // the question to the user
	Model    string             `js:"model"`    // the source of the weights, in words
	Kernel   string             `js:"kernel"`   // kernel.Name()
}
