package mixing

import (
	"fmt"

	"macroscope/model/setting"
	"macroscope/model/system"
)

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	r := &l.run
	if !l.Begun() || l.relax.under() {
		return
	}
	_, ratios := l.onShow()
	at["ab"], at["ba"] = fmt.Sprintf("%.3f", ratios[0]), fmt.Sprintf("%.3f", ratios[1])
	at["time"] = fmt.Sprintf("%.1f", l.Time())
	if l.Recorded() {
		return
	}
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
		return "Atoms of one kind leave their lattice. In a moment those **left of the boundary** become species A, the others species B, and they begin to mix."
	}
	_, ratios := l.onShow()
	first := 0
	for _, k := range l.Frames.Species {
		first += int(2 - k)
	}
	what := fmt.Sprintf("[**%d** %s of A and **%d** of B: |intro]**%.1f %%** of the neighbours of A are B", first, setting.Plural(first, "atom", "atoms"), len(l.Frames.Species)-first, 100*ratios[0])
	switch {
	case p.OK && l.Player().Now() == 0:
		return what + ". From this frame alone the model predicts how they will mix."
	case p.OK:
		what += fmt.Sprintf("; predicted[ from frame 0 alone|intro]: **%.1f %%**", 100*p.Mean[0])
		if len(p.Low) > 0 {
			what += fmt.Sprintf("[ (90 %% band %.1f to %.1f)|intro]", 100*p.Low[0], 100*p.High[0])
		}
	case p.Learning:
		what += ". The model is still learning their densities, and its dynamics come after"
	case p.Coming:
		what += ". The model that predicts it is on its way"
	}
	return what + "."
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	if recorded || !l.simulated() {
		return ""
	}
	own, t := defaults(), l.settings
	switch {
	case l.retuned():
		return "The temperature or the forces were changed in mid-run; the model predicts from those of frame 0."
	case t.dt != own.dt:
		return fmt.Sprintf("The model was trained with the time step %g and does not know that this differs.", own.dt)
	case t.boundary < 8 || t.boundary > 24:
		return "The model was trained with boundaries from 10 to 22, so this is far outside of what it has seen."
	}
	return ""
}
