package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

const (
	pastNumbers = 90_000 // largest number of particles encoded for ẑ through time
	pastRows    = 600
)

// Shown is a displayed model with its results for the run: the closures and the densities of
// the displayed picture, and the prediction from frame 0. It is not safe for concurrent use.
type Shown struct {
	Name, Origin string
	Names        string // of the closures, separated by spaces; "" if they need none
	Model        *experiment.Model
	Usable       bool      // the dynamics can predict
	Training     bool      // the model is in training
	Begun        bool      // it has seen the displayed run
	Told         time.Time // when the prediction last took its weights
	Cannot       error     // why the run's frames cannot be encoded

	Coder   *experiment.Coder
	Density []*Density  // of every set; nil if the method learns none
	Points  *Restored   // nil if the method restores none
	ahead   *Prediction // the prediction in progress; nil without dynamics
	waits   *Run        // run that has not reached the begin of its prediction; nil if none
	latest  *Prediction // the last finished prediction, nil if none is of this run
	spare   *Prediction

	Code    []float32 // ẑ of every set in the displayed picture, in the encoder's units (S·ZDim)
	Z       []float32 // the same in [-1, 1]
	From    []float32 // the source of the densities, in the encoder's units
	KL      []float64 // of every set, in nats; NaN before its measurement
	Decoded bool      // there are points, or densities and KLs, finished or in progress

	Past []float32 // ẑ of frames 0, Stride, 2·Stride … in [-1, 1] (K, S·ZDim)
	// PastGeneration changes whenever numbers of Past have changed, and differs from any
	// other model's.
	PastGeneration uint64
	Stride         int
	next           int          // row of Past to encode next
	frame          system.Frame // scratch

	// Outside is the run's force if the dynamics were trained on another, otherwise it lists
	// the run's parameters outside training; Within is training's: see
	// system.Parameters.Outside.
	Outside, Within string

	Left     int    // first frame outside training; -1 is none
	LeftWhat string // the variable that left training

	inside, counted int // true values in the band, up to a frame
}

// Run is a displayed run, as a model sees its beginning.
type Run struct {
	Live     system.Live
	Seed     uint64                       // of the noise of predictions
	Predicts func(*experiment.Model) bool // whether the run has a model's macroscopic variables
	Next     func() uint64                // returns new generations, see NextGeneration
}

// NewShown displays a model, with members of an ensemble if its dynamics are stochastic.
func NewShown(m *experiment.Model, name, origin string, members int) *Shown {
	c := &m.Config
	n := c.Sets() * c.ZDim()
	v := &Shown{
		Name: name, Origin: origin, Model: m, Usable: c.HasDynamics(), Coder: m.NewCoder(), Points: NewRestored(m),
		Code: make([]float32, n), Z: make([]float32, n), From: make([]float32, n), KL: make([]float64, c.Sets()), Left: -1, Stride: 1,
	}
	for s := range v.KL {
		v.KL[s] = math.NaN()
		if d := NewDensity(m); d != nil {
			v.Density = append(v.Density, d)
		}
	}
	if c.HasDynamics() {
		v.ahead, v.spare = NewPrediction(m, members), NewPrediction(m, members)
	}
	if c.Sets() > 1 {
		v.Names = closureNames(c.Traits.Sets, c.ZDim())
	}
	return v
}

// closureNames names the variables of z, for d closures a set.
func closureNames(sets []string, d int) string {
	var names []string
	for _, set := range sets {
		for i := range d {
			name := "ẑ_" + set
			if d > 1 {
				name += fmt.Sprint(i + 1)
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// Predicts says whether there are usable dynamics, and the run's frames can be encoded.
func (v *Shown) Predicts() bool { return v != nil && v.ahead != nil && v.Usable && v.Cannot == nil }

// Predicted says whether there is a whole prediction of the run.
func (v *Shown) Predicted() bool { return v.latest != nil }

// Called returns the name of a displayed model, "" for none.
func (v *Shown) Called() string {
	if v == nil {
		return ""
	}
	return v.Name
}

// Begin starts the results for a new run.
func (v *Shown) Begin(of *Run) {
	r := of.Live.Run()
	v.Begun = true
	v.latest, v.Left, v.LeftWhat, v.inside, v.counted = nil, -1, "", 0, 0
	v.Past, v.PastGeneration = v.Past[:0], of.Next()
	v.Stride = max(1, (r.Horizon*r.Particles+pastNumbers-1)/pastNumbers, (r.Horizon+pastRows-1)/pastRows)
	of.Live.Frame(&v.frame, 0)
	v.Cannot = v.Model.Takes(&v.frame)
	c := &v.Model.Config
	v.Outside, v.Within = c.Traits.Parameters.Outside(c.Dynamics.Params, v.frame.Params)
	if f := c.Traits.Forces; f != nil && c.Force != r.Force && c.Force != system.Played(f, r.Force, v.frame.Params, c.Dynamics.Params) {
		v.Outside, v.Within = system.InWords(r.Force), system.InWords(c.Force)
	}
	v.Again(of)
}

// Again recomputes all results that depend on the weights; the earlier ones stay displayed
// until then.
func (v *Shown) Again(of *Run) {
	v.next = 0
	if v.ahead == nil {
		return
	}
	v.ahead.End() // its prediction is of another run
	v.waits = nil
	if v.Cannot != nil || !of.Predicts(v.Model) {
		return
	}
	v.waits = of
	v.look()
}

// look begins a waiting prediction once the run has reached its first frame.
func (v *Shown) look() {
	of := v.waits
	if of == nil {
		return
	}
	if past, ok := Told(&v.frame, of.Live, v.Model); ok {
		v.waits = nil
		v.ahead.Begin(&v.frame, past, of.Live.Run().Horizon, of.Seed, false)
		v.ahead.Generation = of.Next()
	}
}

// Forget drops results for frames that no longer exist, and a prediction that was given such
// frames.
func (v *Shown) Forget(of *Run) {
	known := of.Live.Run().Known
	if known < v.Model.Config.Dynamics.Begin {
		v.latest, v.Left = nil, -1
		v.Again(of)
	}
	v.Past = v.Past[:min(len(v.Past), (known/v.Stride+1)*len(v.Z))]
	v.next = min(v.next, known/v.Stride+1)
	if v.counted > known {
		v.inside, v.counted = 0, 0
	}
}

// Predicting returns the displayed prediction, nil if there is none: the latest whole one or,
// for an ensemble, the first as far as it is computed.
func (v *Shown) Predicting() *Prediction {
	switch {
	case !v.Predicts():
		return nil
	case v.latest != nil:
		return v.latest
	case v.Model.Config.Traits.Stochastic && v.ahead.Begun() && v.ahead.Done >= v.Model.Config.Dynamics.Begin:
		return v.ahead
	}
	return nil
}

// Settled says whether no work is in progress.
func (v *Shown) Settled(known int) bool {
	return (!v.Usable || v.ahead == nil || v.ahead.Complete()) && !v.PastBehind(known)
}

// StepAhead predicts one more frame, and reports whether one was left, and whether it was the
// last.
func (v *Shown) StepAhead() (stepped, whole bool) {
	v.look()
	if !v.Predicts() || !v.ahead.Begun() || v.ahead == v.latest || !v.ahead.Step() {
		return false, false
	}
	if !v.ahead.Complete() {
		return true, false
	}
	v.latest = v.ahead
	v.ahead, v.spare = v.spare, v.ahead
	v.ahead.End()
	v.inside, v.counted = 0, 0
	if v.Left, v.LeftWhat = v.latest.Left(), ""; v.Left >= 0 {
		v.LeftWhat = v.latest.LeftWhat()
	}
	return true, true
}

// PastBehind says whether a known frame still needs encoding for ẑ through time.
func (v *Shown) PastBehind(known int) bool { return v.Cannot == nil && v.next*v.Stride <= known }

// EncodePast encodes the next such frame.
func (v *Shown) EncodePast(live system.Live) {
	d := len(v.Z)
	live.Frame(&v.frame, v.next*v.Stride)
	v.Coder.Encode(v.From, v.Coder.Canonical(&v.frame))
	if len(v.Past) < (v.next+1)*d {
		v.Past = slices.Grow(v.Past, d)[:(v.next+1)*d]
	} else {
		v.PastGeneration += NextGeneration
	}
	v.Scaled(v.Past[v.next*d:(v.next+1)*d], v.From)
	v.next++
}

// Scaled maps ẑ to [-1, 1] if the model has a range for it.
func (v *Shown) Scaled(dst, z []float32) { scaled(v.Model, dst, z) }

func scaled(m *experiment.Model, dst, z []float32) {
	if !m.Config.HasDynamics() {
		copy(dst, z)
		return
	}
	m.Scaled(dst, z)
}

// Coverage returns the share of the true values within the band, from after the frame that
// predictions begin at; NaN if there are none.
func (v *Shown) Coverage(live system.Live) float64 {
	p := v.Predicting()
	if p == nil || !v.Model.Config.Traits.Stochastic {
		return math.NaN()
	}
	begin := v.Model.Config.Dynamics.Begin
	v.counted = max(v.counted, begin)
	for v.counted < min(live.Run().Known, p.Done) {
		v.counted++
		v.inside += p.Within(v.counted, live.Macro(v.counted))
	}
	if v.counted == begin {
		return math.NaN()
	}
	return float64(v.inside) / float64(v.Model.Config.Variables*(v.counted-begin))
}

// Evaluate evaluates the next part of the densities, and reports whether there was none left.
func (v *Shown) Evaluate() (whole bool) {
	for _, d := range v.Density {
		if !d.Whole {
			d.Evaluate()
			return false
		}
	}
	return true
}

// Whole says whether the displayed densities are the finest of their ẑ.
func (v *Shown) Whole() bool {
	return !v.Decoded || !slices.ContainsFunc(v.Density, func(d *Density) bool { return !d.Whole })
}
