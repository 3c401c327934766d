package system

import (
	"io"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// Purpose is the use of trajectories. Trajectories of different purposes never use the same
// random numbers, whatever their seeds.
type Purpose int

// The purposes.
const (
	Show     Purpose = iota // for the user; the command simulate writes these trajectories
	Train                   // for training
	Validate                // for the validation of a training
	Encode                  // encoded once, for trainings of dynamics on the page
)

// firstOf is the first trajectory index of each purpose. Each purpose has its own range of the
// simulator's indices, so training, tests and the user never get the same simulation, whatever
// the seeds. The indices of tests begin at FirstOfTests.
var firstOf = [...]int{Show: 0, Train: 1 << 32, Encode: 3 << 32, Validate: 5 << 32}

// First returns the index of the purpose's first trajectory.
func (p Purpose) First() int { return firstOf[p] }

// FirstOfTests is the index of the tests' first trajectory.
const FirstOfTests = 1 << 33

// Choice selects trajectories of a system.
type Choice struct {
	Purpose   Purpose
	Seed      uint64
	Count     int
	Particles int  // number of particles; 0: the system's default
	Fixed     bool // whether every set has the same number of particles in all trajectories
	Wide      bool // whether first frames come from a wider range than in the paper. The wider range covers the first frames of all tests
	Params    Ranges
}

// Test is a set of trajectories on which errors are measured. Training never uses them.
// Parameters without a range have their defaults.
type Test struct {
	Name   string
	Source func(seed uint64, count int, params ...Range) Source
	// Some encoders need a fixed number of particles. Fixed returns the test for these encoders,
	// with sets as large as in training. Fixed is nil if there is no such test.
	Fixed func(seed uint64, count int, params ...Range) Source
}

// Scaling is how coordinates are scaled for the networks.
type Scaling int

// The scalings.
const (
	AsIs        Scaling = iota // no scaling
	Standardise                // to zero mean and unit variance
	Span                       // to [-1, 1]
)

// Traits are a system's constants.
type Traits struct {
	Name  string // name in specifications, such as "particles"
	Link  string // name in links; "" means Name
	Title string // name on the page, such as "Interacting particles"
	Dim   int    // number of coordinates of a simulated particle
	// MaxParticles is the largest number of particles in a set. 0 means that a set never has
	// more than the simulated number.
	MaxParticles int
	Sets         []string // a name for each set of a frame; "" for a single set
	Scaling      Scaling
	// Parameters are the parameters that can differ between trajectories.
	Parameters Parameters
	Turns      bool // whether the dynamics prefer no direction, so that sets may be rotated and mirrored
	Mirrors    int  // number of different mirrorings of a set. Mirrorings can be combined. If the number is above 0, the system implements Mirrored.
	// Forces is the system itself if the user can choose its force, otherwise nil.
	Forces Forced
	// Dt is the time between two frames in the learned dynamics, in the system's units.
	Dt float64
	// Interval is the time between two frames of a simulation, in the simulator's units; 0 if it is not
	// the same for all simulations.
	Interval float64
	// Stochastic is set if a frame does not determine the future: the dynamics then have noise,
	// and predictions are ensembles.
	Stochastic bool
	// Ranged is set if the MMD measures the variables in units of half the training range of the
	// first macroscopic variable. Otherwise it uses the system's units.
	Ranged bool
	// Film describes pictures of the sets. It is the zero Film if none can be drawn.
	Film Film
	// Streams names the random streams of a training.
	Streams Streams
}

// Film is the rectangle of the plane that a picture of a set shows, in the coordinates of the
// set's points. A point is (x, y, brightness) or, if Marked is true, (x, y, mark). A mark is a
// number such as the place of a bead along its chain.
type Film struct {
	Left, Top, Width, Height float64
	Marked                   bool
}

// Drawn returns how many coordinates of a particle a picture shows: 1 on a line, otherwise 2.
func (t *Traits) Drawn() int { return min(t.Dim, 2) }

// Streams are the names of a training's random streams. The stream Weights draws the initial
// weights. The stream Sets draws the batches of stage I. Stage II has two parts. The stream Steps
// draws the batches of the first part. The stream Stretches draws the long stretches of the second
// part. The stream Turns draws the rotations of trajectories in stage II. The stream Rollouts draws
// the noise of predictions.
type Streams struct{ Weights, Sets, Steps, Stretches, Turns, Rollouts string }

// System is a system of particles for which macroscopic dynamics are learned.
type System interface {
	Traits() Traits
	// Variables returns the names of the macroscopic variables z̄ (M) for an observable; ""
	// means the system's own observable.
	Variables(observable string) []string
	// KeepFrame reports whether stage I uses frame k of a trajectory. Late frames change
	// slowly; if all were used, most sets would be alike.
	KeepFrame(k int) bool
	// Frame fills dst with frame k of a trajectory of particles with dim coordinates.
	Frame(dst *Frame, t *Trajectory, k, dim int)
	// Simulated returns a Source that simulates its trajectories when they are read, or nil for
	// a Sampler.
	Simulated(c Choice) Source
	// Tests returns the paper's tests. If the motion depends on the number of particles, the
	// tests use the given number; 0 means the system's own number.
	Tests(particles int) []Test
	// Open opens the user's trajectories for predictions of an observable ("": the system's
	// own). The caller closes the result.
	Open(f File, observable string) (Recorded, error)
	// Finish checks a trajectory and computes missing macroscopic variables.
	Finish(t *Trajectory, dim int, observable string) error
	// Live returns a run for the page, or nil if the system has no page.
	Live() Live
}

// Pictured is a System with separate tests for its figure in the paper.
type Pictured interface {
	// Pictured returns the tests of the figure. The encoder must accept sets of any size.
	Pictured() []Test
}

// PicturedTests returns the tests for the paper's figure of a system. If the system is a Pictured
// and the encoder accepts sets of any size, these are the figure's own tests. Otherwise
// PicturedTests returns the result of System.Tests.
func PicturedTests(s System, particles int, fixed bool) []Test {
	if p, ok := s.(Pictured); ok && !fixed {
		return p.Pictured()
	}
	return s.Tests(particles)
}

// Recorded is a source of the user's trajectories.
type Recorded interface {
	Source
	Observable() string // "" means the system's own observable
	Facts() *Facts
	// Raw fills t with the trajectory of the given index, as it is in the file. It leaves out
	// macroscopic variables that System.Finish will compute.
	Raw(t *Trajectory, index int) error
	Close() error
}

// File contains the user's trajectories: one file, or several text files with one trajectory
// each.
type File struct {
	Name  string
	Bytes io.ReaderAt
	Size  int64
	// More are further files, opened by name.
	More []string
	Open func(name string) (io.ReadCloser, error)
	// Pause is called during computations that last long and do not read from the file. It may
	// be nil.
	Pause work.Pause
	As    Reading
}

// Reading says how to read a file.
type Reading struct {
	Columns  []string   // names of the columns with the coordinates, in text files; nil: by their names
	Outliers frames.Bad // what happens to a trajectory with a coordinate absurdly far from all others
	Offset   []float64  // (D) subtracted from the coordinates; of another length: where single precision would lose digits
	Interval float64    // time between two frames, whatever the file says; 0: what the file says
}

// leaveOut returns advice to leave out bad runs, where the user can choose it.
func (r Reading) leaveOut() string {
	if r.Outliers == frames.Refuse {
		return " with -outliers leave-out"
	}
	return ""
}

// Text reports whether the files are text. It returns an error if the first file is empty or has a
// format that cannot be read.
func (f File) Text() (bool, error) {
	head := make([]byte, data.HeadBytes)
	n, _ := f.Bytes.ReadAt(head, 0) // reading the file later returns the same error
	if data.IsPacked(head[:n]) {
		return true, nil
	}
	format, err := data.FormatOf(f.Name, head[:n])
	return format != data.NPY && format != data.NPZ, err
}

// Packer is a System that makes a frame from a few points. For example, it makes the pixels of a
// picture from the beads of a chain. A frame can take much more memory than its points, so stage I
// keeps the points and makes a frame each time it draws one.
type Packer interface {
	System
	// Pack fills dst with the points from which frame k is made, as a single set.
	Pack(dst *Frame, t *Trajectory, k int)
	// Unpack makes the frame from the points (n, Dim) that Pack returned. The result equals the
	// result of Frame.
	Unpack(dst *Frame, packed []float32)
}

// Mirrored is a Packer with symmetries: its macroscopic variables and their dynamics do not
// change if a set is mirrored. The number of different mirrorings is Traits.Mirrors.
type Mirrored interface {
	Packer
	// Mirror mirrors the points (…, N, Dim) of frames of a trajectory, or of packed frames. The
	// number of particles N is given. The mirrorings are numbered from 0. Mirror applies the
	// mirroring with number k if bit k of `ways` is set.
	Mirror(points []float32, particles int, ways uint)
	// MirrorFrame mirrors the points of a frame that Frame has filled.
	MirrorFrame(f *Frame, ways uint)
}

// Passage is a System with a level of its first macroscopic variable, such as the extension of
// an unfolded chain. Predictions are judged by the time at which a trajectory first exceeds
// this level.
type Passage interface {
	System
	// Passed returns the level for the given number of particles. known is false if this level is
	// unknown.
	Passed(particles int) (level float64, known bool)
}

// Probed is a System with quantities on which its future is known to depend. The quantities
// serve to test whether closure variables contain this information.
type Probed interface {
	System
	// Quantities returns the names of the quantities (Q).
	Quantities() []string
	// Quantify writes the quantities of frame k to dst (Q).
	Quantify(dst []float64, t *Trajectory, k int)
}

// Sampler is a System of single sets, without time. Sets are drawn when they are needed.
type Sampler interface {
	System
	// Draw fills points (n, Dim) with a set for training.
	Draw(points []float32, src *rng.Source)
	// Validation fills points (n, Dim) with the validation set of the given index and seed.
	// Training never draws this set. Validation seeds src before it draws from src. The caller can
	// draw more random numbers from src.
	Validation(points []float32, src *rng.Source, seed uint64, index int)
}
