package lab

import (
	"slices"

	"macroscope/model/lab/extras"
	"macroscope/model/lab/view/portrait"
	"macroscope/model/learn/method"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// Lab describes the lab of one system: the system, and the lab's files among the page's assets.
type Lab struct {
	System *system.System
	// Shipped contains the models that come with the lab. Their files are fetched on demand.
	// The lab opens with the first model.
	Shipped []Model
	// Codes names a file of encoded trajectories, on which the page trains the dynamics. Coded
	// returns the model that encoded them. Codes is "" if there is no such file.
	Codes string
	// Sweep names the result file of a `macroscope sweep` over ε and the number of closure
	// variables. It is "" if there is no such file.
	Sweep string
	// Published is the paper's value of the validation measure, or 0 if there is none.
	// PublishedBy says where it is published.
	Published   float64
	PublishedBy string
	// States is the name of a file of trajectories, or "" if the lab has no such file. The latent
	// portrait shows these trajectories. The first shipped model encodes them.
	States string
	// Algebra is the linear algebra for the latent portrait. Without it there is no portrait.
	Algebra portrait.Algebra
	// Opening is the link fragment of the lab's opening state, for a user without a link or a
	// saved session. If it is "", the lab opens with the default settings.
	Opening string
	// The function Beside makes the lab's extra panels for the run that `live` plays. It is nil if
	// the lab has no extra panels.
	Beside func(live system.Live) extras.Part
	// Constructor of a helper for the jobs of the extra panels. It is nil if the panels have no
	// jobs.
	Does func() wire.Helper

	// Describe opens a file of trajectories and finds out what its system is. The result `of` is `is`, the lab's
	// present system, if the file can be of it. `src` has the trajectories. `says` is a part of a sentence on how the
	// observables move, or "". Describe is nil if the lab has one system.
	Describe Describe

	// Workers is the default number of workers of a training, which depends on the machine. 0 means 1.
	Workers int

	texts *system.Page // cached result of page
}

// Describe is the function of Lab.Describe.
type Describe = func(f system.File, is *system.System, pause work.Pause) (of *system.System, src system.Recorded, says string, err error)

// With returns the lab of another system.
func (l *Lab) With(of *system.System) Lab {
	other := *l
	other.System, other.texts = of, nil
	return other
}

// undescribed reports whether no file has described the lab's system yet.
func (l *Lab) undescribed() bool { return l.Describe != nil && l.System.Description == nil }

// Say returns a sentence for all labs, see system.Page.
func (l *Lab) Say(name string, facts ...any) string { return l.page().Say(name, facts...) }

// Measure names the validation measure of trainings.
func (l *Lab) Measure() string { return l.Say("measure") }

// Goal suggests a value of the validation measure at which a training can stop.
func (l *Lab) Goal() float64 {
	if l.Published > 0 {
		return l.Published
	}
	return 0.01
}

// Model describes a shipped model. File is the name of its file among the page's assets. Eps and
// ZDim are the kernel width and the number of closure variables in its training. For a tunable
// model, they are the usual values.
type Model struct {
	File   string
	Method string
	Eps    float64
	ZDim   int
	Params string // parameters of the physics that are inputs of its dynamics, separated by commas; "" for none
	// Wide is set for a model of preset wide, which was trained on more kinds of first frames than
	// the paper's. The settings never request it; it appears beside others, see Wider.
	Wide bool
}

// Find returns the first shipped model with the requested method and parameters. If there is none,
// it returns the first model with the requested method. ok is false if the method has no model. A
// tunable model also serves the method of the ordinary models that it contains.
func (l *Lab) Find(asked Model) (m Model, ok bool) {
	for _, of := range l.Shipped {
		serves := !of.Wide && of.Method == asked.Method || of.Method == method.Tunable && asked.Method == method.Untuned
		if serves && (!ok || m.Params != asked.Params && of.Params == asked.Params) {
			m, ok = of, true
		}
	}
	return m, ok
}

// Coded returns the model that encoded Codes: the first model that is not tunable. ok is false if
// there are no codes.
func (l *Lab) Coded() (m Model, ok bool) {
	i := slices.IndexFunc(l.Shipped, func(m Model) bool { return m.Method != method.Tunable })
	if l.Codes == "" || i < 0 {
		return m, false
	}
	return l.Shipped[i], true
}

// Wider returns the shipped model of preset wide. ok is false if there is none.
func (l *Lab) Wider() (m Model, ok bool) {
	if i := slices.IndexFunc(l.Shipped, func(m Model) bool { return m.Wide }); i >= 0 {
		return l.Shipped[i], true
	}
	return m, false
}

// Ordered returns a shipped model with an encoder that depends on the order of particles. Other
// models are compared with this model. ok is false if there is none.
func (l *Lab) Ordered() (m Model, ok bool) {
	for _, m := range l.Shipped {
		if of, err := method.FindMethod(m.Method); err == nil && of.Ordered() {
			return m, true
		}
	}
	return m, false
}

// Systems returns a list of only the lab's system, for opening checkpoints.
func (l *Lab) Systems() method.Systems { return method.Systems{l.System} }

// Link returns the lab's name in links.
func (l *Lab) Link() string {
	if t := l.System.Traits; t.Link != "" {
		return t.Link
	}
	return l.System.Traits.Name
}

// Methods lists the methods that the page offers: every method with a shipped model, or all
// methods of the system if the lab has no models.
func (l *Lab) Methods() []method.Method {
	all := method.MethodsFor(l.System.Traits.Name)
	if len(l.Shipped) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(m method.Method) bool {
		_, ships := l.Find(Model{Method: m.Name})
		return !ships
	})
}

// sizes lists the presets that the lab's methods have, except presets that train for long.
func (l *Lab) sizes() (list []string) {
	for _, m := range l.Methods() {
		for _, size := range method.Presets(l.System.Traits.Name, m.Name) {
			if !slices.Contains(list, size) && size != "paper" && size != "wide" {
				list = append(list, size)
			}
		}
	}
	return list
}

// Learns reports whether models of the lab's system can be trained.
func (l *Lab) Learns() bool { return len(l.Methods()) > 0 }

// Timed reports whether the system's runs are time series. Other systems play single sets,
// which have no time.
func (l *Lab) Timed() bool { return l.System.Draw == nil }
