package polymer

import (
	"cmp"
	"fmt"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/sim/polymer"
	"macroscope/sim/polymer/video"
)

// dim is the number of coordinates. It is the same for beads, labelled beads and pixels. variables
// is the number M of macroscopic variables.
const dim, variables = 3, 1

// kind is one of the two kinds of sets.
type kind struct {
	video   bool
	observe func(beads []float32) float64 // predicted variable of beads (N, 3)
}

var (
	labelled = kind{observe: extension}
	pictured = kind{video: true, observe: span}
)

var extensionAlone, spanAlone = []string{"extension"}, []string{"span"}

// System returns the system of chains in a flow. It learns from labelled beads.
func System() *system.System {
	s := labelled.system()
	s.Name, s.Title, s.Macro = "polymer", "Polymer", extensionAlone
	s.Film = system.Film{Left: -Width / 2, Top: -Height / 2, Width: Width, Height: Height, Marked: true}
	s.Unpack, s.MirrorFrame = mark, func(f *system.Frame, ways uint) { mirrorAbout(f, [dim]float32{0, 0, 1}, ways) }
	s.Pictures.Film = FromVideo
	s.Live, s.Use = func() system.Live { return newLive(defaults()) }, polymer.Use
	return s
}

// FromVideo returns the system that learns from pictures. Pictures are mirrored about the pixel in column
// Width/2 and row Height/2, both counted from 0.
func FromVideo() *system.System {
	s := pictured.system()
	s.Name, s.Title, s.Macro, s.Film = "polymer-video", "Polymer from video", spanAlone, system.Film{Width: Width, Height: Height}
	s.Unpack, s.MirrorFrame = pixels, func(f *system.Frame, ways uint) { mirrorAbout(f, [dim]float32{Width + 1, Height + 1}, ways&^(1<<2)) }
	s.MaxParticles, s.Simulates = mostPixels, "polymer"
	return s
}

// Width and Height are a picture's size in pixels.
const Width, Height = video.Width, video.Height

// system returns what the systems of both kinds of sets have in common. Up to frame 300, stage I uses every frame,
// as published. Later most chains are unfolded and alike.
func (k kind) system() *system.System {
	return &system.System{
		Traits: system.Traits{
			Dim: dim, Sets: []string{""}, Scaling: system.Span,
			// A frame counts as 0.01 time units, so a chain unfolds within a few time units.
			Dt: 0.01, Stochastic: true, Ranged: true, Sized: true, Mirrors: 3,
			Streams: system.Streams{
				Weights: "polymer weights", Sets: "polymer sets", Steps: "polymer stretches", Turns: "polymer turns", Rollouts: "polymer rollouts",
			},
		},
		Keep: system.Schedule{{Last: 300, Every: 1}, {Every: 20}},
		Files: &system.Contents{
			Read: system.ReadRecordings,
			Own:  "the extension of chains is always predicted", Particle: "bead", Check: checkShape,
			Observer: func(string, string, int) (system.Observer, error) {
				return func(macro []float64, beads []float32, _ *system.Trajectory) error {
					macro[0] = k.observe(beads)
					return nil
				}, nil
			},
		},
		Simulated: k.simulated, Flags: k.flags, Tests: k.tests, PerSecond: perSecond,
		Mirror: mirror, Passed: k.passed, Quantities: quantities, Quantify: quantify,
		Pictures: &system.Pictures{Width: Width, Height: Height, Draw: draw},
	}
}

// simulated returns chains of c.Particles beads, by default as many as in the paper. If c.Wide is set, hairpins
// are more frequent.
func (k kind) simulated(c system.Choice) system.Source {
	return &simulated{kind: k, config: chain(cmp.Or(c.Particles, published)), seed: c.Seed, count: c.Count, first: c.Purpose.First(), wide: c.Wide}
}

// perSecond was measured natively. The ideal chains of the page are faster than those of the paper.
func perSecond(beads int) float64 {
	if beads < published {
		return 8
	}
	return 0.09
}

// flags implements system.System. The page has a larger lower bound of the number of beads, minBeads.
func (k kind) flags(c *system.Choice) (table setting.Table, begin func() (system.Source, error)) {
	c.Particles = published
	table = setting.Table{{Name: "particles", Value: &c.Particles, Low: 2, High: maxBeads}, {Name: "wide", Value: &c.Wide}}
	return table, func() (system.Source, error) { return k.simulated(*c), nil }
}

// checkShape returns an error if trajectories of this shape cannot be chains.
func checkShape(s system.Shape) error {
	if s.Dim != dim {
		return fmt.Errorf("the beads have %d coordinates, and a chain is in space; save three", s.Dim)
	}
	c := polymer.Default()
	c.N = s.Particles
	return c.Validate()
}
