package system

import (
	"time"

	"macroscope/model/setting"
	"macroscope/model/system/play"
	"macroscope/model/wire"
)

// Live is a run of a system as it is played on the page: simulated as time goes
// on, recorded before, or, for a Sampler, a set that may wander. Every frame
// that has been is kept. It is not safe for concurrent use.
type Live interface {
	// Page says what the page shows around the picture.
	Page() *Page
	// Settings lists the physics, each of which is a part of a link. Their values
	// are this Live's own; what they change is done by Set.
	Settings() setting.Table
	// Set changes a setting, by name, and what is played with it: some begin the
	// run anew, some let it go on. On an error all stays as it was.
	Set(name, value string) error
	// Check says why the settings, however they were assigned, cannot be played.
	Check() error
	// Generate begins the run of the settings, at frame 0 and stopped, or what
	// must come before it: see Preparing.
	Generate() error
	// Preparing says what is being done, and how far it is, before there is a run;
	// "" is nothing. Prepare goes on with that for about budget.
	Preparing() (what string, share float64)
	Prepare(clock func() time.Time, budget time.Duration) error
	// Record begins a run of the user's own (kept, not copied), at frame 0.
	Record(t *Trajectory, note string)
	// Recorded says whether the run on show is such a run.
	Recorded() bool
	// Player plays the run.
	Player() *play.Player
	// Run describes the run on show.
	Run() *Run
	// Frame fills dst with the sets of frame k, which must be known.
	Frame(dst *Frame, k int)
	// Shown fills dst with the sets of the picture on show, which may lie between
	// two frames, and returns for each of its particles (N) its place among the
	// particles of the run.
	Shown(dst *Frame) (places []int)
	// Macro returns the macroscopic variables of frame k, which must be known.
	Macro(k int) []float64
	// Edit carries out a command of the picture: a particle is dragged, added or
	// removed, a stroke is drawn, a boundary moved. handled says whether the
	// system has that command.
	Edit(command, value string) (handled bool, err error)
	// Press carries out a button of the system's own.
	Press(id string) (handled bool, err error)
	// Put adds the system's rows to a frame: what is on show, and the
	// macroscopic variables so far.
	Put(f *wire.Frame)
	// Figures adds the numbers beside the transport that are the system's own.
	Figures(at map[string]string)
	// Summary is the sentence over the picture, given what is predicted.
	Summary(p Prediction) string
	// Foreign says why, apart from the parameters of its frames, a model trained on the system's own simulations (recorded
	// is false) or on others cannot know of the run on show; "" if it can.
	Foreign(recorded bool) string
	// Save and Restore carry what a link cannot: positions edited by hand. They are
	// kept, not copied, and are changed no more.
	Save() (positions []float32, note string)
	Restore(positions []float32, note string) error
}

// Run describes the run on show. Generation changes whenever what came before is
// no longer part of the run: frames up to Known then have to be read again.
type Run struct {
	Generation uint64
	Particles  int
	Horizon    int // the last frame
	Known      int // the last frame that has been
	Dt         float64
	Lo, Hi     [2]float64 // corners of what is shown
	Blank      bool       // there are too few particles yet to move
	Note       string     // where the run is from, if it is not the settings'
	Force      string     // that its particles have, see Forced; "" where there is none to choose
	Variables  []string   // names of the macroscopic variables (M)
}

// Prediction is what model A predicts for the picture on show.
type Prediction struct {
	OK              bool
	Coming          bool      // there is none yet, but there will be
	Learning        bool      // there is none since the model is still learning densities
	Mean, Low, High []float64 // (M), in the variables' units; Low and High of ensembles alone
}
