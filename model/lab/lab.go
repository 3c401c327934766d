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

// Lab is a system as the page offers it, with the files of the bundle that come
// with it.
type Lab struct {
	System system.System
	// Shipped are the models that come with the lab. Their files are fetched when they
	// are asked for.
	Shipped []Model
	// Codes names the trajectories that the first of the shipped models has encoded, on
	// which dynamics are trained; "" is none.
	Codes string
	// Sweep names what trainings reach against ε and the number of closure variables,
	// a file that macroscope sweep wrote; "" is none.
	Sweep string
	// Published is the paper's figure of what trainings are measured by, 0 if it has
	// none, and PublishedBy says which, in words.
	Published   float64
	PublishedBy string
	// States names trajectories that the shipped model has encoded, which the latent
	// portrait shows; "" is none. They may be Codes.
	States string
	// Algebra is what the latent portrait computes with; nil leaves it out.
	Algebra portrait.Algebra
	// Opening is what a visitor finds who brings no settings, as the end of a link; "" is
	// what a link finds that has none either.
	Opening string
	// Beside makes what is shown beside the run of a Live of the system; nil if there is
	// nothing.
	Beside func(live system.Live) extras.Part
	// Does makes what does the jobs of Beside.
	Does func() wire.Helper

	texts *system.Page // see page
}

// Measure names what trainings are measured by, on what is kept out of them.
func (l *Lab) Measure() string { return l.page().Says["measure"] }

// Goal is what of it a visitor is offered to train to at first.
func (l *Lab) Goal() float64 {
	if l.Published > 0 {
		return l.Published
	}
	return 0.01
}

// Model is a model that comes with a lab: its file in the bundle, its method, and the
// kernel width, the number of closure variables and the parameters that it was trained
// for.
type Model struct {
	File   string
	Method string
	Eps    float64
	ZDim   int
	Params string // that its dynamics are given, names with commas between; "" is none
}

// Nearest returns the shipped model of a method that is nearest to what is asked for,
// in all labs by one rule: see Nearer. ok is false if none of the method is shipped.
func (l *Lab) Nearest(asked Model) (m Model, ok bool) {
	for _, other := range l.Shipped {
		if other.Method == asked.Method && (!ok || other.Nearer(m, asked)) {
			m, ok = other, true
		}
	}
	return m, ok
}

// Coded returns the model whose encoder made Codes; ok is false if there are none.
func (l *Lab) Coded() (m Model, ok bool) {
	if l.Codes == "" {
		return m, false
	}
	return l.Shipped[0], true
}

// Ordered returns the shipped model whose encoder depends on the order of particles,
// with which the others are compared; ok is false if there is none.
func (l *Lab) Ordered() (m Model, ok bool) {
	for _, m := range l.Shipped {
		if of, err := experiment.FindMethod(m.Method); err == nil && of.Ordered() {
			return m, true
		}
	}
	return m, false
}

// Nearer says whether m is nearer than another model to what is asked for: it alone
// is given these parameters, or as to them they are alike and its number of closure
// variables is nearer, by their ratio, or that is as near and its ε is, by their ratio.
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

// Systems are those that checkpoints can be of: the lab's own.
func (l *Lab) Systems() experiment.Systems { return experiment.Systems{l.System} }

// Link returns the lab's name in links.
func (l *Lab) Link() string {
	if t := l.System.Traits(); t.Link != "" {
		return t.Link
	}
	return l.System.Traits().Name
}

// Methods lists the methods that the page offers: those for the system of which a model
// ships, or all if none does.
func (l *Lab) Methods() []experiment.Method {
	all := experiment.MethodsFor(l.System.Traits().Name)
	if len(l.Shipped) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(m experiment.Method) bool {
		return !slices.ContainsFunc(l.Shipped, func(s Model) bool { return s.Method == m.Name })
	})
}

// sizes lists the presets of its methods, less what takes days.
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

// Observables lists what a recording can be read for, the system's own first;
// nil if there is no choice.
func (l *Lab) Observables() []setting.Option {
	if o, ok := l.System.(interface{ Observables() []setting.Option }); ok {
		return o.Observables()
	}
	return nil
}
