package session

import (
	"fmt"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/lab/session/training"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// standing compares a displayed model with the settings, in the words of unlike. It contains the facts of "say unlike"
// in assets/texts.
type standing struct {
	Is, Asked  string // the values in which the model and the settings differ; "" if in none
	Coming     string // the values in which a model that will replace this one differs from it
	Name       string
	InTraining bool
	Ends       bool // whether the model is tunable. If it does not match the settings, the settings are beyond an end of its range
	fitting
}

// fitting says how the user gets a model with the values of the settings.
type fitting struct {
	Tunable       bool   // whether the settings ask for a tunable model, which is not trained here
	Serves        string // name of a run that serves the settings
	Waits, Trains bool   // whether a training is about to begin, or runs
	Fits          bool   // whether the running training fits such a model
	Button        string // label of the button Train
}

// wanted contains the method and the values for which a model was fitted, or the method and the
// values in the settings.
type wanted struct {
	method string  // the name of an ordinary method
	eps    float64 // 0 if the model has no target density
	zdim   int
	inputs inputs
}

// inputs are the parameters that dynamics read. The zero value is equal to all others.
type inputs struct {
	names string
	of    system.Parameters // all parameters of the system; nil if there are no dynamics, or if the model and the settings have the same inputs
}

// standing returns the standing of a displayed model. If the model is nil, it is zero.
func (v *View) standing(a *view.Shown) (s standing) {
	if a == nil {
		return s
	}
	l, c := &v.doc.Settings, &a.Model.Config
	shown, asked := compared(c, l)
	s.Is, s.Asked = shown.unlike(asked)
	s.Name, s.InTraining, s.Ends = training.InWords(a), a.Training, a.Tunable != nil
	if of, ok := v.models.Loading(v.on); ok && a == v.picture.A() {
		coming := wanted{ordinary(of.Method), of.Eps, of.ZDim, inputsOf(c, of.Params)}
		if of.Method == method.Tunable {
			coming.eps, coming.zdim = l.Eps, l.ZDim
		}
		s.Coming, _ = coming.unlike(shown)
	}
	s.Button, _ = v.words.Button()
	s.Tunable, s.Trains, s.Waits = l.Method == method.Tunable, v.train.Trains(), v.train.Waits()
	switch {
	case s.Trains:
		of, asked := compared(&v.train.Live.Model.Config, l)
		is, _ := of.unlike(asked)
		s.Fits = is == ""
	case !s.Waits && v.models.Shelf.Fitter(l, v.picture.A()):
		s.Serves = setting.Quote(v.models.Shelf.AskedName(l))
	}
	return s
}

// compared returns the method and the values for which a model was fitted, and the method and the
// values in the settings.
func compared(c *method.Config, l *lab.Settings) (of, asked wanted) {
	of, asked = wanted{ordinary(c.Spec.Method), 0, c.ZDim(), inputs{}}, wanted{ordinary(l.Method), l.Eps, l.ZDim, inputs{}}
	if c.Decoder.Density() {
		of.eps = c.Eps()
	}
	if c.Dynamics.Params.Names() != l.Asked().Params {
		of.inputs, asked.inputs = inputsOf(c, c.Dynamics.Params.Names()), inputsOf(c, l.Params)
	}
	return of, asked
}

// inputsOf returns the parameters `params`, in the form of a setting, of the system of a configuration.
func inputsOf(c *method.Config, params string) inputs {
	of := c.Traits.Parameters
	given, _ := of.Parse(params)
	return inputs{given.Names(), of}
}

// String describes dynamics with these inputs.
func (i inputs) String() string {
	if i.names == "" {
		return "dynamics that read the state only"
	}
	given, _ := i.of.Parse(i.names)
	return "dynamics that read " + i.of.InWords(given)
}

// The method unlike lists the values in which w and the other model differ. The first result
// contains the values of w. The second result contains the values of the other model.
func (w wanted) unlike(other wanted) (is, others string) {
	var here, there []string
	differ := func(when bool, a, b string) {
		if when {
			here, there = append(here, a), append(there, b)
		}
	}
	closures := func(n int) string { return setting.Count(n, "closure variable", "closure variables") }
	eps := func(eps float64) string { return fmt.Sprintf("ε = %g", eps) }
	by := func(name string) string {
		m, _ := method.FindMethod(name)
		return "method " + m.Title
	}
	differ(w.method != other.method, by(w.method), by(other.method))
	differ(w.eps != other.eps && w.eps > 0 && other.eps > 0, eps(w.eps), eps(other.eps))
	differ(w.inputs.of != nil && other.inputs.of != nil && w.inputs.names != other.inputs.names, w.inputs.String(), other.inputs.String())
	differ(w.zdim != other.zdim, closures(w.zdim), closures(other.zdim))
	return strings.Join(here, " and "), strings.Join(there, " and ")
}
