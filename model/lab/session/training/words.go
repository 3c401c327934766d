package training

import (
	"fmt"
	"math"
	"strconv"

	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/curve"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/wire"
)

// Words describes a training for the page.
type Words struct {
	of    *Training
	given *Given
}

// Words returns the description of the training.
func (t *Training) Words(g *Given) Words { return Words{t, g} }

// Button returns the label of the button Train, and the state of its task (see wire.State.Tasks).
func (t Words) Button() (label, task string) {
	switch {
	case t.of.Status == wire.Training || t.of.waits:
		return "Stop", wire.Running
	case t.of.halted != nil || t.of.paused(t.given):
		return "Go on", wire.Stopped
	}
	return "Train", ""
}

// Task describes what the training is doing. share is the finished part, from 0 to 1. left is the
// remaining time in seconds, or 0 if it is unknown. text is "" if the training does nothing.
func (t Words) Task() (text string, share, left float64) {
	if t.of.Status != wire.Training && (t.of.Status != wire.Paused || t.of.halted != nil) {
		return "", 0, 0 // the button Train would continue the halted training
	}
	p := t.of.Live.Progress()
	text, share, left = p.Doing, p.Share, p.SecsLeft
	if math.IsNaN(left) || !p.Measured || t.of.Status == wire.Paused {
		left = 0
	}
	text += t.goal(int(p.Stage))
	if p.Steps > 0 {
		text = fmt.Sprintf("%s, step %d of %d", text, p.Step, p.Steps)
	}
	if left == 0 && t.of.Status == wire.Training {
		text += " (time left: measuring…)"
	}
	if p.SoFar > 0 {
		text += fmt.Sprintf(" · %d trajectories so far", p.SoFar)
	}
	if t.of.Status == wire.Paused {
		in := ": "
		if p.Staged {
			in = " in "
		}
		text = "stopped" + in + text
	}
	if learned := t.learned(); learned != "" {
		text = learned + ". " + effect.UpperFirst(text)
	}
	return text, share, left
}

// learned describes the validation result and compares it with the paper's value. By
// extrapolation it also says when the training will reach the paper's value.
func (t Words) learned() string {
	c, of := t.of.Live.Curves.Measure(), t.of.lab
	v := c.Last()
	if math.IsNaN(v) {
		return ""
	}
	text := fmt.Sprintf("%s %.2g", of.Measure(), v)
	if of.Published == 0 || t.given.Data != nil || !t.likePublished() {
		return text
	}
	if v <= of.Published {
		return fmt.Sprintf("%s, below the %.2g of %s", text, of.Published, of.PublishedBy)
	}
	text += fmt.Sprintf(", %.2g times that of %s", v/of.Published, of.PublishedBy)
	p := t.of.Live.Progress()
	now, end := float64(p.Step), float64(p.Steps)
	at := c.Reaches(of.Published) - float64(c.At()) + now
	switch left := p.SecsLeft * (at - now) / (end - now); {
	case at > end:
		return text + ", not reached by the end if it goes on like this"
	case left > 0:
		return fmt.Sprintf("%s, reached in about %s if it goes on like this", text, span(left))
	}
	return text
}

// span writes a number of seconds like the page's time left.
func span(secs float64) string {
	n := int(math.Ceil(secs))
	switch {
	case n < 60:
		return fmt.Sprintf("%d s", n)
	case n < 3600:
		return fmt.Sprintf("%d:%02d min", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d h", n/3600, n/60%60)
}

// likePublished reports whether ε and the number of closure variables are the lab's defaults. The
// paper's value of the validation measure holds for these defaults.
func (t Words) likePublished() bool {
	c, usual := &t.of.Live.Model.Config, lab.Defaults(t.of.lab)
	return c.Eps() == usual.Eps && c.Tuning().Usual() == usual.ZDim
}

// states names the statuses of a training on single sets.
var states = [...]string{wire.Idle: "untrained", wire.Training: "training", wire.Paused: "paused", wire.Done: "trained", wire.Diverged: "diverged"}

// Figures adds the training's progress to the figures next to the playback controls.
func (t Words) Figures(at map[string]string, status wire.Status) {
	still := !t.of.lab.Timed()
	if still {
		at["state"] = states[status]
		if t.given.A == nil && t.given.ModelComing {
			at["state"] = "loading"
		}
		if kl, ok := t.shipped(); ok {
			at["kl"] = fmt.Sprintf("%.4f", kl)
			if eps := t.given.A.Model.Config.Eps(); eps != t.given.Set.Eps { // beyond the range of a tunable model
				at["kl"] += fmt.Sprintf(" (ε %g)", eps)
			}
		}
	}
	if t.of.Live == nil {
		return
	}
	c := &t.of.Live.Curves
	if t.of.Status == wire.Training || t.of.Status == wire.Paused || still {
		p := t.of.Live.Progress()
		if t.of.Status == wire.Training && p.Rate >= 0.05 {
			at["rate"] = fmt.Sprintf("%.1f %s/s", p.Rate, p.Unit)
			if p.Rate >= 10 {
				at["rate"] = fmt.Sprintf("%s %s/s", grouped(int(p.Rate)), p.Unit)
			}
		}
		loss := p.Loss
		if drawn := t.lossCurve().Value; math.IsNaN(loss) && len(drawn) > 0 { // after a reload, before the next step
			loss = float64(drawn[len(drawn)-1])
		}
		if !math.IsNaN(loss) {
			at["loss"] = fmt.Sprintf("%.4g", loss)
		}
		if still {
			at["step"] = grouped(t.of.Live.Step()) + " / " + grouped(t.of.Live.Steps())
		}
	}
	switch {
	case !math.IsNaN(c.KL.Last()):
		at["kl"] = fmt.Sprintf("%.4f", c.KL.Last())
	case !math.IsNaN(c.MRE.Last()):
		at["val"] = fmt.Sprintf("%.2e", c.MRE.Last())
	case !math.IsNaN(c.Coverage.Last()):
		at["val"] = fmt.Sprintf("%.1f %%", 100*c.Coverage.Last())
		at["rmse"] = fmt.Sprintf("%.4f", c.RMSE.Last())
	}
}

// longest is the duration in seconds above which the page recommends the command line.
const longest = 600

// Recommends recommends the command line for the present training if it takes long here. The result is
// a sentence with the command. It is "" for a shorter training, while the duration is unknown, and if
// the sentence has been returned before.
func (t *Training) Recommends() string {
	c, p := &t.Live.Model.Config, t.Live.Progress()
	if !p.Measured || !(p.SecsLeft > longest) || t.advised || c.Data.Recorded || t.OnCodes {
		return ""
	}
	t.advised = true
	command := fmt.Sprintf("bin/macroscope train -experiment %s -seed %d -set eps=%g -set encoder.zdim=%d", c.Spec, c.Seed, c.Eps(), c.ZDim())
	if names := c.Dynamics.Params.Names(); names != "" {
		command += " -params " + names
	}
	return fmt.Sprintf("This training takes about %.0f more minutes here. The command line is made for it: %s -out model.safetensors. Open its file here.", math.Ceil(p.SecsLeft/60), command)
}

// grouped writes a whole number with narrow spaces between its thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// lossCurve returns the loss of the present phase or, if it has no values yet, of the last phase with
// values.
func (t Words) lossCurve() *curve.Curve {
	c, last := &t.of.Live.Curves, min(t.of.Live.Stage(), fit.Rollout)
	for last > fit.Autoencoder && len(c.Loss[last].Value) == 0 { // the phase has not begun, or does not exist
		last--
	}
	return &c.Loss[last]
}

// PutCurves adds the training's curves to a frame: the loss (see lossCurve) and all measures.
func (t Words) PutCurves(f *wire.Frame) {
	live := t.of.Live
	if live == nil {
		return
	}
	c, phase, stochastic := &live.Curves, live.Stage(), t.of.lab.System.Traits.Stochastic
	f.PutText("trainStage", phaseName(&live.Model.Config, phase, live.Measuring()))
	put := func(step, value string, of *curve.Curve, always bool) {
		if always || len(of.Step) > 0 {
			f.Put(step, of.Step...)
			f.Put(value, of.Value...)
		}
	}
	still := !t.of.lab.Timed()
	put("lossStep", "loss", t.lossCurve(), true)
	put("klStep", "klVal", &c.KL, still)
	put("mreStep", "mreVal", &c.MRE, !stochastic && !still)
	put("coverStep", "cover", &c.Coverage, stochastic)
	put("rmseStep", "rmse", &c.RMSE, stochastic)
}

// PutStill adds to a frame how far the training on single sets has come. Lengths are in the
// user's coordinate, which is the model's coordinate times `scale`.
func (t Words) PutStill(f *wire.Frame, scale float32) {
	f.Put("sigma", scale*float32(t.given.Set.Eps))
	if a := t.given.A; a != nil {
		f.Put("fitEps", float32(a.Model.Config.Eps()))
	}
	if t.of.Live != nil {
		f.Put("step", float32(t.of.Live.Step()))
		f.Put("total", float32(t.of.Live.Steps()))
	} else if kl, ok := t.shipped(); ok {
		f.Put("klStep", 0)
		f.Put("klVal", float32(kl))
	}
}

// phaseName describes a phase of a training.
func phaseName(c *method.Config, p fit.Stage, measuring bool) string {
	switch {
	case p == fit.Done:
		return "trained"
	case measuring:
		return "stage II: measuring"
	case p == fit.Autoencoder && !c.Decoder.Density():
		return "stage I: autoencoder"
	case p == fit.Autoencoder:
		return "stage I: density"
	case c.Traits.Stochastic:
		return "stage II: dynamics"
	case p == fit.Rollout:
		return "stage II: stretches"
	}
	return "stage II: velocity"
}

// goal describes where the training will pause, or returns "" if it will not pause.
func (t Words) goal(phase int) string {
	switch to := &t.of.To; {
	case to.Of != "":
		return fmt.Sprintf(" until %s is at most %.3g", t.of.Until.name(to.Of), to.Most)
	case to.Step > 0 && to.Phase == phase:
		return fmt.Sprintf(" up to step %d", to.Step)
	}
	return ""
}

// shipped returns the KL in nats of model A on validation sets. ok is false if there is a training, if A is not a shipped
// model, or if A was not measured for the current ε.
func (t Words) shipped() (kl float64, ok bool) {
	a := t.given.A
	if t.of.Live != nil || a == nil || !runs.IsShipped(a.Name) || a.Model.Config.Eps() != t.given.Set.Eps {
		return math.NaN(), false
	}
	return a.Validated, a.Validated == a.Validated
}
