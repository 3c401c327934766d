package polymer

import (
	"fmt"

	"macroscope/model/system"
	"macroscope/sim/polymer"
	"macroscope/sim/polymer/video"
)

// System is the system of chains in a flow. The zero System learns from labelled beads.
type System struct{ video bool }

// FromVideo returns the system that learns from pictures.
func FromVideo() System { return System{video: true} }

var _ system.Mirrored = System{}

// dim is the number of coordinates. It is the same for beads, labelled beads and pixels. variables
// is the number M of macroscopic variables.
const dim, variables = 3, 1

// Traits implements system.System.
func (s System) Traits() system.Traits {
	t := system.Traits{
		Name: "polymer", Title: "Polymer", Dim: dim, Sets: []string{""}, Scaling: system.Span,
		// A frame counts as 0.01 time units, so a chain unfolds within a few time units.
		Dt: 0.01, Stochastic: true, Ranged: true, Mirrors: 3,
		Film: system.Film{Left: -video.Width / 2, Top: -video.Height / 2, Width: video.Width, Height: video.Height, Marked: true},
		Streams: system.Streams{
			Weights: "polymer weights", Sets: "polymer sets", Steps: "polymer stretches", Turns: "polymer turns", Rollouts: "polymer rollouts",
		},
	}
	if s.video {
		t.Name, t.Title, t.MaxParticles = "polymer-video", "Polymer from video", mostPixels
		t.Film.Left, t.Film.Top, t.Film.Marked = 0, 0, false
	}
	return t
}

// Variables implements system.System. The system has one observable.
func (s System) Variables(observable string) []string {
	switch {
	case observable != "":
		return nil
	case s.video:
		return spanAlone
	}
	return extensionAlone
}

var extensionAlone, spanAlone = []string{"extension"}, []string{"span"}

// Up to lastFrame, stage I uses every frame, as published. Later most chains are unfolded and
// alike, so it uses only every 20th frame.
const lastFrame = 300

// KeepFrame implements system.System.
func (System) KeepFrame(k int) bool { return k <= lastFrame || k%20 == 0 }

// Frame implements system.System. The set consists of labelled beads, or of pixels.
func (s System) Frame(dst *system.Frame, t *system.Trajectory, k, dim int) {
	s.Unpack(dst, beadsOf(t, k))
}

// Pack implements system.Packer. A frame is packed as its beads.
func (s System) Pack(dst *system.Frame, t *system.Trajectory, k int) { dst.One(beadsOf(t, k), dim) }

// Unpack implements system.Packer.
func (s System) Unpack(dst *system.Frame, beads []float32) {
	dst.Params = dst.Params[:0]
	if s.video {
		pixels(dst, beads)
		return
	}
	mark(dst, beads)
}

// observe returns the predicted variable of beads (N, 3).
func (s System) observe(beads []float32) float64 {
	if s.video {
		return span(beads)
	}
	return extension(beads)
}

// Observe returns the predicted variable of every frame of a trajectory (T): the extension in
// bead diameters, or the span in pixels.
func (s System) Observe(t *system.Trajectory) (macro []float64) {
	size := dim * len(t.Species)
	for at := 0; at+size <= len(t.Points); at += size {
		macro = append(macro, s.observe(t.Points[at:at+size]))
	}
	return macro
}

// Simulated implements system.System. The chains have Choice.Particles beads, by default as
// many as in the paper. Choice.Wide makes hairpins more frequent.
func (s System) Simulated(c system.Choice) system.Source {
	if c.Particles == 0 {
		c.Particles = published
	}
	return &simulated{system: s, config: chain(c.Particles), seed: c.Seed, count: c.Count, first: c.Purpose.First(), wide: c.Wide}
}

// Open implements system.System. It opens a NumPy file or text files with one trajectory each.
// The predicted variable is computed from the beads.
func (s System) Open(f system.File, observable string) (system.Recorded, error) {
	return system.OpenRecorded(f, s.contents(observable))
}

// Finish implements system.System. It rejects coordinates that are not finite, and computes a
// missing extension or span.
func (s System) Finish(t *system.Trajectory, dim int, observable string) error {
	as := s.contents(observable)
	return as.Finish(t, dim)
}

// contents describes files of trajectories.
func (s System) contents(observable string) system.Contents {
	return system.Contents{
		Observable: observable, Own: "the extension of chains is always predicted",
		Variables: variables, Particle: "bead", Check: checkShape,
		Observer: func(int) (system.Observer, error) {
			return func(macro []float64, beads []float32, _ *system.Trajectory) error {
				macro[0] = s.observe(beads)
				return nil
			}, nil
		},
	}
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
