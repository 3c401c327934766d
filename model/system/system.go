package system

import (
	"io"

	"macroscope/model/file/data"
	"macroscope/sim/rng"
)

// Purpose is the use of trajectories. Trajectories of different purposes share no random
// numbers, whatever the seeds are.
type Purpose int

// The purposes.
const (
	Show     Purpose = iota // for the user: trajectories that simulate writes
	Train                   // for training
	Validate                // to monitor a training
	Encode                  // for the page's trainings, encoded once
)

// Simulations for training, for tests and for the user must never be the same, whatever the
// seeds are: each purpose has its own range of the simulator's indices. Tests have the
// indices from FirstOfTests on.
var firstOf = [...]int{Show: 0, Train: 1 << 32, Encode: 3 << 32, Validate: 5 << 32}

// First returns the first index of the purpose.
func (p Purpose) First() int { return firstOf[p] }

// FirstOfTests is the first index of tests.
const FirstOfTests = 1 << 33

// Choice selects trajectories of a system.
type Choice struct {
	Purpose   Purpose
	Seed      uint64
	Count     int
	Particles int  // in each; 0 is the system's default
	Fixed     bool // every set has the same number of particles in all trajectories
	Wide      bool // first frames are drawn from a wider range than the paper's, which contains all tests
	Params    Ranges
}

// Test names a set of trajectories that errors are measured on and that no training draws
// from. Their parameters are the defaults, except those drawn from ranges.
type Test struct {
	Name   string
	Source func(seed uint64, count int, params ...Range) Source
	// Fixed returns the test with sets of the sizes that an encoder of a fixed number of
	// particles was trained on; nil if there is none.
	Fixed func(seed uint64, count int, params ...Range) Source
}

// Scaling brings coordinates to the units of the networks.
type Scaling int

// The scalings.
const (
	AsIs        Scaling = iota // none
	Standardise                // to zero mean and unit variance
	Span                       // to [-1, 1]
)

// Traits are a system's constants.
type Traits struct {
	Name  string // in specifications, and in links unless Link says otherwise: "particles"
	Link  string // in links; "" is Name
	Title string // "Interacting particles"
	Dim   int    // coordinates of a simulated particle
	// MaxParticles bounds the particles in a set where this can exceed the simulated number;
	// 0: the simulated number.
	MaxParticles int
	Sets         []string // a name for each set of a frame; "" for a single set
	Scaling      Scaling
	// Parameters can differ between its trajectories.
	Parameters Parameters
	Turns      bool // the dynamics have no direction, so sets may be rotated and mirrored
	Mirrors    int  // number of mirrorings of a set, which combine; the system is then Mirrored
	// Forces is the system itself if it accepts other forces, otherwise nil.
	Forces Forced
	// Time between two frames in the dynamics, in the system's units.
	Dt float64
	// Stochastic says that a frame does not determine the future: the dynamics have noise and
	// predictions are ensembles.
	Stochastic bool
	// Ranged says that the discrepancy of predictions is measured in units of half the
	// training range of each macroscopic variable, not in the variable's units.
	Ranged bool
	// Film describes pictures of its sets; the zero Film if none can be drawn.
	Film Film
	// Streams name the random numbers of a training.
	Streams Streams
}

// Film is the rectangle of the plane that pictures show. Sets hold points (x, y, brightness)
// or, if Marked, particles (x, y, mark).
type Film struct {
	Left, Top, Width, Height float64
	Marked                   bool
}

// Drawn returns the number of a particle's coordinates in a picture: 1 on a line, 2 in the
// plane.
func (t *Traits) Drawn() int { return min(t.Dim, 2) }

// Streams name the random numbers of a training: initial weights, the batches of stage I, the
// batches of the two parts of stage II, rotations of trajectories for stage II, and rollouts.
type Streams struct{ Weights, Sets, Steps, Stretches, Turns, Rollouts string }

// System is the subject of macroscopic dynamics.
type System interface {
	Traits() Traits
	// Variables returns the names of the macroscopic variables z̄ (M) of an observable; "" is
	// the system's own.
	Variables(observable string) []string
	// KeepFrame says whether stage I uses frame k of a trajectory. Late changes are slow;
	// without thinning most sets would be alike.
	KeepFrame(k int) bool
	// Frame fills dst with frame k of a trajectory of particles with dim coordinates.
	Frame(dst *Frame, t *Trajectory, k, dim int)
	// Simulated returns trajectories that are simulated as they are read; nil for a system of
	// single sets, see Sampler.
	Simulated(c Choice) Source
	// Tests returns the paper's tests, with so many particles if the motion depends on their
	// number; 0 is the system's own number.
	Tests(particles int) []Test
	// Open opens the user's trajectories, to predict an observable ("": the system's own).
	// The caller closes the source.
	Open(f File, observable string) (Recorded, error)
	// Finish checks a trajectory without macroscopic variables, and computes them.
	Finish(t *Trajectory, dim int, observable string) error
	// Live returns a run for the page, nil if the system has no page.
	Live() Live
}

// Pictured is a System with separate tests for its figure.
type Pictured interface {
	// Pictured returns the tests of the figure, for encoders of sets of any size.
	Pictured() []Test
}

// PicturedTests returns the tests of a system's figure: its own or, without any or for an
// encoder of sets of fixed sizes, the tests of so many particles.
func PicturedTests(s System, particles int, fixed bool) []Test {
	if p, ok := s.(Pictured); ok && !fixed {
		return p.Pictured()
	}
	return s.Tests(particles)
}

// Recorded is the user's trajectories.
type Recorded interface {
	Source
	Observable() string // "" is the system's own
	// Raw fills t with trajectory index as the file has it; its macroscopic variables are
	// left out where they are to be computed: see System.Finish.
	Raw(t *Trajectory, index int) error
	Close() error
}

// File is the source of trajectories: one file, or several that hold one trajectory each.
type File struct {
	Name  string
	Bytes io.ReaderAt
	Size  int64
	// More are further files, opened by name.
	More []string
	Open func(name string) (io.ReadCloser, error)
	// Pause is called by long computations between reads; it may be nil.
	Pause data.Pause
}

// Format tells the format from the content of the (first) file.
func (f File) Format() data.Format {
	head := make([]byte, data.HeadBytes)
	n, _ := f.Bytes.ReadAt(head, 0) // a read error appears again when the file is read
	return data.FormatOf(f.Name, head[:n])
}

// Text says whether the file is text, for OpenTexts.
func (f File) Text() bool { return f.Format() == data.DumpText || f.Format() == data.CSV }

// Packer is a System with frames that may take much more room than their source, as the
// pixels of a picture do. Stage I keeps the source, and makes the frame each time that it
// draws one.
type Packer interface {
	System
	// Pack fills dst with the source of frame k, a single set.
	Pack(dst *Frame, t *Trajectory, k int)
	// Unpack makes the frame, as Frame does, from the points (n, Dim) of this set.
	Unpack(dst *Frame, packed []float32)
}

// Mirrored is a Packer. Its macroscopic variables and their dynamics do not change under
// Traits.Mirrors mirrorings.
type Mirrored interface {
	Packer
	// Mirror mirrors frames (…, N, Dim) of a trajectory, or packed frames, of so many
	// particles, by each mirroring with a bit set in ways.
	Mirror(points []float32, particles int, ways uint)
	// MirrorFrame does the same to the points of a frame from Frame.
	MirrorFrame(f *Frame, ways uint)
}

// Passage is a System with a level of its first macroscopic variable; the time of first
// passing it matters, as with the extension of a chain that unfolds.
type Passage interface {
	System
	// Passed returns the level for so many particles, if it is known.
	Passed(particles int) (level float64, known bool)
}

// Probed is a System with quantities that its future is known to depend on. They test whether
// the closure variables hold the information they need.
type Probed interface {
	System
	// Quantities returns their names (Q).
	Quantities() []string
	// Quantify writes the quantities of frame k to dst (Q).
	Quantify(dst []float64, t *Trajectory, k int)
}

// Sampler is a System of single sets, without time, drawn on demand.
type Sampler interface {
	System
	// Draw fills points (n, Dim) with a set for training.
	Draw(points []float32, src *rng.Source)
	// Validation fills points (n, Dim) with validation set index of a seed, which no training
	// draws. It leaves src at the set's next random number.
	Validation(points []float32, src *rng.Source, seed uint64, index int)
}
