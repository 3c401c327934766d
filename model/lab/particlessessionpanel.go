package lab

import (
	"macroscope/model/target"
	"macroscope/model/wire"
)

// Panel implements wire.Session.
func (s *ParticlesSession) Panel() *wire.Panel {
	return &wire.Panel{
		Lab: particlesName, Title: "Interacting particles",
		Tagline: "From one frame of a crowd of particles, the energy of all that are to come.",
		Picture: "Left, particles that move in the plane over the density that the model has learned of them. Right, their energy against time beside the one predicted from the first frame alone, and the latent variables ẑ as bars.",
		Transport: []wire.Control{
			{ID: "play", Kind: wire.Button, Label: "Play", Key: " ", Icon: "train", Primary: true, Hint: "Lets the particles move, or stops them; every frame that has been is kept."},
			{ID: "step", Kind: wire.Button, Label: "Step", Key: "s", Icon: "step", Hint: "One time step of the simulation."},
			{ID: "restart", Kind: wire.Button, Label: "Restart", Key: "r", Icon: "reset", Hint: "Back to frame 0 of the same run."},
			{ID: "at", Kind: wire.Range, Label: "Frame", Min: 0, Max: 300, Step: 1, Hint: "The frame on show. What has been is shown at once, the rest is simulated first."},
			{ID: "speed", Kind: wire.Choice, Label: "Speed", Options: []wire.Option{{Value: "0.25", Label: "¼×"}, {Value: "0.5", Label: "½×"}, {Value: "1", Label: "1×"}, {Value: "2", Label: "2×"}, {Value: "4", Label: "4×"}}, Hint: "Frames shown a second: 1× is thirty."},
		},
		Figures: particlesFigures,
		Groups: []wire.Group{
			s.systemGroup(), handGroup(), modelGroup(), orderGroup(), trainingGroup(), runsGroup(), dataGroup(), filesGroup(),
		},
		Help: particlesHelp(),
		Try: []string{
			"Choose the system Pinched loop: the law was trained on another force, and its prediction goes astray.",
			"Switch off Run all stages, then press Encode, Decode and Roll out one after another.",
			"Shuffle the labels: ẑ and the predictions stay put, those of an encoder that depends on the order jump.",
			"Clear the plane, draw a letter with the finger and press Play.",
			"Move ε to 0.1 and press Train: a new model learns a smoother density while you watch.",
		},
		Accepts: ".npz,.npy,.safetensors",
		Drop:    "Drop trajectories (NPZ, NPY) or a checkpoint (.safetensors)",
	}
}

// particlesFigures are the numbers beside the transport.
var particlesFigures = []wire.Figure{
	{ID: "time", Label: "t", Hint: "Time of the frame on show: its number times Δt."},
	{ID: "energy", Label: "energy", Hint: "Energy per pair of particles in the frame on show, E/(N(N−1)/2): the observable z̄."},
	{ID: "predicted", Label: "predicted", Hint: "The same as predicted from frame 0 alone."},
	{ID: "mre", Label: "MRE", Hint: "Mean relative error of the prediction over the frames so far, as in the paper: squared errors over squared values, both scaled to [−1, 1]."},
	{ID: "kl", Label: "KL", Unit: "nats", Hint: "KL(q_X ‖ p_θ): how far the learned density of this frame is from its target; 0 is a perfect fit."},
	{ID: "dz", Label: "Δẑ", Hint: "Largest change of ẑ by the last shuffle of the labels, where the training set spans 2. Only rounding is left."},
	{ID: "rate", Label: "rate", Hint: "What training takes in a second, over all workers: sets of particles in stage I, pairs of frames and stretches of trajectories in stage II."},
	{ID: "loss", Label: "loss", Hint: "Of the last training step: in stage I nats a sample, less what training cannot change; in stage II the law’s squared error."},
	{ID: "val", Label: "val. MRE", Hint: "MRE of the model in training over trajectories that it is not trained on."},
	{ID: "own", Label: "your MRE", Hint: "MRE of model A over all trajectories of your file, as the command line computes it."},
}

func (s *ParticlesSession) systemGroup() wire.Group {
	var plays []wire.Option
	for _, p := range ParticlesPlays() {
		plays = append(plays, wire.Option{Value: p.Name, Label: p.Label})
	}
	plays = append(plays, wire.Option{Value: "own", Label: "Your own settings"})
	return wire.Group{ID: "system", Title: "System", Controls: []wire.Control{
		{ID: "preset", Kind: wire.Choice, Label: "System", Options: plays, Hint: "Forces and numbers by name. The model was trained on the first."},
		{ID: "a", Kind: wire.Slider, Label: "steepness a", Min: 0.1, Max: 1000, Step: 0.1, Stops: []float64{0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 10, 12, 15, 20, 30, 50}, Ticks: []float64{1, 2, 4, 8, 20, 50}, Hint: "How abruptly the force F(r) = tanh(a(1 − r)) + b turns from repulsion to attraction at r = 1."},
		{ID: "b", Kind: wire.Slider, Label: "constant force b", Min: -1.5, Max: 1.5, Step: 0.05, Ticks: []float64{-1, 0, 1}, Hint: "Added to the force at every distance: above 1 all repel, below −1 all attract."},
		{ID: "n", Kind: wire.Slider, Label: "particles N", Min: MinParticles, Max: MaxParticles, Step: 1, Stops: []float64{10, 20, 50, 100, 150, 200, 300, 400, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000}, Ticks: []float64{10, 50, 300, 1000, 5000}, Hint: "How many particles there are. The model takes any number; the time of a step grows with the square."},
		{ID: "dt", Kind: wire.Slider, Label: "time step Δt", Min: 0.001, Max: 1, Step: 0.001, Log: true, Ticks: []float64{0.001, 0.01, 0.1, 1}, Hint: "Time between two frames. Too long a step is unstable and is refused. The model knows 0.02 alone."},
		{ID: "steps", Kind: wire.Slider, Label: "steps", Min: minPlayedSteps, Max: maxPlayedSteps, Step: 1, Stops: []float64{50, 100, 200, 300, 500, 1000, 2000, 3000, 5000}, Ticks: []float64{50, 300, 1000, 5000}, Hint: "Length of the run, and the horizon of the prediction."},
		{ID: "components", Kind: wire.Slider, Label: "clusters", Min: 1, Max: maxComponents, Step: 1, Ticks: []float64{1, 2, 3, 4, 8, 16}, Hint: "Gaussians of standard deviation 0.1 that frame 0 is drawn from. Training has two."},
		{ID: "seed", Kind: wire.Field, Label: "seed", Hint: "All randomness of frame 0 comes from this number and the set’s: the same seed gives the same run."},
		{ID: "another", Kind: wire.Button, Label: "Another run", Key: "n", Icon: "dice", Hint: "The next first frame of the seed."},
	}}
}

func handGroup() wire.Group {
	return wire.Group{ID: "hand", Title: "By hand", Note: "Whatever you change becomes frame 0 of a new run.", Controls: []wire.Control{
		{ID: "tool", Kind: wire.Choice, Label: "Pointer", Options: []wire.Option{{Value: "look", Label: "look"}, {Value: "move", Label: "move"}, {Value: "add", Label: "add"}, {Value: "remove", Label: "remove"}, {Value: "draw", Label: "draw"}}, Hint: "What the mouse or the finger does in the picture."},
		{ID: "clear", Kind: wire.Button, Label: "Clear", Hint: "Takes all particles away, so that you can draw a set of your own."},
	}}
}

func modelGroup() wire.Group {
	return wire.Group{ID: "model", Title: "Model", Controls: []wire.Control{
		{ID: "encode", Kind: wire.Button, Label: "Encode", Hint: "Encoder: the particles of this frame become ẑ."},
		{ID: "decode", Kind: wire.Button, Label: "Decode", Hint: "Flow: ẑ becomes a density again."},
		{ID: "rollout", Kind: wire.Button, Label: "Roll out", Hint: "Law: from z of frame 0 alone, the energy of every later frame."},
		{ID: "all", Kind: wire.Switch, Label: "Run all stages", Hint: "Every stage follows every frame. Off, each runs when you press it."},
		{ID: "density", Kind: wire.Choice, Label: "Show", Options: []wire.Option{{Value: "both", Label: "both densities"}, {Value: "learned", Label: "learned p_θ"}, {Value: "target", Label: "target q_X"}, {Value: "difference", Label: "difference"}}, Hint: "The learned density, the target it should be, both, or one less the other."},
		{ID: "source", Kind: wire.Choice, Label: "Decode from", Options: []wire.Option{{Value: "particles", Label: "ẑ of the particles"}, {Value: "prediction", Label: "predicted ẑ"}}, Hint: "Whether the density is that of this frame’s ẑ, or of the ẑ that the law predicts for it from frame 0."},
		{ID: "samples", Kind: wire.Switch, Label: "Draw samples", Hint: "Points drawn from the learned density, over the particles. The same noise every time, so that they move as ẑ does."},
	}}
}

func orderGroup() wire.Group {
	return wire.Group{ID: "order", Title: "Order", Controls: []wire.Control{
		{ID: "shuffle", Kind: wire.Button, Label: "Shuffle labels", Icon: "dice", Hint: "Permutes the particles’ labels. The set is the same, so ẑ must be; an encoder that reads particles in a row sees another input."},
		{ID: "colours", Kind: wire.Switch, Label: "Colour by label", Hint: "Each particle has the colour of its label."},
	}}
}

func trainingGroup() wire.Group {
	return wire.Group{ID: "training", Title: "Training", Note: "On trajectories of the paper’s system, or on yours.", Controls: []wire.Control{
		{ID: "eps", Kind: wire.Slider, Label: "kernel width ε", Min: target.MinEps, Max: MaxEps, Log: true, Ticks: []float64{1e-8, 1e-4, 0.01, 0.1, 1}, Hint: "Standard deviation of the Gaussian that stands for each particle, on coordinates of unit variance. The target follows at once, the model by training."},
		{ID: "zdim", Kind: wire.Slider, Label: "dimension of ẑ", Min: 1, Max: MaxZDim, Step: 1, Ticks: []float64{1, 2, 4, 8, 12, 16}, Hint: "How many numbers beside the energy a frame is squeezed into, in the next training."},
		{ID: "size", Kind: wire.Choice, Label: "Size", Options: []wire.Option{{Value: "quick", Label: "quick: a minute or two"}, {Value: "browser", Label: "browser: some minutes"}, {Value: "laptop", Label: "laptop: an hour"}}, Hint: "Networks and steps of the next training, by the names that the command line has for them. The times are those of four cores."},
		{ID: "tseed", Kind: wire.Field, Label: "training seed", Hint: "Weights, data and their order come from this number."},
		{ID: "workers", Kind: wire.Slider, Label: "workers", Min: 1, Max: 16, Step: 1, Ticks: []float64{1, 2, 4, 8, 16}, Hint: "Workers that share the training, as far as the machine has cores. The result is the same."},
		{ID: "from", Kind: wire.Choice, Label: "Begin", Options: []wire.Option{{Value: "scratch", Label: "from scratch"}, {Value: "model", Label: "from the model shown"}}, Hint: "With weights that the seed draws, or with those of model A."},
		{ID: "train", Kind: wire.Button, Label: "Train", Key: "t", Icon: "train", Hint: "Starts training, stops it, or goes on; nothing is lost."},
		{ID: "name", Kind: wire.Field, Label: "name", Hint: "What the kept model is to be called."},
		{ID: "keep", Kind: wire.Button, Label: "Keep", Hint: "Keeps the model as it is now among the runs."},
	}}
}

func runsGroup() wire.Group {
	return wire.Group{ID: "runs", Title: "Runs", Note: "Two models can be compared on one clock.", Controls: []wire.Control{
		{ID: "runs", Kind: wire.Runs, Label: "Runs", Hint: "The models that there are: choose A, and B to compare it with."},
	}}
}

func dataGroup() wire.Group {
	return wire.Group{ID: "data", Title: "Your trajectories", Note: "Drop an NPZ or NPY file anywhere. It stays on this machine.", Controls: []wire.Control{
		{ID: "trajectory", Kind: wire.Number, Label: "trajectory", Min: 1, Max: maxTrajectories, Step: 1, Hint: "Which trajectory of your file is played, from 1."},
		{ID: "observable", Kind: wire.Choice, Label: "observable z̄", Options: []wire.Option{{Value: Energy, Label: "energy"}, {Value: Gyration, Label: "radius of gyration"}, {Value: Extent, Label: "extent"}, {Value: ownArray, Label: "an array of the file"}}, Hint: "What is predicted: the energy, which is taken from the array macro if there is one, what can be computed of positions, or another array (E, T) of the file."},
		{ID: "simulate", Kind: wire.Button, Label: "Back to the simulation", Hint: "Closes the file."},
	}}
}

func filesGroup() wire.Group {
	return wire.Group{ID: "files", Title: "In and out", Controls: []wire.Control{
		{ID: "open", Kind: wire.Open, Label: "Open a file…", Hint: "Trajectories as NPZ or NPY, an array trajectories (E, T, N, 2) and if there is one its energy macro (E, T); or a checkpoint, .safetensors."},
		{ID: "model", Kind: wire.Export, Label: "Save the model", Value: wire.Model, Hint: "A checkpoint, .safetensors, that the page, the command line, PyTorch and NumPy can open."},
		{ID: "csv", Kind: wire.Export, Label: "Curves as CSV", Value: "csv", Hint: "Time, energy, prediction, error and ẑ of every frame so far."},
		{ID: "npz", Kind: wire.Export, Label: "Run as NPZ", Value: "npz", Hint: "Positions and energy of every frame so far, as the command line reads them."},
		{ID: "image", Kind: wire.Image, Label: "Picture as PNG", Hint: "The picture as it stands."},
	}}
}

func particlesHelp() []wire.Entry {
	return []wire.Entry{
		{Term: "X, x_i, N", Text: "the set of particles in a frame, one of them, and how many there are. Each is a point in the plane."},
		{Term: "F(r)", Text: "the force between two particles at distance r, tanh(a(1 − r)) + b: repulsion where positive. A particle’s velocity is the mean of all forces on it (Section 4.2)."},
		{Term: "z̄", Text: "the observable, here the energy per pair of particles, E/(N(N−1)/2). It can only fall."},
		{Term: "ε", Text: "standard deviation of the Gaussian that stands for each particle, on coordinates scaled to unit variance (Eq. 2)."},
		{Term: "q_X", Text: "the target density: the mean of those Gaussians (Eq. 2)."},
		{Term: "φ̂, ẑ", Text: "the encoder, whose answer ẑ does not change when the particles are reordered, and that answer: the closure variables (Eq. 1)."},
		{Term: "p_θ(x | ẑ)", Text: "the learned density, a normalising flow that ẑ steers (Eq. 3)."},
		{Term: "KL(q_X ‖ p_θ)", Text: "how far the learned density is from the target, in nats; 0 is a perfect fit. Where ε is small the target is spiky and no flow follows it all the way."},
		{Term: "z = [z̄, ẑ], g", Text: "the macroscopic state and its law dz/dt = g(z): from z of frame 0 it is advanced alone, without the particles."},
		{Term: "MRE", Text: "mean relative error of a prediction: squared errors of the energy over its squares, both scaled to [−1, 1] over the training set."},
		{Term: "left", Text: "a predicted variable has left when it lies beyond the range of the training set by more than a hundredth of it; what the law says from there on is extrapolation."},
	}
}
