package polymer

import (
	"fmt"

	"macroscope/assets"
	"macroscope/model/system"
)

var pageTexts system.MadePage

// Page implements system.Live.
func (l *Live) Page() *system.Page { return pageTexts.Get(readPage) }

func readPage() *system.Page {
	p, own, c := system.ReadPage(assets.Polymer, nil), defaults(), chain(learnedBeads)
	p.Complete(own.table(), "start", "n", "rate", "temperature", "repulsion", "bonds", "beside", "film", "picture")
	p.Hints["step"] = fmt.Sprintf(p.Hints["step"], c.Every)
	p.Step = c.Dt * float64(c.Every)
	return p
}

// time of the frame on show.
func (r *run) time() float64 { return float64(r.now) * r.frameTime }

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	r := &l.run
	if !r.begun() {
		return
	}
	at["extension"] = fmt.Sprintf("%.1f", r.extension[r.now])
	at["time"] = fmt.Sprintf("%.1f", r.time())
	if !l.Recorded() {
		at["strain"] = fmt.Sprintf("%.2f", l.settings.rate*r.time())
	}
}

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	r := &l.run
	if !r.begun() {
		return ""
	}
	what := fmt.Sprintf("The chain[ of **%d** beads|intro] is **%.1f** long", r.beads, r.extension[r.now])
	switch {
	case p.OK && r.now == 0:
		return what + ". From this frame alone the model predicts how the flow unfolds it."
	case p.OK:
		what += fmt.Sprintf("; predicted[ from frame 0 alone|intro]: **%.1f**", p.Mean[0])
		if len(p.Low) > 0 {
			what += fmt.Sprintf("[ (90 %% band %.1f to %.1f)|intro]", p.Low[0], p.High[0])
		}
	case p.Learning:
		what += ". The model is still learning the density of its beads, and its dynamics come after"
	case p.Coming:
		what += ". The model that predicts it is on its way"
	}
	return what + "."
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	if recorded || l.Recorded() {
		return ""
	}
	own, t := defaults().physics, l.settings.physics
	own.start, own.frames, own.seed, own.set = t.start, t.frames, t.seed, t.set
	if t == own {
		return ""
	}
	return fmt.Sprintf("The model was trained on chains of %d beads in a flow of rate %.3g at temperature 1, and this run differs.", own.beads, own.rate)
}
