package system

import (
	"time"

	"macroscope/model/setting"
	"macroscope/model/system/play"
	"macroscope/model/wire"
)

// Live is a run of a system on the page. It is simulated as it plays, recorded before or, for a
// Sampler, a single set that can move. Every frame up to the last known one is kept. A Live is
// not safe for concurrent use.
type Live interface {
	// Page returns the texts and controls of the page.
	Page() *Page
	// Settings lists the physical settings; a link contains all of them. The table refers
	// to the values in this Live; only Set may change them.
	Settings() setting.Table
	// Set changes the setting of this name, and the displayed run: some settings restart it,
	// others apply from then on. An error changes nothing.
	Set(name, value string) error
	// Check returns an error if the settings are not valid, however they were assigned.
	Check() error
	// Generate begins the run that the settings describe, stopped at frame 0. If that takes
	// long, it begins the preparation instead, see Preparing.
	Generate() error
	// Preparing names the work that precedes the run, and its share done; "" if there is none.
	// Prepare continues the work for about budget.
	Preparing() (what string, share float64)
	Prepare(clock func() time.Time, budget time.Duration) error
	// Record begins a run of the user's data at frame 0. It keeps t without a copy.
	Record(t *Trajectory, note string)
	// Recorded says whether the displayed run is the user's data.
	Recorded() bool
	// Player plays the run.
	Player() *play.Player
	// Run describes the displayed run.
	Run() *Run
	// Frame fills dst with the sets of frame k, which must be known.
	Frame(dst *Frame, k int)
	// Shown fills dst with the sets of the displayed picture, which can lie between two frames.
	// places (N) holds the index of each of its particles in the run.
	Shown(dst *Frame) (places []int)
	// Macro returns the macroscopic variables of frame k, which must be known.
	Macro(k int) []float64
	// Edit carries out a command of the picture, such as dragging a particle or a boundary.
	// handled says whether the system has this command.
	Edit(command, value string) (handled bool, err error)
	// Press carries out a button of this system.
	Press(id string) (handled bool, err error)
	// Put adds the system's rows to a frame: the displayed state, and the macroscopic
	// variables so far.
	Put(f *wire.Frame)
	// Figures adds the system's numbers that the page shows next to the transport (the buttons
	// that play).
	Figures(at map[string]string)
	// Summary returns the sentence above the picture, given the prediction.
	Summary(p Prediction) string
	// Foreign returns the reason why a model does not apply to the displayed run, or "" if
	// the model applies. Parameters that dynamics can take as inputs are not compared.
	// recorded says that the model was trained on the user's trajectories and not on the
	// system's simulations.
	Foreign(recorded bool) string
	// Save and Restore carry positions that the user has edited, because a link cannot contain
	// them. Neither copies them, and nobody may change them afterwards.
	Save() (positions []float32, note string)
	Restore(positions []float32, note string) error
}

// Run describes the displayed run. Generation changes whenever earlier frames leave the run:
// whoever has read frames then reads those up to Known again.
type Run struct {
	Generation uint64
	Particles  int
	Horizon    int // the last frame
	Known      int // the last known frame
	Dt         float64
	Lo, Hi     [2]float64 // corners of the displayed region
	Blank      bool       // too few particles to move
	Note       string     // the source of the run, if that is not the settings
	Force      string     // between its particles, see Forced; "" if the system has no choice of forces
	Variables  []string   // names of the macroscopic variables (M)
}

// Prediction is the prediction of model A for the displayed picture.
type Prediction struct {
	OK              bool
	Coming          bool      // there is no prediction yet, but there will be one
	Learning        bool      // there is no prediction because the model is still learning densities
	Mean, Low, High []float64 // (M), in the variables' units; Low and High only for ensembles
}
