package flock

import (
	"fmt"

	"macroscope/assets"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/sim/flock"
)

var texts core.OncePage

func pageTexts() *system.Page {
	return texts.Get(func() *system.Page {
		p, own := system.ReadPage(assets.Flock, nil), defaults()
		core.CompletePresets(p, own.table(), "eta", "n", "spread", "steps")
		return p
	})
}

// written returns a number of the page as text.
func written(v float64) string { return fmt.Sprintf("%.2f", v) }

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	if !l.Begun() {
		return
	}
	macro := l.Macro(l.Player().Now())
	at["time"], at["polarisation"], at["neighbours"] = setting.Short(l.Time()), written(macro[0]), fmt.Sprintf("%.1f", 10*macro[1])
}

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	if !l.Begun() {
		return ""
	}
	now := l.Player().Now()
	text := l.Page().Say("summary", l.About.Particles, now, written(l.Macro(now)[0]))
	return l.Page().Predicted(text, now == 0, p, written)
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	if l.Recorded() || recorded {
		return ""
	}
	own := flock.Default()
	switch s := l.settings; {
	case len(l.turns) > 1 && l.turns[1].frame <= l.Player().Now():
		return l.Page().Say("foreign-retuned")
	case s.n < own.N*4/5 || s.n > own.N*4/3:
		return l.Page().Say("foreign-n", own.N)
	case s.spread < leastSpread:
		return l.Page().Say("foreign-spread")
	}
	return ""
}

// leastSpread is the narrowest spread of first headings in training, in degrees, rounded up.
const leastSpread = 29
