package lab

import (
	"fmt"
	"slices"

	"macroscope/model/file/bundle"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/experiment"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// The files that a lab makes, beside its model.
const (
	CurvesFile = "csv"
	SweepFile  = "sweep" // the visitor’s own sweep
	RunFile    = "npz"
)

// panels describes the controls of the page.
type panels struct {
	lab      *Lab
	live     system.Live
	settings *Settings
}

// Panel returns what the system says of itself, and the controls that every lab
// has. The controls of the system are those of live.
func Panel(lab *Lab, live system.Live, settings *Settings) *wire.Panel {
	s := panels{lab, live, settings}
	page := s.live.Page()
	p := &wire.Panel{
		Lab: s.lab.Link(), Title: s.lab.System.Traits().Title, Tagline: page.Tagline, Picture: page.Picture,
		Figures: Figures(s.lab, s.live), Try: page.Try, Accepts: page.Accepts, Drop: page.Drop,
	}
	if p.Accepts != "" {
		p.Accepts += "," + bundle.Ending
		p.Drop += ", or a saved lab (" + bundle.Ending + ")"
	}
	if !s.lab.Timed() {
		p.Largest = 16 // MiB: a model, or as many numbers as the lab shows
	}
	p.Transport = s.transport(page)
	for _, g := range page.Groups {
		p.Groups = append(p.Groups, s.systemGroup(page, &g))
	}
	if s.lab.Learns() {
		at := len(p.Groups)
		if !s.lab.Timed() {
			at = 1 // what the model follows comes after the set
		}
		p.Groups = slices.Insert(p.Groups, at, s.modelGroups()...)
		p.Help = slices.Concat(page.Help, s.help())
	} else {
		p.Help = page.Help
	}
	p.Groups = fold(append(p.Groups, s.fileGroups(page)...))
	return p
}

// transport is the buttons under the picture: they play the run, or train the
// model of a sampler.
func (s panels) transport(page *system.Page) []wire.Control {
	if !s.lab.Timed() {
		return []wire.Control{
			{ID: "train", Kind: wire.Button, Label: "Train", Key: " ", Icon: "train", Primary: true, Hint: "Starts training or pauses it; nothing is lost either way."},
			{ID: "step", Kind: wire.Button, Label: "Step", Key: "s", Icon: "step", Hint: "One training step."},
			{ID: "reset", Kind: wire.Button, Label: "Reset", Key: "r", Icon: "reset", Hint: "Back to the first weights of the same seed: the same run again. What was trained stays among the runs."},
			{ID: "newseed", Kind: wire.Button, Label: "New seed", Icon: "dice", Hint: "Other first weights and other data, from scratch. What was trained stays among the runs."},
		}
	}
	hint := page.Transport
	t := []wire.Control{
		{ID: "play", Kind: wire.Button, Label: "Play", Key: " ", Icon: "train", Primary: true, Hint: hint["play"]},
		{ID: "step", Kind: wire.Button, Label: "Step", Key: "s", Icon: "step", Hint: hint["step"]},
		{ID: "restart", Kind: wire.Button, Label: "Restart", Key: "r", Icon: "reset", Hint: hint["restart"]},
		{ID: "at", Kind: wire.Range, Label: "Frame", Min: 0, Max: float64(max(1, s.live.Run().Horizon)), Step: 1, Hint: hint["at"]},
	}
	return append(t, s.pick("speed")...)
}

// control returns the control of a setting.
func control(f *setting.Field) wire.Control {
	c := &f.Control
	w := wire.Control{
		ID: f.Name, Kind: c.Kind, Label: c.Label, Unit: c.Unit, Hint: c.Hint, Min: c.Min, Max: c.Max, Step: c.Step, Log: c.Log, Stops: c.Stops, Ticks: c.Ticks,
	}
	for _, o := range f.Options {
		w.Options = append(w.Options, wire.Option{Value: o.Value, Label: o.Label})
	}
	return w
}

// systemGroup is the controls of a group of the system's settings.
func (s panels) systemGroup(page *system.Page, g *system.Group) wire.Group {
	w := wire.Group{ID: g.ID, Title: g.Title, Note: g.Note}
	table := s.live.Settings()
	buttons := slices.Clone(g.Buttons)
	for _, name := range g.Names {
		at := slices.IndexFunc(buttons, func(c wire.Control) bool { return c.ID == name })
		switch f := table.Find(name); {
		case at >= 0:
			w.Controls = append(w.Controls, buttons[at])
			buttons = slices.Delete(buttons, at, at+1)
		case name == "preset":
			c := wire.Control{ID: name, Kind: wire.Choice, Label: "System", Hint: page.Transport[name]}
			for _, p := range page.Systems {
				c.Options = append(c.Options, wire.Option{Value: p.Name, Label: p.Label})
			}
			c.Options = append(c.Options, wire.Option{Value: "own", Label: "Your own settings"})
			w.Controls = append(w.Controls, c)
			if s.lab.Learns() && s.lab.Timed() {
				w.Controls = append(w.Controls, s.pick("method")...)
			}
		case name == "tool":
			c := wire.Control{ID: name, Kind: wire.Choice, Label: "Pointer", Hint: page.Transport[name]}
			for _, o := range page.Tools {
				c.Options = append(c.Options, wire.Option{Value: o.Value, Label: o.Label})
			}
			w.Controls = append(w.Controls, c)
		case f != nil && f.Control.Kind != "":
			c := control(f)
			c.Moves = name == "drift"
			w.Controls = append(w.Controls, c)
		}
	}
	w.Controls = append(w.Controls, buttons...)
	return w
}

// pick returns the controls of those of the settings that mean something here.
func (s panels) pick(names ...string) (controls []wire.Control) {
	table := s.settings.Table(s.lab)
	for _, name := range names {
		if f := table.Find(name); f != nil {
			controls = append(controls, control(f))
		}
	}
	return controls
}

// modelGroups are the controls of models and their training.
func (s panels) modelGroups() []wire.Group {
	shuffle := wire.Control{ID: "shuffle", Kind: wire.Button, Label: "Shuffle labels", Icon: "dice", Hint: "Permutes the particles’ labels. The set is the same, so ẑ must be; an encoder that reads particles in a row sees another input."}
	if !s.lab.Timed() {
		return slices.Concat([]wire.Group{
			{ID: "target", Title: "[Target|target]", Peek: true, Controls: s.pick("eps")},
			{ID: "model", Title: "[Encoder|latent]", Controls: append(s.pick("method", "zdim"), s.sweep()...)},
			{ID: "order", Title: "Order", Controls: []wire.Control{shuffle}},
			{ID: "training", Title: "Training", Controls: append(s.toStep(), s.keepControls("Back to the model trained beforehand")...)},
		}, s.sweepGroup(), []wire.Group{runsGroup()})
	}
	return slices.Concat([]wire.Group{
		{ID: "model", Title: "Model", Controls: append([]wire.Control{
			{ID: "encode", Kind: wire.Button, Label: "Encode", Hint: "Encoder: the particles of this frame become ẑ."},
			{ID: "decode", Kind: wire.Button, Label: "Decode", Hint: "Decoder: ẑ becomes a density again."},
			{ID: "rollout", Kind: wire.Button, Label: "Roll out", Hint: "Dynamics: from z of frame 0 alone, the observables z̄ of every later frame."},
		}, s.pick("params", "all", "density", "source", "samples", "members", "axis")...)},
		{ID: "latent", Title: "[Latent portrait|latent]", Controls: append(s.pick("portrait", "axisx", "axisy"),
			wire.Control{ID: "release", Kind: wire.Button, Label: "Let z go", Hint: "z is again that of the particles, after you have dragged it in the latent portrait."})},
		{ID: "order", Title: "Order", Controls: append([]wire.Control{shuffle}, s.pick("colours")...)},
		{ID: "training", Title: "Training", Note: "On simulated trajectories, or on yours.", Controls: slices.Concat(
			s.pick("eps", "zdim", "scope", "size", "law", "g", "tseed", "workers", "from"),
			[]wire.Control{{ID: "train", Kind: wire.Button, Label: "Train", Key: "t", Icon: "train", Hint: "Starts training, stops it, or goes on; nothing is lost."}},
			s.sweep(), s.toStep(), s.keepControls(""))},
	}, s.sweepGroup(), []wire.Group{runsGroup()})
}

// sweepGroup is the controls of a sweep of the visitor's own, beside that which comes
// with the lab.
func (s panels) sweepGroup() []wire.Group {
	if s.lab.Sweep == "" {
		return nil
	}
	sizes := wire.Control{ID: "sweepsize", Kind: wire.Choice, Label: "Size", Hint: "Networks and steps of every training, by the names that the command line has for them."}
	for _, name := range experiment.Presets(s.lab.System.Traits().Name, "flow") {
		if name == "quick" || name == "browser" {
			sizes.Options = append(sizes.Options, wire.Option{Value: name, Label: sizeLabels[name]})
		}
	}
	g := wire.Group{ID: "sweep", Title: "A sweep of your own", Note: "Trains a model for every value, one after another, while you go on with something else. Each takes minutes: the button says how many once this machine is measured.", Controls: []wire.Control{
		{ID: "sweepeps", Kind: wire.Field, Label: "ε to try", Hint: "Kernel widths to try, with commas between; empty is that of the size."},
		{ID: "sweepzdim", Kind: wire.Field, Label: "ẑ dim to try", Hint: "Numbers of closure variables to try, with commas between; empty is that of the size."},
		{ID: "sweepmore", Kind: wire.Field, Label: "another field", Hint: "Any other number of a configuration and its values, as rate=0.001,0.004. The names are those of macroscope train -set."},
		{ID: "sweepgrid", Kind: wire.Switch, Label: "Every combination", Hint: "Off, one field is changed at a time and the others are as the size has them."},
		{ID: "sweepsteps", Kind: wire.Number, Label: "steps", Min: 0, Max: 1_000_000, Step: 1, Hint: "Steps of every training of the density; 0 is as many as the size has. Few show the trend, and many what can be reached."},
		{ID: "sweepseeds", Kind: wire.Number, Label: "seeds", Min: 1, Max: 8, Step: 1, Hint: "Trainings of every configuration, which differ by chance alone: the band is between the best and the worst."},
		{ID: "sweeprun", Kind: wire.Button, Label: "Run the sweep", Icon: "train", Hint: "Begins, stops it, or goes on; nothing is lost, not by a reload either. Its points appear in the drawing beside those that came with the lab, and a click on one shows its model."},
		{ID: "sweepfile", Kind: wire.Export, Label: "Save the sweep", Value: SweepFile, Hint: "What was reached so far, as the file that macroscope sweep writes."},
	}}
	if len(sizes.Options) > 1 {
		g.Controls = slices.Insert(g.Controls, 4, sizes)
	}
	return []wire.Group{g}
}

// sweep is the button that shows what ε and the number of closure variables do.
func (s panels) sweep() []wire.Control {
	if s.lab.Sweep == "" {
		return nil
	}
	return []wire.Control{{ID: "sweep", Kind: wire.Sweep, Label: "What ε and ẑ dim do", Value: s.lab.Sweep, Hint: "What trainings reach against the kernel width and the number of closure variables, over several seeds and beside the paper’s figures. A point brings the nearest model that ships on show."}}
}

// toStep are the controls that train up to a step, or until a figure is low enough.
func (s panels) toStep() []wire.Control {
	measure := s.lab.Measure()
	return []wire.Control{
		{ID: "runto", Kind: wire.Number, Label: "stop at step", Min: 1, Max: 10_000_000, Step: 1, Hint: "The step of the present stage that “Train to it” trains up to, and then pauses."},
		{ID: "go", Kind: wire.Button, Label: "Train to it", Beside: true, Hint: "Trains up to this step, then pauses."},
		{ID: "untilof", Kind: wire.Choice, Label: "Or stop by", Options: []wire.Option{{Value: "measure", Label: measure}, {Value: "loss", Label: "loss"}}, Hint: "What Go until stops by: the " + measure + ", which is measured now and then on what is kept out of training, or the loss of any step of the present stage."},
		{ID: "untilat", Kind: wire.Number, Label: "at most", Hint: "How low it is to be. At first that is the figure of the paper, where there is one."},
		{ID: "until", Kind: wire.Button, Label: "Go until", Beside: true, Hint: "Trains until the figure is as low as this, or the stage of a loss ends, then pauses."},
	}
}

// keepControls are the controls that keep a model, and bring the shipped one back.
func (s panels) keepControls(shipped string) []wire.Control {
	controls := []wire.Control{
		{ID: "name", Kind: wire.Field, Label: "name of the model", Hint: "What the kept model is to be called."},
		{ID: "keep", Kind: wire.Button, Label: "Keep it", Beside: true, Hint: "Keeps the model as it is now among the runs, under this name. A run that was kept by itself gets the name."},
	}
	if shipped != "" {
		controls = append(controls, wire.Control{ID: "shipped", Kind: wire.Button, Label: shipped, Hint: "Back to the model that came with the page, trained beforehand."})
	}
	return controls
}

func runsGroup() wire.Group {
	note := fmt.Sprintf("What is trained stays here by itself, the latest %d of it; what has a name from you stays until you delete it. Two can be compared, as model 1 and model 2.", runs.MaxAuto)
	return wire.Group{ID: "runs", Title: "Runs", Note: note, Controls: []wire.Control{
		{ID: "runs", Kind: wire.Runs, Label: "models that are kept", Hint: "The models that there are: choose model 1, and model 2 to compare it with."},
	}}
}

// fileGroups are the controls of files.
func (s panels) fileGroups(page *system.Page) []wire.Group {
	var groups []wire.Group
	if page.Accepts != "" && s.lab.Timed() {
		data := wire.Group{ID: "data", Title: "Your trajectories", Note: "Drop a file anywhere. It stays on this machine.", Controls: []wire.Control{
			{ID: "trajectory", Kind: wire.Number, Label: "trajectory", Min: 1, Max: 1_000_000, Step: 1, Hint: "Which trajectory of your file is played, from 1."},
		}}
		if list := s.lab.Observables(); len(list) > 0 {
			c := wire.Control{ID: "observable", Kind: wire.Choice, Label: "observable z̄", Hint: page.Variables}
			for _, o := range list {
				c.Options = append(c.Options, wire.Option{Value: o.Value, Label: o.Label})
			}
			data.Controls = append(data.Controls, c)
		}
		data.Controls = append(data.Controls, wire.Control{ID: "simulate", Kind: wire.Button, Label: "Back to the simulation", Hint: "Closes the file."})
		groups = append(groups, data)
	}
	files := wire.Group{ID: "files", Title: "In and out"}
	if page.Accepts != "" {
		files.Controls = append(files.Controls, wire.Control{ID: "open", Kind: wire.Open, Label: "Open a file…", Hint: page.Data})
	}
	if s.lab.Learns() {
		files.Controls = append(files.Controls, wire.Control{ID: "save", Kind: wire.Export, Label: "Save the model", Value: wire.Model, Hint: "A checkpoint, .safetensors, that the page, the command line, PyTorch and NumPy can open."})
	}
	if s.lab.Timed() {
		files.Controls = append(files.Controls,
			wire.Control{ID: "csv", Kind: wire.Export, Label: "Curves as CSV", Value: CurvesFile, Hint: "Time, observables, what is predicted, errors and ẑ of every frame so far."},
			wire.Control{ID: "npz", Kind: wire.Export, Label: "Run as NPZ", Value: RunFile, Hint: "Positions and observables of every frame so far, as the command line reads them."})
	}
	files.Controls = append(files.Controls, wire.Control{ID: "bundle", Kind: wire.Export, Label: "Save everything", Value: wire.Bundle,
		Hint: "Settings, particles that you drew, your data, models, their training and figures, in one file, .macroscope, which the page and the command line open."})
	files.Controls = append(files.Controls, wire.Control{ID: "image", Kind: wire.Image, Label: "Picture as PNG", Hint: "The picture as it stands."})
	return append(groups, files)
}

// Figures lists the numbers beside the transport: the system's, and those of
// models and training.
func Figures(lab *Lab, live system.Live) []wire.Figure {
	traits := lab.System.Traits()
	list := slices.Clone(live.Page().Figures)
	if !lab.Learns() {
		return list
	}
	if !lab.Timed() {
		return append(list,
			wire.Figure{ID: "step", Label: "step", Hint: "Training steps so far, and those of the whole schedule."},
			wire.Figure{ID: "kl", Label: "val. KL", Unit: "nats", Hint: "KL divergence of the learned density from the target, over sets kept out of training."},
			wire.Figure{ID: "loss", Label: "loss", Unit: "nats", Hint: "Of the last training step, a sample; less a part that training cannot change."},
			wire.Figure{ID: "rate", Label: "rate", Hint: "Sets of particles that training takes in a second."},
			wire.Figure{ID: "state", Label: "state", Hint: "What training is doing."})
	}
	if traits.Stochastic {
		list = append(list, wire.Figure{ID: "coverage", Label: "in band", Hint: "Share of the true values so far that lie in the band of the ensemble. Over many runs it should be 90 %; in one run its values hang together."})
	} else {
		list = append(list,
			wire.Figure{ID: "predicted", Label: "predicted", Hint: "The observable as predicted from frame 0 alone."},
			wire.Figure{ID: "mre", Label: "MRE", Hint: "Mean relative error of the prediction over the frames so far, as in the paper: squared errors over squared values, both scaled to [−1, 1]."})
	}
	list = append(list,
		wire.Figure{ID: "kl", Label: "KL", Unit: "nats", Hint: "KL(q_X ‖ p_θ), of each species where there are two: how far the learned density of this frame is from its target; 0 is a perfect fit."},
		wire.Figure{ID: "spikes", Label: "spikes", Unit: "nats", Hint: "How much of the KL are the target’s spikes: how far it is from the smooth density that its particles speak for. What KL has beyond them more training or another ẑ dim could learn."},
		wire.Figure{ID: "dz", Label: "Δẑ", Hint: "Largest change of ẑ by the last shuffle of the labels, where the training set spans 2. Only rounding is left."},
		wire.Figure{ID: "rate", Label: "rate", Hint: "What training takes in a second, over all workers."},
		wire.Figure{ID: "loss", Label: "loss", Hint: "Of the last training step: in stage I nats a sample, less what training cannot change, or the squared error; in stage II the error of the dynamics."})
	if traits.Stochastic {
		return append(list,
			wire.Figure{ID: "val", Label: "val. in band", Hint: "Share of the true values of the validation runs that lie in the bands of 90 %, as last measured."},
			wire.Figure{ID: "rmse", Label: "RMSE", Hint: "Root mean square of the error of the ensemble’s mean on those runs, in units of the variables."},
			wire.Figure{ID: "own", Label: "MMD", Hint: "Of your own trajectories: the discrepancy between the true ones and as many predicted, as the paper defines it."})
	}
	return append(list,
		wire.Figure{ID: "val", Label: "val. MRE", Hint: "MRE of the model in training over trajectories that it is not trained on."},
		wire.Figure{ID: "own", Label: "your MRE", Hint: "MRE of model 1 over all trajectories of your file, as the command line computes it."})
}

// epsUnit is the unit of ε in words.
var epsUnit = map[system.Scaling]string{
	system.AsIs:        "in the unit of the positions, or in half the extent of your own particles where they lie beyond −1.5 to 1.5",
	system.Standardise: "in the standard deviation that a coordinate has over the training set",
	system.Span:        "in half the width of the space that training filled",
}

// help explains the symbols of models.
func (s panels) help() []wire.Entry {
	help := []wire.Entry{
		{Term: "ε", Name: "kernel width", Text: "standard deviation of the Gaussian that stands for each particle (Eq. 2), " + epsUnit[s.lab.System.Traits().Scaling] + ". Small keeps detail, large smooths it away."},
		{Term: "[q_X|target]", Name: "target density", Text: "the mean of those Gaussians (Eq. 2). It is what has to be drawn again."},
		{Term: "φ̂", Name: "encoder", Text: "makes ẑ of a set; its answer does not change when the particles are reordered (Eq. 1)."},
		{Term: "[ẑ|latent]", Name: "closure variables", Text: "the few numbers that the encoder makes of a set (Eq. 1)."},
		{Term: "[p_θ|learned](x | ẑ)", Name: "learned density", Text: "a normalizing flow of rational-quadratic splines that ẑ steers (Eq. 3)."},
		{Term: "KL(q_X ‖ p_θ)", Name: "Kullback–Leibler divergence", Text: "how far the learned density is from the target, in nats, the unit that goes with the natural logarithm; 0 is a perfect fit, and 1 means that a point of the set is 2.7 times as likely under the target, in the geometric mean (Eq. 3). Where ε is small the target is spiky and no flow follows it all the way."},
		{Term: "spikes", Text: "the part of KL that belongs to single particles: the divergence of q_X from the same set with wider kernels, of the width at which each particle is likeliest by the others’ kernels (leave-one-out cross-validation), if that is wider than ε. A few numbers ẑ cannot say where each particle is, so that they stay in KL however well a model is trained; one that falls below has learned particles by heart."},
		{Term: "seed", Text: "all that is random comes from it: the same seed gives the same run, to the bit on processors whose vectors are as wide, and elsewhere up to rounding. With ?plain before the # of the address the lab computes without vectors, several times more slowly, and gives the same bits everywhere, as -plain does on the command line."},
	}
	if !s.lab.Timed() {
		return append(help, wire.Entry{Term: "loss", Text: "its estimate from samples of q_X, less a part that training cannot change (Eq. 3)."})
	}
	help = append(help,
		wire.Entry{Term: "holds, fails", Text: "a prediction holds while it is off by no more than 2.5 % of the training range, from the lowest to the highest value that there was in training, and fails beyond 5 %; an ensemble fails where what came is outside of its band by more than that and than the width of the band."},
		wire.Entry{Term: "Δẑ", Name: "change of ẑ", Text: "by the last shuffle of the labels, the largest of all closure variables."},
		wire.Entry{Term: "AE-Aug", Text: "the paper’s baseline: an autoencoder of all coordinates in their order, which takes a fixed number of particles and has to learn that their order means nothing."})
	help = append(help,
		wire.Entry{Term: "latent portrait", Text: "a plane through the states z, through the middle of those of training. An arrow is how far g moves z within the frames that are said above it; where it stops is a fixed point, g(z) = 0. Grey lines are trajectories of training, the solid one is this run, the dashed one its prediction. Drag z, and what is decoded follows; the line from there is where g takes it."},
		wire.Entry{Term: "τ", Name: "time constant", Text: "near a fixed point what is off by little dies out in modes, each as exp(−t/τ), where −1/τ is the real part of an eigenvalue of the slope of g. A mode whose τ is much longer than the run stays as it is: of the particles’ energy model two do, because no force between pairs moves their centre."},
		wire.Entry{Term: "principal component", Text: "a direction in which the states of training differ: most along the first, most of what is left along the second."})
	help = append(help, wire.Entry{Term: "OnsagerNet", Text: "dynamics by which z rolls down a learned potential: one matrix dissipates it, another, antisymmetric, leaves it as it is, so that it falls along every path. The residual one has a force besides."})
	if traits := s.lab.System.Traits(); traits.Stochastic {
		know := "the observables z̄ and the closure variables ẑ."
		if len(traits.Sets) > 1 {
			know = "the observables z̄, the closure variables ẑ of each species, and in some models the share of particles that are of species A, which never changes."
		}
		return append(help,
			wire.Entry{Term: "g", Name: "dynamics", Text: "how z moves on average: dz = g(z) dt + Σ(z) dW (Eq. 4), advanced by Euler–Maruyama steps of one frame."},
			wire.Entry{Term: "SDE", Name: "stochastic differential equation", Text: "the form of the dynamics (Eq. 4): g says where z goes on average, Σ how much of it is chance."},
			wire.Entry{Term: "Σ", Name: "noise", Text: "how strongly chance moves z (Eq. 4)."},
			wire.Entry{Term: "z", Name: "macroscopic state", Text: "all that the dynamics know (Eq. 4): " + know},
			wire.Entry{Term: "ensemble, band", Text: "many rollouts from frame 0 with noise of their own; the band holds the middle nine tenths of them in every frame. Its ends are then moved away from the median by one factor, so that it holds nine tenths of what came in runs that did not train the model (split conformal prediction); a model that was trained here has the factor 1."},
			wire.Entry{Term: "in band", Text: "coverage: the share of true values that lie in the band. It is nine tenths over many runs that are drawn as those in training were; for others nothing is promised."},
			wire.Entry{Term: "RMSE", Name: "root mean square error", Text: "of the ensemble’s mean over validation runs, in the units of the variables: the smaller, the nearer is the middle of the band to what came."},
			wire.Entry{Term: "MMD", Name: "maximum mean discrepancy", Text: "how far true runs are from as many predicted ones, as the paper’s tables have it; 0 means that nobody can tell them apart."},
			wire.Entry{Term: "left", Text: left})
	}
	return append(help,
		wire.Entry{Term: "z", Name: "macroscopic state", Text: "[z̄, ẑ], all that the dynamics know (Eq. 4)."},
		wire.Entry{Term: "g", Name: "dynamics", Text: "dz/dt = g(z) (Eq. 4, without noise): from z of frame 0 it is advanced alone, without the particles."},
		wire.Entry{Term: "MRE", Name: "mean relative error", Text: "of a prediction: squared errors of the observable over its squares, both scaled to [−1, 1] over the training set."},
		wire.Entry{Term: "left", Text: left})
}

// left explains experiment.Model.Left.
const left = "a predicted variable has left when it lies beyond the range of the training set by more than a hundredth of it, and z as a whole when it is farther from the middle of a Gaussian of the states in training than nearly all of them are at that time; what the dynamics say from there on is extrapolation."
