package mixing

import (
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/sim/lj"
)

// Page implements system.Live. Transport also has the hints of "preset" and
// "tool".
func (l *Live) Page() *system.Page {
	return &system.Page{
		Tagline: "Two kinds of atoms mix by molecular dynamics; from the first frame alone, learned stochastic dynamics predict how fast, and how certain that is.",
		Picture: "Left, atoms of two colours in a box, in motion. Beside them the two mixing ratios against time, with the band of an ensemble of predictions from frame 0. Below, the density of each species and the one that the model has learned of it.",
		Transport: map[string]string{
			"play":    "Lets the atoms move, or stops them; every frame that has been is kept.",
			"step":    "On to the next frame: 200 steps of molecular dynamics.",
			"restart": "Back to frame 0, where the species were assigned. The same happens again, to the bit.",
			"at":      "The frame on show. What has been is shown at once, the rest is simulated first.",
			"speed":   "1× is 3000 steps of molecular dynamics a second, 15 frames.",
			"preset":  "Boundaries, boxes and forces by name. The model was trained on the first, with boundaries from 10 to 22.",
			"tool":    "What the mouse or the finger does in the picture: nothing but look, or drag the boundary.",
		},
		Systems: presets(),
		Groups: []system.Group{
			{
				ID: "system", Title: "Atoms and box",
				Names: []string{"preset", "tool", "boundary", "halves", "height", "dt", "frames", "seed"},
				Buttons: []wire.Control{
					{ID: system.AnotherButton, Kind: wire.Button, Label: "Another run", Key: "n", Icon: "dice", Hint: "Other first velocities of the same seed."},
				},
			},
			{
				ID: "forces", Title: "Forces and heat",
				Note:  "A change takes effect at once, and what came after this frame is forgotten. At frame 0 the run begins anew.",
				Names: []string{"temperature", "e11", "e22", "e12"},
			},
		},
		Tool:  boundaryTool,
		Tools: []setting.Option{{Value: lookTool, Label: "look"}, {Value: boundaryTool, Label: "boundary"}},
		Figures: []wire.Figure{
			{ID: "steps", Label: "steps/s", Hint: "Steps of molecular dynamics a second, as measured while it runs."},
			{ID: "time", Label: "t", Hint: "Time since the species were assigned, in reduced units."},
			{ID: "temperature", Label: "T", Hint: "Temperature of the atoms at this moment: their kinetic energy over N−1. The thermostat lets it fluctuate as it must."},
			{ID: "energy", Label: "U/N", Hint: "Potential energy per atom."},
			{ID: "pressure", Label: "p", Hint: "Pressure from the virial: twice the kinetic energy, and distance times force summed over all pairs, over twice the area."},
			{ID: "drift", Label: "energy drift", Hint: "Change of what the equations of motion conserve, energy and thermostat together, per atom since the run began: 0 but for the error of the time step."},
			{ID: "ab", Label: "R_AB", Hint: "Of all neighbours within 2.5 that the atoms of species A have, the share that is of B."},
			{ID: "ba", Label: "R_BA", Hint: "Of all neighbours within 2.5 that the atoms of species B have, the share that is of A."},
		},
		Help: []wire.Entry{
			{Term: "species A, species B", Text: "the two kinds of atoms, 1 and 2 in files: those that were left and right of the boundary when mixing began."},
			{Term: "X_A, X_B", Name: "sets of particles", Text: "the atoms of species A, and those of species B (Eq. 1). They have no order."},
			{Term: "q_A, q_B", Name: "target densities", Text: "q_X of the atoms of species A, and of those of species B."},
			{Term: "N", Name: "number of particles", Text: "the atoms of both species."},
			{Term: "ε_LJ", Name: "well depth", Text: "of the Lennard-Jones potential 4ε_LJ((σ/r)¹² − (σ/r)⁶) of two atoms at distance r; it is cut off at 2.5 (Section 4.3)."},
			{Term: "σ", Name: "diameter", Text: "the distance at which that potential is zero."},
			{Term: "reduced units", Text: "lengths in σ of species A, energies in a unit in which T = 1 is the temperature of training, masses of 1."},
			{Term: "t", Name: "time", Text: "since the species were assigned, in reduced units."},
			{Term: "Δt", Name: "time step", Text: "of the molecular dynamics; a frame is 200 of them."},
			{Term: "T", Name: "temperature", Text: "of the atoms, in reduced units."},
			{Term: "U", Name: "potential energy", Text: "of all atoms together; U/N is that of one."},
			{Term: "p", Name: "pressure", Text: "of the atoms, from the virial."},
			{Term: "NVE, NVT", Text: "motion at constant energy, in which the atoms leave their lattice for 3000 steps, and motion at constant temperature, held by a chain of three Nosé–Hoover thermostats, in which they mix."},
			{Term: "R_AB", Name: "mixing ratio of species A", Text: "of all neighbours within 2.5 that the atoms of species A have, the share that is of species B."},
			{Term: "R_BA", Name: "mixing ratio of species B", Text: "the same the other way round."},
			{Term: "z̄", Name: "observable", Text: "what is predicted (Eq. 4): here the two mixing ratios."},
		},
		Try: []string{
			"Drag the boundary in the picture: the species are assigned anew, and the model predicts the new run at once.",
			"Choose Oil and water: like atoms now hold together, the drops stay apart, and the model, which never saw that, is wrong.",
			"Raise the temperature while they mix, then scrub back to before the change.",
			"Choose Smaller box: 437 atoms instead of 529, and the same model still predicts how they mix.",
		},
		Units:   "reduced: lengths in σ of the first species",
		Step:    lj.Default().Dt * float64(lj.Default().Every),
		Accepts: ".npz,.dump,.lammpstrj,.csv,.txt,.safetensors",
		Drop:    "Drop trajectories (NPZ with types, LAMMPS dump, CSV) or a checkpoint (.safetensors)",
		Data:    "Trajectories as NPZ, with the arrays trajectories (runs × frames × atoms × 2) and types (runs × atoms) of 1 and 2; a LAMMPS dump in text form; a CSV with the columns frame, type, x and y, and perhaps id; or a checkpoint, .safetensors.",
	}
}
