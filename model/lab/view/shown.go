package view

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"macroscope/model/lab/origin"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/system"
)

const (
	pastNumbers = 90_000 // the plot of ẑ over time skips frames, so that its encoded frames contain at most this number of particles
	pastRows    = 600
)

// Shown is a displayed model with its results for the run: ẑ and densities of the displayed
// picture, and the prediction. It is not safe for concurrent use.
type Shown struct {
	Name       string
	Origin     origin.Origin
	Names      string // names of the closure variables, separated by spaces; "" if they need no names
	Model      *model.Model
	Provenance *model.Provenance // the model's; nil if none is known
	Tunable    *model.Model      // the tunable model from which Model was made, see model.Model.At; nil if there is none
	Usable     bool              // whether the dynamics can predict
	Training   bool              // whether the model is in training
	Begun      bool              // whether Begin has been called for the displayed run
	Told       time.Time         // when the prediction last received the model's weights
	Cannot     error             // reason why the run's frames cannot be encoded; nil if they can

	Coder   *model.Coder
	Density []*Density  // one for each set; nil if the method learns no density
	Points  *Restored   // nil if the method restores no points
	blurred *Target     // the density of the restored points on a line; nil in the plane and in space
	ahead   *Prediction // the prediction in progress; nil if there are no dynamics
	waits   *Run        // a run that has not reached the frame at which its prediction begins, otherwise nil
	latest  *Prediction // the last complete prediction of this run; nil if there is none
	spare   *Prediction

	Code    []float32 // ẑ of every set in the displayed picture, in the encoder's units (S·ZDim)
	Z       []float32 // Code scaled to [-1, 1]
	From    []float32 // ẑ from which densities are decoded, in the encoder's units
	KL      []float64 // KL of every set in nats; NaN if not measured yet
	Decoded bool      // whether decoded results exist: points, or densities with their KLs. Densities may be coarse, and KLs may be NaN

	// Validated is the mean KL in nats over the validation sets, or NaN until all are measured.
	Validated float64
	validates *measure.Divergence // the mean over the sets measured so far; nil before the first
	validated int                 // number of validation sets measured so far

	Past []float32 // ẑ of frames 0, Stride, 2·Stride … in [-1, 1] (K, S·ZDim)
	// PastGeneration changes whenever Past changes. Two models never have the same
	// PastGeneration.
	PastGeneration uint64
	Stride         int
	next           int          // row of Past that will be encoded next
	frame          system.Frame // scratch memory

	// Outside names the run's force if the dynamics were trained with another force. Otherwise
	// it lists the run's parameters with values outside the training ranges, and the field
	// Within lists the training ranges (see system.Parameters.Outside).
	Outside, Within string

	Left     int    // first predicted frame outside the training range; -1: none
	LeftWhat string // variable that has left the training range, in words
	LeftSign string // its symbol, see Prediction.LeftSign

	inside []int // element k: number of true values inside the band in the first k+1 predicted frames
}

// Run is a displayed run in the form that displayed models use.
type Run struct {
	Live     system.Live
	Fits     func(*model.Model) error // whether a model can predict the run at all; nil: its frame decides
	Seed     uint64                   // selects the noise of predictions
	Predicts func(*model.Model) bool  // whether the run has the macroscopic variables that a model predicts
	Next     func() uint64            // returns a new generation, see NextGeneration
	// Order fills a frame with frame k of the run, with the particles in the order of their labels. Encoders that depend on
	// the order get them so. nil: labels are never shuffled.
	Order func(f *system.Frame, k int)
}

// NewShown returns the display of a model. members is the size of an ensemble if the dynamics
// are stochastic.
func NewShown(m *model.Model, name string, members int) *Shown {
	c := &m.Config
	n := c.Sets() * c.ZDim()
	v := &Shown{
		Name: name, Model: m, Provenance: m.Provenance(), Usable: c.HasDynamics(), Coder: m.NewCoder(), Points: NewRestored(m),
		Code: make([]float32, n), Z: make([]float32, n), From: make([]float32, n), KL: make([]float64, c.Sets()), Left: -1, Stride: 1, Validated: math.NaN(),
	}
	for s := range v.KL {
		v.KL[s] = math.NaN()
		if d := NewDensity(m); d != nil {
			v.Density = append(v.Density, d)
		}
	}
	if v.Usable {
		v.ahead, v.spare = NewPrediction(m, members), NewPrediction(m, members)
	}
	if c.Sets() > 1 {
		v.Names = closureNames(c.Traits.Sets, c.ZDim())
	}
	return v
}

// closureNames returns the names of the closure variables; each set has d of them.
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

// Restore restores points from ẑ of all sets of a frame. On a line, it also blurs the points to their density.
func (v *Shown) Restore(z []float32, f *system.Frame, sigma [maxDim]float64, w Window) {
	v.Points.Take(z, f)
	if v.Model.Config.Dim() > 1 {
		return
	}
	if v.blurred == nil {
		v.blurred = NewTarget(1, v.Model.Config.Traits.Periods)
	}
	v.blurred.Take(v.Points.Points, sigma, w)
}

// Predicts reports whether the dynamics are usable and the run's frames can be encoded.
func (v *Shown) Predicts() bool { return v != nil && v.ahead != nil && v.Usable && v.Cannot == nil }

// Predicted reports whether there is a complete prediction of the run.
func (v *Shown) Predicted() bool { return v.latest != nil }

// Called returns the name of a displayed model, or "" if there is none.
func (v *Shown) Called() string {
	if v == nil {
		return ""
	}
	return v.Name
}

// Is reports whether v displays the model m under a name, as it is or tuned to an ε and a ẑ dim.
func (v *Shown) Is(name string, m *model.Model) bool {
	return v != nil && v.Name == name && (v.Model == m || v.Tunable == m)
}

// Weights returns the displayed model, or nil if there is none.
func (v *Shown) Weights() *model.Model {
	if v == nil {
		return nil
	}
	return v.Model
}

// Method returns the method by which the model was trained.
func (v *Shown) Method() string {
	if v.Tunable != nil {
		return v.Tunable.Config.Spec.Method
	}
	return v.Model.Config.Spec.Method
}

// Begin drops all results and begins to compute the results for another run.
func (v *Shown) Begin(of *Run) {
	r := of.Live.Run()
	v.Begun = true
	v.latest, v.Left, v.LeftWhat, v.LeftSign, v.inside = nil, -1, "", "", v.inside[:0]
	v.Past, v.PastGeneration = v.Past[:0], of.Next()
	v.Stride = max(1, (r.Horizon*r.Particles+pastNumbers-1)/pastNumbers, (r.Horizon+pastRows-1)/pastRows)
	of.Live.Frame(&v.frame, 0)
	if v.Cannot = v.Model.Takes(&v.frame); v.Cannot == nil && of.Fits != nil {
		v.Cannot = of.Fits(v.Model)
	}
	c := &v.Model.Config
	v.Outside, v.Within = c.Traits.Parameters.Outside(c.Dynamics.Params, v.frame.Params)
	if c.Traits.Forces != nil && c.Force != r.Force && c.Force != c.Traits.Played(r.Force, v.frame.Params, c.Dynamics.Params) {
		v.Outside, v.Within = system.InWords(r.Force), system.InWords(c.Force)
	}
	v.Again(of)
}

// The method Again begins to recompute all results that depend on the weights. The earlier results
// stay displayed until the new results are complete.
func (v *Shown) Again(of *Run) {
	v.next = 0
	if v.ahead == nil {
		return
	}
	v.ahead.End() // the prediction in progress is out of date
	v.waits = nil
	if v.Cannot != nil || !of.Predicts(v.Model) {
		return
	}
	v.waits = of
	v.look()
}

// The method `look` starts a waiting prediction if the run has reached the first frame of the
// prediction.
func (v *Shown) look() {
	of := v.waits
	if of == nil {
		return
	}
	if past, ok := Told(&v.frame, of.Live, v.Model); ok {
		v.waits = nil
		labelled := v.labelled(of)
		if labelled {
			of.Order(&v.frame, v.Model.Config.Dynamics.Begin)
		}
		v.ahead.Begin(&v.frame, past, of.Live.Run().Horizon, of.Seed, labelled)
		v.ahead.Generation = of.Next()
	}
}

// Forget drops results for frames that no longer exist, and a prediction made from such frames.
func (v *Shown) Forget(of *Run) {
	known := of.Live.Run().Known
	if known < v.Model.Config.Dynamics.Begin {
		v.latest, v.Left = nil, -1
		v.Again(of)
	}
	v.Past = v.Past[:min(len(v.Past), (known/v.Stride+1)*len(v.Z))]
	v.next = min(v.next, known/v.Stride+1)
	v.inside = v.inside[:min(len(v.inside), max(0, known-v.Model.Config.Dynamics.Begin))]
}

// Predicting returns the displayed prediction, or nil if there is none. It is the last complete
// prediction. For an ensemble without a complete prediction, it is the unfinished prediction.
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

// Settled reports whether all results are complete.
func (v *Shown) Settled(known int) bool {
	return (!v.Usable || v.ahead == nil || v.ahead.Complete()) && !v.PastBehind(known)
}

// StepAhead predicts one more frame. stepped is false if there was no frame left to predict.
// whole is true if the predicted frame was the last one.
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
	v.inside = v.inside[:0]
	if v.Left, v.LeftWhat, v.LeftSign = v.latest.Left(), "", ""; v.Left >= 0 {
		v.LeftWhat, v.LeftSign = v.latest.LeftWhat(), v.latest.LeftSign()
	}
	return true, true
}

// PastBehind reports whether EncodePast has a frame to encode. `known` is the last known frame.
func (v *Shown) PastBehind(known int) bool { return v.Cannot == nil && v.next*v.Stride <= known }

// labelled reports whether the encoder gets the particles in the order of their labels.
func (v *Shown) labelled(of *Run) bool { return of.Order != nil && v.Model.Config.Encoder.Ordered() }

// given returns frame k of a run as the encoder gets it. The result is valid until the next call.
func (v *Shown) given(of *Run, k int) *system.Frame {
	if v.labelled(of) {
		of.Order(&v.frame, k)
		return &v.frame
	}
	of.Live.Frame(&v.frame, k)
	return v.Coder.Canonical(&v.frame)
}

// Reorder begins to recompute what depends on the order of the particles, after their labels have changed.
func (v *Shown) Reorder(of *Run) {
	if v.labelled(of) {
		v.Again(of)
	}
}

// EncodePast encodes the next frame for ẑ over time.
func (v *Shown) EncodePast(of *Run) {
	d := len(v.Z)
	v.Coder.Encode(v.From, v.given(of, v.next*v.Stride))
	if len(v.Past) < (v.next+1)*d {
		v.Past = slices.Grow(v.Past, d)[:(v.next+1)*d]
	} else {
		v.PastGeneration += NextGeneration
	}
	v.Scaled(v.Past[v.next*d:(v.next+1)*d], v.From)
	v.next++
}

// Scaled scales ẑ to [-1, 1] if the model has a range for it.
func (v *Shown) Scaled(dst, z []float32) { v.Model.Scaled(dst, z) }

// Unscaled is the inverse of Scaled.
func (v *Shown) Unscaled(dst, z []float32) { v.Model.Unscaled(dst, z) }

// Coverage returns the share of true values inside the band, over the predicted frames up to
// the displayed frame. It is NaN if there are none. A single path has no band.
func (v *Shown) Coverage(live system.Live) float64 {
	p := v.Predicting()
	if p == nil {
		return math.NaN()
	}
	begin := v.Model.Config.Dynamics.Begin
	frames := min(live.Player().Now(), p.Done) - begin
	if frames <= 0 {
		return math.NaN()
	}
	for k := len(v.inside); k < frames; k++ {
		n := p.Within(begin+1+k, live.Macro(begin+1+k))
		if k > 0 {
			n += v.inside[k-1]
		}
		v.inside = append(v.inside, n)
	}
	return float64(v.inside[frames-1]) / float64(v.Model.Config.Variables*frames)
}

// Evaluate evaluates the next part of the densities. It returns true if no part was left.
func (v *Shown) Evaluate() (whole bool) {
	for _, d := range v.Density {
		if !d.Whole {
			d.Evaluate()
			return false
		}
	}
	return true
}

// Deepens reports whether the densities are whole, and one of them needs a deeper level (see Density.Deepen).
func (v *Shown) Deepens() bool {
	return v.Decoded && v.Whole() && slices.ContainsFunc(v.Density, (*Density).deepens)
}

// Deepen evaluates a part of a deeper level of the densities. It returns whether a density has changed.
func (v *Shown) Deepen() (changed bool) {
	for _, d := range v.Density {
		if more, changed := d.Deepen(); more {
			return changed
		}
	}
	return false
}

// Outdate is called when the weights of the density have changed, by training or by another ε.
func (v *Shown) Outdate() {
	for _, d := range v.Density {
		d.Stale = true
	}
	v.Validated, v.validates = math.NaN(), nil
}

// Validate measures the KL on the next validation set. It returns false if all validation sets have
// been measured before. The model must learn a density of single sets.
func (v *Shown) Validate(sets, samples int, seed uint64) (measured bool) {
	switch {
	case v.validates == nil:
		v.validates, v.validated = measure.NewDivergence(v.Model, v.Model.Config.Eps(), samples, seed), 0
	case v.validated >= sets:
		return false
	}
	v.validates.Add()
	if v.validated++; v.validated == sets {
		v.Validated = v.validates.Mean()
	}
	return true
}

// Whole reports whether all displayed densities are evaluated at the finest level of detail.
func (v *Shown) Whole() bool {
	return !v.Decoded || !slices.ContainsFunc(v.Density, func(d *Density) bool { return !d.Whole })
}
