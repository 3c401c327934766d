package line

import (
	"fmt"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Page implements system.Live.
func (l *Live) Page() *system.Page {
	return &system.Page{
		Tagline: "A set of particles becomes a density, is squeezed through a few learned numbers, and is drawn again.",
		Picture: "The picture, drawn live: particles, target density, learned density, closure variables ẑ, loss. A click on the axis adds or removes a particle. Arrow keys move a crosshair, Enter adds a particle there, Delete removes the nearest.",
		Groups: []system.Group{
			{
				ID: "particles", Title: "Particles", Names: []string{"n", "seed", "drift", "set"},
				Buttons: []wire.Control{{ID: "another", Kind: wire.Button, Label: "Another set", Key: "n", Beside: true, Hint: "Draws the next set, which the model has not been trained on."}},
			},
			{
				ID: "own", Title: "Your own particles", Note: "Drop a file anywhere, or click under the axis to add or remove a particle.",
				Buttons: []wire.Control{
					{ID: "position", Kind: wire.Number, Label: "Position x", Hint: "A position on the axis, for those who would rather type than click."},
					{ID: wire.Add, Kind: wire.Button, Label: "Add", Beside: true, Hint: "Adds a particle at this position; the model encodes the new set at once."},
					{ID: wire.Remove, Kind: wire.Button, Label: "Remove", Beside: true, Hint: "Removes the particle nearest to this position."},
				},
			},
		},
		Help: []wire.Entry{
			{Term: "X", Name: "set of particles", Text: "what is encoded (Eq. 1). Particles have no order, so a model that is to describe them must not depend on one."},
			{Term: "x_i", Name: "position of a particle", Text: "a number on the line (Eq. 2); x is any place on it."},
			{Term: "N", Name: "number of particles", Text: "how many there are in the set on show."},
			{Term: "[mixture|mixture]", Text: "the four Gaussians that the particles were drawn from (Section 4.1). The model never sees it."},
		},
		Try: []string{
			"Move ε to 0.03. The target turns spiky, and the model that was trained for that comes on show.",
			"Set the closure variables ẑ to 1, then 2, then 8. One number cannot say where four peaks are.",
			"Add particles far from the others. The encoder sees them at once, without any training.",
		},
		Accepts: ".csv,.txt,.npy,.npz,.safetensors",
		Drop:    "Drop numbers (CSV, NPY, NPZ) or a checkpoint (.safetensors)",
		Data:    "Numbers as CSV (separated by commas, blanks or lines), NPY or NPZ become the particles; a .safetensors checkpoint becomes the model.",
	}
}

// Summary implements system.Live: the beginning of a sentence, which goes on with
// what is made of the set.
func (l *Live) Summary(system.Prediction) string {
	switch {
	case !l.Recorded():
		return l.counted() + " from the [dotted mixture|mixture]"
	case l.About.Note == "":
		return l.counted() + " **of your own**"
	}
	return fmt.Sprintf("%s **of your own** (%s)", l.counted(), shortened(l.About.Note))
}

func (l *Live) counted() string {
	n := l.About.Particles
	return fmt.Sprintf("A set of **%d** %s", n, setting.Plural(n, "particle", "particles"))
}

// shortened cuts the name of a file to a length that fits a sentence.
func shortened(name string) string {
	const most = 24
	if r := []rune(name); len(r) > most {
		return string(r[:most]) + "…"
	}
	return name
}
