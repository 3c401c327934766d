// Package survey computes the panel “what ε and ẑ dim do”. The panel shows the KL of the
// displayed picture and the error of the run's prediction, for all ε and all lengths of ẑ that
// the displayed tunable model serves. The package learns about the run and the displayed model
// only from a Given.
package survey

import (
	"math"
	"strconv"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// retrained is the shortest time between two measurements of a model in training.
const retrained = 3 * time.Second

// Survey measures the values of the panel. It is not safe for concurrent use.
type Survey struct {
	now   func() time.Time
	of    *view.Survey // nil if there is nothing to measure
	model *model.Model
	run   run
	frame system.Frame

	eps     float64 // ε of the model at the last call of Work
	zdim    int
	changed time.Time // when eps or zdim last changed
	steps   int
	learned time.Time // when the KLs were last marked as out of date because of new weights
}

// A value of type run identifies the run and the weights of the dynamics. The predictions depend on
// both.
type run struct {
	generation uint64
	told       time.Time
	seed       uint64
	usable     bool
}

// Given contains the data on which the panel depends.
type Given struct {
	Set      *lab.Settings
	Run      *view.Run
	Playable bool        // whether the run has a frame to measure
	A        *view.Shown // nil if there is no model
	Steps    int         // number of steps of the training, if its model is displayed
	Lacks    string      // sentence that says why there is no model; "" if there is one, or if it is being fetched
}

// New returns the Survey of a session.
func New(now func() time.Time) *Survey { return &Survey{now: now} }

// tunable returns the displayed tunable model if it can be measured, otherwise nil.
func (g *Given) tunable() *model.Model {
	if !g.Set.Survey || g.A == nil || g.A.Cannot != nil {
		return nil
	}
	return g.A.Tunable
}

// why returns the reason why nothing can be measured. It returns "" if the model can be
// measured, or is still being fetched.
func (g *Given) why() string {
	switch {
	case g.A == nil:
		return g.Lacks
	case g.A.Tunable == nil:
		return "The model on show was trained for one ε and one ẑ dim. This panel needs a model that follows both."
	case g.A.Cannot != nil:
		return "The model on show cannot encode these particles."
	}
	return ""
}

// Work measures one number or more, for about the time given as budget. It reports whether there is
// more to do, and whether the panel has changed. For a moment after each change of ε or ẑ dim, Work
// measures nothing, so that the whole time is left for painting the picture.
func (s *Survey) Work(g *Given, budget time.Duration) (busy, changed bool) {
	m := g.tunable()
	if m != s.model {
		s.of, s.model, s.run = nil, m, run{}
		if m != nil {
			s.of, _ = view.NewSurvey(m) // cannot fail, because NewSurvey uses only lengths of ẑ that m offers
		}
	}
	if s.of == nil || !g.Playable {
		return false, false
	}
	began := s.now()
	c := &g.A.Model.Config
	if s.eps != c.Eps() || s.zdim != c.ZDim() {
		s.eps, s.zdim, s.changed = c.Eps(), c.ZDim(), began
	}
	if g.Steps != s.steps && began.Sub(s.learned) >= retrained {
		s.steps, s.learned = g.Steps, began
		s.of.Outdate()
	}
	if c.HasDynamics() {
		if now := (run{g.Run.Live.Run().Generation, g.A.Told, g.Run.Seed, g.A.Usable}); now != s.run {
			s.run = now
			s.of.Predict(g.Run, now.usable)
			changed = true
		}
	}
	g.Run.Live.Shown(&s.frame)
	s.of.Look(&s.frame)
	if s.of.Done(g.Run, s.eps) {
		return false, changed
	}
	if began.Sub(s.changed) < view.RestAfter {
		return true, changed
	}
	for s.of.Step(g.Run, s.eps, s.zdim) {
		changed = true
		if s.now().Sub(began) >= budget {
			break
		}
	}
	s.of.Look(&s.frame) // the picture may have changed while the curves of an earlier picture were completed
	return !s.of.Done(g.Run, s.eps), changed
}

// Fill adds the panel to the state, as JSON:
//
//	eps, kl     the KL in nats at every ε, for the displayed length of ẑ
//	zdim, at    the KL at every length of ẑ, for the displayed ε
//	error       the error of the prediction at every length; absent without dynamics
//	measure     the name of this error
//	here        the displayed ε, the displayed length and their KL
//	of          what was measured
//	why         why there is nothing to measure
//
// Numbers that are not measured yet are null.
func (s *Survey) Fill(st *wire.State, g *Given) {
	if !g.Set.Survey {
		return
	}
	b := []byte(`{"of":`)
	what := "this frame"
	if g.A != nil && !g.A.Usable {
		what = "this set"
	}
	if g.A != nil && len(g.A.Model.Config.Traits.Sets) > 1 {
		what += ", the mean over both species"
	}
	b = strconv.AppendQuote(b, what)
	if why := g.why(); why != "" {
		st.Survey = string(append(strconv.AppendQuote(append(b, `,"why":`...), why), '}'))
		return
	}
	if s.of == nil || g.tunable() != s.model {
		st.Survey = string(append(b, '}'))
		return
	}
	of, c := s.of, &g.A.Model.Config
	eps, zdim, here := c.Eps(), c.ZDim(), 0
	zdims, at, errors := make([]float64, 0, len(of.ZDims)), make([]float64, 0, len(of.ZDims)), []float64(nil)
	for i, n := range of.ZDims {
		zdims, at = append(zdims, float64(n)), append(at, of.KL(eps, i))
		if n == zdim {
			here = i
		}
		if c.HasDynamics() {
			errors = append(errors, of.Error(i, g.Run.Live, g.Run.Live.Player().Now()))
		}
	}
	b = appendList(b, "eps", of.Eps)
	b = appendList(b, "kl", of.Measured(here))
	b = appendList(b, "zdim", zdims)
	b = appendList(b, "at", at)
	if errors != nil {
		b = appendList(b, "error", errors)
		b = strconv.AppendQuote(append(b, `,"measure":`...), c.Motion().Error)
	}
	b = appendList(b, "here", []float64{eps, float64(zdim), at[here]})
	st.Survey = string(append(b, '}'))
}

// appendList appends a field with numbers. A number that is not finite is written as null.
func appendList(b []byte, name string, v []float64) []byte {
	b = append(append(append(b, `,"`...), name...), `":[`...)
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			b = append(b, "null"...)
			continue
		}
		b = strconv.AppendFloat(b, x, 'g', 6, 64)
	}
	return append(b, ']')
}
