package lab

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"macroscope/model/kernel"
	"macroscope/model/wire"
)

// State implements wire.Session.
func (s *MixingSession) State() any { return s.state() }

func (s *MixingSession) state() wire.State {
	s.stateStale = false
	p := &s.play
	st := wire.State{
		Lab: mixingName, Status: s.Status().String(), Playing: p.busy() || s.relax.under(),
		Values: map[string]string{"preset": s.settings.played(), "tool": s.tool, "name": s.keepAs, "trajectory": "", "at": strconv.Itoa(p.now)},
		Labels: map[string]string{"play": "Play"}, Pressed: map[string]bool{}, Off: map[string]string{}, Max: map[string]float64{"at": float64(max(1, p.horizon))},
		Lede: s.lede(), Figures: s.figures(), Warning: s.warn(), Fragment: s.Fragment(), Kernel: kernel.Name(),
	}
	for _, name := range mixingNames {
		switch name {
		case "set", "frame", "model", "step":
		default:
			st.Values[name] = s.settings.get(name)
		}
	}
	switch {
	case p.playing:
		st.Labels["play"] = "Pause"
	case p.begun() && p.now == p.horizon:
		st.Labels["play"] = "Play again"
	}
	if s.a != nil {
		st.Model = s.a.origin
	}
	if s.data != nil {
		st.Values["trajectory"] = strconv.Itoa(s.data.trajectory + 1)
		st.Values["preset"] = "own"
	}
	st.Labels["train"] = s.trainLabel()
	st.Runs = s.kept.list(s.trainingRun(), s.a.called(), s.b.called())
	st.Task, st.Progress, st.SecsLeft = s.task()
	s.off(st.Off)
	return st
}

// off says why controls cannot be used now.
func (s *MixingSession) off(off map[string]string) {
	if s.relax.under() || !s.play.begun() {
		for _, id := range []string{"play", "step", "restart", "at", "shuffle"} {
			off[id] = "The atoms are still relaxing."
		}
	}
	if s.data == nil {
		for _, id := range []string{"trajectory", "simulate"} {
			off[id] = "There are no trajectories of your own; open a file first."
		}
	}
	stages := []string{"encode", "decode", "rollout"}
	switch {
	case s.a == nil:
		for _, id := range stages {
			off[id] = upperFirst(s.noModel().Error()) + "."
		}
	case s.settings.All:
		for _, id := range stages {
			off[id] = "Every stage follows every frame; switch off Run all stages first."
		}
	case s.shown&showCode == 0:
		for _, id := range stages[1:] {
			off[id] = "This stage works on ẑ, so encode first."
		}
	}
}

// foretold returns model A's mean and band of R_AB in the frame on show.
func (s *MixingSession) foretold() (mean, low, high float64, ok bool) {
	if s.a == nil || !s.a.usable || s.shown&showPrediction == 0 || s.a.ahead.done < s.play.now {
		return 0, 0, 0, false
	}
	a, at := &s.a.ahead, 2*s.play.now
	return float64(a.mean[at]), float64(a.low[at]), float64(a.high[at]), true
}

// lede is the sentence over the picture.
func (s *MixingSession) lede() string {
	p := &s.play
	if s.relax.under() || !p.begun() {
		return "Atoms of one kind leave their lattice. In a moment those **left of the boundary** become species A, the others species B, and they begin to mix."
	}
	first := 0
	for _, k := range p.kinds {
		first += int(2 - k)
	}
	what := fmt.Sprintf("**%d** atoms of species A and **%d** of B: of all neighbours of A, **%.1f %%** are B", first, p.atoms()-first, 100*p.measure.Ratios[0])
	mean, low, high, ok := s.foretold()
	switch {
	case ok && p.now == 0:
		return what + ". From this frame alone the law foretells how they will mix."
	case ok:
		return what + fmt.Sprintf("; from frame 0 alone the law foretold **%.1f %%**, and nine times in ten %.1f to %.1f %%.", 100*mean, 100*low, 100*high)
	case s.a == nil && s.none == "":
		return what + ". The model that foretells it is on its way."
	}
	return what + "."
}

// figures are the numbers beside the transport.
func (s *MixingSession) figures() []wire.Figure {
	at := map[string]string{}
	p := &s.play
	if p.begun() && !s.relax.under() {
		at["ab"], at["ba"] = fmt.Sprintf("%.3f", p.measure.Ratios[0]), fmt.Sprintf("%.3f", p.measure.Ratios[1])
		at["time"] = fmt.Sprintf("%.1f", p.time())
		if p.sim != nil {
			at["temperature"] = fmt.Sprintf("%.3f", p.measure.Temperature)
			at["energy"] = fmt.Sprintf("%.3f", p.measure.Potential/float64(p.atoms()))
			at["pressure"] = fmt.Sprintf("%.3f", p.measure.Pressure)
			at["drift"] = fmt.Sprintf("%+.0e", p.drift())
			if p.rate.perSec > 0 && p.busy() {
				at["steps"] = fmt.Sprintf("%.0f", p.rate.perSec)
			}
		}
		if s.a != nil && s.shown&showPrediction != 0 && s.a.usable {
			if c := s.a.coverage(p); !math.IsNaN(c) {
				at["coverage"] = fmt.Sprintf("%.0f %%", 100*c)
			}
		}
		if s.a != nil && s.painted && s.shown&showDensity != 0 && s.a.decoded {
			at["kl"] = fmt.Sprintf("%.2f, %.2f", s.a.kl[0], s.a.kl[1])
		}
		if s.labels.shuffles > 0 {
			at["dz"] = fmt.Sprintf("%.0e", s.dz)
		}
	}
	s.trainingFigures(at)
	if s.data != nil && s.data.measured != nil && s.data.measured.done {
		at["mmd"] = fmt.Sprintf("%.1e", s.data.measured.mmd)
	}
	var list []wire.Figure
	for _, f := range mixingFigures() {
		text := at[f.ID]
		if text == "" {
			text = "–"
		}
		list = append(list, wire.Figure{ID: f.ID, Text: text})
	}
	return list
}

// warn is what the visitor should know of what is on show.
func (s *MixingSession) warn() string {
	switch {
	case s.warning != "":
		return upperFirst(s.warning) + "."
	case s.a == nil:
		return s.none
	case !s.play.begun() || s.play.sim == nil || s.shown&showPrediction == 0:
		return ""
	}
	own, t := DefaultMixingSettings(), s.settings
	var other []string
	for _, v := range []struct {
		what     string
		is, were float64
	}{
		{"temperature", t.Temperature, own.Temperature}, {"ε of A", t.E11, own.E11}, {"ε of B", t.E22, own.E22},
		{"ε between them", t.E12, own.E12}, {"time step", t.Dt, own.Dt},
	} {
		if v.is != v.were {
			other = append(other, fmt.Sprintf("%s %g", v.what, v.were))
		}
	}
	switch {
	case s.a.model.Config.Recorded && s.a.name != shippedRun:
		return ""
	case len(other) > 0:
		return fmt.Sprintf("The law was trained at %s and does not know that this differs.", strings.Join(other, ", "))
	case t.Boundary < 8 || t.Boundary > 24:
		return "The law was trained with boundaries from 10 to 22, so this is far outside of what it has seen."
	}
	return ""
}
