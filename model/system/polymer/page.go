package polymer

import (
	"fmt"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Page implements system.Live. Transport also has the hint of "preset".
func (l *Live) Page() *system.Page {
	c := chain(learnedBeads)
	return &system.Page{
		Tagline: "A flow pulls a coiled chain straight. From the first frame alone, learned stochastic dynamics predict when it unfolds, and how certain that is.",
		Picture: "Above, a chain of beads in the streamlines of the flow, and the density that the model has learned of them. Below, the extension of the chain against time with the band of an ensemble of predictions from frame 0, and the closure variables.",
		Transport: map[string]string{
			"play":    "Lets the chain move, or stops it; every frame that has been is kept.",
			"step":    fmt.Sprintf("On to the next frame: %d steps of Brownian dynamics of the usual chain.", c.Every),
			"restart": "Back to frame 0. The same happens again, to the bit.",
			"at":      "The frame on show. What has been is shown at once, the rest is simulated first.",
			"speed":   "1× is 30 frames a second, as far as the computer keeps up.",
			"tool":    "What mouse, finger and keys do in the picture of the chain: read values, or pull a bead, which the others follow like a rope. With the keys: Down until the picture is read, arrows to a bead, Enter to take it and to let it go.",
			"preset":  "Chains and flows by name. The model was trained on the first.",
		},
		Systems: presets(),
		Groups: []system.Group{
			{
				ID: "system", Title: "Chain and flow",
				Note:  "A change begins the run anew.",
				Names: []string{"preset", "start", "rate", "n", "temperature", "repulsion", "bonds", "frames", "seed"},
				Buttons: []wire.Control{
					{ID: system.AnotherButton, Kind: wire.Button, Label: "Another run", Key: "n", Icon: "dice", Hint: "Another start, and other kicks of the solvent, of the same seed."},
				},
			},
			{ID: "hand", Title: "By hand", Note: "What you pull becomes frame 0 of a new run.", Names: []string{"tool"}},
			{ID: "beside", Title: "Side by side", Names: []string{"beside", "film", "picture"}},
		},
		Tools: []setting.Option{{Value: "look", Label: "reads values"}, {Value: "move", Label: "pulls a bead"}},
		Figures: []wire.Figure{
			{ID: "extension", Label: "extension", Hint: "How far the chain reaches along x, in diameters of a bead."},
			{ID: "time", Label: "t", Hint: "Time in what a bead takes to diffuse its own diameter."},
			{ID: "strain", Label: "ε̇t", Hint: "Strain since the start, in Hencky units: with every 0.69 of it the flow doubles the length of a drop of the solvent."},
		},
		Help: []wire.Entry{
			{Term: "extension", Text: "max x − min x of the beads (Section 4.4)."},
			{Term: "z̄", Name: "observable", Text: "what is predicted (Eq. 4): here the extension."},
			{Term: "x, y", Name: "place", Text: "of a bead, along the pull of the flow and across it; z, along which one looks, is left out."},
			{Term: "N", Name: "number of particles", Text: "the beads of the chain, each held to the next at the distance of a diameter."},
			{Term: "ε̇", Name: "rate of the flow", Text: "the solvent moves by ε̇ (x, −y, 0), planar elongation: it pulls along x and presses along y."},
			{Term: "s", Name: "mark", Text: "a bead’s place along the chain, from 0 to 1. The model learns from a set of marked beads (x, y, s): the order of the list does not matter, and the density is one of all three, which is drawn as seen along s."},
			{Term: "coil, hairpin, strand", Text: "a chain at rest; one that is folded back on itself once, which the flow pulls at both arms alike; one that is stretched a little all along."},
			{Term: "unfolded", Text: "extended as far as thermal motion lets it in this flow."},
			{Term: "T", Name: "temperature", Text: "the energy of the solvent’s kicks, 1 in training."},
			{Term: "t", Name: "time", Text: "since the start, in what a bead takes to diffuse its own diameter."},
			{Term: "units", Text: "lengths in diameters of a bead, times in what it takes to diffuse one, energies in kT at T = 1."},
		},
		Try: []string{
			"Choose Hairpin and strand, filmed: both begin 27 long, and one takes many times as long as the other. ẑ of marked beads tells them apart, ẑ of their film does not.",
			"Then choose the film with memory and press Play: after 150 frames it knows how fast either chain has grown, which tells a hairpin from a strand without marks.",
			"Choose Hairpin, 100 times: the same start opens at a hundred different times, whose distribution fills up beside the predicted one.",
			"Let the pointer pull a bead (By hand): tie a fold, let go, press Play, and see whether the prediction knows your fold.",
			"Press Another run: the same chain never unfolds at the same time twice, which is why the prediction is a band.",
			"Turn the flow down to a tenth: the coil stays, and the model, which never saw that, is wrong.",
			"Press Shuffle labels: the set is the same, so ẑ is.",
		},
		Units:   "lengths in diameters of a bead",
		Step:    c.Dt * float64(c.Every),
		Accepts: ".npz,.csv,.txt,.dump,.lammpstrj,.safetensors",
		Drop:    "Drop trajectories of chains (NPZ, LAMMPS dump, CSV) or a checkpoint (.safetensors)",
		Data:    "Trajectories as NPZ, with the array trajectories (runs × frames × beads × 3), the beads in their order along the chain; a LAMMPS dump in text form; a CSV with the columns frame, x, y and z, and perhaps id; or a checkpoint, .safetensors.",
	}
}

// extension returns the extension of the frame on show.
func (l *Live) extension() float64 { return l.Macro(l.Player().Now())[0] }

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	if !l.Begun() {
		return
	}
	at["extension"] = fmt.Sprintf("%.1f", l.extension())
	at["time"] = fmt.Sprintf("%.1f", l.Time())
	if !l.Recorded() {
		at["strain"] = fmt.Sprintf("%.2f", l.settings.rate*l.Time())
	}
}

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	if !l.Begun() {
		return ""
	}
	what := fmt.Sprintf("The chain[ of **%d** beads|intro] is **%.1f** long", l.About.Particles, l.extension())
	switch {
	case p.OK && l.Player().Now() == 0:
		return what + ". From this frame alone the model predicts how the flow unfolds it."
	case p.OK:
		what += fmt.Sprintf("; predicted[ from frame 0 alone|intro]: **%.1f**", p.Mean[0])
		if len(p.Low) > 0 {
			what += fmt.Sprintf("[ (90 %% band %.1f to %.1f)|intro]", p.Low[0], p.High[0])
		}
	case p.Learning:
		what += ". The model is still learning the density of its beads, and its dynamics come after"
	case p.Coming:
		what += ". The model that predicts it is on its way"
	}
	return what + "."
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	if recorded || l.Recorded() {
		return ""
	}
	own, t := defaults().physics, l.settings.physics
	own.start, own.frames, own.seed, own.set = t.start, t.frames, t.seed, t.set
	if t == own {
		return ""
	}
	return fmt.Sprintf("The model was trained on chains of %d beads in a flow of rate %.3g at temperature 1, and this run differs.", own.beads, own.rate)
}
