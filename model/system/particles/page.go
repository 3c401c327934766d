package particles

import (
	"fmt"

	"macroscope/assets"
	"macroscope/model/setting"
	"macroscope/model/system"
)

var pageTexts system.MadePage

// Page implements system.Live.
func (l *Live) Page() *system.Page { return pageTexts.Get(readPage) }

func readPage() *system.Page {
	p, own := system.ReadPage(assets.Particles, nil), defaultSettings()
	p.Complete(own.table(), "force", "a", "b", "n", "dt", "steps", "components")
	p.Step, p.Relaxes = System{}.Traits().Dt, true
	return p
}

// Figures implements system.Live.
func (l *Live) Figures(at map[string]string) {
	if l.blank || !l.run.begun() {
		return
	}
	at["time"], at["energy"] = fmt.Sprintf("%.2f", l.time()), setting.Short(l.run.macro[l.run.Shown])
}

// time returns that of the frame on show.
func (l *Live) time() float64 { return float64(l.run.Shown) * l.run.dt }

// Summary implements system.Live.
func (l *Live) Summary(p system.Prediction) string {
	if l.blank || !l.run.begun() {
		return "An empty plane: **draw** particles with the mouse or a finger, and they begin to push and pull one another."
	}
	text := fmt.Sprintf("%s[ of **%d** %s at t = **%.2f**|intro]: **%s**", setting.Capital(inWords(l.observable)), l.run.particles(), setting.Plural(l.run.particles(), "particle", "particles"), l.time(), setting.Short(l.run.macro[l.run.Shown]))
	switch {
	case p.OK:
		return text + fmt.Sprintf("; predicted[ from frame 0 alone|intro]: **%s**.", setting.Short(p.Mean[0]))
	case p.Learning:
		return text + ". The model learns to encode them first; it learns their dynamics after that."
	case p.Coming:
		return text + ". The model that predicts it is on its way."
	}
	return text + "."
}

// Foreign implements system.Live.
func (l *Live) Foreign(recorded bool) string {
	own := defaultSettings()
	switch s := l.settings; {
	case l.blank || !l.run.begun():
		return ""
	case !l.Recorded() && recorded:
		return "The dynamics were trained on trajectories of a file; on simulated ones they can only err, unless those are of the same system."
	case l.Recorded() && !recorded:
		return fmt.Sprintf("The dynamics were trained on simulated particles, at Δt = %g; on other trajectories they can only err.", own.Dt)
	case !l.Recorded() && !recorded && s.Dt != own.Dt:
		return fmt.Sprintf("The dynamics were trained at Δt = %g, and this run has %g.", own.Dt, s.Dt)
	}
	return ""
}
