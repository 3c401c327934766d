package wire

// Panel describes the controls around a lab's picture. Package markup makes HTML controls from this
// description; the session checks their values.
//
// Titles, labels, notes, terms, summaries and warnings are plain text with marks: **…** is
// emphasised, Greek letters are set as symbols, and q_X is set with an index. Text in the form
// […|colour] has one of the colours target, latent, learned, mixture and wrong (for errors).
// […|aside] is omitted where there is little space.
type Panel struct {
	Lab       string    `js:"lab"`
	Title     string    `js:"title"`     // "Interacting particles"
	Tagline   string    `js:"tagline"`   // one sentence
	Picture   string    `js:"picture"`   // description of the canvas for users who cannot see it
	Transport []Control `js:"transport"` // controls below the picture
	Figures   []Figure  `js:"figures"`   // numbers next to the transport
	Groups    []Group   `js:"groups"`
	Help      []Entry   `js:"help"`    // explanations of the lab's symbols and words
	Try       []string  `js:"try"`     // first things to try, one sentence each
	Accepts   string    `js:"accepts"` // endings of the names of files that can be opened, ".npz,.npy"
	Drop      string    `js:"drop"`    // the files that can be dropped, in words; displayed while a file is dragged over the page
	Largest   int       `js:"largest"` // size in MiB of the largest file that can be opened

	// HTML is the panel as HTML, by the ids of the page's elements (see package markup). It is nil if
	// the page contains the panel.
	HTML map[string]string `js:"html"`
}

// Group is a group of controls under one heading.
type Group struct {
	ID       string    `js:"id"`
	Title    string    `js:"title"`
	Note     string    `js:"note"` // a sentence under the heading; may be ""
	Closed   bool      `js:"closed"`
	Peek     bool      `js:"peek"` // whether the group stays visible on a phone while the other groups are hidden
	Controls []Control `js:"controls"`
}

// The kinds of Control. A Slider, Range, Number, Field, Choice or Switch sends Set with its ID and
// value; a Button sends Press with its ID.
const (
	Slider = "slider" // an HTML range input and a number field; has Min, Max and Step, and Log or Stops
	Range  = "range"  // an HTML range input alone; only the picture shows the value
	Number = "number" // a number field
	Field  = "field"  // a text field
	Choice = "choice" // a choice of one of the Options
	Switch = "switch" // a switch with the values "on" and "off"
	Button = "button"
	Open   = "open"   // a button that opens a file
	Export = "export" // a button that saves the file named in Value: it sends Save with this name
	Image  = "image"  // a button that saves the picture as PNG
	Sweep  = "sweep"  // a button that shows the sweep in the file named in Value
	Curve  = "curve"  // a button, and a drawing of a curve. Value names the setting that contains the curve
	Runs   = "runs"   // the list of State.Runs
)

// Control is one control of a panel.
type Control struct {
	ID      string    `js:"id"`
	Kind    string    `js:"kind"`
	Label   string    `js:"label"`
	Unit    string    `js:"unit"`
	Hint    string    `js:"hint"` // one sentence on what the control does
	Key     string    `js:"key"`  // shortcut: KeyboardEvent.key, letters in lower case
	Icon    string    `js:"icon"` // name of a picture: train, pause, step, reset, dice…
	Value   string    `js:"value"`
	Min     float64   `js:"min"`
	Max     float64   `js:"max"`
	Step    float64   `js:"step"`
	Log     bool      `js:"log"`   // whether a slider is logarithmic
	Stops   []float64 `js:"stops"` // the only values that a slider can have
	Ticks   []float64 `js:"ticks"` // values labelled under a slider
	Options []Option  `js:"options"`
	Primary bool      `js:"primary"`
	Beside  bool      `js:"beside"` // whether a Button is on the line of the control before it
	Moves   bool      `js:"moves"`  // whether a Switch lets the picture move: it is on by default, but off for users who prefer less motion
}

// Option is one answer of a Choice.
type Option struct {
	Value string `js:"value"`
	Label string `js:"label"`
}

// Entry explains a symbol or a word. A symbol has the same name in all labs.
type Entry struct {
	Term string `js:"term"`
	Name string `js:"name"` // name of a symbol: "kernel width"; "" for a word
	Text string `js:"text"`
}

// Figure is a number that the shell shows. A Panel contains its description, a State its value.
type Figure struct {
	ID    string `js:"id"`
	Label string `js:"label"`
	Unit  string `js:"unit"`
	Hint  string `js:"hint"` // description of the number
	Text  string `js:"text"` // in a State: the number
	None  bool   `js:"none"` // in a State: whether there is no number; Text is then "" or a dash
	Fold  bool   `js:"fold"` // whether the figure is shown only under "More"
}

// Run is a kept training.
type Run struct {
	Name   string `js:"name"`
	Detail string `js:"detail"` // settings and result of the run
	Shown  string `js:"shown"`  // "a" or "b" if the run's model is displayed, otherwise ""
	Fixed  bool   `js:"fixed"`  // whether the run cannot be deleted: it belongs to the lab, or is in training
}

// Ask is a question to the user, who answers with the button Accept or Cancel. The texts have
// the marks described at Panel.
type Ask struct {
	Title  string    `js:"title"` // "": no question
	Text   string    `js:"text"`
	Facts  []Entry   `js:"facts"`  // summary of the file that the question is about
	Points []string  `js:"points"` // remarks, one sentence each
	Dots   []float64 `js:"dots"`   // particles of the file’s first frame (n, 3): x, y (0 on a line) and species; a sample if there are many
	Accept string    `js:"accept"` // label of the button Accept; "": there is only Cancel
	Lab    string    `js:"lab"`    // name of another lab. If the user accepts, that lab opens the user's last file. "": this lab handles the answer.
}

// The buttons of an Ask.
const (
	Accept = "accept"
	Cancel = "cancel"
)

// The tasks of buttons that have begun.
const (
	Running = "running" // pressing the button stops the task
	Stopped = "stopped" // pressing the button continues the task
)

// State gives the values for a Panel.
type State struct {
	Lab      string               `js:"lab"`
	Status   string               `js:"status"`  // in words: Status.String()
	Playing  bool                 `js:"playing"` // whether the picture moves by itself
	Summary  string               `js:"summary"` // the sentence above the picture
	Values   map[string]string    `js:"values"`  // by ID, the value of every control that has one
	Labels   map[string]string    `js:"labels"`  // by ID, the changed labels of buttons
	Tasks    map[string]string    `js:"tasks"`   // by ID, whether the task of a button runs: Running or Stopped; a task that has not begun has no entry
	Off      map[string]string    `js:"off"`     // by ID, the reason why a control cannot be used now
	Max      map[string]float64   `js:"max"`     // by ID, the new Max of a range
	Knows    map[string][]float64 `js:"knows"`   // by ID, the lowest and the highest value of a setting for which the displayed model was trained
	Figures  []Figure             `js:"figures"`
	Task     string               `js:"task"`     // the current long task, in words; "": none
	Progress float64              `js:"progress"` // share of the task that is done, from 0 to 1
	SecsLeft float64              `js:"secsLeft"`
	Warning  string               `js:"warning"` // a warning about the displayed state; "": none
	Runs     []Run                `js:"runs"`
	Sweep    string               `js:"sweep"`    // content of the file of the user's sweep, as JSON; "": none
	Survey   string               `js:"survey"`   // content of the panel about the effects of ε and ẑ dim, as JSON (see package survey); "" if the panel is not shown
	Fragment string               `js:"fragment"` // all contents of a link, such as the settings, as a URL fragment without '#'
	Short    string               `js:"short"`    // Fragment without the settings that equal the lab's opening state
	Carries  string               `js:"carries"`  // contents of Fragment that are not settings, in words; "": none
	Leaves   []string             `js:"leaves"`   // what Fragment leaves out, one phrase each
	Hidden   map[string]bool      `js:"hidden"`   // IDs of the controls that are hidden because they have no effect now
	Ask      Ask                  `js:"ask"`      // the question to the user
	Model    string               `js:"model"`    // source of the model's weights, in words
	Swept    bool                 `js:"swept"`    // whether the model is one of the user's sweep
	Kernel   string               `js:"kernel"`   // the form of the worker's arithmetic, kernel.Name()
}
