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
	is := struct {
		system.Prediction
		Blank  bool
		What   string
		Count  int
		T, Now float64
	}{Prediction: p, Blank: !l.there()}
	if l.there() {
		is.What, is.Count, is.T, is.Now = setting.Capital(inWords(l.About.Variables[0])), l.About.Particles, l.Time(), l.observed()
	}
	return l.Page().Say("summary", is)
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	if !l.there() {
		return ""
	}
	return l.Page().Say("foreign", struct {
		Recorded, OfFile bool
		Dt, Usual        float64
	}{l.Recorded(), recorded, l.settings.Dt, defaultSettings().Dt})
}
