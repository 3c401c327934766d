package system

import (
	"time"

	"macroscope/model/setting"
	"macroscope/model/system/play"
	"macroscope/model/wire"
)

// Live is a run of a system on the page: simulated as it plays, recorded before, or, for a
// Sampler, one set that can move. Every frame up to the last known one is kept. It is not
// safe for concurrent use.
type Live interface {
	// Page returns the texts and controls of the page.
	Page() *Page
	// Settings lists the physical settings; a link contains each of them. The table reads
	// this Live's own values; Set changes them.
	Settings() setting.Table
	// Set changes a setting, by name, and the displayed run: some settings restart the run,
	// others apply as it continues. An error changes nothing.
	Set(name, value string) error
	// Check says why the settings, however they were assigned, are not valid.
	Check() error
	// Generate begins the run of the settings, at frame 0 and stopped, or its preparation:
	// see Preparing.
	Generate() error
	// Preparing names the work before there is a run, and its share done; "" if there is
	// none. Prepare continues it for about budget.
	Preparing() (what string, share float64)
	Prepare(clock func() time.Time, budget time.Duration) error
	// Record begins a run of the user's data (kept, not copied), at frame 0.
	Record(t *Trajectory, note string)
	// Recorded says whether the displayed run is the user's data.
	Recorded() bool
	// Player plays the run.
	Player() *play.Player
	// Run describes the displayed run.
	Run() *Run
	// Frame fills dst with the sets of frame k, which must be known.
	Frame(dst *Frame, k int)
	// Shown fills dst with the sets of the displayed picture, which can lie between two
	// frames, and returns the place of each of its particles (N) among the particles of the
	// run.
	Shown(dst *Frame) (places []int)
	// Macro returns the macroscopic variables of frame k, which must be known.
	Macro(k int) []float64
	// Edit carries out a command of the picture: a particle is dragged, added or
	// removed, a stroke is drawn, a boundary moved. handled says whether the
	// system has that command.
	Edit(command, value string) (handled bool, err error)
	// Press carries out a button of the system's own.
	Press(id string) (handled bool, err error)
	// Put adds the system's rows to a frame: the displayed state, and the macroscopic
	// variables so far.
	Put(f *wire.Frame)
	// Figures adds the system's own numbers next to the transport.
	Figures(at map[string]string)
	// Summary returns the sentence above the picture, given the prediction.
	Summary(p Prediction) string
	// Foreign says why a model does not apply to the displayed run, apart from the parameters
	// of its frames; "" if it does. The model was trained on the user's trajectories if
	// recorded, otherwise on the system's simulations.
	Foreign(recorded bool) string
	// Save and Restore carry positions edited by hand, which a link cannot. They are kept,
	// not copied, and stay unchanged.
	Save() (positions []float32, note string)
	Restore(positions []float32, note string) error
}

// Run describes the displayed run. Generation changes whenever earlier frames leave the run:
// its readers then read the frames up to Known again.
type Run struct {
	Generation uint64
	Particles  int
	Horizon    int // the last frame
	Known      int // the last known frame
	Dt         float64
	Lo, Hi     [2]float64 // corners of the displayed region
	Blank      bool       // too few particles to move
	Note       string     // the source of the run, if it is not the settings
	Force      string     // between its particles, see Forced; "" where the system has no choice of forces
	Variables  []string   // names of the macroscopic variables (M)
}

// Prediction is the prediction of model A for the displayed picture.
type Prediction struct {
	OK              bool
	Coming          bool      // there is none yet, but there will be one
	Learning        bool      // there is none because the model is still learning densities
	Mean, Low, High []float64 // (M), in the variables' units; Low and High for ensembles alone
}
