package session

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"macroscope/model/experiment"
	"macroscope/model/system"
	"macroscope/model/view"
)

const (
	pastNumbers = 90_000 // particles that are encoded, at most, for ẑ through time
	pastRows    = 600
)

// shown is a model on show, and what it makes of the run: the closures and the
// densities of the picture on show, and what follows from frame 0. It is not safe
// for concurrent use.
type shown struct {
	name, origin string
	names        string // of the closures, with spaces between; "" where they need none
	model        *experiment.Model
	usable       bool      // the dynamics can predict
	live         bool      // the model is in training
	begun        bool      // it knows the run on show
	told         time.Time // when the prediction last took its weights
	cannot       error     // why the run's frames cannot be encoded

	coder   *experiment.Coder
	density []*view.Density  // of every set; nil where the method learns none
	ahead   *view.Prediction // that is being worked out; nil without dynamics
	latest  *view.Prediction // that was worked out before, nil if none was of this run
	spare   *view.Prediction

	code    []float32 // ẑ of every set in the picture on show, as the encoder has it (S·ZDim)
	z       []float32 // the same in [-1, 1]
	from    []float32 // what the densities are decoded from, as the encoder has it
	kl      []float64 // of every set, NaN before it has been measured
	decoded bool      // there are densities and KLs, or they are being worked out

	past []float32 // ẑ of frames 0, stride, 2·stride … in [-1, 1] (K, S·ZDim)
	next int       // row of past to encode next
	// pastGeneration is another whenever numbers of past have changed, unlike
	// those of any other model.
	pastGeneration uint64
	stride         int
	frame          system.Frame // scratch

	left int    // first frame that is beyond training; -1 is none
	what string // has left

	inside, counted int // true values in the band, up to a frame
}

func newShown(m *experiment.Model, name, origin string, members int) *shown {
	c := &m.Config
	n := c.Sets() * c.ZDim()
	v := &shown{
		name: name, origin: origin, model: m, usable: c.HasDynamics(), coder: m.NewCoder(),
		code: make([]float32, n), z: make([]float32, n), from: make([]float32, n), kl: make([]float64, c.Sets()), left: -1, stride: 1,
	}
	for s := range v.kl {
		v.kl[s] = math.NaN()
		if d := view.NewDensity(m); d != nil {
			v.density = append(v.density, d)
		}
	}
	if c.HasDynamics() {
		v.ahead, v.spare = view.NewPrediction(m, members), view.NewPrediction(m, members)
	}
	if c.Sets() > 1 {
		v.names = closureNames(c.Traits.Sets, c.ZDim())
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

// called returns the name of a model on show, "" for none.
func (v *shown) called() string {
	if v == nil {
		return ""
	}
	return v.name
}

// begin follows the beginning of a run.
func (v *shown) begin(s *Session) {
	r := s.live.Run()
	v.begun = true
	v.latest, v.left, v.what, v.inside, v.counted = nil, -1, "", 0, 0
	v.past, v.pastGeneration = v.past[:0], s.newGeneration()
	v.stride = max(1, (r.Horizon*r.Particles+pastNumbers-1)/pastNumbers, (r.Horizon+pastRows-1)/pastRows)
	s.live.Frame(&v.frame, 0)
	v.cannot = v.model.Takes(&v.frame)
	v.again(s)
}

// again works all out once more that depends on the weights, while what there
// was stays on show.
func (v *shown) again(s *Session) {
	v.next = 0
	if v.ahead == nil || v.cannot != nil || !s.own.speaks(v.model) {
		return
	}
	s.live.Frame(&v.frame, 0)
	v.ahead.Begin(&v.frame, s.live.Macro(0), s.live.Run().Horizon, s.seed(), false)
	v.ahead.Generation = s.newGeneration()
}

// forget takes back what was found of frames after the last that there is.
func (v *shown) forget(known int) {
	v.past = v.past[:min(len(v.past), (known/v.stride+1)*len(v.z))]
	v.next = min(v.next, known/v.stride+1)
	if v.counted > known {
		v.inside, v.counted = 0, 0
	}
}

// predicting returns the prediction on show, nil if there is none: the latest
// that is whole or, of an ensemble, the first as far as it is there.
func (v *shown) predicting() *view.Prediction {
	switch {
	case v.ahead == nil || !v.usable || v.cannot != nil:
		return nil
	case v.latest != nil:
		return v.latest
	case v.model.Config.Traits.Stochastic && v.ahead.Done >= 0:
		return v.ahead
	}
	return nil
}

// settled says whether nothing is being worked out.
func (v *shown) settled(known int) bool {
	return (!v.usable || v.ahead == nil || v.ahead.Complete()) && !v.pastBehind(known)
}

// stepAhead predicts one frame more, and reports whether there was one left, and
// whether it was the last.
func (v *shown) stepAhead(names []string) (stepped, whole bool) {
	if v.ahead == nil || !v.usable || v.cannot != nil || !v.ahead.Begun() || v.ahead == v.latest || !v.ahead.Step() {
		return false, false
	}
	if !v.ahead.Complete() {
		return true, false
	}
	v.latest = v.ahead
	v.ahead, v.spare = v.spare, v.ahead
	v.ahead.End()
	v.inside, v.counted = 0, 0
	frame, variable := v.latest.Left()
	if v.left, v.what = frame, ""; frame >= 0 {
		v.what = v.latest.LeftWhat(names, frame, variable)
	}
	return true, true
}

// pastBehind says whether a frame that has been is still to be encoded for ẑ
// through time.
func (v *shown) pastBehind(known int) bool { return v.cannot == nil && v.next*v.stride <= known }

// encodePast encodes the next of them.
func (v *shown) encodePast(live system.Live) {
	d := len(v.z)
	live.Frame(&v.frame, v.next*v.stride)
	v.coder.Encode(v.from, v.coder.Canonical(&v.frame))
	if len(v.past) < (v.next+1)*d {
		v.past = slices.Grow(v.past, d)[:(v.next+1)*d]
	} else {
		v.pastGeneration += view.NextGeneration
	}
	v.scaled(v.past[v.next*d:(v.next+1)*d], v.from)
	v.next++
}

// scaled brings ẑ to [-1, 1] where the model has a range for it.
func (v *shown) scaled(dst, z []float32) {
	if !v.model.Config.HasDynamics() {
		copy(dst, z)
		return
	}
	v.model.Scaled(dst, z)
}

// coverage returns the share of the true values after frame 0 that lie within the
// band, NaN while there is none.
func (v *shown) coverage(live system.Live) float64 {
	p := v.predicting()
	if p == nil || !v.model.Config.Traits.Stochastic {
		return math.NaN()
	}
	for v.counted < min(live.Run().Known, p.Done) {
		v.counted++
		v.inside += p.Within(v.counted, live.Macro(v.counted))
	}
	if v.counted == 0 {
		return math.NaN()
	}
	return float64(v.inside) / float64(v.model.Config.Variables*v.counted)
}

// evaluate brings the next part of the densities up to date, those of the set
// that is furthest behind, and reports whether all of them were already.
func (v *shown) evaluate() (whole bool) {
	var most *view.Density
	for _, d := range v.density {
		if most == nil || d.Behind > most.Behind {
			most = d
		}
	}
	return most == nil || most.Evaluate()
}

// whole says whether the densities on show are.
func (v *shown) whole() bool {
	for _, d := range v.density {
		if v.decoded && d.Behind > 0 {
			return false
		}
	}
	return true
}
