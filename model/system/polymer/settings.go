package polymer

import (
	"math"
	"sync"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/sim/polymer"
	"macroscope/sim/rng"
)

// settings are those of a run on the page: its physics, and what is shown beside it.
type settings struct {
	physics
	beside  string // one of what can be beside it
	film    string // method of the model that reads the film; noFilm: none does
	picture string // how its frames are changed: one of the pictures
}

// physics is what a run depends on.
type physics struct {
	start       string // one of the starts
	beads       int
	rate        float64 // ε̇ of the flow
	temperature float64
	repulsion   float64 // stiffness, 0 is none
	bonds       string
	frames      int // of a run after its first
	seed        uint64
	set         int // index of the run among those of the seed
}

// learnedBeads is the number of beads of the chains that the page's models learn from,
// which cost a fiftieth of the paper's.
const learnedBeads = 100

// The starts of a run.
const (
	drawnStart   = "drawn"
	coilStart    = "coil"
	hairpinStart = "hairpin"
	strandStart  = "strand"
)

// What can be shown beside a run.
const (
	nothing     = "none"
	secondChain = "second" // see Counterpart
	manyRuns    = "many"   // see Realise
)

// noFilm says that no model reads the film.
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
	// springStiffness is that of bonds that are springs, of an energy of kT/b².
	springStiffness = 500
)

// defaults are chains of training.
func defaults() settings {
	c := chain(learnedBeads)
	return settings{beside: nothing, film: noFilm, picture: wholePicture, physics: physics{
		start: drawnStart, beads: c.N, rate: math.Round(c.Rate*1e6) / 1e6, temperature: c.Temperature,
		bonds: rodBonds, frames: c.Frames - 1, seed: 1,
	}}
}

// config returns the simulation that the settings describe. A frame is as long as those
// of training for so many beads, in steps that are short enough for the forces.
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

// begin writes where the run starts (N, 3).
func (s *physics) begin(dst []float32, c polymer.Config) {
	r := rng.New(s.seed, startStream, uint64(s.set))
	switch s.start {
	case coilStart:
		c.Equilibrium(dst, r.Rand)
	case hairpinStart:
		s.nearest(dst, c, r, func() { hairpin(dst, c, r) })
	case strandStart:
		s.nearest(dst, c, r, func() { c.Folded(dst, 1, strandPull, r.Rand) })
	default:
		writeStart(dst, c, s.seed, s.set)
	}
}

// A hairpin and a strand begin with the same extension, as a share of the beads: of
// many that are drawn, the nearest is taken.
const (
	pairedExtension = 0.27
	draws           = 64

	hairpinPull, strandPull = 2.0, 0.87 // with this extension in the mean
)

// nearest leaves that of many draws in dst whose extension is nearest to the one that
// hairpins and strands begin with.
func (s *physics) nearest(dst []float32, c polymer.Config, r *rng.Source, draw func()) {
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

// hairpin writes a chain (N, 3) whose second half goes back beside the first.
func hairpin(dst []float32, c polymer.Config, r *rng.Source) {
	first, second := c, c
	first.N = c.N / 2
	second.N = c.N - first.N
	out, back := dst[:dim*first.N], dst[dim*first.N:]
	first.Folded(out, 1, hairpinPull, r.Rand)
	second.Folded(back, 1, hairpinPull, r.Rand)
	turn := [dim]float32(out[len(out)-dim:])
	from := [dim]float32(back[:dim])
	for i := range back {
		d := back[i] - from[i%dim]
		if i%dim == 0 {
			d = -d
		}
		back[i] = turn[i%dim] + d
		if i%dim == 1 { // one bond beside the turn
			back[i]++
		}
	}
	centre(dst)
}

// centre moves beads (N, 3) to their centre of mass.
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

// physicsFields is how many fields of the table are physics, which come first.
const physicsFields = 9

// table describes the settings, whose values it changes.
func (s *settings) table() setting.Table {
	return setting.Table{
		{Name: "start", What: "the start", Value: &s.start, Options: []setting.Option{
			{Value: drawnStart, Label: "as in training"}, {Value: coilStart, Label: "coil, at rest"},
			{Value: hairpinStart, Label: "hairpin"}, {Value: strandStart, Label: "strand"},
		}, Control: setting.Control{
			Kind: wire.Choice, Label: "start",
			Hint: "How the chain begins. Training had two coils for every fold of two to four strands. A hairpin and a strand of one seed begin with the same extension."}},
		{Name: "n", What: "the number of beads", Value: &s.beads, Low: minBeads, High: maxBeads, Control: setting.Control{
			Kind: wire.Slider, Label: "beads", Min: minBeads, Max: maxBeads, Step: 1, Log: true, Ticks: []float64{10, 30, 100, 300, 1000},
			Hint: "Beads of the chain. The shipped model learned from 100. Time between frames grows as N², as relaxation does."}},
		{Name: "rate", What: "the rate of the flow", Value: &s.rate, Low: 0, High: 100, Control: setting.Control{
			Kind: wire.Slider, Label: "rate of the flow ε̇", Min: 1e-4, Max: 0.1, Log: true, Ticks: []float64{1e-4, 1e-3, 0.01, 0.1},
			Hint: "The solvent moves by ε̇ (x, −y, 0): it pulls along x and presses along y. Training had 0.0104. Without flow the chain stays a coil."}},
		{Name: "temperature", What: "the temperature", Value: &s.temperature, Low: 0, High: 100, Control: setting.Control{
			Kind: wire.Slider, Label: "temperature T", Min: 0.05, Max: 5, Step: 0.01, Log: true, Ticks: []float64{0.1, 0.3, 1, 3},
			Hint: "How strongly the solvent kicks the beads, and with it how coiled a chain at rest is against the flow. Training had 1."}},
		{Name: "repulsion", What: "the stiffness of the repulsion", Value: &s.repulsion, Low: 0, High: 1000, Control: setting.Control{
			Kind: wire.Slider, Label: "repulsion of beads", Min: 0, Max: 400, Step: 10, Ticks: []float64{0, 100, 200, 300, 400},
			Hint: "Stiffness of the force that pushes overlapping beads apart. 0, as in training, is an ideal chain, which passes through itself; the paper’s has 200, and costs many times as much."}},
		{Name: "bonds", What: "the bonds", Value: &s.bonds, Options: []setting.Option{
			{Value: rodBonds, Label: "rigid rods"}, {Value: stiffRodBonds, Label: "rods, limit of stiff springs"}, {Value: springBonds, Label: "springs"},
		}, Control: setting.Control{
			Kind: wire.Choice, Label: "bonds",
			Hint: "What holds neighbouring beads together: rods of length 1, the same with the statistics of very stiff springs (the paper’s), or springs, which need ten times as many steps."}},
		{Name: "frames", What: "the number of frames", Value: &s.frames, Low: minFrames, High: maxFrames, Control: setting.Control{
			Kind: wire.Slider, Label: "frames", Min: minFrames, Max: maxFrames, Step: 1,
			Stops: []float64{100, 200, 300, 500, 700, 1000, 1500, 2000}, Ticks: []float64{100, 500, 1000, 2000},
			Hint: "Length of the run, and the horizon of the prediction. Most chains of training are unfolded at frame 600."}},
		{Name: "seed", What: "the seed", Value: &s.seed, Control: setting.Control{
			Kind: wire.Field, Label: "seed", Hint: "The start and every kick of the solvent come from this number and the run’s: the same seed gives the same run everywhere."}},
		{Name: "set", What: "the run", Value: &s.set, Low: 0, High: maxSet},
		{Name: "beside", What: "what is beside the run", Value: &s.beside, Options: []setting.Option{
			{Value: nothing, Label: "nothing"}, {Value: secondChain, Label: "a second chain"}, {Value: manyRuns, Label: "100 runs of this start"},
		}, Control: setting.Control{
			Kind: wire.Choice, Label: "beside it",
			Hint: "A second chain on the same clock, with what is predicted of it: of a hairpin the strand that begins with the same extension, of a strand the hairpin, else the same chain with other kicks. Or 100 runs of the start on show, with other kicks each, and when they unfold beside when the ensemble does; choose nothing to stop them."}},
		{Name: "film", What: "the model of the film", Value: &s.film, Options: []setting.Option{
			{Value: noFilm, Label: "not shown"}, {Value: "flow", Label: "as a set of pixels, by a flow"}, {Value: "flow-memory", Label: "as such sets, with memory"}, {Value: "cnn", Label: "as a picture, by convolutions"}, {Value: "vit", Label: "as a picture, by a transformer"},
		}, Control: setting.Control{
			Kind: wire.Choice, Label: "film",
			Hint: "Shows the chain as a camera sees it, and what a model that learned from such pictures makes of it: its ẑ and its prediction. It does not know which bead is which. With memory it predicts once it has seen 150 frames."}},
		{Name: "picture", What: "the change of the picture", Value: &s.picture, Options: []setting.Option{
			{Value: wholePicture, Label: "as filmed"}, {Value: movedPicture, Label: "moved by 3 pixels"}, {Value: croppedPicture, Label: "cropped at the right"}, {Value: scrambledPicture, Label: "pixels in another order"},
		}, Control: setting.Control{
			Kind: wire.Choice, Label: "film input",
			Hint: "Changes what the model of the film is given, to see which ẑ holds: a set of pixels is the same in any order, and neither a set nor a picture is the same elsewhere."}},
	}
}

// presets are chains that are worth a look, training's first. What one does not name is
// training's.
var presets = sync.OnceValue(func() []system.Preset {
	own := defaults()
	return system.Presets(own.table(), []string{"start", "n", "rate", "temperature", "repulsion", "bonds", "beside", "film", "picture"}, []system.Preset{
		{Name: "trained", Label: "As in training"},
		{Name: "coil", Label: "Coil", Values: map[string]string{"start": coilStart}},
		{Name: "hairpin", Label: "Hairpin: slow", Values: map[string]string{"start": hairpinStart}},
		{Name: "strand", Label: "Strand as long: fast", Values: map[string]string{"start": strandStart}},
		{Name: "pair", Label: "Hairpin and strand, filmed", Values: map[string]string{"start": hairpinStart, "beside": secondChain, "film": "flow"}},
		{Name: "many", Label: "Hairpin, 100 times", Values: map[string]string{"start": hairpinStart, "beside": manyRuns}},
		{Name: "still", Label: "No flow", Values: map[string]string{"start": coilStart, "rate": "0"}},
		{Name: "strong", Label: "Flow three times as strong", Values: map[string]string{"rate": "0.0312"}},
		{Name: "repelling", Label: "Beads that repel", Values: map[string]string{"repulsion": "200", "bonds": stiffRodBonds}},
	})
})
