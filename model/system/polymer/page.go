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
	return l.Page().Predicted(l.Page().Say("summary", r.beads, r.extension[r.now]), r.now == 0, p, func(v float64) string { return fmt.Sprintf("%.1f", v) })
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
	return l.Page().Say("foreign", own.beads, own.rate)
}
