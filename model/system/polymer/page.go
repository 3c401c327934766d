package polymer

import (
	"fmt"

	"macroscope/assets"
	"macroscope/model/system"
	"macroscope/model/system/core"
)

var texts core.OncePage

func pageTexts() *system.Page {
	return texts.Get(func() *system.Page {
		p, own := system.ReadPage(assets.Polymer, nil), defaults()
		core.CompletePresets(p, own.table(), "start", "n", "rate", "temperature", "repulsion", "bonds", "beside", "film", "picture")
		p.Hints["step"] = fmt.Sprintf(p.Hints["step"], chain(learnedBeads).Every)
		return p
	})
}

// extension returns the extension of the displayed frame.
func (l *Live) extension() float64 { return l.Macro(l.Player().Now())[0] }

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	if !l.Begun() {
		return
	}
	at["extension"] = fmt.Sprintf("%.1f", l.extension())
	at["time"] = fmt.Sprintf("%.1f", l.Time())
	if !l.Recorded() {
		at["strain"] = fmt.Sprintf("%.2f", l.settings.rate*l.Time())
	}
}

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	if !l.Begun() {
		return ""
	}
	return l.Page().Say("summary", struct {
		system.Prediction
		Frame, Beads int
		Now          float64
	}{p, l.Player().Now(), l.About.Particles, l.extension()})
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
	return l.Page().Say("foreign", own)
}
