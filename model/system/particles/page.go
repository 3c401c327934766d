package particles

import (
	"fmt"

	"macroscope/assets"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
)

var texts core.OncePage

func pageTexts() *system.Page {
	return texts.Get(func() *system.Page {
		p, own := system.ReadPage(assets.Particles, nil), defaultSettings()
		core.CompletePresets(p, own.table(), "force", "a", "b", "n", "dt", "steps", "components")
		p.Relaxes = true
		return p
	})
}

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	if !l.there() {
		return
	}
	at["time"], at["energy"] = fmt.Sprintf("%.2f", l.Time()), setting.Short(l.observed())
}

// observed returns the observable of the displayed frame.
func (l *Live) observed() float64 { return l.Macro(l.Player().Now())[0] }

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	if !l.there() {
		return l.Page().Say("blank")
	}
	text := l.Page().Say("summary", setting.Capital(inWords(l.About.Variables[0])), l.About.Particles, setting.Plural(l.About.Particles, "particle", "particles"), l.Time(), setting.Short(l.observed()))
	return l.Page().Predicted(text, false, p, setting.Short)
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	own := defaultSettings()
	switch s := l.settings; {
	case !l.there():
		return ""
	case !l.Recorded() && recorded:
		return l.Page().Say("foreign-file")
	case l.Recorded() && !recorded:
		return l.Page().Say("foreign-simulated", own.Dt)
	case !l.Recorded() && !recorded && s.Dt != own.Dt:
		return l.Page().Say("foreign-dt", own.Dt, s.Dt)
	}
	return ""
}
