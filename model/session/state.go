package session

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"macroscope/model/decoder"
	"macroscope/model/kernel"
	"macroscope/model/lab"
	"macroscope/model/runs"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/view"
	"macroscope/model/wire"
)

// status fills them.
type status struct{ *Session }

// State implements wire.Session.
func (s *Session) State() wire.State {
	s.stateStale = false
	p, r := s.live.Player(), s.live.Run()
	what, _ := s.live.Preparing()
	st := wire.State{
		Lab: s.lab.Link(), Status: s.Status().String(), Playing: p.Busy() || what != "",
		Values: map[string]string{"preset": commands{s}.played(), "tool": s.tool, "at": strconv.Itoa(p.Now()), "name": s.keepAs},
		Labels: map[string]string{"play": "Play", "train": s.trainer.label()}, Pressed: map[string]bool{}, Off: map[string]string{},
		Max: map[string]float64{"at": float64(max(1, r.Horizon))}, Takes: map[string]float64{},
		Summary: status{s}.summary(), Figures: status{s}.figures(), Warning: status{s}.warn(), Fragment: s.Fragment(), Short: s.short(), Kernel: kernel.Name(), Runs: s.library.list(),
	}
	st.Ask, st.Hidden = s.asked.Ask, status{s}.hidden()
	if st.Ask.Title == "" {
		st.Ask = s.own.reading.ask(s.now())
	}
	st.Carries, st.Leaves = opening{s}.share()
	st.Task, st.Progress, st.SecsLeft = status{s}.task()
	for _, f := range s.live.Settings() {
		st.Values[f.Name] = f.Text()
	}
	for _, f := range s.settings.Table(&s.lab) {
		if f.Control.Kind != "" {
			st.Values[f.Name] = f.Text()
		}
	}
	for _, f := range s.until.table() {
		st.Values[f.Name] = f.Text()
	}
	s.own.values(&st)
	s.sweeper.Fill(&st, sweeps{s}.given())
	if v, ok := s.live.(valued); ok {
		v.Values(st.Values)
	}
	switch {
	case p.Playing():
		st.Labels["play"] = "Pause"
	case s.run.playable() && p.AtEnd():
		st.Labels["play"] = "Play again"
	}
	if s.display.a != nil {
		st.Model = s.display.a.Origin
	}
	if secs := s.trainer.takes(); secs > 0 {
		st.Takes["train"] = secs
	}
	status{s}.off(st.Off)
	return st
}

// hidden lists the controls that mean nothing to the run on show: settings of the
// simulation beside a run that is none, and a group's other controls if it has no
// setting left.
func (s status) hidden() map[string]bool {
	hidden := make(map[string]bool)
	l, ok := s.live.(interface{ Idle() []string })
	if !ok {
		return hidden
	}
	for _, name := range l.Idle() {
		hidden[name] = true
	}
	table := s.live.Settings()
	for _, g := range s.live.Page().Groups {
		any, left := false, false
		for _, name := range g.Names {
			is := table.Find(name) != nil
			any, left = any || is, left || is && !hidden[name]
		}
		if !any || left {
			continue
		}
		for _, name := range g.Names {
			hidden[name] = true
		}
		for _, b := range g.Buttons {
			hidden[b.ID] = true
		}
	}
	return hidden
}

// off says why controls cannot be used now.
func (s status) off(off map[string]string) {
	say := func(err error, ids ...string) {
		for _, id := range ids {
			off[id] = upperFirst(err.Error()) + "."
		}
	}
	if err := (opening{s.Session}).back(); err != nil {
		say(err, "shipped")
	}
	if s.lab.IsSampler() || !s.lab.Learns() {
		return
	}
	if !s.run.playable() {
		say(s.run.notPlayable(), "play", "step", "restart", "at", "shuffle")
	}
	if s.own.data == nil {
		say(errNoData, "trajectory", "observable", "simulate")
	}
	switch a := s.display.a; {
	case a == nil || a.Density != nil:
	case a.Points != nil:
		say(errors.New("the model’s method restores points and learns no density"), "samples")
	default:
		say(errors.New("the model’s method decodes nothing"), "decode", "source", "samples")
	}
	if err := s.latent.free(); err != nil {
		say(err, "release")
	}
	switch coded, ok := s.lab.Coded(); {
	case !ok:
	case s.trainer.plan().OnCodes():
		say(errors.New("the dynamics alone learn from ẑ of the shipped encoder; train everything to choose this"), "size", "workers")
	case s.settings.Scope == lab.DynamicsAlone:
		say(fmt.Errorf("there is ẑ of one shipped encoder alone, of the deep set with ε %g and ẑ dim %d; with another, or your trajectories, everything is trained", coded.Eps, coded.ZDim), "scope")
	}
	switch {
	case s.display.a == nil:
		say(s.display.missing(), "encode", "decode", "rollout", "keep")
	case s.settings.All:
		say(errors.New("every stage follows every frame; switch off Run all stages first"), "encode", "decode", "rollout")
	case (s.display.revealed|s.display.asked)&revealCode == 0:
		say(errors.New("this stage works on ẑ, so encode first"), "decode", "rollout")
	}
}

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
	text := s.live.Summary(p)
	if !s.lab.IsSampler() {
		if p.OK {
			text += s.verdict()
		}
		if why := s.width(s.shownKL()); why != "" && s.settings.Eps != s.defaults().Eps {
			text += fmt.Sprintf(" [%s.|aside]", upperFirst(why))
		}
		return text + s.restored() + s.aside.Summary()
	}
	d := s.settings.ZDim
	if a := s.display.a; a != nil {
		d = a.Model.Config.ZDim()
	}
	numbers := fmt.Sprintf("%d numbers", d)
	if d == 1 {
		numbers = "1 number"
	}
	text += fmt.Sprintf(", each blurred to the width **ε = %.3g**, is the [target density|target]. An encoder squeezes the set into [%s ẑ|latent]", s.settings.Eps, numbers)
	if a := s.display.a; a != nil && a.Density == nil {
		return text + "." + s.restored()
	}
	text += "; from these alone a flow draws the [learned density|learned]."
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
	case a.Model.Config.Decoder.Kind == decoder.None:
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
		return fmt.Sprintf(" [The prediction fails|wrong], it is no number any more: %s.", s.whyWrong())
	case v.Fails:
		return fmt.Sprintf(" [The prediction fails|wrong] by %s: %s.", of(v.Off), s.whyWrong())
	case v.Holds && s.traits.Stochastic:
		return " The prediction **holds**" + s.ahead() + "." + s.covered()
	case v.Holds:
		return " The prediction **holds**, within " + of(math.Max(0.001, v.Off)) + s.ahead() + "." + s.covered()
	case s.traits.Stochastic:
		return " What came is outside of that by " + of(v.Off) + "." + s.covered()
	}
	return " It is off by " + of(v.Off) + "." + s.covered()
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
		text += ", where 0 is a perfect fit"
	}
	switch {
	case kl < 0.001:
		return text + ": the numbers remember all that the target shows."
	case kl < nearly:
		return text + ": the numbers remember nearly all that the target shows."
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

// figures are the numbers beside the transport.
func (s status) figures() []wire.Figure {
	at := make(map[string]string)
	s.live.Figures(at)
	s.modelFigures(at)
	s.trainingFigures(at)
	at["own"] = s.own.figure()
	var list []wire.Figure
	for _, f := range lab.Figures(&s.lab, s.live) {
		text := at[f.ID]
		if text == "" && !s.lab.IsSampler() {
			text = "–"
		}
		list = append(list, wire.Figure{ID: f.ID, Text: text})
	}
	return list
}

// modelFigures adds what model A makes of the picture on show.
func (s status) modelFigures(at map[string]string) {
	a := s.display.a
	if a == nil || !s.run.playable() {
		return
	}
	if p := a.Predicting(); p != nil && s.display.revealed&revealPrediction != 0 && s.own.speaks(a.Model) {
		if s.traits.Stochastic {
			if c := a.Coverage(s.live); !math.IsNaN(c) {
				at["coverage"] = fmt.Sprintf("%.0f %%", 100*c)
			}
		} else {
			at["predicted"] = setting.Short(float64(p.Mean[s.live.Player().Now()]))
			errs := make([]float32, s.live.Run().Known+1)
			if mre := p.Errors(errs, func(k int) float64 { return s.live.Macro(k)[0] }); len(errs) > 1 { // at frame 0 nothing is predicted yet
				at["mre"] = fmt.Sprintf("%.1e", mre)
			}
		}
	}
	if s.display.revealed&revealDensity != 0 && a.Decoded && a.Density != nil && !s.lab.IsSampler() {
		var kls []string
		for k, kl := range a.KL {
			if !math.IsNaN(kl) && !a.Density[k].Blank {
				kls = append(kls, fmt.Sprintf("%.3f", kl))
			}
		}
		at["kl"] = strings.Join(kls, ", ")
		if !s.live.Player().Busy() {
			var of []string
			for _, t := range s.display.targets {
				of = append(of, fmt.Sprintf("%.3f", t.Spikes()))
			}
			at["spikes"] = strings.Join(of, ", ")
		}
	}
	of := view.Invariant
	if a.Model.Config.Encoder.Ordered() {
		of = view.Ordered
	}
	if dz := s.order.Change(of); !math.IsNaN(dz) {
		at["dz"] = fmt.Sprintf("%.1e", dz)
	}
}

// trainingStates are the states of a sampler's training in words.
var trainingStates = [...]string{wire.Idle: "untrained", wire.Training: "training", wire.Paused: "paused", wire.Done: "trained", wire.Diverged: "diverged"}

// trainingFigures adds how far the training is.
func (s status) trainingFigures(at map[string]string) {
	t := &s.trainer
	if s.lab.IsSampler() {
		at["state"] = trainingStates[s.Status()]
	}
	if t.live == nil {
		if a := s.display.a; s.lab.IsSampler() && a != nil && runs.IsShipped(a.Name) && !(follower{t}).refitting() && t.shippedKL == t.shippedKL {
			at["kl"] = fmt.Sprintf("%.4f", t.shippedKL)
		}
		return
	}
	c := t.live.Curves()
	if t.status == wire.Training || t.status == wire.Paused || s.lab.IsSampler() {
		p := t.live.Progress()
		if p.Rate > 0 && t.status == wire.Training {
			at["rate"] = fmt.Sprintf("%s %s/s", grouped(int(p.Rate)), p.Unit)
		}
		if !math.IsNaN(p.Loss) {
			at["loss"] = fmt.Sprintf("%.4g", p.Loss)
		}
		if s.lab.IsSampler() {
			at["step"] = grouped(t.live.Step()) + " / " + grouped(t.live.Steps())
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

// grouped writes a whole number with narrow spaces between its thousands.
func grouped(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// task says what takes long, how far it is, and how many seconds are left.
func (s status) task() (text string, share, left float64) {
	t := &s.trainer
	what, prepared := s.live.Preparing()
	switch {
	case what != "":
		return what, prepared, 0
	case s.own.reading != nil:
		text, share = s.own.reading.Task()
	case t.eager && t.status != wire.Training && !s.lab.IsSampler():
		return "Fetching what is needed to train", 0, 0
	case sweeps{s.Session}.active():
		text, share, left = s.sweeper.Task()
	case t.status == wire.Training || t.status == wire.Paused && !s.lab.IsSampler():
		p := t.live.Progress()
		text, share, left = p.Doing, p.Share, p.SecsLeft
		if math.IsNaN(left) || !p.Measured || t.status == wire.Paused {
			left = 0
		}
		text += t.goal(int(p.Phase))
		if p.Steps > 0 && !s.lab.IsSampler() {
			text = fmt.Sprintf("%s, step %d of %d", text, p.Step, p.Steps)
		}
		if t.status == wire.Paused {
			text = "stopped: " + text
		}
		if learned := t.learned(); learned != "" {
			text = learned + ". " + upperFirst(text)
		}
	case s.own.measured != nil && !s.own.measured.Done():
		read, count, measured := s.own.measured.Progress()
		text, share = fmt.Sprintf("measuring the model on your trajectories, %d of %d", read, count), measured
	default:
		text, share, left = s.aside.Task(s.now())
	}
	return upperFirst(text), share, left
}

// label is what the button that trains would do.
func (t *trainer) label() string {
	switch {
	case t.status == wire.Training || t.eager && !t.s.lab.IsSampler():
		if t.s.lab.IsSampler() {
			return "Pause"
		}
		return "Stop"
	case t.s.lab.IsSampler():
		return "Train"
	case t.status == wire.Paused && t.recipe() == t.trains, t.halted != nil:
		return "Go on"
	}
	return "Train"
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
		return fmt.Sprintf("From frame %d on %s: what the dynamics say beyond is extrapolation.", a.Left, a.LeftWhat)
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
