package system

import (
	"io"

	"macroscope/model/file/data"
	"macroscope/sim/rng"
)

// Purpose is what trajectories are for. Those of different purposes have
// nothing in common, whatever the seeds are.
type Purpose int

// The purposes.
const (
	Show     Purpose = iota // for the user: those that simulate writes
	Train                   // for training
	Validate                // to watch a training by
	Encode                  // to be encoded once for the page's trainings
)

// Simulations for training, for tests and for the user must never be the same, whatever the
// seeds are: each purpose has its own range of the simulator's indices. Tests have the
// indices from FirstOfTests on.
var firstOf = [...]int{Show: 0, Train: 1 << 32, Encode: 3 << 32, Validate: 5 << 32}

// First returns the first index of the purpose.
func (p Purpose) First() int { return firstOf[p] }

// FirstOfTests is the first index of tests.
const FirstOfTests = 1 << 33

// Choice says which of a system's trajectories are wanted.
type Choice struct {
	Purpose   Purpose
	Seed      uint64
	Count     int
	Particles int  // in each; 0 is the system's own number
	Fixed     bool // every set has the same number of particles in all of them
	Wide      bool // first frames are drawn from a wider range than the paper's, which holds those of all tests
	Params    Ranges
}

// Test names one of the sets of trajectories that figures are measured on and
// that no training draws from. Their parameters are the usual, but for those that
// are drawn from ranges.
type Test struct {
	Name   string
	Source func(seed uint64, count int, params ...Range) Source
	// Fixed returns the same with sets of the sizes that an encoder of a fixed
	// number of particles was trained on; nil where there can be none.
	Fixed func(seed uint64, count int, params ...Range) Source
}

// Scaling is how coordinates are brought to the units of the networks.
type Scaling int

// The scalings.
const (
	AsIs        Scaling = iota // not at all
	Standardise                // to zero mean and unit variance
	Span                       // to [-1, 1]
)

// Traits are a system's constants.
type Traits struct {
	Name  string // in specifications, and in links unless Link says otherwise: "particles"
	Link  string // in links; "" is Name
	Title string // "Interacting particles"
	Dim   int    // coordinates of a particle of its simulation
	// MaxParticles bounds the particles in a set where there may be more than are simulated; 0: as many as these.
	MaxParticles int
	Sets         []string // a name for each set of a frame; "" where there is one alone
	Scaling      Scaling
	// Parameters are what its trajectories can differ in, beside their first frames.
	Parameters Parameters
	Turns      bool // the dynamics know no direction, so sets may be turned and mirrored
	Mirrors    int  // in so many ways sets may be mirrored, and in all of them together; the system is then Mirrored
	// Forces is the system itself where it can have other forces than it has; else nil.
	Forces Forced
	// Time between two frames as dynamics count it, in the system's units.
	Dt float64
	// Stochastic says that frames do not determine the future, so that the
	// dynamics have noise and predictions are ensembles.
	Stochastic bool
	// Ranged says that the discrepancy of predictions is one of macroscopic variables
	// in units of half the range that they have in training, not in their own.
	Ranged bool
	// Film is what pictures of its sets show; the zero Film if none can be drawn.
	Film Film
	// Streams name the random numbers of a training.
	Streams Streams
}

// Film is a rectangle of the plane of which pictures are taken. Sets are of points
// (x, y, brightness) or, where it is Marked, of particles (x, y, mark).
type Film struct {
	Left, Top, Width, Height float64
	Marked                   bool
}

// Drawn returns how many of a particle's coordinates a picture has: 1 on a line, 2 in
// the plane.
func (t *Traits) Drawn() int { return min(t.Dim, 2) }

// Streams name the random numbers of a training: initial weights, the batches of
// stage I, those of either part of stage II, how trajectories are turned for
// stage II, and rollouts.
type Streams struct{ Weights, Sets, Steps, Stretches, Turns, Rollouts string }

// System is what macroscopic dynamics are learned of.
type System interface {
	Traits() Traits
	// Variables returns the names of the macroscopic variables z̄ (M) that an
	// observable stands for; "" is the system's own.
	Variables(observable string) []string
	// KeepFrame says whether stage I uses frame k of a trajectory. What happens
	// late is slow, and without thinning most sets would be alike.
	KeepFrame(k int) bool
	// Frame fills dst with frame k of a trajectory of particles of so many
	// coordinates.
	Frame(dst *Frame, t *Trajectory, k, dim int)
	// Simulated returns trajectories that are simulated as they are read; nil
	// for a system of single sets, see Sampler.
	Simulated(c Choice) Source
	// Tests are the paper's. Those of a system in which the motion depends on the
	// number of particles have as many as are asked for; 0 is the system's own number.
	Tests(particles int) []Test
	// Open opens trajectories of the user's own, given the observable that is to
	// be predicted ("": the system's own). Closing the source is the caller's.
	Open(f File, observable string) (Recorded, error)
	// Finish checks a trajectory that came without its macroscopic variables and
	// computes them.
	Finish(t *Trajectory, dim int, observable string) error
	// Live returns a run to be played on the page, nil where there is no page of it.
	Live() Live
}

// Pictured is a System whose figure has tests of its own.
type Pictured interface {
	// Pictured are the tests that the figure shows, for encoders of sets of any sizes.
	Pictured() []Test
}

// PicturedTests returns the tests that a system's figure shows: its own or, if it has
// none or an encoder is for sets of fixed sizes, those of so many particles.
func PicturedTests(s System, particles int, fixed bool) []Test {
	if p, ok := s.(Pictured); ok && !fixed {
		return p.Pictured()
	}
	return s.Tests(particles)
}

// Recorded is trajectories of the user's own.
type Recorded interface {
	Source
	Observable() string // "" is the system's own
	// Raw fills t with trajectory index as it is in the file, whose macroscopic
	// variables are left out where they are to be computed: see System.Finish.
	Raw(t *Trajectory, index int) error
	Close() error
}

// File is where trajectories are read from: one file, or several that hold one
// trajectory each.
type File struct {
	Name  string
	Bytes io.ReaderAt
	Size  int64
	// More are further files, opened by name.
	More []string
	Open func(name string) (io.ReadCloser, error)
	// Pause is called by what takes long without reading; it may be nil.
	Pause data.Pause
}

// Format tells the format of the file by its content, and of the first of several.
func (f File) Format() data.Format {
	head := make([]byte, data.HeadBytes)
	n, _ := f.Bytes.ReadAt(head, 0) // what cannot be read says so when it is
	return data.FormatOf(f.Name, head[:n])
}

// Text says whether the file is text, which OpenTexts reads.
func (f File) Text() bool { return f.Format() == data.DumpText || f.Format() == data.CSV }

// Packer is a System whose frames may take much more room than what they are made of,
// as the pixels of a picture do. Stage I keeps the latter, and makes a frame of it each
// time that it draws one.
type Packer interface {
	System
	// Pack fills dst with a single set that has all of frame k.
	Pack(dst *Frame, t *Trajectory, k int)
	// Unpack makes of the points (n, Dim) of such a set what Frame makes of the frame.
	Unpack(dst *Frame, packed []float32)
}

// Mirrored is a Packer that can be mirrored in Traits.Mirrors ways without any change of
// its macroscopic variables and their dynamics.
type Mirrored interface {
	Packer
	// Mirror mirrors frames (…, N, Dim) of a trajectory, or packed, of so many
	// particles in the ways whose bits are set.
	Mirror(points []float32, particles int, ways uint)
	// MirrorFrame does so with the points of a frame, as Frame makes them.
	MirrorFrame(f *Frame, ways uint)
}

// Passage is a System of which it matters when its first macroscopic variable first
// exceeds a level, as the extension of a chain does when it unfolds.
type Passage interface {
	System
	// Passed returns the level for so many particles, if it is known.
	Passed(particles int) (level float64, known bool)
}

// Probed is a System with quantities that its future is known to depend on, by which
// one can tell whether the closure variables hold what they must.
type Probed interface {
	System
	// Quantities returns their names (Q).
	Quantities() []string
	// Quantify writes those of frame k to dst (Q).
	Quantify(dst []float64, t *Trajectory, k int)
}

// Sampler is a System of single sets, without time, that are drawn as they are
// needed.
type Sampler interface {
	System
	// Draw fills points (n, Dim) with a set for training.
	Draw(points []float32, src *rng.Source)
	// Validation fills points (n, Dim) with a set that no training draws: number
	// index of a seed. It leaves src where the set's own random numbers go on.
	Validation(points []float32, src *rng.Source, seed uint64, index int)
}
