package particles

import (
	"fmt"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Page implements system.Live. Transport also has the hints of "preset" and
// "tool".
func (l *Live) Page() *system.Page {
	return &system.Page{
		Tagline: "From one frame of a crowd of particles, a model predicts the energy of all frames to come.",
		Picture: "Left, particles that move in the plane over the density that the model has learned of them. Right, their energy against time beside the one predicted from the first frame alone, and the closure variables ẑ as bars.",
		Transport: map[string]string{
			"play":    "Lets the particles move, or stops them; every frame that has been is kept.",
			"step":    "One time step of the simulation.",
			"restart": "Back to frame 0 of the same run.",
			"at":      "The frame on show. What has been is shown at once, the rest is simulated first.",
			"speed":   "Frames shown a second: 1× is thirty.",
			"preset":  "Forces and numbers by name. The model was trained on the first.",
			"tool":    "What the mouse or the finger does in the picture.",
		},
		Systems: presets(),
		Groups: []system.Group{
			{
				ID: "system", Title: "Particles and forces", Names: []string{"preset", "force", "curve", "a", "b", "n", "dt", "steps", "components", "seed"},
				Buttons: []wire.Control{{ID: "curve", Kind: wire.Curve, Label: "Draw the force", Value: "force", Hint: "Draws the force F(r) with the pointer or the arrow keys; what is drawn is a formula of its own."}, {ID: "another", Kind: wire.Button, Label: "Another run", Key: "n", Icon: "dice", Hint: "The next first frame of the seed."}},
			},
			{
				ID: "hand", Title: "Editing", Note: "Whatever you change becomes frame 0 of a new run.", Names: []string{"tool"},
				Buttons: []wire.Control{{ID: "clear", Kind: wire.Button, Label: "Clear", Hint: "Takes all particles away, so that you can draw a set of your own."}},
			},
		},
		Tools: setting.Choices("look", "move", "add", "remove", "draw"),
		Figures: []wire.Figure{
			{ID: "time", Label: "t", Hint: "Time of the frame on show: its number times Δt."},
			{ID: "energy", Label: "energy", Hint: "Energy per pair of particles in the frame on show, E/(N(N−1)/2): the observable z̄."},
		},
		Help: []wire.Entry{
			{Term: "X", Name: "set of particles", Text: "those of a frame (Eq. 1). They have no order."},
			{Term: "x_i", Name: "position of a particle", Text: "a point in the plane (Eq. 2)."},
			{Term: "N", Name: "number of particles", Text: "how many there are in the frame on show."},
			{Term: "F(r)", Name: "force", Text: "between two particles at distance r, tanh(a(1 − r)) + b or a formula of your own: repulsion where positive. A particle’s velocity is the mean of all forces on it (Section 4.2). Where a formula has no value at r = 0, as 1/r, it has that of r = 0.01 up to there."},
			{Term: "a", Name: "steepness", Text: "how abruptly the force turns at r = 1."},
			{Term: "b", Name: "constant force", Text: "what is added to the force at every distance."},
			{Term: "t", Name: "time", Text: "the number of the frame on show times Δt."},
			{Term: "Δt", Name: "time step", Text: "time between two frames."},
			{Term: "E", Name: "energy", Text: "of all pairs of particles together."},
			{Term: "z̄", Name: "observable", Text: "what is predicted (Eq. 4): here the energy per pair of particles, E/(N(N−1)/2). It can only fall."},
		},
		Try: []string{
			"Choose the system Pinched loop: the dynamics were trained on another force, and their prediction goes astray.",
			"Switch off Run all stages, then press Encode, Decode and Roll out one after another.",
			"Shuffle the labels: ẑ and the predictions stay put, those of an encoder that depends on the order jump.",
			"Type a force of your own, as 1/r - r, which spreads particles evenly over a disk; then press Train, and a model learns it.",
			"Clear the plane, draw a letter with the finger and press Play.",
			"Move ε to 0.1 and press Train: a new model learns a smoother density while you watch.",
		},
		Units:     "none: the force changes its sign at the distance 1",
		Step:      System{}.Traits().Dt,
		Relaxes:   true,
		Accepts:   ".npz,.npy,.dump,.lammpstrj,.csv,.txt,.safetensors",
		Drop:      "Drop trajectories (NPZ, NPY, LAMMPS dump, CSV) or a checkpoint (.safetensors)",
		Data:      "Trajectories as NPZ or NPY, an array trajectories (runs × frames × particles × 2) and if there is one its energy macro (runs × frames); a LAMMPS dump in text form; a CSV with the columns frame, x and y, and perhaps id; or a checkpoint, .safetensors.",
		Variables: "What is predicted: the energy, which is taken from the array macro if there is one, what can be computed of positions, or another array (runs × frames) of the file.",
	}
}

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	if !l.there() {
		return
	}
	at["time"], at["energy"] = fmt.Sprintf("%.2f", l.Time()), setting.Short(l.observed())
}

// observed returns the observable of the frame on show.
func (l *Live) observed() float64 { return l.Macro(l.Player().Now())[0] }

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	if !l.there() {
		return "An empty plane: **draw** particles with the mouse or a finger, and they begin to push and pull one another."
	}
	text := fmt.Sprintf("%s[ of **%d** %s at t = **%.2f**|intro]: **%s**", setting.Capital(inWords(l.About.Variables[0])), l.About.Particles, setting.Plural(l.About.Particles, "particle", "particles"), l.Time(), setting.Short(l.observed()))
	switch {
	case p.OK:
		return text + fmt.Sprintf("; predicted[ from frame 0 alone|intro]: **%s**.", setting.Short(p.Mean[0]))
	case p.Learning:
		return text + ". The model learns to encode them first; it learns their dynamics after that."
	case p.Coming:
		return text + ". The model that predicts it is on its way."
	}
	return text + "."
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	own := defaultSettings()
	switch s := l.settings; {
	case !l.there():
		return ""
	case !l.Recorded() && recorded:
		return "The dynamics were trained on trajectories of a file; on simulated ones they can only err, unless those are of the same system."
	case l.Recorded() && !recorded:
		return fmt.Sprintf("The dynamics were trained on simulated particles, at Δt = %g; on other trajectories they can only err.", own.Dt)
	case !l.Recorded() && !recorded && s.Dt != own.Dt:
		return fmt.Sprintf("The dynamics were trained at Δt = %g, and this run has %g.", own.Dt, s.Dt)
	}
	return ""
}
