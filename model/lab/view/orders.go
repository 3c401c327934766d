package view

import (
	"math"
	"slices"

	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/sim/rng"
)

// shownOrders is the largest number of predictions of a model. Each prediction has another order of
// the particles.
const shownOrders = 3

// Side is one of the two models that are compared.
type Side int

// The sides: a model with a permutation-invariant encoder, and a model with an encoder that
// depends on the order.
const (
	Invariant Side = iota
	Ordered
	sides
)

// Orders contains the labels of a run's particles. An encoder that depends on the order gets
// the particles in the order of their labels. Orders measures how much ẑ and the predictions of
// two models change when the labels are shuffled. It is not safe for concurrent use.
type Orders struct {
	Labels   []int // label of every particle (N)
	Shuffles int   // how many times the labels were shuffled

	traits *system.Traits
	before []int        // labels before the last shuffle
	frame  system.Frame // scratch memory: a frame in the order of the labels
	sides  [sides]side

	scratch []float32
}

// side contains the changes of one model's ẑ and predictions.
type side struct {
	model  *model.Model // nil if there is none
	coder  *model.Coder
	change float64 // largest change of ẑ by the last shuffle
	// The predictions for the last few orders of the particles. Each prediction has one member. All
	// predictions use the same random numbers.
	set  []*Prediction
	rows []float32 // (len(set), horizon+1, M): values of all predictions once they are complete, in the variables' units
}

// NewOrders returns Orders for the particles of a system.
func NewOrders(of *system.Traits) *Orders { return &Orders{traits: of} }

// Reset labels the particles of a run by their places in a list: the system's own, if particles have marks, or that of a file
// (see model.List).
func (o *Orders) Reset(of system.Live) {
	o.Labels = o.Labels[:0]
	for i := range of.Run().Particles {
		o.Labels = append(o.Labels, i)
	}
	o.Shuffles = 0
	o.Forget()
	if o.traits.Film.Marked {
		return
	}
	places := system.Places(of, &o.frame, 0)
	var list model.List
	list.Begin(&o.frame, o.traits.Dim)
	for i, place := range list.Places() {
		o.Labels[places[i]] = place
	}
}

// Forget drops the results of all comparisons.
func (o *Orders) Forget() { o.sides = [sides]side{} }

// Arranged returns a frame with the particles of every set in the order of their labels.
// Particle i of f is particle places[i] of the run. The result is valid until the next call.
func (o *Orders) Arranged(f *system.Frame, places []int) *system.Frame {
	return o.arrangedBy(f, places, o.Labels)
}

func (o *Orders) arrangedBy(f *system.Frame, places, labels []int) *system.Frame {
	d := o.traits.Dim
	o.frame.Copy(f)
	begin := 0
	for _, end := range f.Ends {
		by := make([]int, 0, end-begin)
		for i := begin; i < end; i++ {
			by = append(by, i)
		}
		slices.SortFunc(by, func(a, b int) int { return labels[places[a]] - labels[places[b]] })
		for k, i := range by {
			copy(o.frame.Points[(begin+k)*d:(begin+k+1)*d], f.Points[i*d:(i+1)*d])
		}
		begin = end
	}
	return &o.frame
}

// Shuffle permutes the labels.
func (o *Orders) Shuffle(r *Run) {
	o.before = append(o.before[:0], o.Labels...)
	o.Shuffles++
	rng.New(r.Seed, "particles labels", uint64(o.Shuffles)).Shuffle(len(o.Labels), func(i, j int) { o.Labels[i], o.Labels[j] = o.Labels[j], o.Labels[i] })
}

// Compare encodes the displayed particles with a model, in the orders before and after the last
// shuffle. There must have been a shuffle. If predicts is true, the model also begins to predict
// from the new order.
func (o *Orders) Compare(r *Run, m *model.Model, predicts bool) {
	c := &o.sides[Invariant]
	if m.Config.Encoder.Ordered() {
		c = &o.sides[Ordered]
	}
	if c.model != m {
		*c = side{model: m, coder: m.NewCoder()}
	}
	c.change = o.change(r, c)
	if !predicts {
		return
	}
	if len(c.set) == 0 {
		o.add(r, c, o.before)
	}
	o.add(r, c, o.Labels)
}

// Change returns the largest change of ẑ by the last shuffle, or NaN if there was none.
func (o *Orders) Change(of Side) float64 {
	if o.sides[of].model == nil {
		return math.NaN()
	}
	return o.sides[of].change
}

// Moved returns the effect of the last shuffle on the prediction. The result is the largest change
// of a predicted variable, as a share of the variable's range in the training set. It is NaN if
// the change is not known yet.
func (o *Orders) Moved(of Side) float64 {
	c := &o.sides[of]
	n := len(c.set)
	if n < 2 || len(c.rows) == 0 {
		return math.NaN()
	}
	m, most := c.model.Config.Variables, 0.0
	for i := c.model.Config.Dynamics.Begin * m; i < len(c.set[n-1].Mean); i++ {
		span := c.model.Scale.Value(i%m, 1) - c.model.Scale.Value(i%m, -1)
		most = max(most, math.Abs(float64(c.set[n-1].Mean[i])-float64(c.set[n-2].Mean[i]))/span)
	}
	return most
}

// change returns the effect of the last shuffle on ẑ of the displayed particles. It is
// the largest change of a closure variable. ẑ is scaled to [-1, 1] if the model has a range for ẑ.
func (o *Orders) change(r *Run, c *side) float64 {
	var f system.Frame
	places := r.Live.Shown(&f)
	n := c.model.Config.Sets() * c.model.Config.ZDim()
	z := [2][]float32{make([]float32, n), make([]float32, n)}
	for i, labels := range [][]int{o.before, o.Labels} {
		c.coder.Encode(z[i], o.arrangedBy(&f, places, labels))
		c.model.Scaled(z[i], z[i])
	}
	most := 0.0
	for i, v := range z[1] {
		most = max(most, math.Abs(float64(v)-float64(z[0][i])))
	}
	return most
}

// Takes returns an error if a model cannot encode frame 0 of the run.
func (r *Run) Takes(m *model.Model) error {
	var f system.Frame
	r.Live.Frame(&f, 0)
	return m.Takes(&f)
}

// add begins a prediction for the particles in the order of these labels, if the run has reached
// the frame at which predictions begin.
func (o *Orders) add(r *Run, c *side, labels []int) {
	var f system.Frame
	past, ok := Told(&f, r.Live, c.model)
	if !ok {
		return
	}
	places := slices.Clone(system.Places(r.Live, &f, c.model.Config.Dynamics.Begin))
	var p *Prediction
	if len(c.set) == shownOrders {
		p = c.set[0]
		c.set = slices.Delete(c.set, 0, 1)
	} else {
		p = NewPrediction(c.model, 1)
	}
	p.Begin(o.arrangedBy(&f, places, labels), past, r.Live.Run().Horizon, r.Seed, true)
	p.Generation = r.Next()
	c.set = append(c.set, p)
	c.rows = c.rows[:0]
}

// Step takes one step of the predictions for shuffled particles. stepped is false if there was
// no step to take. whole is true if the step completed all predictions of a model.
func (o *Orders) Step() (stepped, whole bool) {
	for i := range o.sides {
		c := &o.sides[i]
		for _, p := range c.set {
			if p.Step() {
				return true, false
			}
		}
		if len(c.set) == 0 || len(c.rows) > 0 {
			continue
		}
		for _, p := range c.set {
			c.rows = append(c.rows, p.Mean...)
		}
		return true, true
	}
	return false, false
}

// PutLabels adds to a frame the labels of the run's particles, scaled to [0, 1].
func (o *Orders) PutLabels(f *wire.Frame) {
	o.scratch = o.scratch[:0]
	for _, l := range o.Labels {
		o.scratch = append(o.scratch, float32(l)/float32(len(o.Labels)))
	}
	f.Put("label", o.scratch...)
}

// Put adds to a frame the rows that say how much shuffles have changed ẑ and the predictions.
func (o *Orders) Put(f *wire.Frame) {
	if o.Shuffles == 0 {
		return
	}
	f.Put("shuffles", float32(o.Shuffles))
	for i, names := range [sides][2]string{Invariant: {"dz", "orders"}, Ordered: {"dzOrdered", "ordered"}} {
		c := &o.sides[i]
		if c.model == nil {
			continue
		}
		f.Put(names[0], float32(c.change))
		if len(c.rows) > 0 && c.model.Config.Variables == 1 { // the page draws predictions of a single variable only
			f.Put(names[1], c.rows...)
		}
	}
}
