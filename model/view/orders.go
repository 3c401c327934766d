package view

import (
	"math"
	"slices"

	"macroscope/model/experiment"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/sim/rng"
)

// shownOrders is how many orders of the particles are compared.
const shownOrders = 3

// Orders is the labels of a run's particles, which of them an encoder that asks for
// an order takes for the first, the second and so on; and what becomes of ẑ and of
// predictions as the labels are shuffled. It is not safe for concurrent use.
type Orders struct {
	Labels   []int   // of every particle (N)
	Shuffles int     // there have been
	Change   float64 // of a model's ẑ by the last shuffle, at most; NaN before

	dim    int
	before []int        // the labels before the last shuffle
	frame  system.Frame // scratch: a frame arranged by labels

	set  []*Prediction // the model's from the latest orders, the oldest first
	rows []float32     // those that are whole, in the observable's units (R, horizon+1)

	orderedChange float64   // Change of the order-dependent model
	ordered       []float32 // its predictions (R, horizon+1)
	count         int       // of those
	scratch       []float32
}

// NewOrders returns the orders of particles with so many coordinates.
func NewOrders(dim int) *Orders {
	o := &Orders{dim: dim}
	o.Forget()
	return o
}

// Reset gives each of n particles its own number.
func (o *Orders) Reset(n int) {
	o.Labels = o.Labels[:0]
	for i := range n {
		o.Labels = append(o.Labels, i)
	}
	o.Shuffles = 0
	o.Forget()
}

// Forget drops all that was compared.
func (o *Orders) Forget() {
	o.Change, o.orderedChange, o.count = math.NaN(), math.NaN(), 0
	o.set, o.rows, o.ordered = o.set[:0], o.rows[:0], o.ordered[:0]
}

// Arranged returns a frame with the particles of every set in the order of their
// labels; places are theirs in the run. It holds until the next call.
func (o *Orders) Arranged(f *system.Frame, places []int) *system.Frame {
	return o.arrangedBy(f, places, o.Labels)
}

func (o *Orders) arrangedBy(f *system.Frame, places, labels []int) *system.Frame {
	d := o.dim
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

// Shuffle permutes the labels. Model a is encoded from both orders, unless it is
// nil or cannot be; if predicts says so, it predicts from the new order too, with
// members of an ensemble.
func (o *Orders) Shuffle(r *Run, a *Shown, predicts bool, members int) {
	if predicts && len(o.set) == 0 {
		o.add(r, a.Model, members) // the one that was there first
	}
	o.before = append(o.before[:0], o.Labels...)
	o.Shuffles++
	rng.New(r.Seed, "particles labels", uint64(o.Shuffles)).Shuffle(len(o.Labels), func(i, j int) { o.Labels[i], o.Labels[j] = o.Labels[j], o.Labels[i] })
	if a != nil && a.Cannot == nil {
		o.Change = o.change(r, a.Coder, len(a.Z), a.Scaled)
	}
	if predicts {
		o.add(r, a.Model, members)
	}
}

// change returns the largest change that the last shuffle makes to ẑ (n) of the
// picture on show.
func (o *Orders) change(r *Run, c *experiment.Coder, n int, scaled func(dst, z []float32)) float64 {
	var f system.Frame
	places := r.Live.Shown(&f)
	before, z := make([]float32, n), make([]float32, n)
	c.Encode(before, o.arrangedBy(&f, places, o.before))
	scaled(before, before)
	c.Encode(z, o.arrangedBy(&f, places, o.Labels))
	scaled(z, z)
	most := 0.0
	for i, v := range z {
		most = max(most, math.Abs(float64(v)-float64(before[i])))
	}
	return most
}

// first returns frame 0 and the places of its particles.
func (r *Run) first() (f system.Frame, places []int) {
	places = slices.Clone(r.Live.Shown(&f))
	r.Live.Frame(&f, 0)
	return f, places
}

// Takes says why a model cannot encode frame 0 of the run.
func (r *Run) Takes(m *experiment.Model) error {
	f, _ := r.first()
	return m.Takes(&f)
}

// add begins a prediction from the particles in their present order, which are
// not brought into any other first.
func (o *Orders) add(r *Run, m *experiment.Model, members int) {
	var p *Prediction
	if len(o.set) == shownOrders {
		p = o.set[0]
		o.set = slices.Delete(o.set, 0, 1)
	} else {
		p = NewPrediction(m, members)
	}
	f, places := r.first()
	p.Begin(o.Arranged(&f, places), r.Live.Macro(0), r.Live.Run().Horizon, r.Seed, true)
	p.Generation = r.Next()
	o.set = append(o.set, p)
	o.rows = o.rows[:0]
}

// Step works one step further on the predictions from several orders, and reports
// whether there was one left, and whether all have just become whole.
func (o *Orders) Step() (stepped, whole bool) {
	for _, p := range o.set {
		if p.Step() {
			o.rows = o.rows[:0]
			return true, false
		}
	}
	if len(o.set) == 0 || len(o.rows) > 0 {
		return false, false
	}
	for _, p := range o.set {
		o.rows = append(o.rows, p.Mean...)
	}
	return false, true
}

// Compare lets a model whose encoder depends on the order predict from the present
// order, and from the one before the last shuffle if that is its first. There must
// have been one.
func (o *Orders) Compare(r *Run, m *experiment.Model, c *experiment.Coder) {
	o.orderedChange = o.change(r, c, m.Config.Sets()*m.Config.ZDim(), m.Scaled)
	if o.count == 0 {
		o.addOrdered(r, m, o.before)
	}
	o.addOrdered(r, m, o.Labels)
}

func (o *Orders) addOrdered(r *Run, m *experiment.Model, labels []int) {
	n := r.Live.Run().Horizon + 1
	if o.count == shownOrders {
		o.ordered = o.ordered[:copy(o.ordered, o.ordered[n:])]
		o.count--
	}
	o.scratch = slices.Grow(o.scratch[:0], n)[:n]
	f, places := r.first()
	m.Predict(o.scratch, o.arrangedBy(&f, places, labels), r.Live.Macro(0), 1, n, r.Seed)
	for _, v := range o.scratch {
		o.ordered = append(o.ordered, float32(m.Scale.Value(0, float64(v))))
	}
	o.count++
}

// PutLabels adds the label of every particle of the run, from 0 to 1.
func (o *Orders) PutLabels(f *wire.Frame) {
	o.scratch = o.scratch[:0]
	for _, l := range o.Labels {
		o.scratch = append(o.scratch, float32(l)/float32(len(o.Labels)))
	}
	f.Put("label", o.scratch...)
}

// Put adds what became of ẑ and of the predictions by shuffling.
func (o *Orders) Put(f *wire.Frame) {
	if o.Shuffles == 0 {
		return
	}
	f.Put("shuffles", float32(o.Shuffles))
	if !math.IsNaN(o.Change) {
		f.Put("dz", float32(o.Change))
	}
	if len(o.rows) > 0 {
		f.Put("orders", o.rows...)
	}
	if o.count > 0 {
		f.Put("dzOrdered", float32(o.orderedChange))
		f.Put("ordered", o.ordered...)
	}
}
