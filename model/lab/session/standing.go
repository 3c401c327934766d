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

// standing compares the displayed model with the settings. The headline and the warning both
// use the same standing.
type standing struct {
	asked, shown, coming wanted
	loads                bool // whether a model with the values in `coming` will replace the displayed model
	name                 string
	trains               bool   // whether the displayed model is the one in training
	ends                 bool   // whether the displayed model is tunable. If it does not match the settings, the settings are beyond an end of its range
	train                string // says how the user gets a model with the values of the settings
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
func (v *View) standing(a *view.Shown) standing {
	l := &v.set.Settings
	if a == nil {
		return standing{}
	}
	c := &a.Model.Config
	s := standing{name: training.InWords(a), trains: a.Training, ends: a.Tunable != nil, train: v.fits()}
	if a.Training {
		s.name = "the model in training"
	}
	s.shown, s.asked = compared(c, l)
	if of, ok := v.models.Loading(v.on); ok && a == v.models.A() {
		s.loads, s.coming = true, wanted{ordinary(of.Method), of.Eps, of.ZDim, inputsOf(c, of.Params)}
		if of.Method == method.Tunable {
			s.coming.eps, s.coming.zdim = l.Eps, l.ZDim
		}
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

// The method `fits` says how the user gets a model for the settings.
func (v *View) fits() string {
	button, _ := v.train.Button()
	switch {
	case v.set.Method == method.Tunable:
		return "To fit a model to your settings, choose another method and press Train."
	case !v.train.Waits() && !v.train.Trains() && v.models.A() != nil && v.models.Shelf.Fitter(&v.set.Settings, v.models.A()):
		return fmt.Sprintf("Under Runs, %s serves your settings.", setting.Quote(v.models.Shelf.AskedName(&v.set.Settings)))
	case v.train.Waits() && !v.train.Trains():
		return "The training that is about to begin fits a model to your settings."
	case !v.train.Trains():
		return fmt.Sprintf("Press %s to fit a model to your settings.", button)
	}
	of, asked := compared(&v.train.Live().Model.Config, &v.set.Settings)
	if is, _ := of.unlike(asked); is == "" {
		return "The running training fits a model to your settings."
	}
	return fmt.Sprintf("Press %s, then Train, to fit a model to your settings.", button)
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

// otherThanAsked says which model is displayed or is being loaded, if the displayed model does
// not match the settings.
func (s standing) otherThanAsked() string {
	is, asked := s.shown.unlike(s.asked)
	coming, _ := s.coming.unlike(s.shown)
	switch {
	case s.loads && coming != "":
		return fmt.Sprintf("Loading the model for %s…", coming)
	case is == "":
		return ""
	case s.ends:
		return fmt.Sprintf("Showing %s at %s, where its range ends, not at your %s. %s", s.name, is, asked, s.train)
	case s.trains:
		return fmt.Sprintf("The training is for %s, not for your %s. %s", is, asked, s.train)
	}
	return fmt.Sprintf("Showing %s for %s, not for your %s. %s", s.name, is, asked, s.train)
}
