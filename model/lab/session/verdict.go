package session

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"macroscope/model/lab/origin"
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

// headline contains the facts of the sentences above the picture. The sentences and their choice are in
// assets/texts. What these facts do not know is NaN, 0 or "".
type headline struct {
	Run, Beside string // what the system says of its run, and the lab's extra panels
	Eps         float64
	Closures    int  // number of closure variables
	Density     bool // whether model A learns a density, or there is no model
	Untrained   bool // whether the weights of model A are random
	Predicted   bool // whether there is a prediction of the displayed frame
	judged
	versus
	gap
	restored
	view.Shuffled
	Latest bool // whether nothing has moved since the labels were shuffled
}

// headline returns the facts of the headline.
func (v *View) headline() *headline {
	p, a := v.prediction(), v.picture.A()
	h := &headline{Eps: v.doc.Eps, Closures: v.doc.ZDim, Density: true, Predicted: p.OK}
	if a != nil {
		h.Closures, h.Density, h.Untrained = a.Model.Config.ZDim(), a.Density != nil, a.Origin.Kind == origin.Untrained
		h.restored.fill(v, a)
	}
	if p.OK {
		h.judged.fill(v, a)
	}
	h.versus.fill(v)
	h.gap.fill(v, a)
	h.Shuffled, h.Latest = v.picture.Shuffling()
	p.OK = p.OK && p.Mean-p.Mean == 0 // the verdict describes a prediction that is not finite
	h.Run, h.Beside = v.live.Summary(p), v.extras.Summary()
	return h
}

// prediction returns model A's prediction of the displayed frame, for the system's Summary.
func (v *View) prediction() system.Prediction {
	a, is := v.picture.A(), system.Prediction{Low: math.NaN(), High: math.NaN()}
	if a == nil {
		is.Coming = !v.models.Lacks()
		return is
	}
	if is.Learning = a.Training && !a.Usable; is.Learning {
		return is
	}
	p := a.Predicting()
	now := v.live.Player().Now()
	if p == nil || !v.picture.Reveals(picture.Prediction) || p.Done < now || now < a.Model.Config.Dynamics.Begin || !v.file.Predicts(a.Model) || !v.on.Playable {
		return is
	}
	at := a.Model.Config.Variables * now
	is.OK, is.Mean = true, float64(p.Mean[at])
	if v.traits.Stochastic {
		is.Low, is.High = float64(p.Low[at]), float64(p.High[at])
	}
	return is
}

// judged says whether a prediction is right, and what explains it. Off and Inside are percentages.
type judged struct {
	view.Verdict
	Outside, Unknown, Training bool // see untrained and unknown; whether model A is in training
	Left, ToCome, Moving       int  // first frame outside the training range, or -1; frames still to be simulated; numbers from which the model predicts
	Ended                      bool // whether the last frame is displayed
	Inputs                     string
}

func (j *judged) fill(v *View, a *view.Shown) {
	c, p, now := &a.Model.Config, a.Predicting(), v.live.Player().Now()
	j.Verdict = p.Judge(now, v.live.Macro)
	j.Outside, j.Unknown, j.Training = v.untrained() != "", v.unknown() != "", a.Training
	j.Left, j.ToCome, j.Moving, j.Ended = a.Left, p.Done-now, c.Moving(), now >= v.live.Run().Horizon
	if j.Off, j.Inside = 100*j.Off, 100*j.Inside; math.IsInf(j.Off, 0) {
		j.Off = math.NaN()
	}
	if !v.traits.Stochastic && j.Off < 0.1 {
		j.Off = 0.1
	}
	if len(c.Dynamics.Params) > 0 {
		j.Inputs = c.Traits.Parameters.InWords(c.Dynamics.Params)
	}
}

// The method `outside` returns a sentence about the parameters of the run that are not in the
// trained range of model A. The sentence also gives the trained values. The method returns "" if
// all parameters lie inside the range, or if the training trajectories record no parameters.
func (v *View) outside() string {
	a := v.picture.A()
	if a.Outside == "" || v.ofFile() && len(a.Model.Config.Dynamics.Params) == 0 {
		return ""
	}
	return v.lab.Say("parameters", a)
}

// ofFile reports whether model A was trained on trajectories from a file.
func (v *View) ofFile() bool {
	a := v.picture.A()
	return a.Model.Config.Data.Recorded && !runs.IsShipped(a.Name)
}

// versus compares models 1 and 2: the MRE of model More on this run is Times that of model Less. It also
// says how the run begins otherwise than those of the paper's training, and whether a model of preset
// wide can be compared.
type versus struct {
	Times      float64
	More, Less int
	view.Ranked
	Start string
	Wider bool
}

func (c *versus) fill(v *View) {
	a, b := v.picture.Called()
	name := v.models.Shelf.WiderName()
	c.Times, c.More, c.Less = math.NaN(), 1, 2
	c.Start, c.Wider = v.live.Run().Beyond, name != "" && a != name && b != name
	if b := v.picture.B(); b != nil && (!v.timed || v.file.Predicts(b.Model)) {
		c.Rank(v.picture.A().Provenance, b.Provenance)
		if of := v.mre(v.picture.A()) / v.mre(b); of >= 1 {
			c.Times = of
		} else if of > 0 {
			c.Times, c.More, c.Less = 1/of, 2, 1
		}
	}
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

// gap contains the KL of the first displayed set, and the properties of its target.
type gap struct {
	Diverged     bool
	KL           float64
	Smooth       float64 // KL from the target to a smoothed copy; 0 while the player is busy
	Spikes       float64 // Smooth divided by KL
	Narrow, Wide bool    // whether the width of the kernels is notable
	Turned       bool    // whether ε is another than at first
}

func (g *gap) fill(v *View, a *view.Shown) {
	g.Diverged, g.KL, g.Turned = v.train.Status == wire.Diverged, math.NaN(), v.doc.Eps != v.opens.usual.Eps
	if a == nil || !a.Decoded || a.Density == nil || math.IsNaN(a.KL[0]) {
		return
	}
	of := v.picture.Targets()[0]
	if g.KL = a.KL[0]; !v.live.Player().Busy() {
		g.Smooth = of.Smooth()
	}
	g.judge(of.Blur())
}

// wideBlur is a kernel width relative to the standard deviation of the particles. Above it the
// headline calls the kernels wide, if the KL is below `nearly`, in nats. Points that are drawn from the
// target then have, in the geometric mean, at most e^0.05 ≈ 1.05 times the learned density.
const (
	wideBlur = 1.0 / 3
	nearly   = 0.05
)

// The method judge says whether the kernels are narrow or wide. blur is their width relative to the
// standard deviation of the particles. If the model's density also shows single particles, for
// instance because the model has memorised a small set, they are neither.
func (g *gap) judge(blur float64) {
	spiky := g.Smooth > 0.01 && g.Smooth > g.KL/2
	g.Spikes = g.Smooth / g.KL
	g.Narrow = spiky && g.Smooth < 1.5*g.KL
	g.Wide = !spiky && g.KL < nearly && blur > wideBlur
}

// restored says what model A restores from ẑ, if it is revealed and the model learns no density. Spread
// and Distance are percentages of the particles' spread.
type restored struct {
	Bare, Restores, Decoder bool // whether the rest is known; whether the method restores points; whether its decoder is there
	Points                  int  // number of points; 0 before they are decoded
	Spread, Distance        float64
}

func (r *restored) fill(v *View, a *view.Shown) {
	if a.Density != nil || !v.picture.Reveals(picture.Density) || a.Cannot != nil || !v.on.Playable {
		return
	}
	p := a.Points
	r.Bare, r.Restores, r.Decoder = true, a.Model.Config.Decoder.Restores(), p != nil
	if p != nil && a.Decoded {
		r.Points, r.Spread, r.Distance = len(p.Points)/v.traits.Dim, 100*p.Spread, 100*p.Off
	}
}

// warn returns the warning about the displayed state.
func (v *View) warn() string {
	a := v.picture.A()
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
	predicts := v.picture.Reveals(picture.Prediction) && a.Usable
	switch {
	case predicts && v.file.Predicts(a.Model) && v.untrained() != "":
		return v.untrained()
	case predicts && a.Predicting() != nil && a.Left >= 0 && v.otherThanAsked() == "": // a message of otherThanAsked has priority
		return v.lab.Say("extrapolation", a)
	case v.picture.Shuffled() && v.models.Incomparable(v.on.Run) != "":
		return v.models.Incomparable(v.on.Run)
	case predicts && !v.file.Predicts(a.Model):
		return v.lab.Say("unpredicted", struct{ Observables string }{strings.Join(a.Model.System.Variables(a.Model.Config.Data.Observable), ", ")})
	case predicts && v.unknown() != "" && !v.proved():
		return v.unknown()
	}
	return v.otherThanAsked()
}

// cannot says why a displayed model cannot encode the particles. It returns "" if every model can.
func (v *View) cannot() string {
	shown := v.picture.Shown()
	for i, m := range shown {
		if m.Cannot != nil {
			return v.lab.Say("cannot", struct {
				Model, Models int
				Because       string
			}{i + 1, len(shown), m.Cannot.Error()})
		}
	}
	return ""
}

// proved reports whether the prediction of the displayed run is right so far.
func (v *View) proved() bool {
	p := v.picture.A().Predicting()
	return p != nil && p.Judge(v.live.Player().Now(), v.live.Macro).Holds
}

// otherThanAsked says how model A, or model B if it is in training, differs from the settings. It
// returns "" if there is no difference.
func (v *View) otherThanAsked() string {
	text, b := v.lab.Say("unlike", v.standing(v.picture.A())), v.picture.B()
	if text == "" && b != nil && b.Training {
		text = v.lab.Say("unlike", v.standing(b))
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
	v.words.Figures(at, v.status())
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
	a := v.picture.A()
	if a == nil || !v.on.Playable {
		return
	}
	if p := a.Predicting(); p != nil && v.picture.Reveals(picture.Prediction) && v.file.Predicts(a.Model) {
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
	if v.picture.Reveals(picture.Density) && a.Decoded && a.Density != nil && v.timed {
		var kls, above []string
		for k, kl := range a.KL {
			if math.IsNaN(kl) || a.Density[k].Blank {
				continue
			}
			kls = append(kls, fmt.Sprintf("%.3f", kl))
			if !v.live.Player().Busy() {
				above = append(above, strings.ReplaceAll(fmt.Sprintf("%+.3f", kl-v.picture.Targets()[k].Smooth()), "-", "−"))
			}
		}
		at["kl"], at["above"] = strings.Join(kls, ", "), strings.Join(above, ", ")
	}
	if dz := v.picture.Change(a); !math.IsNaN(dz) {
		at["dz"] = fmt.Sprintf("%.1e", dz)
	}
}
