package system

import (
	"time"

	"macroscope/model/file/data"
	"macroscope/model/setting"
	"macroscope/model/system/play"
	"macroscope/model/wire"
)

// Live is a run of a system on the page. The run is a recording or is simulated as it plays. The
// run of a system of single sets is a single set that can move. Every frame up to the last known
// frame is kept. A Live is not safe for concurrent use.
//
// A Live can have more methods, which the packages below model/lab/session find by type assertion:
//
//	Idle, Playable      which settings do not apply, which recordings can be shown; a Core has both
//	RecordAs            Record with another observable and another force
//	Turned, Turn        changes of settings while the run plays, for links
//	Unlinked            what a link leaves out, in words
//	Values              values of controls that are not settings
//	Measures, Measure   further columns of the file of curves
//	Places              which particles of the run are in a frame, in the order of Frame; nil: as in Shown
//	Packed              frames for the file of the run, if models see the run as pictures
type Live interface {
	// Page returns the texts and controls of the page.
	Page() *Page
	// Settings lists the physical settings. A link contains all of them. The table refers to
	// the values in this Live. After a change through the table, call Check and Generate.
	Settings() setting.Table
	// Set changes the named setting and the displayed run. Some settings restart the run;
	// others apply from the displayed frame on. If Set returns an error, nothing has changed.
	Set(name, value string) error
	// Check returns an error if the settings are not valid. Settings that are valid one by one
	// may be invalid together.
	Check() error
	// Generate begins the run described by the settings and stops it at frame 0. If the start takes
	// long, Generate only begins the preparation of the run (see Preparing).
	Generate() error
	// Preparing returns the name of the work that precedes the run, and its completed share.
	// The name is "" if there is no such work. Prepare continues the work for about the given
	// time.
	Preparing() (what string, share float64)
	Prepare(clock func() time.Time, budget time.Duration) error
	// Record begins a run of the user's data at frame 0. It keeps t without copying it.
	Record(t *Trajectory, note string)
	// Recorded reports whether the displayed run is the user's data.
	Recorded() bool
	// Player plays the run.
	Player() *play.Player
	// Run describes the displayed run.
	Run() *Run
	// Frame fills dst with the sets of frame k. Frame k must be known.
	Frame(dst *Frame, k int)
	// Shown fills dst with the sets of the displayed picture, which can lie between two frames.
	// The result (N) contains, for each particle of dst, its index in the run.
	Shown(dst *Frame) (places []int)
	// Macro returns the macroscopic variables of frame k. Frame k must be known.
	Macro(k int) []float64
	// Edit carries out a command that the picture sends, such as dragging a particle or a
	// boundary. It returns handled = false if the system does not have this command.
	Edit(command, value string) (handled bool, err error)
	// Press carries out the action of a button that only this system has, see the function Press. It returns
	// handled = false if the system does not have this button.
	Press(id string) (handled bool, err error)
	// Put adds the system's rows to a frame: the displayed state, and the macroscopic
	// variables so far.
	Put(f *wire.Frame)
	// Figures adds the system's numbers that the page shows next to the buttons for playing.
	Figures(at map[string]string)
	// Summary returns the sentence above the picture. It includes the prediction.
	Summary(p Prediction) string
	// Foreign returns the reason why a model does not apply to the displayed run, or "" if the
	// model applies. Parameters that dynamics can take as inputs are not compared. `recorded`
	// is true if the model was trained on the user's trajectories and not on the system's
	// simulations.
	Foreign(recorded bool) string
	// Save and Restore transfer positions that the user has edited, because a link cannot
	// contain them. They do not copy the positions, so nobody may change the positions
	// afterwards.
	Save() (positions []float32, note string)
	Restore(positions []float32, note string) error
}

// Places fills dst with frame k of a run, and returns for each of its particles (N) its index in the run. Other particles can be
// there than in the displayed frame, if the Live says so. The result is valid until the next call.
func Places(l Live, dst *Frame, k int) (places []int) {
	places = l.Shown(dst)
	if of, ok := l.(interface{ Places(frame int) []int }); ok {
		places = of.Places(k)
	}
	l.Frame(dst, k)
	return places
}

// Rotation is a view of particles in space from a direction of the user's choice. It never changes.
type Rotation interface {
	// At returns the place of a particle x (D) across and up in the picture, and how near it is.
	At(x []float32) [3]float64
	// Widths returns the standard deviations across and up of a kernel with the standard deviations sigma, of which
	// the first D count.
	Widths(sigma [data.MaxDim]float64) [2]float64
}

// Run describes the displayed run. Generation changes whenever a frame is replaced or removed.
// Code that has read frames of the run then reads all known frames again.
type Run struct {
	Generation uint64
	Particles  int
	Horizon    int // index of the last frame
	Known      int // index of the last known frame
	Dt         float64
	Lo, Hi     [2]float64 // corners of the displayed region
	Axes       [2]int     // the coordinates that are displayed; both 0: the first two
	Repeats    [2]bool    // whether the displayed region is one period of each of these coordinates
	Rotation   Rotation   // how the displayed region is turned, which then lies across and up in the picture; nil: it is not
	Set        int        // number, from 1, of the only set whose density is displayed; 0: all, by their names
	Blank      bool       // whether the user is drawing particles that are still too few for a run
	Note       string     // source of the run, unless the settings describe it
	Beyond     string     // sentence that says how the first frame differs from those in the paper's training; "" if it does not, or if that is unknown
	Force      string     // force between the particles, see Forces; "" if the system has no choice of forces
	Variables  []string   // names of the M macroscopic variables
}

// Prediction is the prediction that the page's model A makes of the first variable in the displayed
// picture. At most one of OK, Coming and Learning is true.
type Prediction struct {
	OK              bool
	Coming          bool    // whether a prediction is on its way
	Learning        bool    // whether there is no prediction because the model is still learning densities
	Mean, Low, High float64 // in the variable's unit; Low and High are NaN unless there is an ensemble
}
