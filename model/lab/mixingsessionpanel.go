package lab

import "macroscope/model/wire"

// Panel implements wire.Session.
func (s *MixingSession) Panel() *wire.Panel {
	return &wire.Panel{
		Lab: mixingName, Title: "Binary mixing",
		Tagline: "Two kinds of atoms mix by molecular dynamics; from the first frame alone a stochastic law foretells how fast, and how sure it is.",
		Picture: "Left, atoms of two colours in a box, in motion. Beside them the two mixing ratios against time, with the band of an ensemble of predictions from frame 0. Below, the density of each species and the one that the model has learned of it.",
		Transport: []wire.Control{
			{ID: "play", Kind: wire.Button, Label: "Play", Key: " ", Icon: "train", Primary: true, Hint: "Lets the atoms move, or stops them; every frame that has been is kept."},
			{ID: "step", Kind: wire.Button, Label: "Step", Key: "s", Icon: "step", Hint: "On to the next frame: 200 steps of molecular dynamics."},
			{ID: "restart", Kind: wire.Button, Label: "Restart", Key: "r", Icon: "reset", Hint: "Back to frame 0, where the species were given out. The same happens again, to the bit."},
			{ID: "at", Kind: wire.Range, Label: "Frame", Min: 0, Max: 500, Step: 1, Hint: "The frame on show. What has been is shown at once, the rest is simulated first."},
			{ID: "speed", Kind: wire.Choice, Label: "Speed", Options: []wire.Option{{Value: "0.25", Label: "¼×"}, {Value: "0.5", Label: "½×"}, {Value: "1", Label: "1×"}, {Value: "2", Label: "2×"}, {Value: "4", Label: "4×"}}, Hint: "1× is 3000 steps of molecular dynamics a second, 15 frames."},
		},
		Figures: mixingFigures(),
		Groups: []wire.Group{
			mixingSystemGroup(), mixingPairGroup(), mixingModelGroup(), mixingOrderGroup(), mixingTrainingGroup(), runsGroup(), mixingFilesGroup(),
		},
		Help: mixingHelp(),
		Try: []string{
			"Drag the boundary in the picture: the species are given out anew, and the law foretells the new run at once.",
			"Choose Oil and water: like atoms now hold together, the drops stay apart, and the law, which never saw that, is wrong.",
			"Raise the temperature while they mix, then scrub back to before the change.",
			"Shuffle the labels: ẑ of both species stays put.",
			"Press Train: a law is trained here in a minute or two, and its band is drawn beside that of the shipped one.",
			"Choose Smaller box: 437 atoms instead of 529, and the same law still holds.",
		},
		Accepts: ".npz,.dump,.lammpstrj,.txt,.safetensors",
		Drop:    "Drop trajectories (NPZ with types, LAMMPS dump) or a checkpoint (.safetensors)",
	}
}

// mixingFigures are the numbers beside the transport.
func mixingFigures() []wire.Figure {
	return []wire.Figure{
		{ID: "steps", Label: "steps/s", Hint: "Steps of molecular dynamics a second, as measured while it runs."},
		{ID: "time", Label: "t", Hint: "Time since the species were given out, in reduced units."},
		{ID: "temperature", Label: "T", Hint: "Temperature of the atoms at this moment, 2K/(2N−2). The thermostat lets it fluctuate as it must."},
		{ID: "energy", Label: "U/N", Hint: "Potential energy per atom."},
		{ID: "pressure", Label: "p", Hint: "Pressure from the virial: (2K + Σ r·F) over twice the area."},
		{ID: "drift", Label: "drift", Hint: "Change of what the equations of motion conserve, energy and thermostat together, per atom since the run began: 0 but for the error of the time step."},
		{ID: "ab", Label: "R_AB", Hint: "Of all neighbours within 2.5 that the atoms of species A have, the share that is of B."},
		{ID: "ba", Label: "R_BA", Hint: "Of all neighbours within 2.5 that the atoms of species B have, the share that is of A."},
		{ID: "coverage", Label: "in band", Hint: "Share of the true ratios so far that lie in the band of the ensemble. Over many runs it should be 90 %; in one run its values hang together."},
		{ID: "kl", Label: "KL", Unit: "nats", Hint: "KL(q ‖ p_θ) of species A and of B: how far the learned densities of this frame are from their targets."},
		{ID: "dz", Label: "Δẑ", Hint: "Largest change of ẑ by the last shuffle of the labels, where the training set spans 2. Only rounding is left."},
		{ID: "rate", Label: "pairs/s", Hint: "Transitions from one frame to the next that training takes in a second."},
		{ID: "val", Label: "held out", Hint: "Share of the true ratios of the runs that do not train the law which lie in its bands of 90 %, as last measured."},
		{ID: "fault", Label: "off by", Hint: "Root mean square of what the ensemble’s mean is off by on those runs, in units of the ratios."},
		{ID: "mmd", Label: "MMD", Hint: "Of your own trajectories: the discrepancy between the true ones and as many predicted, as the paper defines it."},
	}
}

func mixingSystemGroup() wire.Group {
	var plays []wire.Option
	for _, p := range MixingPlays() {
		plays = append(plays, wire.Option{Value: p.Name, Label: p.Label})
	}
	plays = append(plays, wire.Option{Value: "own", Label: "Your own settings"})
	return wire.Group{ID: "system", Title: "System", Controls: []wire.Control{
		{ID: "preset", Kind: wire.Choice, Label: "System", Options: plays, Hint: "Boundaries, boxes and forces by name. The model was trained on the first, with boundaries from 10 to 22."},
		{ID: "tool", Kind: wire.Choice, Label: "Pointer", Options: []wire.Option{{Value: "look", Label: "look"}, {Value: "boundary", Label: "boundary"}}, Hint: "What the mouse or the finger does in the picture: nothing but look, or drag the boundary."},
		{ID: "boundary", Kind: wire.Slider, Label: "boundary", Min: 2, Max: 30, Step: 0.25, Ticks: []float64{4, 8, 12, 16, 20, 24, 28}, Hint: "Atoms left of it become species A, the others B. A change gives them out anew, from the same relaxed atoms."},
		{ID: "height", Kind: wire.Slider, Label: "height of the box", Min: minBoxHeight, Max: maxBoxHeight, Step: 1, Ticks: []float64{12, 20, 26, 32, 40}, Hint: "The box is 32 wide; a lower one holds fewer atoms at the same density. 26 is the paper’s smaller box."},
		{ID: "dt", Kind: wire.Slider, Label: "time step", Min: 0.0005, Max: 0.1, Step: 0.0005, Log: true, Ticks: []float64{0.001, 0.002, 0.005, 0.01, 0.1}, Hint: "Of the molecular dynamics. Too long a step flings atoms about; the run then ends with its last good state."},
		{ID: "frames", Kind: wire.Slider, Label: "frames", Min: minMixingFrames, Max: maxMixingFrames, Step: 1, Stops: []float64{50, 100, 200, 300, 500, 700, 1000}, Ticks: []float64{50, 200, 500, 1000}, Hint: "Length of the run in frames of 200 steps, and the horizon of the prediction."},
		{ID: "seed", Kind: wire.Field, Label: "seed", Hint: "The first velocities come from this number and the run’s: the same seed gives the same run."},
		{ID: "another", Kind: wire.Button, Label: "Another run", Key: "n", Icon: "dice", Hint: "Other first velocities of the same seed."},
	}}
}

func mixingPairGroup() wire.Group {
	depths := []float64{0.05, 0.1, 0.2, 0.5, 1, 2, 5}
	return wire.Group{ID: "forces", Title: "Forces and heat", Note: "A change takes effect at once, and what came after this frame is forgotten. At frame 0 the run begins anew.", Controls: []wire.Control{
		{ID: "temperature", Kind: wire.Slider, Label: "temperature T", Min: 0.05, Max: 10, Step: 0.01, Log: true, Ticks: []float64{0.1, 0.3, 1, 3, 10}, Hint: "That the thermostat holds the atoms at. Training had 1."},
		{ID: "e11", Kind: wire.Slider, Label: "ε of A with A", Min: 0.05, Max: 5, Step: 0.01, Log: true, Ticks: depths, Hint: "Depth of the well of two atoms of species A: how strongly they hold together. Training had 0.5."},
		{ID: "e22", Kind: wire.Slider, Label: "ε of B with B", Min: 0.05, Max: 5, Step: 0.01, Log: true, Ticks: depths, Hint: "The same of species B. Training had 0.6."},
		{ID: "e12", Kind: wire.Slider, Label: "ε of A with B", Min: 0.05, Max: 5, Step: 0.01, Log: true, Ticks: depths, Hint: "The same of unlike atoms. Training had 0.7, the deepest of the three: unlike atoms like each other."},
	}}
}

func mixingModelGroup() wire.Group {
	return wire.Group{ID: "model", Title: "Model", Controls: []wire.Control{
		{ID: "encode", Kind: wire.Button, Label: "Encode", Hint: "Encoder: the atoms of each species become its ẑ."},
		{ID: "decode", Kind: wire.Button, Label: "Decode", Hint: "Flow: each ẑ becomes a density again."},
		{ID: "rollout", Kind: wire.Button, Label: "Roll out", Hint: "Law: from frame 0 alone, an ensemble of ratios of every later frame."},
		{ID: "all", Kind: wire.Switch, Label: "Run all stages", Hint: "Every stage follows every frame. Off, each runs when you press it."},
		{ID: "members", Kind: wire.Choice, Label: "Ensemble", Options: []wire.Option{{Value: "39", Label: "39 members"}, {Value: "99", Label: "99 members"}, {Value: "199", Label: "199 members"}, {Value: "399", Label: "399 members"}}, Hint: "How often the stochastic law is rolled out, with noise of its own each time. Of every twenty, one lies above the band and one below."},
	}}
}

func mixingOrderGroup() wire.Group {
	return wire.Group{ID: "order", Title: "Order", Controls: []wire.Control{
		{ID: "shuffle", Kind: wire.Button, Label: "Shuffle labels", Icon: "dice", Hint: "Permutes the atoms’ labels. The sets are the same, so ẑ must be."},
		{ID: "colours", Kind: wire.Switch, Label: "Colour by label", Hint: "Each atom has the colour of its label."},
	}}
}

func mixingTrainingGroup() wire.Group {
	return wire.Group{ID: "training", Title: "Training", Note: "Stage II: a law of what the shipped encoder made of 200 runs, tested on 40 more.", Controls: []wire.Control{
		{ID: "law", Kind: wire.Choice, Label: "Form", Options: []wire.Option{{Value: "joint", Label: "one joint law"}, {Value: "separate", Label: "one a species"}}, Hint: "One law of both ratios and both closures, or, as published, one for each species, which then moves the other’s closure for itself."},
		{ID: "tseed", Kind: wire.Field, Label: "training seed", Hint: "Weights and the order of the data come from this number."},
		{ID: "from", Kind: wire.Choice, Label: "Begin", Options: []wire.Option{{Value: "scratch", Label: "from scratch"}, {Value: "model", Label: "from the law shown"}}, Hint: "With weights that the seed draws, or with those of model A."},
		{ID: "train", Kind: wire.Button, Label: "Train", Key: "t", Icon: "train", Hint: "Starts training, stops it, or goes on; nothing is lost."},
		{ID: "name", Kind: wire.Field, Label: "name", Hint: "What the kept law is to be called."},
		{ID: "keep", Kind: wire.Button, Label: "Keep", Hint: "Keeps the law in training as it is now, or model A, among the runs."},
	}}
}

func mixingFilesGroup() wire.Group {
	return wire.Group{ID: "files", Title: "In and out", Controls: []wire.Control{
		{ID: "open", Kind: wire.Open, Label: "Open a file…", Hint: "Trajectories as NPZ, with the arrays trajectories (E, T, N, 2) and types (E, N) of 1 and 2; a LAMMPS dump in text form; or a checkpoint, .safetensors."},
		{ID: "trajectory", Kind: wire.Number, Label: "trajectory", Min: 1, Max: 100_000, Step: 1, Hint: "Which of your own trajectories is on show."},
		{ID: "simulate", Kind: wire.Button, Label: "Back to the simulation", Hint: "Closes your file and goes on with the settings."},
		{ID: "model-file", Kind: wire.Export, Label: "Save the model", Value: wire.Model, Hint: "A checkpoint, .safetensors, that the page, the command line, PyTorch and NumPy can open."},
		{ID: "csv", Kind: wire.Export, Label: "Curves as CSV", Value: "csv", Hint: "Ratios, temperature, energy, pressure, bands and ẑ of every frame so far."},
		{ID: "npz", Kind: wire.Export, Label: "Run as NPZ", Value: "npz", Hint: "Positions, species and ratios of every frame so far, as the command line reads them."},
		{ID: "image", Kind: wire.Image, Label: "Picture as PNG", Hint: "The picture as it stands."},
	}}
}

func mixingHelp() []wire.Entry {
	return []wire.Entry{
		{Term: "A, B", Text: "the two species, 1 and 2 in files: atoms that were left and right of the boundary when mixing began."},
		{Term: "ε, σ", Text: "depth of the well of two atoms, and the distance at which their Lennard-Jones potential 4ε((σ/r)¹² − (σ/r)⁶) is zero; it is cut off at 2.5 (Section 4.3)."},
		{Term: "reduced units", Text: "lengths in σ of the first species, energies in a unit in which T = 1 is the temperature of training, masses of 1."},
		{Term: "NVE, NVT", Text: "motion at constant energy, in which the atoms leave their lattice for 3000 steps, and motion at constant temperature, held by a chain of three Nosé–Hoover thermostats, in which they mix."},
		{Term: "R_AB, R_BA", Text: "mixing ratios: of all neighbours within 2.5 that the atoms of A (or of B) have, the share that is of the other species. They are the macroscopic variables z̄."},
		{Term: "ẑ_A, ẑ_B", Text: "closure variables: what one encoder makes of the atoms of each species, in any order."},
		{Term: "q, p_θ(x | ẑ)", Text: "target density of a species, a Gaussian at every atom, and the density that the flow makes of its ẑ."},
		{Term: "z", Text: "all that the law knows: both ratios, both closures, and the share of atoms that are A, which never changes."},
		{Term: "g, Σ", Text: "drift and diffusion of the stochastic law dz = g(z) dt + Σ(z) dW, advanced by Euler–Maruyama steps of one frame."},
		{Term: "ensemble, band", Text: "many rollouts from frame 0 with noise of their own; the band holds the middle nine tenths of them in every frame."},
		{Term: "in band", Text: "coverage: the share of true values that lie in the band. If the law is right it is nine tenths over many runs."},
	}
}
