package lab

import (
	"fmt"
	"math"
	"strconv"

	"macroscope/model/kernel"
	"macroscope/model/wire"
)

// State implements wire.Session.
func (s *ParticlesSession) State() any { return s.state() }

func (s *ParticlesSession) state() wire.State {
	s.stateStale = false
	p := &s.play
	st := wire.State{
		Lab: particlesName, Status: s.Status().String(), Playing: p.busy(),
		Values: map[string]string{"preset": s.settings.played(), "tool": s.tool, "at": strconv.Itoa(p.now), "name": s.keepAs},
		Labels: map[string]string{"play": "Play"}, Pressed: map[string]bool{}, Off: map[string]string{}, Max: map[string]float64{"at": float64(p.horizon)},
		Lede: s.lede(), Figures: s.figures(), Warning: s.warn(), Fragment: s.Fragment(), Kernel: kernel.Name(), Runs: s.kept.list(s.trainingRun(), s.a.called(), s.b.called()),
	}
	st.Task, st.Progress, st.SecsLeft = s.task()
	st.Labels["train"] = s.trainLabel()
	st.Values["trajectory"], st.Values["observable"] = "1", Energy
	if s.data != nil {
		st.Values["trajectory"], st.Values["observable"] = strconv.Itoa(s.data.trajectory+1), s.data.observable
		st.Max["trajectory"] = float64(s.data.rec.Shape().Trajectories)
	}
	for _, name := range particlesNames {
		switch name {
		case "set", "frame", "model", "stage", "step":
		default:
			st.Values[name] = s.settings.get(name)
		}
	}
	switch {
	case p.playing:
		st.Labels["play"] = "Pause"
	case p.now == p.horizon:
		st.Labels["play"] = "Play again"
	}
	if s.a != nil {
		st.Model = s.a.origin
	}
	s.off(st.Off)
	return st
}

// off says why controls cannot be used now.
func (s *ParticlesSession) off(off map[string]string) {
	if s.blank {
		for _, id := range []string{"play", "step", "restart", "at"} {
			off[id] = "There are too few particles to move; draw more first."
		}
	}
	if s.data == nil {
		for _, id := range []string{"trajectory", "observable", "simulate"} {
			off[id] = "Open a file with trajectories first."
		}
	}
	stages := []string{"encode", "decode", "rollout"}
	switch {
	case s.a == nil:
		off["keep"] = "There is no model to keep yet."
		for _, id := range stages {
			off[id] = "The model is still on its way."
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

// time returns that of the frame on show.
func (s *ParticlesSession) time() float64 { return float64(s.play.now) * s.play.dt }

// predicted returns model A's prediction for the frame on show.
func (s *ParticlesSession) predicted() (v float64, ok bool) {
	if s.a == nil || s.blank || s.shown&showPrediction == 0 {
		return 0, false
	}
	if !s.a.predicts() || !s.speaksOf(s.a.model) {
		return 0, false
	}
	return float64(s.a.pred[s.play.now]), true
}

// lede is the sentence over the picture.
func (s *ParticlesSession) lede() string {
	p := &s.play
	if s.blank {
		return "An empty plane: **draw** particles with the mouse or a finger, and they begin to push and pull one another."
	}
	what := fmt.Sprintf("**%d** particles at t = **%.2f**: ", p.particles(), s.time())
	energy := formatFigure(p.macro[p.now])
	if v, ok := s.predicted(); ok {
		return what + fmt.Sprintf("their %s is **%s**, and from frame 0 alone the model predicted **%s**.", s.macroName(), energy, formatFigure(v))
	}
	if s.a == nil || s.a.live && !s.a.usable {
		tail := "The model that predicts it is on its way."
		if s.a != nil {
			tail = "The model learns to draw their density; its law comes after."
		}
		return what + fmt.Sprintf("their %s is **%s**. %s", s.macroName(), energy, tail)
	}
	return what + fmt.Sprintf("their %s is **%s**.", s.macroName(), energy)
}

// formatFigure writes a number for the eye.
func formatFigure(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case a >= 1e4 || a < 1e-3 && a > 0:
		return fmt.Sprintf("%.2e", v)
	}
	return fmt.Sprintf("%.4f", v)
}

// figures are the numbers beside the transport.
func (s *ParticlesSession) figures() []wire.Figure {
	none := "–"
	at := make(map[string]string)
	p := &s.play
	if !s.blank {
		at["time"], at["energy"] = fmt.Sprintf("%.2f", s.time()), formatFigure(p.macro[p.now])
		if v, ok := s.predicted(); ok {
			at["predicted"] = formatFigure(v)
			at["mre"] = fmt.Sprintf("%.1e", s.mre(s.a))
		}
		if s.a != nil && s.shown&showDensity != 0 && s.a.decoded && !math.IsNaN(s.a.kl) {
			at["kl"] = fmt.Sprintf("%.3f", s.a.kl)
		}
	}
	if !math.IsNaN(s.orders.dz) {
		at["dz"] = fmt.Sprintf("%.1e", s.orders.dz)
	}
	if s.status == wire.Training || s.status == wire.Paused {
		p := s.training.Progress()
		at["rate"] = fmt.Sprintf("%.0f %s/s", p.Rate, p.Unit)
		if !math.IsNaN(p.Loss) {
			at["loss"] = fmt.Sprintf("%.4g", p.Loss)
		}
	}
	if s.training != nil {
		if v := s.training.Curves().mre.last(); !math.IsNaN(v) {
			at["val"] = fmt.Sprintf("%.2e", v)
		}
	}
	at["own"] = s.dataFigure()
	var list []wire.Figure
	for _, f := range particlesFigures {
		text := at[f.ID]
		if text == "" {
			text = none
		}
		list = append(list, wire.Figure{ID: f.ID, Text: text})
	}
	return list
}

// mre returns a model's mean relative error over the frames so far.
func (s *ParticlesSession) mre(m *shownModel) float64 {
	n := s.play.known + 1
	for len(s.errors) < n {
		s.errors = append(s.errors, 0)
	}
	return m.latest.errors(s.errors[:n], s.play.macro[:n])
}

// warn is what the visitor should know of what is on show.
func (s *ParticlesSession) warn() string {
	switch {
	case s.warning != "":
		return upperFirst(s.warning) + "."
	case s.a == nil || s.blank:
		return ""
	}
	if s.shown&showPrediction != 0 && s.a.predicts() && s.a.left >= 0 {
		return fmt.Sprintf("From frame %d on %s: what the law says beyond is extrapolation.", s.a.left, s.a.what)
	}
	own := DefaultParticlesSettings()
	switch t := s.settings; {
	case s.labels.shuffles > 0 && s.orderedCannot() != "":
		return s.orderedCannot()
	case s.shown&showPrediction == 0 || !s.a.usable:
	case !s.speaksOf(s.a.model):
		return fmt.Sprintf("The model predicts another observable (%s) than the one shown, so no prediction is drawn; train one on these data.", s.a.model.Config.Macro)
	case !s.recorded() && s.a.model.Config.Recorded:
		return "The law was trained on trajectories of a file; on simulated ones it can only err, unless they are of the same system."
	case s.recorded() && !s.a.model.Config.Recorded:
		return "The law was trained on simulated particles with a = 4, b = 0.1, Δt = 0.02; on other trajectories it can only err."
	case !s.recorded() && !s.a.model.Config.Recorded && (t.A != own.A || t.B != own.B || t.Dt != own.Dt):
		return fmt.Sprintf("The law was trained on particles with a = %g, b = %g, Δt = %g and does not know that these differ.", own.A, own.B, own.Dt)
	}
	switch t := s.settings; {
	case s.shown&showDensity != 0 && s.a.model.Config.Eps != t.Eps:
		return fmt.Sprintf("The model was trained for ε = %g and the target has %g; train one for it.", s.a.model.Config.Eps, t.Eps)
	}
	return ""
}

func upperFirst(text string) string {
	r := []rune(text)
	if len(r) > 0 {
		r[0] = upper(r[0])
	}
	return string(r)
}
