package session

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/lab/session/runs"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// What is said of the run and of the model on show: the sentence over the picture, and what
// the visitor should know beside it.

// prediction returns what model A predicts for the picture on show.
func (s status) prediction() system.Prediction {
	a := s.display.a
	if a == nil {
		return system.Prediction{Coming: s.noShipped == ""}
	}
	if a.Training && !a.Usable {
		return system.Prediction{Learning: true}
	}
	p := a.Predicting()
	now := s.live.Player().Now()
	if p == nil || s.display.revealed&revealPrediction == 0 || p.Done < now || now < a.Model.Config.Dynamics.Begin || !s.own.speaks(a.Model) || !s.run.playable() {
		return system.Prediction{}
	}
	m := a.Model.Config.Variables
	row := func(v []float32) (of []float64) {
		for _, x := range v[m*now : m*(now+1)] {
			of = append(of, float64(x))
		}
		return of
	}
	out := system.Prediction{OK: true, Mean: row(p.Mean)}
	if s.traits.Stochastic {
		out.Low, out.High = row(p.Low), row(p.High)
	}
	return out
}

// summary is the sentence over the picture.
func (s status) summary() string {
	p := s.prediction()
	if text := s.order.verdict(); text != "" {
		return text
	}
	said := p
	if slices.ContainsFunc(slices.Concat(p.Mean, p.Low, p.High), func(v float64) bool { return v-v != 0 }) {
		said = system.Prediction{} // that it is no number is the verdict's to say
	}
	text := s.live.Summary(said)
	if !s.lab.IsSampler() {
		if p.OK {
			text += s.verdict()
		}
		if why := s.width(s.shownKL()); why != "" && s.settings.Eps != s.defaults().Eps {
			text += fmt.Sprintf(" [%s.|aside]", upperFirst(why))
		}
		return text + s.restored() + s.aside.parts.Summary()
	}
	d := s.settings.ZDim
	if a := s.display.a; a != nil {
		d = a.Model.Config.ZDim()
	}
	numbers, these := fmt.Sprintf("%d numbers", d), "these"
	if d == 1 {
		numbers, these = "1 number", "it"
	}
	text += fmt.Sprintf(", each blurred[ to the width **ε = %.3g**|intro], is the [target density|target]. An encoder squeezes the set into [%s ẑ|latent]", s.settings.Eps, numbers)
	if a := s.display.a; a != nil && a.Density == nil {
		return text + "." + s.restored()
	}
	text += fmt.Sprintf("; from %s alone a flow draws the [learned density|learned].", these)
	if gap := s.gap(); gap != "" {
		text += fmt.Sprintf(" [%s|aside]", gap)
	}
	return text
}

// restored says what is decoded where it is no density, and what one sees of it.
func (s status) restored() string {
	a := s.display.a
	if a == nil || a.Density != nil || s.display.revealed&revealDensity == 0 || a.Cannot != nil || !s.run.playable() {
		return ""
	}
	p := a.Points
	switch {
	case !a.Model.Config.Decoder.Restores():
		return " [Nothing is decoded from ẑ, which was trained to predict alone.|aside]"
	case p == nil:
		return " [The decoder of ẑ is not in this file.|aside]"
	case !a.Decoded:
		return ""
	}
	n := len(p.Points) / s.traits.Dim
	if p.Spread < collapsed {
		return fmt.Sprintf(" [Decoded from ẑ are **%d points** with **%.0f %%** of the particles’ spread: of particles in no order the squared error is least at their mean.|aside]", n, 100*p.Spread)
	}
	return fmt.Sprintf(" [Decoded from ẑ are **%d points**, **%.0f %%** of the spread off the nearest particle. How likely one is between them a density would say.|aside]", n, 100*p.Off)
}

// collapsed is the share of the particles' spread below which points that are
// restored lie close together.
const collapsed = 0.6

// verdict says whether the prediction holds, and if it fails why.
func (s status) verdict() string {
	a := s.display.a
	v := a.Predicting().Judge(s.live.Player().Now(), s.live.Macro)
	of := func(share float64) string {
		return fmt.Sprintf("**%s %%**[ of the training range|more]", strconv.FormatFloat(100*share, 'g', 2, 64))
	}
	switch {
	case !v.Judged:
		return s.begins() + s.covered()
	case v.Off-v.Off != 0:
		return fmt.Sprintf(" [The prediction fails|wrong], it is no longer a number: %s.", s.whyWrong())
	case v.Fails:
		return fmt.Sprintf(" [The prediction fails|wrong], by up to %s: %s.", of(v.Off), s.whyWrong())
	case v.Holds && s.traits.Stochastic:
		return " The prediction **holds**" + s.ahead() + "." + s.covered()
	case v.Holds:
		return " The prediction **holds**, within " + of(math.Max(0.001, v.Off)) + s.ahead() + "." + s.covered()
	case s.traits.Stochastic:
		return fmt.Sprintf(" At frame %d the truth was outside of the band by %s.", v.Frame, of(v.Off)) + s.covered()
	}
	return fmt.Sprintf(" At frame %d it was off by %s.", v.Frame, of(v.Off)) + s.covered()
}

// begins says what is predicted at frame 0, before anything has come. Systems with chance
// say it themselves.
func (s status) begins() string {
	if n := s.toCome(); n > 0 && !s.traits.Stochastic {
		return fmt.Sprintf(" All **%d frames** to come are predicted from this one: the prediction is ahead of the truth.", n)
	}
	return ""
}

// ahead says how far a prediction that holds is ahead of what has come or, where all has,
// what it was made with.
func (s status) ahead() string {
	if n := s.toCome(); n > 0 {
		return fmt.Sprintf(", and is **%d %s** ahead of the truth", n, setting.Plural(n, "frame", "frames"))
	}
	r, c := s.live.Run(), &s.display.a.Model.Config
	if s.live.Player().Now() < r.Horizon {
		return ""
	}
	return fmt.Sprintf(", to the end: **%d numbers** of frame 0 said what %d particles would do", c.Moving(), r.Particles)
}

// toCome is how many frames that model A has predicted are still to come.
func (s status) toCome() int { return s.display.a.Predicting().Done - s.live.Player().Now() }

// covered says whether the run's parameters are in the range of the training, of
// dynamics that were given some or have to do with others.
func (s status) covered() string {
	c := &s.display.a.Model.Config
	switch outside, within := s.outside(); {
	case outside != "":
		return fmt.Sprintf(" It is [outside of the trained range|wrong]: %s, not %s.", outside, within)
	case len(c.Dynamics.Params) > 0:
		return fmt.Sprintf(" It is inside the trained range of %s.", c.Traits.Parameters.InWords(c.Dynamics.Params))
	}
	return ""
}

// outside returns the parameters of the run that model A was not trained on, and
// those that it was; nothing of a model of trajectories that say nothing of theirs.
func (s status) outside() (outside, within string) {
	a := s.display.a
	if s.ofFile() && len(a.Model.Config.Dynamics.Params) == 0 {
		return "", ""
	}
	return a.Outside, a.Within
}

// ofFile says whether model A was trained on trajectories of a file.
func (s status) ofFile() bool {
	a := s.display.a
	return a.Model.Config.Recorded && !runs.IsShipped(a.Name)
}

// whyWrong says why a prediction fails.
func (s status) whyWrong() string {
	a := s.display.a
	switch {
	case a.Training:
		return "the model is still in training"
	case s.foreign() != "":
		if outside, _ := s.outside(); outside != "" {
			return "outside of training, " + outside
		}
		return "training had no such run"
	case a.Left >= 0:
		return fmt.Sprintf("it left the training range at frame %d", a.Left)
	}
	return "the dynamics have not learned enough"
}

// foreign says why model A cannot know of the run on show; "" if it can.
func (s status) foreign() string {
	if outside, within := s.outside(); outside != "" {
		return fmt.Sprintf("The dynamics were trained with %s, and this run has %s.", within, outside)
	}
	return s.live.Foreign(s.ofFile())
}

// gap says how far the densities of a single set are apart, or why that is no
// measure now.
func (s status) gap() string {
	t, kl := &s.trainer, s.shownKL()
	switch {
	case t.status == wire.Diverged:
		return "Training diverged."
	case follower{t}.refitting() && t.status == wire.Training:
		return fmt.Sprintf("It is catching up from ε = %.3g.", t.fitEps)
	case follower{t}.refitting():
		return fmt.Sprintf("It was fitted for ε = %.3g.", t.fitEps)
	case math.IsNaN(kl):
		return ""
	}
	text := fmt.Sprintf("They are %.3f nats apart", kl)
	if kl < 0.001 {
		text = "They are less than 0.001 nats apart"
	}
	if why := s.width(kl); why != "" {
		return text + ": " + why + "."
	}
	if of := s.spikes(); of >= 0.001 && of < kl {
		text += fmt.Sprintf(", %.3f of it the target’s spikes", of)
	} else {
		text += " (0 is a perfect fit)"
	}
	switch {
	case kl < 0.001:
		return text + ": the numbers remember all of the target."
	case kl < nearly:
		return text + ": the numbers remember nearly all of the target."
	}
	return text + ": more numbers ẑ, or more training, would bring them closer."
}

// spikes is how much of the KL on show they are, 0 while things move.
func (s status) spikes() float64 {
	if s.live.Player().Busy() {
		return 0
	}
	return s.display.targets[0].Spikes()
}

// nearly is the KL in nats below which the densities are nearly the same: a point is 5 %
// likelier under the one than under the other, in the geometric mean.
const nearly = 0.05

// wideBlur is the share of the particles' own spread from which on kernels are called wide.
const wideBlur = 1.0 / 3

// width says what the target is like where ε is narrow or wide; "" where it is neither.
func (s status) width(kl float64) string {
	if math.IsNaN(kl) {
		return ""
	}
	switch of := s.spikes(); {
	case of > 0.01 && of > kl/2 && of < kl:
		return fmt.Sprintf("ε is narrow, so that %.3f of it are spikes at single particles, which no few numbers can hold", of)
	case of > 0.01 && of >= kl && of < 1.5*kl: // up to what was learned by heart
		return "ε is narrow, so that nearly all of it are spikes at single particles, which no few numbers can hold"
	case kl < nearly && s.display.targets[0].Blur() > wideBlur:
		return "ε is wide, so that the target shows where the crowd is and hardly what it looks like: few numbers suffice"
	}
	return ""
}

// shownKL is that of the first set on show, NaN if there is none.
func (s status) shownKL() float64 {
	if a := s.display.a; a != nil && a.Decoded && a.Density != nil {
		return a.KL[0]
	}
	return math.NaN()
}

// warn is what the visitor should know of what is on show.
func (s status) warn() string {
	a := s.display.a
	switch {
	case s.run.warning != "":
		return upperFirst(s.run.warning) + "."
	case a == nil:
		return s.noShipped
	case !s.run.playable():
		return ""
	case s.lab.IsSampler():
		return s.otherThanAsked()
	case a.Cannot != nil:
		return fmt.Sprintf("The model cannot take this run: %v.", a.Cannot)
	}
	predicts := s.display.revealed&revealPrediction != 0 && a.Usable
	switch {
	case predicts && a.Predicting() != nil && a.Left >= 0 && s.otherThanAsked() == "": // which is to be known first
		return fmt.Sprintf("Extrapolation from frame %d on: %s.", a.Left, a.LeftWhat)
	case s.order.Shuffles > 0 && s.order.cannot() != "":
		return s.order.cannot()
	case predicts && !s.own.speaks(a.Model):
		return fmt.Sprintf("The model predicts another observable (%s) than the one shown, so no prediction is drawn; train one on these data.", strings.Join(a.Model.System.Variables(a.Model.Config.Observable), ", "))
	case predicts && s.foreign() != "":
		return s.foreign()
	}
	return s.otherThanAsked()
}

// otherThanAsked says which model is on show if it is not the one that the settings
// ask for.
func (s status) otherThanAsked() string {
	a := s.display.a
	c, l := &a.Model.Config, &s.settings
	if a.Training && s.trainer.status == wire.Training {
		return ""
	}
	var is, asked []string
	if c.Decoder.Density() && c.Eps() != l.Eps {
		is, asked = append(is, fmt.Sprintf("ε = %g", c.Eps())), append(asked, fmt.Sprintf("ε = %g", l.Eps))
	}
	if of := c.Traits.Parameters; c.HasDynamics() && c.Dynamics.Params.Names() != l.Asked().Params {
		given := func(r system.Ranges) string {
			if len(r) == 0 {
				return "dynamics that know the state alone"
			}
			return "dynamics that know " + of.InWords(r)
		}
		wanted, _ := of.Parse(l.Params)
		is, asked = append(is, given(c.Dynamics.Params)), append(asked, given(wanted))
	}
	if c.ZDim() != l.ZDim {
		is, asked = append(is, fmt.Sprintf("%d closure variables", c.ZDim())), append(asked, fmt.Sprintf("%d closure variables", l.ZDim))
	}
	if len(is) == 0 {
		return ""
	}
	return fmt.Sprintf("On show is %s, for %s, the nearest to %s; press Train to make one for exactly that.", nameInWords(a), strings.Join(is, " and "), strings.Join(asked, " and "))
}
