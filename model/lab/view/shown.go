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
	pastNumbers = 90_000 // particles that are encoded, at most, for ẑ through time
	pastRows    = 600
)

// Shown is a model on show, and what it makes of the run: the closures and the
// densities of the picture on show, and what follows from frame 0. It is not safe
// for concurrent use.
type Shown struct {
	Name, Origin string
	Names        string // of the closures, with spaces between; "" where they need none
	Model        *experiment.Model
	Usable       bool      // the dynamics can predict
	Training     bool      // the model is in training
	Begun        bool      // it knows the run on show
	Told         time.Time // when the prediction last took its weights
	Cannot       error     // why the run's frames cannot be encoded

	Coder   *experiment.Coder
	Density []*Density  // of every set; nil where the method learns none
	Points  *Restored   // nil where the method restores none
	ahead   *Prediction // that is being worked out; nil without dynamics
	waits   *Run        // whose prediction is to begin once it has come that far; nil if none is
	latest  *Prediction // that was worked out before, nil if none was of this run
	spare   *Prediction

	Code    []float32 // ẑ of every set in the picture on show, as the encoder has it (S·ZDim)
	Z       []float32 // the same in [-1, 1]
	From    []float32 // what the densities are decoded from, as the encoder has it
	KL      []float64 // of every set, in nats; NaN before it has been measured
	Decoded bool      // there are points, or densities and KLs, or they are being worked out

	Past []float32 // ẑ of frames 0, Stride, 2·Stride … in [-1, 1] (K, S·ZDim)
	// PastGeneration is another whenever numbers of Past have changed, unlike
	// those of any other model.
	PastGeneration uint64
	Stride         int
	next           int          // row of Past to encode next
	frame          system.Frame // scratch

	// Outside is the run's force if the dynamics were trained on another, else lists its
	// parameters that they were not trained on, and
	// Within is what they were: see system.Parameters.Outside.
	Outside, Within string

	Left     int    // first frame that is beyond training; -1 is none
	LeftWhat string // has left

	inside, counted int // true values in the band, up to a frame
}

// Run is a run on show, as its beginning tells a model.
type Run struct {
	Live     system.Live
	Seed     uint64                       // of the noise of what is predicted
	Predicts func(*experiment.Model) bool // whether a model has the run's macroscopic variables
	Next     func() uint64                // gives out generations, see NextGeneration
}

// NewShown puts a model on show, with members of an ensemble if its dynamics are
// stochastic.
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

// closureNames lists what z is, of d closures a set.
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

// Predicts says whether there are dynamics that can predict, and the run's frames can be
// encoded.
func (v *Shown) Predicts() bool { return v != nil && v.ahead != nil && v.Usable && v.Cannot == nil }

// Predicted says whether a whole prediction of the run is there.
func (v *Shown) Predicted() bool { return v.latest != nil }

// Called returns the name of a model on show, "" for none.
func (v *Shown) Called() string {
	if v == nil {
		return ""
	}
	return v.Name
}

// Begin follows the beginning of a run.
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

// Again works all out once more that depends on the weights, while what there
// was stays on show.
func (v *Shown) Again(of *Run) {
	v.next = 0
	if v.ahead == nil {
		return
	}
	v.ahead.End() // what it predicted was of another run
	v.waits = nil
	if v.Cannot != nil || !of.Predicts(v.Model) {
		return
	}
	v.waits = of
	v.look()
}

// look begins the prediction that waits, if the run has come to where it begins.
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

// Forget takes back what was found of frames after the last that there is, and what was
// predicted if it was told of these.
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

// Predicting returns the prediction on show, nil if there is none: the latest
// that is whole or, of an ensemble, the first as far as it is there.
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

// Settled says whether nothing is being worked out.
func (v *Shown) Settled(known int) bool {
	return (!v.Usable || v.ahead == nil || v.ahead.Complete()) && !v.PastBehind(known)
}

// StepAhead predicts one frame more, and reports whether there was one left, and
// whether it was the last.
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

// PastBehind says whether a frame that has been is still to be encoded for ẑ
// through time.
func (v *Shown) PastBehind(known int) bool { return v.Cannot == nil && v.next*v.Stride <= known }

// EncodePast encodes the next of them.
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

// Scaled brings ẑ to [-1, 1] where the model has a range for it.
func (v *Shown) Scaled(dst, z []float32) { scaled(v.Model, dst, z) }

func scaled(m *experiment.Model, dst, z []float32) {
	if !m.Config.HasDynamics() {
		copy(dst, z)
		return
	}
	m.Scaled(dst, z)
}

// Coverage returns the share of the true values after the frame that predictions begin at that lie within the
// band, NaN while there is none.
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

// Evaluate brings the next part of the densities up to date, those of the set
// that has nothing yet or is furthest behind, and reports whether all of them were
// already.
func (v *Shown) Evaluate() (whole bool) {
	var most *Density
	for _, d := range v.Density {
		if d.Blank {
			return d.Evaluate()
		}
		if most == nil || d.Behind > most.Behind {
			most = d
		}
	}
	return most == nil || most.Evaluate()
}

// Blank says whether there is a set whose density cannot be shown yet.
func (v *Shown) Blank() bool {
	return slices.ContainsFunc(v.Density, func(d *Density) bool { return d.Blank })
}

// Whole says whether the densities on show are.
func (v *Shown) Whole() bool {
	return !v.Decoded || !slices.ContainsFunc(v.Density, func(d *Density) bool { return d.Behind > 0 })
}
