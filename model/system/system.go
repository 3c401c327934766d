package system

import (
	"slices"

	"macroscope/model/setting"
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
type Test struct {
	Name string
	// Source returns trajectories with the choice's Seed, Count and Params. Parameters without a range have
	// their defaults.
	Source func(Choice) Source
	// Fixed is set if the test also has sets as large as in training, for encoders that need them. Source returns
	// them if Choice.Fixed is set.
	Fixed bool
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
	Empty        bool // whether a set of a frame can be empty, in data that the command line reads
	// Periods are the periods of the coordinates (Dim), in the system's units; 0 for a coordinate that does not
	// repeat. nil: none repeats.
	Periods []float64
	// Positions lists the coordinates that are positions, and Velocities those that are velocities. Encoders can then see
	// neighbourhoods, and positions can be relative to their centre. nil: all are positions, and neither is offered.
	Positions, Velocities []int
	// Parameters are the parameters that can differ between trajectories.
	Parameters Parameters
	// Vectors lists the coordinates that turn together, two or three in each row: the positions, and then
	// velocities. The dynamics prefer no direction, so sets may be turned and mirrored about Centre (Dim), or the
	// origin if that is nil. nil: the dynamics prefer a direction.
	Vectors [][]int
	Centre  []float64
	Mirrors int    // number of different mirrorings of a set, see System.Mirror. Mirrorings can be combined.
	Forces  Forces // nil if the user cannot choose the force between particles
	// Dt is the time between two frames in the learned dynamics, in the system's units.
	Dt float64
	// Sized is set if the motion depends on the number of particles. Models for different numbers then have
	// different tests.
	Sized bool
	// Simulates is the name of the system with the same trajectories, if this system learns from pictures of
	// them; otherwise "".
	Simulates string
	// Interval is the time between two frames of a simulation, in the simulator's units; 0 if it is not
	// the same for all simulations.
	Interval float64
	// Stochastic is set if a frame does not determine the future: the dynamics then have noise,
	// and predictions are ensembles.
	Stochastic bool
	// Shifts is set if the motion does not depend on where a set is. Positions are then relative to their centre.
	Shifts bool
	// Stride is how many frames apart the states are from which dynamics with noise learn; 0: as the preset says.
	Stride int
	// Ranged is set if the MMD measures the variables in units of half the training range of the
	// first macroscopic variable. Otherwise it uses the system's units.
	Ranged bool
	// Film describes pictures of the sets. It is the zero Film if none can be drawn.
	Film Film
	// Streams names the random streams of a training.
	Streams Streams
	// Description is what the metadata of a checkpoint say of the system, see System.Described. nil: all systems
	// with this name are the same. It must not be changed.
	Description map[string]string
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

// System is a system of particles: facts, and functions. A function that is nil means that the system does
// not have what the function does. A system that is only played on the page has Traits and Live. A system whose
// dynamics are learned also has Macro, Files, Simulated, PerSecond and Tests. A system of single sets has Draw,
// Validation and Density instead.
type System struct {
	Traits
	// Macro names the macroscopic variables z̄ (M) of the system's own observable.
	Macro []string
	// Units are the units of Macro, "" where one is not known; nil: none is known.
	Units []string
	// Observables lists the observables from which the user can choose, the system's own first. Each is one
	// variable. It is nil if there is no choice.
	Observables []setting.Option
	// Keep says which frames of a trajectory stage I uses.
	Keep Schedule
	// Force is the force between particles, see Forces; "" if there is no choice.
	Force string
	// Files describes the user's files; nil: the system reads none.
	Files *Contents

	// Simulated returns a Source that simulates its trajectories when they are read.
	Simulated func(Choice) Source
	// Flags returns the settings of a simulation that the user describes, with their defaults. A setting may be
	// a field of the choice. The function `begin` returns the simulation after the settings have changed. If
	// Flags is nil, Simulated makes the simulation.
	Flags func(c *Choice) (table setting.Table, begin func() (Source, error))
	// PerSecond returns how many trajectories a core simulates per second, for estimates.
	PerSecond func(particles int) float64
	// Tests returns the paper's tests. If Sized is set, they are for the given number of particles; 0 means the
	// system's own number.
	Tests func(particles int) []Test
	// Pictured returns the tests of the system's figure in the paper, if they differ from Tests. The encoder
	// must accept sets of any size.
	Pictured func() []Test

	// Draw fills points (n, Dim) with a set for training. A system with Draw has single sets, without time. Sets
	// are drawn when they are needed.
	Draw func(points []float32, src *rng.Source)
	// Validation fills points (n, Dim) with the validation set of the given index and seed. Training never draws
	// this set. Validation seeds src before it draws from src. The caller can draw more random numbers from src.
	Validation func(points []float32, src *rng.Source, seed uint64, index int)
	// Density writes the density from which this validation set is drawn, at the points x (n), to dst (n).
	Density func(dst, x []float32, seed uint64, index int)

	// Unpack makes a frame from its particles (n, Dim), such as the pixels of a picture from the beads of a
	// chain. A frame can take much more memory than its particles, so stage I keeps the particles and makes a
	// frame each time it draws one. If Unpack is nil, a frame contains the particles, in a set for each species.
	Unpack func(dst *Frame, points []float32)
	// Mirror mirrors the particles (…, N, Dim) of frames of a trajectory. The macroscopic variables and their
	// dynamics do not change. The number of particles N is given. The Traits.Mirrors mirrorings are numbered
	// from 0. Mirror applies the mirroring with number k if bit k of `ways` is set.
	Mirror func(points []float32, particles int, ways uint)
	// MirrorFrame mirrors the points of a frame in the same way.
	MirrorFrame func(f *Frame, ways uint)
	// Pictures draws pictures of trajectories.
	Pictures *Pictures

	// Passed returns a level of the first macroscopic variable for the given number of particles, such as the
	// extension of an unfolded chain. Predictions are judged by the time at which a trajectory first exceeds
	// this level. known is false if the level is unknown.
	Passed func(particles int) (level float64, known bool)
	// Quantities names quantities (Q) on which the system's future is known to depend. Quantify writes their
	// values in frame k to dst (Q). They serve to test whether closure variables contain this information.
	Quantities []string
	Quantify   func(dst []float64, t *Trajectory, k int)

	// Described returns the system with this name that the metadata of a checkpoint describe, see Traits.Description.
	Described func(metadata map[string]string) (*System, error)

	// Live returns a run for the page. If Live is nil, the system has no page.
	Live func() Live

	// Use selects the form of the simulator's loops by name, see sim/simd. A call of the result undoes this.
	Use func(form string) (restore func(), err error)
}

// Schedule lists the frames of a trajectory that stage I uses: in each row, every Every-th frame up to frame Last.
// The last row also holds for all later frames. An empty Schedule has all frames. Late frames change slowly; if
// all were used, most sets would be alike.
type Schedule []struct{ Last, Every int }

// Has reports whether stage I uses frame k.
func (s Schedule) Has(k int) bool {
	for i, row := range s {
		if k <= row.Last || i == len(s)-1 {
			return k%row.Every == 0
		}
	}
	return true
}

// Pictures draws pictures of a system's trajectories.
type Pictures struct {
	Width, Height int // in pixels
	// Draw passes the picture (Height, Width) of every frame of a trajectory, in order, to a function. A picture
	// is valid until the function returns. The function's first error stops Draw and is returned.
	Draw func(t *Trajectory, each func(picture []uint8) error) error
	// Film returns the system that learns from the pictures; nil: there is none, or it is this system.
	Film func() *System
}

// Alike reports whether runs of one described system can be runs of the other: the particles have the same number of
// coordinates, with the same periods, and the same species, and the variables and the parameters have the same names.
func (s *System) Alike(of *System) bool {
	return s.Parameters.names(" ") == of.Parameters.names(" ") && s.Description != nil && of.Description != nil && s.Dim == of.Dim && slices.Equal(s.Periods, of.Periods) && slices.Equal(s.Sets, of.Sets) && slices.Equal(s.Macro, of.Macro)
}

// Variables returns the names of the macroscopic variables z̄ (M) for an observable; "" means the system's
// own observable. It returns nil if the system does not have the observable.
func (s *System) Variables(observable string) []string {
	switch {
	case observable == "":
		return s.Macro
	case s.Observables == nil:
		return nil
	}
	return []string{observable}
}

// Frame fills dst with frame k of a trajectory of particles with dim coordinates.
func (s *System) Frame(dst *Frame, t *Trajectory, k, dim int) {
	points, species := t.frame(k, dim), t.Species
	if s.Files != nil && s.Files.Ragged {
		points, species = present(points, species, dim)
	}
	switch {
	case s.Unpack != nil:
		s.Unpack(dst, points)
	case len(s.Sets) > 1:
		dst.BySpecies(points, species, dim, len(s.Sets))
	default:
		dst.One(points, dim)
	}
	dst.Params = append(dst.Params[:0], t.Params...)
}

// Pack fills dst with the particles of frame k of a trajectory, from which Unpack makes the frame.
func (s *System) Pack(dst *Frame, t *Trajectory, k int) { dst.One(t.frame(k, s.Dim), s.Dim) }
