package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

// figures are the numbers beside the transport.
func (s status) figures() []wire.Figure {
	at := make(map[string]string)
	s.live.Figures(at)
	s.modelFigures(at)
	s.trainingFigures(at)
	at["own"] = s.own.figure()
	var list []wire.Figure
	for _, f := range lab.Figures(&s.lab, s.live) {
		text := at[f.ID]
		if text == "" && !s.lab.IsSampler() {
			text = "–"
		}
		list = append(list, wire.Figure{ID: f.ID, Text: strings.ReplaceAll(text, "+Inf", "∞")}) // of what has left all bounds
	}
	return list
}

// modelFigures adds what model A makes of the picture on show.
func (s status) modelFigures(at map[string]string) {
	a := s.display.a
	if a == nil || !s.run.playable() {
		return
	}
	if p := a.Predicting(); p != nil && s.display.revealed&revealPrediction != 0 && s.own.speaks(a.Model) {
		if s.traits.Stochastic {
			if c := a.Coverage(s.live); !math.IsNaN(c) {
				at["coverage"] = fmt.Sprintf("%.0f %%", 100*c)
			}
		} else {
			at["predicted"] = setting.Short(float64(p.Mean[s.live.Player().Now()]))
			errs := make([]float32, s.live.Run().Known+1)
			if mre := p.Errors(errs, func(k int) float64 { return s.live.Macro(k)[0] }); len(errs) > 1 && !math.IsNaN(mre) { // at frame 0 nothing is predicted yet
				at["mre"] = fmt.Sprintf("%.1e", mre)
			}
		}
	}
	if s.display.revealed&revealDensity != 0 && a.Decoded && a.Density != nil && !s.lab.IsSampler() {
		var kls []string
		for k, kl := range a.KL {
			if !math.IsNaN(kl) && !a.Density[k].Blank {
				kls = append(kls, fmt.Sprintf("%.3f", kl))
			}
		}
		at["kl"] = strings.Join(kls, ", ")
		if !s.live.Player().Busy() {
			var of []string
			for _, t := range s.display.targets {
				of = append(of, fmt.Sprintf("%.3f", t.Spikes()))
			}
			at["spikes"] = strings.Join(of, ", ")
		}
	}
	of := view.Invariant
	if a.Model.Config.Encoder.Ordered() {
		of = view.Ordered
	}
	if dz := s.order.Change(of); !math.IsNaN(dz) {
		at["dz"] = fmt.Sprintf("%.1e", dz)
	}
}

// trainingStates are the states of a sampler's training in words.
var trainingStates = [...]string{wire.Idle: "untrained", wire.Training: "training", wire.Paused: "paused", wire.Done: "trained", wire.Diverged: "diverged"}

// trainingFigures adds how far the training is.
func (s status) trainingFigures(at map[string]string) {
	t := &s.trainer
	if s.lab.IsSampler() {
		at["state"] = trainingStates[s.Status()]
	}
	if t.live == nil {
		if a := s.display.a; s.lab.IsSampler() && a != nil && runs.IsShipped(a.Name) && !(follower{t}).refitting() && t.shippedKL == t.shippedKL {
			at["kl"] = fmt.Sprintf("%.4f", t.shippedKL)
		}
		return
	}
	c := t.live.Curves()
	if t.status == wire.Training || t.status == wire.Paused || s.lab.IsSampler() {
		p := t.live.Progress()
		if p.Rate > 0 && t.status == wire.Training {
			at["rate"] = fmt.Sprintf("%s %s/s", grouped(int(p.Rate)), p.Unit)
		}
		if !math.IsNaN(p.Loss) {
			at["loss"] = fmt.Sprintf("%.4g", p.Loss)
		}
		if s.lab.IsSampler() {
			at["step"] = grouped(t.live.Step()) + " / " + grouped(t.live.Steps())
		}
	}
	switch {
	case !math.IsNaN(c.KL.Last()):
		at["kl"] = fmt.Sprintf("%.4f", c.KL.Last())
	case !math.IsNaN(c.MRE.Last()):
		at["val"] = fmt.Sprintf("%.2e", c.MRE.Last())
	case !math.IsNaN(c.Coverage.Last()):
		at["val"] = fmt.Sprintf("%.1f %%", 100*c.Coverage.Last())
		at["rmse"] = fmt.Sprintf("%.4f", c.RMSE.Last())
	}
}

// grouped writes a whole number with narrow spaces between its thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}
