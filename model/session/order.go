package session

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/system"
	"macroscope/model/view"
	"macroscope/model/wire"
	"macroscope/sim/rng"
)

// shownOrders is how many orders of the particles are compared.
const shownOrders = 3

// order is the labels of the particles, which of them an encoder that asks for
// an order takes for the first, the second and so on; and what becomes of ẑ and of
// predictions as the labels are shuffled.
type order struct {
	s        *Session
	of       []int // the label of every particle (N)
	before   []int // the same before the last shuffle
	shuffles int
	frame    system.Frame // scratch: a frame arranged by labels

	dz      float64            // largest change of model A's ẑ by the last shuffle, NaN before
	set     []*view.Prediction // model A's predictions from the latest orders, the oldest first
	rows    []float32          // those that are whole, in the observable's units (R, horizon+1)
	missing bool               // the order-dependent model could not be had
	wants   bool
	model   *experiment.Model // the order-dependent one, nil before it has come
	coder   *experiment.Coder
	dzModel float64   // dz of the order-dependent model
	ordered []float32 // its predictions (R, horizon+1)
	count   int       // of those
	scratch []float32
}

// reset gives every particle its own number.
func (o *order) reset(n int) {
	o.of = o.of[:0]
	for i := range n {
		o.of = append(o.of, i)
	}
	o.shuffles = 0
	o.forget()
}

// forget drops all that was compared.
func (o *order) forget() {
	o.dz, o.dzModel, o.count = math.NaN(), math.NaN(), 0
	o.set, o.rows, o.ordered = o.set[:0], o.rows[:0], o.ordered[:0]
}

// arranged returns a frame with the particles of every set in the order of their
// labels; places are theirs in the run. It holds until the next call.
func (o *order) arranged(f *system.Frame, places []int) *system.Frame {
	return o.arrangedBy(f, places, o.of)
}

func (o *order) arrangedBy(f *system.Frame, places, labels []int) *system.Frame {
	d := o.s.traits.Dim
	o.frame.Points, o.frame.Ends = append(o.frame.Points[:0], f.Points...), append(o.frame.Ends[:0], f.Ends...)
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

// shuffle permutes the labels, and compares.
func (o *order) shuffle() error {
	s := o.s
	if !s.run.playable() {
		return s.run.notPlayable()
	}
	if s.lab.Ordered != "" && o.model == nil && !o.missing {
		o.wants = true
	}
	a := s.display.a
	compares := a != nil && !s.traits.Stochastic && a.Predictable() && s.own.speaks(a.Model)
	if compares && len(o.set) == 0 {
		o.add() // the one that was there first
	}
	o.before = append(o.before[:0], o.of...)
	o.shuffles++
	rng.New(s.run.seed(), "particles labels", uint64(o.shuffles)).Shuffle(len(o.of), func(i, j int) { o.of[i], o.of[j] = o.of[j], o.of[i] })
	s.settings.Colours = true // or there is nothing to see of it
	if a != nil && a.Cannot == nil {
		o.dz = o.change(a.Coder, len(a.Z), a.Scaled)
	}
	if compares {
		o.add()
	}
	o.compare()
	s.changed()
	return nil
}

// change returns the largest change that the last shuffle makes to ẑ (n) of the
// picture on show.
func (o *order) change(c *experiment.Coder, n int, scaled func(dst, z []float32)) float64 {
	var f system.Frame
	places := o.s.live.Shown(&f)
	before, z := make([]float32, n), make([]float32, n)
	c.Encode(before, o.arrangedBy(&f, places, o.before))
	scaled(before, before)
	c.Encode(z, o.arrangedBy(&f, places, o.of))
	scaled(z, z)
	most := 0.0
	for i, v := range z {
		most = max(most, math.Abs(float64(v)-float64(before[i])))
	}
	return most
}

// first returns frame 0 and the places of its particles.
func (o *order) first() (f system.Frame, places []int) {
	places = slices.Clone(o.s.live.Shown(&f))
	o.s.live.Frame(&f, 0)
	return f, places
}

// add begins model A's prediction from the particles in their present order,
// which are not brought into any other first.
func (o *order) add() {
	s := o.s
	var p *view.Prediction
	if len(o.set) == shownOrders {
		p = o.set[0]
		o.set = slices.Delete(o.set, 0, 1)
	} else {
		p = view.NewPrediction(s.display.a.Model, s.settings.Members)
	}
	f, places := o.first()
	p.Begin(o.arranged(&f, places), s.live.Macro(0), s.live.Run().Horizon, s.run.seed(), true)
	p.Generation = s.display.newGeneration()
	o.set = append(o.set, p)
	o.rows = o.rows[:0]
}

// follow works one step further on the predictions from several orders, and
// reports whether there was one left.
func (o *order) follow() bool {
	s := o.s
	if len(o.set) == 0 || !s.display.a.Usable || s.display.revealed&revealPrediction == 0 {
		return false
	}
	for _, p := range o.set {
		if p.Step() {
			o.rows = o.rows[:0]
			return true
		}
	}
	if len(o.rows) == 0 {
		for _, p := range o.set {
			o.rows = append(o.rows, p.Mean...)
		}
		s.frameStale = true
	}
	return false
}

// compare lets the order-dependent model predict from the present order, and from
// the one before if that is its first.
func (o *order) compare() {
	if o.model == nil || o.shuffles == 0 || !o.s.run.playable() || o.cannot() != "" {
		return
	}
	o.dzModel = o.change(o.coder, o.model.Config.Sets()*o.model.Config.ZDim(), o.model.Scaled)
	if o.count == 0 {
		o.addOrdered(o.before)
	}
	o.addOrdered(o.of)
}

func (o *order) addOrdered(labels []int) {
	s := o.s
	n := s.live.Run().Horizon + 1
	if o.count == shownOrders {
		o.ordered = o.ordered[:copy(o.ordered, o.ordered[n:])]
		o.count--
	}
	o.scratch = slices.Grow(o.scratch[:0], n)[:n]
	f, places := o.first()
	o.model.Predict(o.scratch, o.arrangedBy(&f, places, labels), s.live.Macro(0), 1, n, s.run.seed())
	for _, v := range o.scratch {
		o.ordered = append(o.ordered, float32(o.model.Scale.Value(0, float64(v))))
	}
	o.count++
}

// cannot says why the order-dependent model cannot be compared, "" if it can.
func (o *order) cannot() string {
	switch {
	case o.missing:
		return "The order-dependent encoder could not be fetched; reload the page to try again."
	case o.model == nil:
		return ""
	case !o.s.own.speaks(o.model):
		return "The order-dependent model predicts the energy alone; ẑ of the deep set stays as it is."
	}
	f, _ := o.first()
	if err := o.model.Takes(&f); err != nil {
		return fmt.Sprintf("The order-dependent encoder takes exactly %d particles, since each has an input of its own, and there are %d; ẑ of the deep set stays as it is.", o.model.Config.Particles, o.s.live.Run().Particles)
	}
	return ""
}

// fetched takes the order-dependent model.
func (o *order) fetched(b []byte, err error) *wire.Notice {
	o.wants = false
	var f *ckpt.File
	if err == nil {
		f, err = ckpt.Decode(bytes.NewReader(b))
	}
	var m *experiment.Model
	if err == nil {
		m, err = o.s.library.open(f)
	}
	if err == nil && !m.Config.Encoder.Ordered() {
		err = errors.New("its encoder does not depend on the order")
	}
	if err != nil {
		o.missing = true
		return failure(fmt.Errorf("the order-dependent encoder could not be opened, so the deep set is shown alone: %w", err))
	}
	o.model, o.coder = m, m.NewCoder()
	o.compare()
	o.s.changed()
	return nil
}

// put adds what became of ẑ and of the predictions by shuffling.
func (o *order) put(f *wire.Frame) {
	if o.shuffles == 0 {
		return
	}
	f.Put("shuffles", float32(o.shuffles))
	if !math.IsNaN(o.dz) {
		f.Put("dz", float32(o.dz))
	}
	if len(o.rows) > 0 {
		f.Put("orders", o.rows...)
	}
	if o.count > 0 {
		f.Put("dzOrdered", float32(o.dzModel))
		f.Put("ordered", o.ordered...)
	}
}
