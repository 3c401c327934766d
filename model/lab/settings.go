package lab

import (
	"fmt"
	"slices"

	"macroscope/model/learn/experiment"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/target"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// Settings are the controls that every lab has, as far as they mean something
// to its system. With those of the system they are what a link carries.
type Settings struct {
	Speed float64 // 1 is the system's own
	Frame int     // that a paused run stands at; -1 while it plays
	Axis  string  // of time: Linear or Logarithmic

	All     bool   // every stage of the model follows every frame
	Density string // one of Densities
	Source  string // FromParticles or FromPrediction: what the density is decoded from
	Samples bool   // draw from the learned density
	Colours bool   // particles by their labels
	Members int    // of an ensemble

	Portrait bool      // show the latent portrait
	Axes     [2]string // of it, see view.Portrait

	Method string  // of what is trained next
	Scope  string  // DynamicsAlone or Everything
	Eps    float64 // of the target, and of what is trained next
	ZDim   int     // of what is trained next
	Size   string  // preset that is trained next
	Form   string  // Joint or Separate: of the dynamics that are trained next
	Drift  string  // of the same, one of dynamics.Forms
	Params string  // that the dynamics are given, one of the choices that ship, or NoParams
	Seed   uint64  // of what is trained next
	Worker int     // workers that share a training
	From   string  // FromScratch or FromModel

	// Model says where the model on show is from: Trained if it was trained here
	// from the seed, up to Step of Phase, or Shipped.
	Model       string
	Phase, Step int
}

// The values of settings with few of them.
const (
	FromParticles  = "particles" // Source
	FromPrediction = "prediction"

	Linear      = "linear" // Axis
	Logarithmic = "log"

	DynamicsAlone = "dynamics" // Scope
	Everything    = "all"

	Joint    = "joint" // Form
	Separate = "separate"

	FromScratch = "scratch" // From
	FromModel   = "model"

	NoParams = "none" // Params

	PlainDrift = string(dynamics.FormMLP) // Drift

	Shipped = "shipped" // Model
	Trained = "scratch"
)

// Densities lists the values of Density.
var Densities = []string{"both", "learned", "target", "difference"}

const (
	maxWorkers = 64
	// maxEps bounds ε: one above 1 would blur the whole set.
	maxEps = 1.0
)

// Defaults returns what a lab opens with.
func Defaults(lab *Lab) Settings {
	c, _ := lab.Systems().Preset(lab.System.Traits().Name)
	s := Settings{
		Speed: 1, Frame: -1, All: true, Density: Densities[0], Source: FromParticles, Colours: lab.Learns() && !lab.System.Traits().Stochastic, Members: 99,
		Method: c.Spec.Method, Scope: DynamicsAlone, Eps: c.Eps(), ZDim: c.ZDim(), Size: "browser", Form: Joint, Drift: PlainDrift, Params: NoParams, Seed: 1, Worker: 1, From: FromScratch,
		Model: Shipped, Axes: [2]string{"pc1", "pc2"},
	}
	if s.Axis = Linear; lab.System.Live().Page().Relaxes {
		s.Axis = Logarithmic
	}
	if lab.Codes == "" {
		s.Scope = Everything
	}
	if !lab.System.Traits().Stochastic {
		s.Axes[1] = "m1" // what falls to where the dynamics come to rest
	}
	return s
}

func options(pairs ...string) (o []setting.Option) {
	for i := 0; i+1 < len(pairs); i += 2 {
		o = append(o, setting.Option{Value: pairs[i], Label: pairs[i+1]})
	}
	return o
}

// Table lists the settings that mean something to a lab's system, in the order of
// a link.
func (s *Settings) Table(lab *Lab) setting.Table {
	traits := lab.System.Traits()
	plane, one, ensemble := traits.Drawn() == 2, len(traits.Sets) <= 1, traits.Stochastic
	var t setting.Table
	add := func(when bool, f setting.Field) {
		if when {
			t = append(t, f)
		}
	}
	timed := lab.Timed()
	learns := lab.Learns()
	add(timed, setting.Field{Name: "speed", What: "the speed", Value: &s.Speed, Options: options("0.25", "¼×", "0.5", "½×", "1", "1×", "2", "2×", "4", "4×"),
		Control: setting.Control{Kind: wire.Choice, Label: "Speed", Hint: lab.System.Live().Page().Transport["speed"]}})
	add(timed, setting.Field{Name: "frame", What: "the frame", Value: &s.Frame, High: experiment.MaxStep})
	add(timed && learns, setting.Field{Name: "axis", What: "the time axis", Value: &s.Axis, Options: options(Linear, "linear", Logarithmic, "logarithmic"),
		Control: setting.Control{Kind: wire.Choice, Label: "Time axis", Hint: "Of all plots against time. A logarithmic one shows what happens early: it is even for the first thirtieth of the run and logarithmic from there on."}})
	add(timed && learns, setting.Field{Name: "all", What: "running all stages", Value: &s.All, Switch: true,
		Control: setting.Control{Kind: wire.Switch, Label: "Run all stages", Hint: "Every stage follows every frame. Off, each runs when you press it."}})
	add(plane && one && learns, setting.Field{Name: "density", What: "the density shown", Value: &s.Density, Options: options("both", "both densities", "learned", "learned p_θ", "target", "target q_X", "difference", "difference"),
		Control: setting.Control{Kind: wire.Choice, Label: "Show", Hint: "The learned density, the target it should be, both, or one less the other."}})
	add(plane && one && learns, setting.Field{Name: "source", What: "what the density is decoded from", Value: &s.Source, Options: options(FromParticles, "ẑ of the particles", FromPrediction, "predicted ẑ"),
		Control: setting.Control{Kind: wire.Choice, Label: "Decode from", Hint: "Whether the density is that of this frame’s ẑ, or of the ẑ that the dynamics predict for it from frame 0."}})
	add(plane && one && learns, setting.Field{Name: "samples", What: "drawing samples", Value: &s.Samples, Switch: true,
		Control: setting.Control{Kind: wire.Switch, Label: "Draw samples", Hint: "Points drawn from the learned density, over the particles. The same noise every time, so that they move as ẑ does."}})
	add(ensemble && learns, setting.Field{Name: "members", What: "the number of members", Value: &s.Members, Options: options("39", "39 members", "99", "99 members", "199", "199 members", "399", "399 members"),
		Control: setting.Control{Kind: wire.Choice, Label: "Ensemble", Hint: "How often the stochastic dynamics are rolled out, with noise of their own each time. Of every twenty, one lies above the band and one below, before the band is stretched by the factor that runs kept out of training have shown to be needed."}})
	add(plane && learns, setting.Field{Name: "colours", What: "colouring by label", Value: &s.Colours, Switch: true,
		Control: setting.Control{Kind: wire.Switch, Label: "Colour by label", Hint: "Each particle has the colour of its label."}})
	if !learns {
		return t
	}
	axes := s.axes(lab)
	add(timed, setting.Field{Name: "portrait", What: "the latent portrait", Value: &s.Portrait, Switch: true,
		Control: setting.Control{Kind: wire.Switch, Label: "Show the latent portrait", Hint: "A plane through the states z: what the learned dynamics g do in it, as arrows; where they stand still, with the time constants there; and the present state moving through it. Drag z, and the density follows."}})
	add(timed, setting.Field{Name: "axisx", What: "the portrait’s first axis", Value: &s.Axes[0], Options: axes,
		Control: setting.Control{Kind: wire.Choice, Label: "across", Hint: "What the latent portrait has from left to right: a variable of z, or a principal component, the direction in which the states of training differ most, second most, third most."}})
	add(timed, setting.Field{Name: "axisy", What: "the portrait’s second axis", Value: &s.Axes[1], Options: axes,
		Control: setting.Control{Kind: wire.Choice, Label: "upwards", Hint: "What the latent portrait has from below upwards."}})
	return append(t, s.trainingTable(lab)...)
}

// trainingTable lists what is trained next, and from where.
func (s *Settings) trainingTable(lab *Lab) setting.Table {
	name := lab.System.Traits().Name
	var methods, sizes []setting.Option
	for _, m := range lab.Methods() {
		methods = append(methods, setting.Option{Value: m.Name, Label: m.Title})
		for _, size := range experiment.Presets(name, m.Name) {
			if !slices.ContainsFunc(sizes, func(o setting.Option) bool { return o.Value == size }) && size != "paper" { // which takes days
				sizes = append(sizes, setting.Option{Value: size, Label: sizeLabels[size]})
			}
		}
	}
	codes, sampler := lab.Codes != "", !lab.Timed()
	var t setting.Table
	add := func(when bool, f setting.Field) {
		if when {
			t = append(t, f)
		}
	}
	add(true, setting.Field{Name: "eps", What: "ε", Value: &s.Eps, Low: target.MinEps, High: maxEps,
		Control: setting.Control{Kind: wire.Slider, Label: "kernel width ε", Min: target.MinEps, Max: maxEps, Log: true, Ticks: []float64{1e-8, 1e-4, 0.01, 0.1, 1}, Hint: "Standard deviation of the Gaussian that stands for each particle, " + epsUnit[lab.System.Traits().Scaling] + ". The target follows at once; the nearest model that ships comes on show, and Train makes one for exactly this."}})
	add(true, setting.Field{Name: "zdim", What: "the number of closure variables", Value: &s.ZDim, Low: 1, High: encoder.MaxZDim,
		Control: setting.Control{Kind: wire.Slider, Label: "closure variables ẑ", Min: 1, Max: encoder.MaxZDim, Step: 1, Ticks: []float64{1, 2, 4, 8, 12, 16}, Hint: "How many numbers a set is squeezed into. The nearest model that ships comes on show, and Train makes one of exactly so many."}})
	add(len(methods) > 1, setting.Field{Name: "method", What: "the method", Value: &s.Method, Options: methods,
		Control: setting.Control{Kind: wire.Choice, Label: "Method", Hint: "How ẑ is found: the paper’s way, or a baseline of its. The model that ships with it comes on show, and Train makes another."}})
	add(codes, setting.Field{Name: "scope", What: "what is trained", Value: &s.Scope, Options: options(DynamicsAlone, "the dynamics, quickly", Everything, "everything, slowly"),
		Control: setting.Control{Kind: wire.Choice, Label: "What is trained", Hint: "The dynamics alone, of what the shipped encoder made of recorded runs; or the autoencoder too, on runs that are simulated first."}})
	add(!sampler, setting.Field{Name: "size", What: "the size of what is trained", Value: &s.Size, Options: sizes,
		Control: setting.Control{Kind: wire.Choice, Label: "Size", Hint: "Networks and steps of the next training, by the names that the command line has for them. How long one takes is measured on this machine in the first seconds of training, and then said below the picture."}})
	add(len(lab.System.Traits().Sets) > 1, setting.Field{Name: "law", What: "the form of the dynamics", Value: &s.Form, Options: options(Joint, "one for all variables", Separate, "one a species"),
		Control: setting.Control{Kind: wire.Choice, Label: "Dynamics", Hint: "One equation of all variables, or, as published, one for each species, which then moves the other’s closure for itself."}})
	add(!sampler, setting.Field{Name: "g", What: "the form of the drift", Value: &s.Drift, Options: drifts(),
		Control: setting.Control{Kind: wire.Choice, Label: "dynamics g", Hint: "What the dynamics are made of in the next training: a plain network of z; or an OnsagerNet, by which z rolls down a learned potential, as a dissipative and an antisymmetric matrix steer it. The residual one, of the authors’ program, has a force besides."}})
	given := params(lab)
	add(len(given) > 1, setting.Field{Name: "params", What: "what the dynamics are given", Value: &s.Params, Options: given,
		Control: setting.Control{Kind: wire.Choice, Label: "Dynamics know", Hint: "What the dynamics are given beside the state of frame 0. Those that are given the physics go on predicting when it is turned. The model that ships with the choice comes on show, and Train makes another."}})
	add(!sampler, setting.Field{Name: "tseed", What: "the training seed", Value: &s.Seed,
		Control: setting.Control{Kind: wire.Field, Label: "training seed", Hint: "Weights, data and their order come from this number."}})
	add(!sampler, setting.Field{Name: "workers", What: "the number of workers", Value: &s.Worker, Low: 1, High: maxWorkers,
		Control: setting.Control{Kind: wire.Slider, Label: "workers", Min: 1, Max: 16, Step: 1, Ticks: []float64{1, 2, 4, 8, 16}, Hint: "Workers that share the training: at first one less than the machine has cores, which leaves one to the picture. The result is the same for any number."}})
	add(!sampler, setting.Field{Name: "from", What: "what training begins with", Value: &s.From, Options: options(FromScratch, "from scratch", FromModel, "from the model shown"),
		Control: setting.Control{Kind: wire.Choice, Label: "Begin", Hint: "With weights that the seed draws, or with those of model 1."}})
	add(true, setting.Field{Name: "model", What: "the model", Value: &s.Model, Options: setting.Choices(Shipped, Trained)})
	add(!sampler, setting.Field{Name: "stage", What: "the stage", Value: &s.Phase, High: 4})
	add(true, setting.Field{Name: "step", What: "the step", Value: &s.Step, High: experiment.MaxStep})
	return t
}

// axes are the choices of an axis of the latent portrait: principal components, and the
// variables of the system's usual model.
func (s *Settings) axes(lab *Lab) (o []setting.Option) {
	for k := 1; k <= 3; k++ {
		o = append(o, setting.Option{Value: fmt.Sprint("pc", k), Label: fmt.Sprint("principal component ", k)})
	}
	for k, name := range lab.System.Variables("") {
		o = append(o, setting.Option{Value: fmt.Sprint("m", k+1), Label: name})
	}
	c, _ := lab.Systems().Preset(lab.System.Traits().Name)
	for k := range c.Sets() * c.ZDim() {
		label := fmt.Sprint("ẑ", k+1)
		if sets := lab.System.Traits().Sets; len(sets) > 1 {
			label = "ẑ of " + sets[k/c.ZDim()]
		}
		o = append(o, setting.Option{Value: fmt.Sprint("z", k+1), Label: label})
	}
	return o
}

// params are the choices of parameters: none, and those of the models that ship.
func params(lab *Lab) []setting.Option {
	o := options(NoParams, "the state alone")
	of := lab.System.Traits().Parameters
	for _, m := range lab.Shipped {
		ranges, err := of.Parse(m.Params)
		if err == nil && len(ranges) > 0 && !slices.ContainsFunc(o, func(o setting.Option) bool { return o.Value == m.Params }) {
			o = append(o, setting.Option{Value: m.Params, Label: of.InWords(ranges)})
		}
	}
	return o
}

// Asked returns the model that the settings ask for.
func (s *Settings) Asked() Model {
	m := Model{Method: s.Method, Eps: s.Eps, ZDim: s.ZDim}
	if s.Params != NoParams {
		m.Params = s.Params
	}
	return m
}

// drifts are the forms of the drift.
func drifts() (o []setting.Option) {
	for _, f := range dynamics.Forms() {
		o = append(o, setting.Option{Value: f, Label: dynamics.Form(f).Title()})
	}
	return o
}

// sizeLabels are the presets on the page.
var sizeLabels = map[string]string{
	"quick": "quick: the shortest", "browser": "browser: medium", "laptop": "laptop: long, as shipped",
}
