package mixing

import (
	"fmt"

	"macroscope/assets"
	"macroscope/model/system"
	"macroscope/model/system/core"
)

var texts core.OncePage

func pageTexts() *system.Page {
	return texts.Get(func() *system.Page {
		p, own := system.ReadPage(assets.Mixing, nil), defaults()
		core.CompletePresets(p, own.table(), "boundary", "height", "temperature", "e11", "e22", "e12", "dt")
		p.Tool = boundaryTool
		return p
	})
}

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	if !l.Begun() || l.relax.under() {
		return
	}
	_, ratios := l.onShow()
	at["ab"], at["ba"] = fmt.Sprintf("%.3f", ratios[0]), fmt.Sprintf("%.3f", ratios[1])
	at["time"] = fmt.Sprintf("%.1f", l.Time())
	if l.Recorded() {
		return
	}
	r := &l.run
	at["temperature"] = fmt.Sprintf("%.3f", r.measure.Temperature)
	at["energy"] = fmt.Sprintf("%.3f", r.measure.Potential/float64(l.About.Particles))
	at["pressure"] = fmt.Sprintf("%.3f", r.measure.Pressure)
	at["drift"] = "0"
	if d := r.drift(); d != 0 {
		at["drift"] = fmt.Sprintf("%+.0e", d)
	}
	if r.rate.PerSecond > 0 && l.Player().Busy() {
		at["steps"] = fmt.Sprintf("%.0f", r.rate.PerSecond)
	}
}

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	if !l.Begun() || l.relax.under() {
		return l.Page().Say("relaxing")
	}
	_, ratios := l.onShow()
	first := 0
	for _, k := range l.Frames.Species {
		first += int(2 - k)
	}
	p.Mean, p.Low, p.High = 100*p.Mean, 100*p.Low, 100*p.High
	return l.Page().Say("summary", struct {
		system.Prediction
		Frame, OfA, OfB int
		Now             float64
	}{p, l.Player().Now(), first, len(l.Frames.Species) - first, 100 * ratios[0]})
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	if recorded || !l.simulated() {
		return ""
	}
	t := l.settings
	return l.Page().Say("foreign", struct {
		Retuned, Outside bool
		Dt, Usual        float64
	}{l.retuned(), t.boundary < 10 || t.boundary > 22, t.dt, defaults().dt})
}
