package mixing

import (
	"fmt"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	r := &l.run
	if !l.player.Begun() || l.relax.under() {
		return
	}
	r.look()
	at["ab"], at["ba"] = fmt.Sprintf("%.3f", r.measure.Ratios[0]), fmt.Sprintf("%.3f", r.measure.Ratios[1])
	at["time"] = fmt.Sprintf("%.1f", r.time())
	if r.sim == nil {
		return
	}
	at["temperature"] = fmt.Sprintf("%.3f", r.measure.Temperature)
	at["energy"] = fmt.Sprintf("%.3f", r.measure.Potential/float64(len(r.species)))
	at["pressure"] = fmt.Sprintf("%.3f", r.measure.Pressure)
	at["drift"] = "0"
	if d := r.drift(); d != 0 {
		at["drift"] = fmt.Sprintf("%+.0e", d)
	}
	if r.rate.PerSecond > 0 && l.player.Busy() {
		at["steps"] = fmt.Sprintf("%.0f", r.rate.PerSecond)
	}
}

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	r := &l.run
	if !l.player.Begun() || l.relax.under() {
		return l.Page().Say("relaxing")
	}
	r.look()
	first := 0
	for _, k := range r.species {
		first += int(2 - k)
	}
	what := l.Page().Say("summary", first, setting.Plural(first, "atom", "atoms"), len(r.species)-first, 100*r.measure.Ratios[0])
	return l.Page().Predicted(what, r.now == 0, p, func(v float64) string { return fmt.Sprintf("%.1f", 100*v) })
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	if recorded || !l.player.Begun() || l.run.sim == nil {
		return ""
	}
	own, t := defaults(), l.settings
	switch {
	case l.retuned():
		return l.Page().Say("foreign-retuned")
	case t.dt != own.dt:
		return l.Page().Say("foreign-dt", own.dt)
	case t.boundary < 8 || t.boundary > 24:
		return l.Page().Say("foreign-boundary")
	}
	return ""
}
