package session

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/lab/session/effect"
	"macroscope/model/lab/session/models"
	"macroscope/model/lab/session/picture"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/view"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// Sentences about the run and the displayed model: the headline and the warnings.

// prediction returns model A's prediction of the displayed frame, for the system's Summary.
func (v *View) prediction() system.Prediction {
	a := v.models.A()
	if a == nil {
		return system.Prediction{Coming: !v.models.Lacks()}
	}
	if a.Training && !a.Usable {
		return system.Prediction{Learning: true}
	}
	p := a.Predicting()
	now := v.live.Player().Now()
	if p == nil || !v.models.Reveals(picture.Prediction) || p.Done < now || now < a.Model.Config.Dynamics.Begin || !v.file.Predicts(a.Model) || !v.on.Playable {
		return system.Prediction{}
	}
	m := a.Model.Config.Variables
	row := func(all []float32) (of []float64) {
		for _, x := range all[m*now : m*(now+1)] {
			of = append(of, float64(x))
		}
		return of
	}
	out := system.Prediction{OK: true, Mean: row(p.Mean)}
	if v.traits.Stochastic {
		out.Low, out.High = row(p.Low), row(p.High)
	}
	return out
}

// summary returns the headline, the sentences above the picture.
func (v *View) summary() string {
	p := v.prediction()
	if text := v.models.Shuffling(); text != "" {
		return text
	}
	said := p
	if slices.ContainsFunc(slices.Concat(p.Mean, p.Low, p.High), func(x float64) bool { return x-x != 0 }) {
		said = system.Prediction{} // Summary leaves out a prediction that is not finite; verdict describes it
	}
	text := v.live.Summary(said)
	if v.timed {
		if p.OK {
			text += v.verdict() + v.comparison() + v.beyond()
		}
		if why := v.width(v.shownKL()); why != "" && v.set.Eps != v.opens.usual.Eps {
			text += fmt.Sprintf(" [%s.|aside]", effect.UpperFirst(why))
		}
		return text + v.restored() + v.extras.Summary()
	}
	d := v.set.ZDim
	if a := v.models.A(); a != nil {
		d = a.Model.Config.ZDim()
	}
	numbers, these := fmt.Sprintf("%d numbers", d), "these"
	if d == 1 {
		numbers, these = "1 number", "it"
	}
	text += fmt.Sprintf(", each blurred[ to the width **ε = %.3g**|intro], is the [target density|target]. An encoder squeezes the set into [%s ẑ|latent]", v.set.Eps, numbers)
	if a := v.models.A(); a != nil && a.Density == nil {
		return text + "." + v.restored() + v.ranked()
	}
	text += fmt.Sprintf("; from %s alone a flow draws the [learned density|learned].", these)
	if gap := v.gap(); gap != "" {
		text += fmt.Sprintf(" [%s|aside]", gap)
	}
	return text + v.ranked()
}

// restored describes the points that model A restores. It returns "" if A learns a density.
func (v *View) restored() string {
	a := v.models.A()
	if a == nil || a.Density != nil || !v.models.Reveals(picture.Density) || a.Cannot != nil || !v.on.Playable {
		return ""
	}
	p := a.Points
	switch {
	case !a.Model.Config.Decoder.Restores():
		return " [Nothing is decoded from ẑ, which was trained only to predict.|aside]"
	case p == nil:
		return " [The decoder of ẑ is not in this file.|aside]"
	case !a.Decoded:
		return ""
	}
	n := len(p.Points) / v.traits.Dim
	if p.Spread < collapsed {
		return fmt.Sprintf(" [ẑ decodes to **%d points** with **%.0f %%** of the particles’ spread: without an order, the squared error is smallest where all points are at the mean.|aside]", n, 100*p.Spread)
	}
	return fmt.Sprintf(" [ẑ decodes to **%d points**. Their distance from the nearest particle is **%.0f %%** of the spread. Points do not say how likely a place between them is; a density does.|aside]", n, 100*p.Off)
}

// collapsed is a limit for a ratio: the spread of the restored points divided by the spread of the
// particles. Points with a smaller ratio count as clustered.
const collapsed = 0.6

// verdict reports whether the prediction is right, or why it fails.
func (v *View) verdict() string {
	a := v.models.A()
	j := a.Predicting().Judge(v.live.Player().Now(), v.live.Macro)
	of := func(share float64) string {
		percent := strconv.FormatFloat(100*share, 'g', 2, 64)
		if share >= 0.995 { // in full, not as 1.2e+02
			percent = strconv.FormatFloat(100*share, 'f', 0, 64)
		}
		return fmt.Sprintf("**%s %%** of[ the training|more] range", percent)
	}
	switch {
	case v.untrained() != "":
		text := " No verdict: [outside of training|wrong]"
		switch {
		case !j.Judged:
		case j.Off-j.Off != 0:
			text += ", and the prediction is no longer a number"
		case !v.traits.Stochastic:
			text += ", off by up to " + of(math.Max(0.001, j.Off))
		case j.Off > 0:
			text += ". The simulation left the 90 % band by up to " + of(j.Off)
		}
		return text + "."
	case !j.Judged:
		return v.begins() + v.covered()
	case j.Off-j.Off != 0:
		return fmt.Sprintf(" [The prediction fails|wrong], it is no longer a number: %s.", v.whyWrong())
	case j.Fails:
		return fmt.Sprintf(" [The prediction fails|wrong], by up to %s: %s.", of(j.Off), v.whyWrong())
	case v.traits.Stochastic:
		return v.ensembleVerdict(j, of) + v.covered()
	case j.Holds:
		return " The prediction **holds**, within " + of(math.Max(0.001, j.Off)) + v.ahead() + "." + v.covered()
	}
	return fmt.Sprintf(" At frame %d it was off by %s[ (it holds up to %g %%, fails above %g %%)|more].", j.Frame, of(j.Off), 100*view.HoldsWithin, 100*view.FailsBeyond) + v.covered()
}

// ensembleVerdict reports whether an ensemble is right that does not fail. The function `of` words a miss.
func (v *View) ensembleVerdict(j view.Verdict, of func(share float64) string) string {
	switch {
	case j.Holds:
		return " The prediction **holds**" + v.ahead() + "."
	case j.TooFew:
		return fmt.Sprintf(" [The band holds too little|wrong], **%.0f %%** of the simulation up to here, which chance hardly explains.", 100*j.Inside)
	case j.Near && j.Inside < bandHolds:
		return fmt.Sprintf(" **%.0f %%** of the simulation up to here lies in the 90 %% band. This can be chance[: successive frames are alike, so these are worth %s|more].", 100*j.Inside, setting.Count(j.Independent, "independent frame", "independent frames"))
	}
	return fmt.Sprintf(" At frame %d the simulation left the 90 %% band by %s.", j.Frame, of(j.Off))
}

// bandHolds is the smallest share of true values inside a good band: 90 % after rounding to
// whole percents.
const bandHolds = 0.895

// The method `begins` returns the sentence for frame 0 that says how many frames are predicted. The
// sentence is "" for a stochastic system.
func (v *View) begins() string {
	if n := v.toCome(); n > 0 && !v.traits.Stochastic {
		return fmt.Sprintf(" The **%d %s** still to be simulated are predicted from this one.", n, setting.Plural(n, "frame", "frames"))
	}
	return ""
}

// The method `ahead` says how many frames of a valid prediction are still to be simulated. At the
// last frame, it says from how many numbers the prediction was made.
func (v *View) ahead() string {
	if n := v.toCome(); n > 0 {
		return fmt.Sprintf(", with **%d %s** still to be simulated", n, setting.Plural(n, "frame", "frames"))
	}
	r, c := v.live.Run(), &v.models.A().Model.Config
	if v.live.Player().Now() < r.Horizon {
		return ""
	}
	return fmt.Sprintf(", to the last frame, from **%d numbers** at frame 0", c.Moving())
}

// toCome returns the number of predicted frames that the run has not reached.
func (v *View) toCome() int { return v.models.A().Predicting().Done - v.live.Player().Now() }

// covered says that the run's parameters are inside the trained range, as they are for a run that
// untrained calls inside the training. It returns "" if the dynamics have no parameters as inputs.
func (v *View) covered() string {
	c := &v.models.A().Model.Config
	if len(c.Dynamics.Params) == 0 {
		return ""
	}
	return fmt.Sprintf(" It is inside the trained range of %s.", c.Traits.Parameters.InWords(c.Dynamics.Params))
}

// The method `outside` returns a sentence about the parameters of the run that are not in the
// trained range of model A. The sentence also gives the trained values. The method returns "" if
// all parameters lie inside the range, or if the training trajectories record no parameters.
func (v *View) outside() string {
	a := v.models.A()
	if a.Outside == "" || v.ofFile() && len(a.Model.Config.Dynamics.Params) == 0 {
		return ""
	}
	return fmt.Sprintf("The dynamics were trained with %s, and this run has %s.", a.Within, a.Outside)
}

// ofFile reports whether model A was trained on trajectories from a file.
func (v *View) ofFile() bool {
	a := v.models.A()
	return a.Model.Config.Recorded && !runs.IsShipped(a.Name)
}

// comparison says how the errors of models 1 and 2 on this run compare, and whether their methods
// differ by more than the spread of seeds.
func (v *View) comparison() string {
	b, text := v.models.B(), ""
	if b == nil || !v.file.Predicts(b.Model) {
		return text
	}
	if of := v.mre(v.models.A()) / v.mre(b); of > 0 && of-of == 0 {
		more, less := 1, 2
		if of < 1 {
			more, less, of = less, more, 1/of
		}
		if text = " On this run both models have the same MRE."; of >= 1.05 {
			text = fmt.Sprintf(" On this run model %d has **%.2g times** the MRE of model %d.", more, of, less)
		}
	}
	return text + v.ranked()
}

// beyond says how the run begins otherwise than the runs of the paper's training, and offers the model
// of preset wide as model B. It returns "" for other runs, and if this model is displayed.
func (v *View) beyond() string {
	name := v.models.Shelf.WiderName()
	if a, b := v.models.Called(); v.live.Run().Beyond == "" || name == "" || a == name || b == name {
		return ""
	}
	return " [" + v.live.Run().Beyond + "|aside] [Compare with a model trained on more kinds of starts|press wider]."
}

// ranked says whether the methods of models 1 and 2 differ by more than the spread of seeds. It
// returns "" if this is unknown.
func (v *View) ranked() string {
	a, b := v.models.A(), v.models.B()
	if a == nil || b == nil {
		return ""
	}
	if text := view.Ranked(a.Provenance, b.Provenance); text != "" {
		return fmt.Sprintf(" [%s|aside]", text)
	}
	return ""
}

// mre returns the MRE of a model's prediction up to the displayed frame. It is NaN if nothing has
// been predicted yet, or if the system is stochastic.
func (v *View) mre(of *view.Shown) float64 {
	p, now := of.Predicting(), v.live.Player().Now()
	if p == nil || now == 0 || p.Done < now || v.traits.Stochastic {
		return math.NaN()
	}
	return p.Errors(make([]float32, now+1), func(k int) float64 { return v.live.Macro(k)[0] })
}

// whyWrong says why the prediction fails.
func (v *View) whyWrong() string {
	a := v.models.A()
	switch {
	case a.Training:
		return "the model is still in training"
	case v.unknown() != "":
		return "the physics may not be that of training"
	case a.Left >= 0:
		return fmt.Sprintf("it left the training range at frame %d", a.Left)
	}
	return "the dynamics have not learned enough"
}

// untrained says why the training of model A does not cover the displayed run. The prediction of
// such a run proves nothing. If the training covers the run, untrained returns "".
func (v *View) untrained() string {
	if text := v.outside(); text != "" || v.live.Recorded() != v.ofFile() {
		return text
	}
	return v.live.Foreign(v.ofFile())
}

// unknown warns that the run may follow other physics than the data on which model A was trained.
// It does so if the run comes from a file and the data come from the simulation, or the reverse.
// Otherwise it returns "". Only the prediction can show whether the physics differ.
func (v *View) unknown() string {
	if v.live.Recorded() == v.ofFile() {
		return ""
	}
	return v.live.Foreign(v.ofFile())
}

// gap describes the KL between the densities of a single set, or says why the KL means nothing
// at present.
func (v *View) gap() string {
	kl := v.shownKL()
	switch {
	case v.train.Status() == wire.Diverged:
		return "Training diverged."
	case math.IsNaN(kl):
		return ""
	}
	text := fmt.Sprintf("They are %.3f nats apart", kl)
	if kl < 0.001 {
		text = "They are less than 0.001 nats apart"
	}
	if why := v.width(kl); why != "" {
		return text + ". " + why + "."
	}
	of := v.smooth()
	if of >= 0.001 {
		text += fmt.Sprintf(" (a smooth copy of the target has %.3f)", of)
	} else {
		text += " (0 is a perfect fit)"
	}
	remember := "the numbers remember"
	if v.models.A().Model.Config.ZDim() == 1 {
		remember = "this one number remembers"
	}
	switch {
	case kl < 0.001:
		return text + ": " + remember + " all of the target."
	case kl < nearly:
		return text + ": " + remember + " nearly all of the target."
	}
	return text + ": more numbers ẑ, or more training, would bring them closer."
}

// smooth returns the KL from the first target to a smoothed copy of this target. It returns 0 while
// the player is busy.
func (v *View) smooth() float64 {
	if v.live.Player().Busy() {
		return 0
	}
	return v.models.Targets()[0].Smooth()
}

// The constant `nearly` is a KL in nats. If the KL is below it, the headline calls the densities
// nearly the same. For an interpretation, consider points drawn from the target. At each point,
// divide the target density by the learned density. The geometric mean of these ratios is then
// below e^0.05 ≈ 1.05.
const nearly = 0.05

// wideBlur is a kernel width relative to the standard deviation of the particles. Above it the
// headline calls the kernels wide.
const wideBlur = 1.0 / 3

// width describes the target if ε is narrow or wide. Otherwise it returns "".
func (v *View) width(kl float64) string {
	if math.IsNaN(kl) {
		return ""
	}
	return widthWords(kl, v.smooth(), v.models.Targets()[0].Blur())
}

// widthWords describes a target from its KL to the model, its KL to a smoothed copy, and the width
// of its kernels relative to the standard deviation of the particles.
func widthWords(kl, smooth, blur float64) string {
	switch {
	case smooth > 0.01 && smooth >= 1.5*kl: // the model's density also shows single particles, for instance because the model has memorised a small set
	case smooth > 0.01 && smooth > kl/2:
		share := "more than half"
		if smooth >= 0.95*kl {
			share = "nearly all"
		}
		return fmt.Sprintf("ε is narrow: %s of the KL comes from spikes at single particles, which a few numbers cannot encode (a smooth copy of the target has %.3f nats)", share, smooth)
	case kl < nearly && blur > wideBlur:
		return "ε is wide: the target shows where the particles are, and hardly what shape they have, so few numbers suffice"
	}
	return ""
}

// shownKL returns the KL of the first displayed set, or NaN if there is none.
func (v *View) shownKL() float64 {
	if a := v.models.A(); a != nil && a.Decoded && a.Density != nil {
		return a.KL[0]
	}
	return math.NaN()
}

// warn returns the warning about the displayed state.
func (v *View) warn() string {
	a := v.models.A()
	switch {
	case v.run.Warning() != "":
		return effect.UpperFirst(v.run.Warning()) + "."
	case a == nil:
		if v.models.Lacks() {
			return models.NoModel
		}
		return ""
	case !v.on.Playable:
		return ""
	case v.cannot() != "":
		return v.cannot()
	case !v.timed:
		return v.otherThanAsked()
	}
	predicts := v.models.Reveals(picture.Prediction) && a.Usable
	switch {
	case predicts && v.file.Predicts(a.Model) && v.untrained() != "":
		return v.untrained()
	case predicts && a.Predicting() != nil && a.Left >= 0 && v.otherThanAsked() == "": // a message of otherThanAsked has priority
		return fmt.Sprintf("Extrapolation from frame %d on: %s.", a.Left, a.LeftWhat)
	case v.models.Shuffled() && v.models.Incomparable(v.on.Run) != "":
		return v.models.Incomparable(v.on.Run)
	case predicts && !v.file.Predicts(a.Model):
		return fmt.Sprintf("The model predicts another observable (%s) than the one shown, so no prediction is drawn; train one on these data.", strings.Join(a.Model.System.Variables(a.Model.Config.Observable), ", "))
	case predicts && v.unknown() != "" && !v.proved():
		return v.unknown()
	}
	return v.otherThanAsked()
}

// cannot says why a displayed model cannot encode the particles. It returns "" if every model can.
func (v *View) cannot() string {
	shown, what := v.models.Shown(), "set"
	if v.timed {
		what = "run"
	}
	for i, m := range shown {
		which := "The model"
		if len(shown) > 1 {
			which = fmt.Sprintf("Model %d", i+1)
		}
		if m.Cannot != nil {
			return fmt.Sprintf("%s cannot take this %s: %v.", which, what, m.Cannot)
		}
	}
	return ""
}

// proved reports whether the prediction of the displayed run is right so far.
func (v *View) proved() bool {
	p := v.models.A().Predicting()
	return p != nil && p.Judge(v.live.Player().Now(), v.live.Macro).Holds
}

// otherThanAsked says how model A, or model B if it is in training, differs from the settings. It
// returns "" if there is no difference.
func (v *View) otherThanAsked() string {
	text, b := v.standing(v.models.A()).otherThanAsked(), v.models.B()
	if text == "" && b != nil && b.Training {
		text = v.standing(b).otherThanAsked()
	}
	return text
}

// figures returns the figures next to the playback controls.
func (v *View) figures() []wire.Figure {
	at := make(map[string]string)
	v.live.Figures(at)
	if at["time"] != "" {
		at["frame"] = strconv.Itoa(v.live.Player().Now())
	}
	v.modelFigures(at)
	v.train.Figures(at, v.status())
	at[ownFigure], at["errors"] = v.file.Figure(), v.file.Errors()
	var list []wire.Figure
	for _, f := range v.opens.figures {
		text := at[f.ID]
		if text == "" && v.timed && f.ID != ownFigure {
			text = setting.None
		}
		list = append(list, wire.Figure{ID: f.ID, Text: strings.ReplaceAll(text, "+Inf", "∞"), None: text == "" || text == setting.None}) // a figure is infinite after a run has diverged
	}
	return list
}

// ownFigure is the id of the figure about the user's file. Without a file there is no such figure.
const ownFigure = "own"

// modelFigures adds the figures of model A for the displayed picture.
func (v *View) modelFigures(at map[string]string) {
	a := v.models.A()
	if a == nil || !v.on.Playable {
		return
	}
	if p := a.Predicting(); p != nil && v.models.Reveals(picture.Prediction) && v.file.Predicts(a.Model) {
		if v.traits.Stochastic {
			if c := a.Coverage(v.live); !math.IsNaN(c) {
				at["coverage"] = fmt.Sprintf("%.0f %%", 100*c)
			}
		} else {
			at["predicted"] = setting.Short(float64(p.Mean[v.live.Player().Now()]))
			if mre := v.mre(a); !math.IsNaN(mre) {
				at["mre"] = fmt.Sprintf("%.1e", mre)
			}
		}
	}
	if v.models.Reveals(picture.Density) && a.Decoded && a.Density != nil && v.timed {
		var kls, above []string
		for k, kl := range a.KL {
			if math.IsNaN(kl) || a.Density[k].Blank {
				continue
			}
			kls = append(kls, fmt.Sprintf("%.3f", kl))
			if !v.live.Player().Busy() {
				above = append(above, strings.ReplaceAll(fmt.Sprintf("%+.3f", kl-v.models.Targets()[k].Smooth()), "-", "−"))
			}
		}
		at["kl"], at["above"] = strings.Join(kls, ", "), strings.Join(above, ", ")
	}
	if dz := v.models.Change(a); !math.IsNaN(dz) {
		at["dz"] = fmt.Sprintf("%.1e", dz)
	}
}
