package lab

import (
	"math"
	"slices"

	"macroscope/model/lab/extras"
	"macroscope/model/lab/view/portrait"
	"macroscope/model/learn/experiment"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Lab is a system on the page, with its files in the bundle.
type Lab struct {
	System system.System
	// Shipped are the models that come with the lab. Their files are fetched on demand.
	Shipped []Model
	// Codes names the trajectories encoded by the first shipped model, on which dynamics are
	// trained; "" is none.
	Codes string
	// Sweep names the results of trainings by ε and number of closure variables, a file of
	// macroscope sweep; "" is none.
	Sweep string
	// Published is the paper's value of the measure of trainings, 0 if it has none, and
	// PublishedBy is its source, in words.
	Published   float64
	PublishedBy string
	// States names trajectories encoded by the shipped model, which the latent portrait
	// shows; "" is none. They may be Codes.
	States string
	// Algebra is the linear algebra of the latent portrait; nil leaves the portrait out.
	Algebra portrait.Algebra
	// Opening is the state for a user without settings, as the end of a link; "" is the state
	// of a link without settings.
	Opening string
	// Beside makes the lab's extra panels for the run of a Live of the system; nil if it has
	// none.
	Beside func(live system.Live) extras.Part
	// Does makes the helper for the jobs of Beside.
	Does func() wire.Helper

	texts *system.Page // see page
}

// Measure names the measure of trainings, on validation data.
func (l *Lab) Measure() string { return l.page().Says["measure"] }

// Goal is the suggested value of the measure to train to.
func (l *Lab) Goal() float64 {
	if l.Published > 0 {
		return l.Published
	}
	return 0.01
}

// Model is a model that comes with a lab: its file in the bundle, its method, and the kernel
// width, the number of closure variables and the parameters of its training.
type Model struct {
	File   string
	Method string
	Eps    float64
	ZDim   int
	Params string // inputs of its dynamics, names separated by commas; "" is none
}

// Nearest returns the shipped model of a method that is nearest to the request, by the same
// rule in all labs: see Nearer. ok is false if none of the method is shipped.
func (l *Lab) Nearest(asked Model) (m Model, ok bool) {
	for _, other := range l.Shipped {
		if other.Method == asked.Method && (!ok || other.Nearer(m, asked)) {
			m, ok = other, true
		}
	}
	return m, ok
}

// Coded returns the model with the encoder of Codes; ok is false if there are none.
func (l *Lab) Coded() (m Model, ok bool) {
	if l.Codes == "" {
		return m, false
	}
	return l.Shipped[0], true
}

// Ordered returns the shipped model with an encoder that depends on the order of particles,
// for comparison with the others; ok is false if there is none.
func (l *Lab) Ordered() (m Model, ok bool) {
	for _, m := range l.Shipped {
		if of, err := experiment.FindMethod(m.Method); err == nil && of.Ordered() {
			return m, true
		}
	}
	return m, false
}

// Nearer says whether m is nearer to the request than another model: m alone has the
// requested parameters, or both or neither have them and its number of closure variables is
// nearer, as a ratio, or equally near and its ε is nearer, as a ratio.
func (m Model) Nearer(than, asked Model) bool {
	const same = 1e-9 // of logarithms
	if given := m.Params == asked.Params; given != (than.Params == asked.Params) {
		return given
	}
	ratio := func(a, b float64) float64 { return math.Abs(math.Log(a / b)) }
	by := ratio(float64(than.ZDim), float64(asked.ZDim)) - ratio(float64(m.ZDim), float64(asked.ZDim))
	if math.Abs(by) <= same {
		by = ratio(than.Eps, asked.Eps) - ratio(m.Eps, asked.Eps)
	}
	return by > same
}

// Systems are the systems of its checkpoints: the lab's own.
func (l *Lab) Systems() experiment.Systems { return experiment.Systems{l.System} }

// Link returns the lab's name in links.
func (l *Lab) Link() string {
	if t := l.System.Traits(); t.Link != "" {
		return t.Link
	}
	return l.System.Traits().Name
}

// Methods lists the methods on the page: those with a shipped model of the system, or all if
// none has one.
func (l *Lab) Methods() []experiment.Method {
	all := experiment.MethodsFor(l.System.Traits().Name)
	if len(l.Shipped) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(m experiment.Method) bool {
		return !slices.ContainsFunc(l.Shipped, func(s Model) bool { return s.Method == m.Name })
	})
}

// sizes lists the presets of its methods, except those that take days.
func (l *Lab) sizes() (list []string) {
	for _, m := range l.Methods() {
		for _, size := range experiment.Presets(l.System.Traits().Name, m.Name) {
			if !slices.Contains(list, size) && size != "paper" {
				list = append(list, size)
			}
		}
	}
	return list
}

// Learns says whether models of the lab's system can be trained.
func (l *Lab) Learns() bool { return len(l.Methods()) > 0 }

// Timed says whether runs of the system have frames that follow each other. A system of
// single sets has none: its model follows its target as it trains.
func (l *Lab) Timed() bool {
	_, single := l.System.(system.Sampler)
	return !single
}

// Observables lists the observables of a recording, the system's own first; nil if there is
// no choice.
func (l *Lab) Observables() []setting.Option {
	if o, ok := l.System.(interface{ Observables() []setting.Option }); ok {
		return o.Observables()
	}
	return nil
}
