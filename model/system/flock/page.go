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

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	if !l.Begun() {
		return
	}
	macro := l.Macro(l.Player().Now())
	at["time"], at["polarisation"], at["neighbours"] = setting.Short(l.Time()), fmt.Sprintf("%.2f", macro[0]), fmt.Sprintf("%.1f", 10*macro[1])
}

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	if !l.Begun() {
		return ""
	}
	now := l.Player().Now()
	return l.Page().Say("summary", struct {
		system.Prediction
		Frame, Birds int
		Now          float64
	}{p, now, l.About.Particles, l.Macro(now)[0]})
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	if l.Recorded() || recorded {
		return ""
	}
	s, usual := l.settings, flock.Default().N
	return l.Page().Say("foreign", struct {
		Retuned, Dense, Aligned bool
		Usual                   int
	}{len(l.turns) > 1 && l.turns[1].frame <= l.Player().Now(), s.n < usual*4/5 || s.n > usual*4/3, s.spread < leastSpread, usual})
}

// leastSpread is the narrowest spread of first headings in training, in degrees, rounded up.
const leastSpread = 29
