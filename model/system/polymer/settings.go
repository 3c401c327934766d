package polymer

import (
	"math"

	"macroscope/model/setting"
	"macroscope/sim/polymer"
	"macroscope/sim/rng"
)

// settings describes a run on the page, its companion and its film.
type settings struct {
	physics
	beside  string // companion of the run
	film    string // method of the model that reads the film, or noFilm
	picture string // change of the film's pictures: wholePicture, movedPicture, …
}

// physics contains the settings that determine a run.
type physics struct {
	start       string // kind of the start, one of the constants below
	beads       int
	rate        float64 // ε̇: strain rate of the flow
	temperature float64
	repulsion   float64 // stiffness of the repulsion; 0: no repulsion
	bonds       string
	frames      int // number of frames that follow frame 0
	seed        uint64
	set         int // index that distinguishes runs with the same seed
}

// learnedBeads is the number of beads in the chains from which the page's models learn. Simulating
// such a chain is 50 times as fast as simulating a chain of the paper.
const learnedBeads = 100

// The kinds of starts of a run.
const (
	drawnStart   = "drawn"
	coilStart    = "coil"
	hairpinStart = "hairpin"
	strandStart  = "strand"
)

// The companions that a run can have.
const (
	nothing     = "none"
	secondChain = "second" // see Counterpart
	manyRuns    = "many"   // see Realise
)

// noFilm means that no model reads the film.
const noFilm = "none"

// The kinds of bonds.
const (
	rodBonds      = "rods"
	stiffRodBonds = "stiff"
	springBonds   = "springs"
)

const (
	minBeads, maxBeads   = 10, 1000
	minFrames, maxFrames = 10, 2000
	maxSet               = 1_000_000
	// springStiffness is the stiffness of bonds that are springs, in kT/b².
	springStiffness = 500
)

// defaults returns the settings of training.
func defaults() settings {
	c := chain(learnedBeads)
	return settings{beside: nothing, film: noFilm, picture: wholePicture, physics: physics{
		start: drawnStart, beads: c.N, rate: math.Round(c.Rate*1e6) / 1e6, temperature: c.Temperature,
		bonds: rodBonds, frames: c.Frames - 1, seed: 1,
	}}
}

// config returns the simulation that the settings describe. A frame lasts as long as in
// training with the same number of beads. The time step is short enough for the forces.
func (s *physics) config() polymer.Config {
	c := chain(s.beads)
	frame := c.Dt * float64(c.Every)
	c.Rate, c.Temperature, c.Repulsion, c.Frames = s.rate, s.temperature, s.repulsion, s.frames+1
	c.Bonds, c.Dt = polymer.Rods, 0.004
	switch s.bonds {
	case stiffRodBonds:
		c.Bonds = polymer.StiffRods
	case springBonds:
		c.Bonds, c.Stiffness, c.Dt = polymer.Springs, springStiffness, 0.2/springStiffness
	}
	if s.repulsion > 0 {
		c.Dt = min(c.Dt, 0.4/s.repulsion)
	}
	if s.temperature > 0 {
		c.Dt = min(c.Dt, 0.004/s.temperature)
	}
	c.Every = max(1, int(math.Round(frame/c.Dt)))
	return c
}

// begin writes the start of the run (N, 3).
func (s *physics) begin(dst []float32, c polymer.Config) {
	r := rng.New(s.seed, startStream, uint64(s.set))
	switch s.start {
	case coilStart:
		c.Equilibrium(dst, r.Rand)
	case hairpinStart:
		s.nearest(dst, c, func() { hairpin(dst, c, c.N/2, hairpinPull, r) })
	case strandStart:
		s.nearest(dst, c, func() { c.Folded(dst, 1, strandPull, r.Rand) })
	default:
		writeStart(dst, c, false, s.seed, s.set)
	}
}

// A hairpin and a strand begin with the same extension, pairedExtension times the number of
// beads. Of many drawn chains, the one with the nearest extension is used.
const (
	pairedExtension = 0.27
	draws           = 64

	hairpinPull, strandPull = 2.0, 0.87 // tensions (see polymer.Config.Folded) that give this extension on average
)

// nearest draws many chains and leaves in dst the chain whose extension per bead is nearest to
// pairedExtension.
func (s *physics) nearest(dst []float32, c polymer.Config, draw func()) {
	best, off := make([]float32, len(dst)), math.Inf(1)
	for range draws {
		draw()
		if d := math.Abs(extension(dst) - pairedExtension*float64(c.N)); d < off {
			off = d
			copy(best, dst)
		}
	}
	copy(dst, best)
}

// centre moves the centre of mass of beads (N, 3) to the origin.
func centre(beads []float32) {
	n := len(beads) / dim
	var mean [dim]float64
	for i, v := range beads {
		mean[i%dim] += float64(v) / float64(n)
	}
	for i := range beads {
		beads[i] -= float32(mean[i%dim])
	}
}

// physicsFields is the number of physical settings, which come first in the table.
const physicsFields = 9

// table lists the settings. A change through the table changes s.
func (s *settings) table() setting.Table {
	return setting.Table{
		{Name: "start", What: "the start", Value: &s.start, Options: setting.Choices(drawnStart, coilStart, hairpinStart, strandStart)},
		{Name: "n", What: "the number of beads", Value: &s.beads, Low: minBeads, High: maxBeads},
		{Name: "rate", What: "the rate of the flow", Value: &s.rate, Low: 0, High: 100},
		{Name: "temperature", What: "the temperature", Value: &s.temperature, Low: 0, High: 100},
		{Name: "repulsion", What: "the stiffness of the repulsion", Value: &s.repulsion, Low: 0, High: 1000},
		{Name: "bonds", What: "the bonds", Value: &s.bonds, Options: setting.Choices(rodBonds, stiffRodBonds, springBonds)},
		{Name: "frames", What: "the number of frames", Value: &s.frames, Low: minFrames, High: maxFrames},
		{Name: "seed", What: "the seed", Value: &s.seed},
		{Name: "set", What: "the run", Value: &s.set, Low: 0, High: maxSet, Hidden: true},
		{Name: "beside", What: "what is beside the run", Value: &s.beside, Options: setting.Choices(nothing, secondChain, manyRuns)},
		{Name: "film", What: "the model of the film", Value: &s.film, Options: setting.Choices(noFilm, "flow", "flow-memory", "cnn", "vit")},
		{Name: "picture", What: "the change of the picture", Value: &s.picture, Options: setting.Choices(wholePicture, movedPicture, croppedPicture, scrambledPicture)},
	}
}
