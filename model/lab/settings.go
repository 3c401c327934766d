package lab

import (
	"fmt"
	"slices"

	"macroscope/model/learn/method"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/target"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Settings contains the settings that every lab has. Some of these settings apply only to some
// systems. A link contains these settings and the system's settings.
type Settings struct {
	Speed float64 // speed of playback relative to the system's default
	Frame int     // frame of a paused run; -1: the run plays
	Axis  string  // scale of the time axis: Linear or Logarithmic

	All     bool   // whether encoding, decoding and prediction are automatic for every frame
	Density string // one of Densities
	Source  string // ẑ from which densities are decoded: FromParticles or FromPrediction
	Samples bool   // whether to draw points from the learned density
	Colours bool   // whether to colour particles by their labels
	Members int    // number of members of an ensemble

	Portrait bool      // whether to show the latent portrait
	Axes     [2]string // axes of the latent portrait, see view.Portrait
	Survey   bool      // whether to show the panel with the effects of ε and of the number of closure variables

	Method string  // method of the next training
	Scope  string  // what the next training trains: DynamicsAlone or Everything
	Eps    float64 // ε of the target and of the next training
	ZDim   int     // number of closure variables in the next training
	Size   string  // preset of the next training
	Form   string  // form of the dynamics in the next training: Joint or Separate
	Drift  string  // drift in the next training, one of dynamics.Forms
	Params string  // inputs of the dynamics: parameters of one of the shipped models, or NoParams
	Seed   uint64  // seed of the next training
	Worker int     // number of workers in a training
	From   string  // start of the next training: FromScratch or FromModel

	// Model says where the displayed model comes from. It is Shipped, or Trained if the model
	// was trained here from the seed's initial weights, up to step `Step` of phase `Phase`.
	Model       string
	Phase, Step int
}

// Values of settings.
const (
	FromParticles  = "particles" // value of Source
	FromPrediction = "prediction"

	Linear      = "linear" // value of Axis
	Logarithmic = "log"

	DynamicsAlone = "dynamics" // value of Scope
	Everything    = "all"

	Joint    = "joint" // value of Form
	Separate = "separate"

	FromScratch = "scratch" // value of From
	FromModel   = "model"

	NoParams = "none" // value of Params

	PlainDrift = string(dynamics.FormMLP) // value of Drift

	Shipped = "shipped" // value of Model
	Trained = "scratch"
)

// Densities lists the values of Density.
var Densities = []string{"both", "learned", "target", "difference"}

const (
	maxWorkers = 64
	// maxEps is the largest ε. A larger ε would blur the whole set into one bell.
	maxEps = 1.0
	// mostVariables is the largest number of observables of a system that a file describes.
	mostVariables = 16
)

// Defaults returns the settings with which a lab opens.
func Defaults(lab *Lab) Settings {
	c, _ := lab.Systems().Preset(lab.System.Traits.Name)
	s := Settings{
		Speed: 1, Frame: -1, All: true, Density: Densities[0], Source: FromParticles, Members: 99,
		Method: c.Spec.Method, Scope: DynamicsAlone, Eps: c.Eps(), ZDim: c.ZDim(), Size: "browser", Form: Joint, Drift: PlainDrift, Params: NoParams, Seed: 1, Worker: max(1, lab.Workers), From: FromModel,
		Model: Shipped, Axes: [2]string{"pc1", "pc2"},
	}
	if s.Axis = Linear; lab.System.Live().Page().Relaxes {
		s.Axis = Logarithmic
	}
	if len(lab.Shipped) > 0 && lab.Shipped[0].Params != "" { // the lab opens with its first model
		s.Params = lab.Shipped[0].Params
	}
	if all := params(lab); lab.Describe != nil {
		s.Params = all[len(all)-1].Value // as on the command line
	}
	if lab.Codes == "" {
		s.Scope = Everything
	}
	if !lab.System.Traits.Stochastic {
		s.Colours = lab.Learns() && lab.Describe == nil // a system of the user's own can have species
		s.Axes[1] = "m1"                                // an observable that falls as the dynamics come to rest
	}
	return s
}

// Table lists the settings that apply to the lab's system, in the order of a link.
func (s *Settings) Table(lab *Lab) (t setting.Table) {
	add := func(when bool, f setting.Field) {
		if when {
			t = append(t, f)
		}
	}
	traits, methods, sizes, given := lab.System.Traits, lab.Methods(), lab.sizes(), params(lab)
	plane, one, several := traits.Drawn() == 2, len(traits.Sets) <= 1, len(traits.Sets) > 1
	timed, learns, described := lab.Timed(), len(methods) > 0, lab.Describe != nil
	runs, density := timed && learns, plane && (one || described) && learns
	add(timed, setting.Field{Name: "speed", What: "the speed", Value: &s.Speed, Options: setting.Choices("0.25", "0.5", "1", "2", "4")})
	add(timed, setting.Field{Name: "frame", What: "the frame", Value: &s.Frame, High: method.MaxStep, Hidden: true})
	add(runs, setting.Field{Name: "axis", What: "the time axis", Value: &s.Axis, Options: setting.Choices(Linear, Logarithmic)})
	add(runs, setting.Field{Name: "all", What: "running all stages", Value: &s.All, Switch: true})
	add(density, setting.Field{Name: "density", What: "the density shown", Value: &s.Density, Options: setting.Choices(Densities...)})
	add(density, setting.Field{Name: "source", What: "what the density is decoded from", Value: &s.Source, Options: setting.Choices(FromParticles, FromPrediction)})
	add(density, setting.Field{Name: "samples", What: "drawing samples", Value: &s.Samples, Switch: true})
	add(traits.Stochastic && learns, setting.Field{Name: "members", What: "the number of members", Value: &s.Members, Options: setting.Choices("39", "99", "199", "399")})
	add(plane && learns, setting.Field{Name: "colours", What: "colouring by label", Value: &s.Colours, Switch: true})
	if !learns {
		return t
	}
	axes := s.axes(lab)
	add(timed, setting.Field{Name: "portrait", What: "the latent portrait", Value: &s.Portrait, Switch: true})
	add(timed, setting.Field{Name: "axisx", What: "the portrait’s first axis", Value: &s.Axes[0], Options: axes})
	add(timed, setting.Field{Name: "axisy", What: "the portrait’s second axis", Value: &s.Axes[1], Options: axes})
	add(true, setting.Field{Name: "survey", What: "the panel on ε and ẑ dim", Value: &s.Survey, Switch: true})
	// The next training, and the model from which it starts.
	add(true, setting.Field{Name: "eps", What: "ε", Value: &s.Eps, Low: target.MinEps, High: maxEps})
	add(true, setting.Field{Name: "zdim", What: "the number of closure variables", Value: &s.ZDim, Low: 1, High: encoder.MaxZDim})
	add(len(methods) > 1, setting.Field{Name: "method", What: "the method", Value: &s.Method, Options: titles(methods)})
	add(lab.Codes != "", setting.Field{Name: "scope", What: "what is trained", Value: &s.Scope, Options: setting.Choices(DynamicsAlone, Everything)})
	add(timed, setting.Field{Name: "size", What: "the size of what is trained", Value: &s.Size, Options: setting.Choices(sizes...)})
	add(several, setting.Field{Name: "law", What: "the form of the dynamics", Value: &s.Form, Options: setting.Choices(Joint, Separate)})
	add(timed, setting.Field{Name: "g", What: "the form of the drift", Value: &s.Drift, Options: drifts()})
	add(len(given) > 1 || lab.undescribed(), setting.Field{Name: "params", What: "what the dynamics are given", Value: &s.Params, Options: given, Hidden: len(given) == 1})
	add(timed, setting.Field{Name: "tseed", What: "the training seed", Value: &s.Seed})
	add(timed, setting.Field{Name: "workers", What: "the number of workers", Value: &s.Worker, Low: 1, High: maxWorkers})
	add(timed, setting.Field{Name: "from", What: "what training begins with", Value: &s.From, Options: setting.Choices(FromScratch, FromModel)})
	add(true, setting.Field{Name: "model", What: "the model", Value: &s.Model, Options: setting.Choices(Shipped, Trained), Hidden: true})
	add(timed, setting.Field{Name: "stage", What: "the stage", Value: &s.Phase, High: 4, Hidden: true})
	add(true, setting.Field{Name: "step", What: "the step", Value: &s.Step, High: method.MaxStep, Hidden: true})
	return t
}

// titles returns methods as options.
func titles(methods []method.Method) (o []setting.Option) {
	for _, m := range methods {
		o = append(o, setting.Option{Value: m.Name, Label: m.Title})
	}
	return o
}

// axes returns the options for an axis of the latent portrait: principal components, and the
// variables of the system's default model.
func (s *Settings) axes(lab *Lab) (o []setting.Option) {
	for k := 1; k <= 3; k++ {
		o = append(o, setting.Option{Value: fmt.Sprint("pc", k), Label: fmt.Sprint("principal component ", k)})
	}
	variables := lab.System.Variables("")
	if lab.undescribed() { // a link is read before the file that it belongs to is opened
		variables = make([]string, mostVariables)
	}
	for k, name := range variables {
		o = append(o, setting.Option{Value: fmt.Sprint("m", k+1), Label: name})
	}
	c, _ := lab.Systems().Preset(lab.System.Traits.Name)
	for k := range c.Sets() * c.ZDim() {
		label := fmt.Sprint("ẑ", k+1)
		if sets := lab.System.Traits.Sets; len(sets) > 1 {
			label = "ẑ of " + sets[k/c.ZDim()]
		}
		o = append(o, setting.Option{Value: fmt.Sprint("z", k+1), Label: label})
	}
	return o
}

// params returns the options for the parameters. The first option is NoParams. The other options
// are the sets of parameters of the shipped models or, for a system that a file describes, all parameters.
func params(lab *Lab) []setting.Option {
	o := setting.Choices(NoParams)
	of := lab.System.Traits.Parameters
	if lab.Describe != nil && len(of) > 0 {
		var all system.Ranges
		for _, p := range of {
			all = append(all, system.Range{Name: p.Name, Low: p.From, High: p.To})
		}
		o = append(o, setting.Option{Value: all.Names(), Label: of.InWords(all)})
	}
	for _, m := range lab.Shipped {
		ranges, err := of.Parse(m.Params)
		if err == nil && len(ranges) > 0 && !slices.ContainsFunc(o, func(o setting.Option) bool { return o.Value == m.Params }) {
			o = append(o, setting.Option{Value: m.Params, Label: of.InWords(ranges)})
		}
	}
	return o
}

// Asked returns the model that the settings request.
func (s *Settings) Asked() Model {
	m := Model{Method: s.Method, Eps: s.Eps, ZDim: s.ZDim}
	if s.Params != NoParams {
		m.Params = s.Params
	}
	return m
}

// drifts returns the forms of the drift as options.
func drifts() (o []setting.Option) {
	for _, f := range dynamics.Forms() {
		o = append(o, setting.Option{Value: f, Label: dynamics.Form(f).Title()})
	}
	return o
}
