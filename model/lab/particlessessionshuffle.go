package lab

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"macroscope/model/wire"
	"macroscope/sim/rng"
)

// ParticlesOrdered is the bundle's path of the model whose encoder depends on
// the order of the particles.
const ParticlesOrdered = "models/particles-ordered.safetensors"

// shownOrders is how many orders of the particles are compared.
const shownOrders = 3

// labelling is the labels of the particles: which of them an encoder that asks
// for an order takes for the first, the second and so on.
type labelling struct {
	of       []int // the label of every particle (N)
	before   []int // the same before the last shuffle
	shuffles int
	points   []float32 // (N, 2) scratch
}

// reset gives every particle its own number.
func (l *labelling) reset(n int) {
	l.of = l.of[:0]
	for i := range n {
		l.of = append(l.of, i)
	}
	l.shuffles = 0
}

// shuffle permutes the labels.
func (l *labelling) shuffle(seed uint64) {
	l.before = append(l.before[:0], l.of...)
	l.shuffles++
	rng.New(seed, "particles labels", uint64(l.shuffles)).Shuffle(len(l.of), func(i, j int) { l.of[i], l.of[j] = l.of[j], l.of[i] })
}

// arranged returns particles (N, 2) in the order of labels (N). They hold until
// the next call.
func (l *labelling) arranged(frame []float32, labels []int) []float32 {
	if len(l.points) < len(frame) {
		l.points = make([]float32, len(frame))
	}
	to := l.points[:len(frame)]
	for i, k := range labels {
		copy(to[2*k:2*k+2], frame[2*i:2*i+2])
	}
	return to
}

// shuffled is what became of ẑ and of predictions as the labels were shuffled.
type shuffled struct {
	dz        float64     // largest change of model A's ẑ by the last shuffle, NaN before
	dzOrdered float64     // the same of the order-dependent encoder
	set       []*forecast // model A's predictions from the latest orders, the oldest first
	rows      []float32   // those that are whole, in the observable's units (R, horizon+1)
	ordered   []float32   // the order-dependent model's (R, horizon+1)
	count     int         // of those
	scratch   []float32
}

// forget drops all that was compared.
func (o *shuffled) forget() {
	*o = shuffled{dz: math.NaN(), dzOrdered: math.NaN(), set: o.set[:0], rows: o.rows[:0], ordered: o.ordered[:0], scratch: o.scratch}
}

// shuffle permutes the labels, and compares.
func (s *ParticlesSession) shuffle() error {
	if s.blank {
		return fmt.Errorf("there are no particles to shuffle; draw some first")
	}
	if s.ordered == nil && !s.orderedMissing {
		s.wantsOrdered = true
	}
	if s.a != nil && len(s.orders.set) == 0 {
		s.addOrder() // the one that was there first
	}
	s.labels.shuffle(s.settings.Seed)
	s.settings.Colours = true // or there is nothing to see of it
	if s.a != nil {
		s.orders.dz = s.change(func(dst, frame []float32) {
			s.a.view.encode(dst, frame)
			s.a.view.scaled(dst, dst)
		}, s.a.model.Config.Encoder.ZDim)
		s.addOrder()
	}
	s.compareOrdered()
	s.changed()
	return nil
}

// change returns the largest change that the last shuffle makes to an encoder's
// ẑ (d) of the frame on show.
func (s *ParticlesSession) change(encode func(dst, frame []float32), d int) float64 {
	frame := s.play.frame(s.play.now)
	before, after := make([]float32, d), make([]float32, d)
	encode(before, s.labels.arranged(frame, s.labels.before))
	encode(after, s.labels.arranged(frame, s.labels.of))
	most := 0.0
	for i, v := range after {
		most = max(most, math.Abs(float64(v)-float64(before[i])))
	}
	return most
}

// addOrder begins model A's prediction from the particles in their present
// order, which are not brought into any other first.
func (s *ParticlesSession) addOrder() {
	o := &s.orders
	var f *forecast
	if len(o.set) == shownOrders {
		f = o.set[0]
		o.set = slices.Delete(o.set, 0, 1)
	} else {
		f = newForecast(s.a.model)
	}
	f.begin(s.labels.arranged(s.play.frame(0), s.labels.of), s.play.macro[0], s.play.horizon, true)
	o.set = append(o.set, f)
	o.rows = o.rows[:0]
}

// followOrders works one step further on the predictions from several orders,
// and reports whether there was one left.
func (s *ParticlesSession) followOrders() bool {
	if s.a == nil || !s.a.usable || s.shown&showPrediction == 0 {
		return false
	}
	for _, f := range s.orders.set {
		if f.step() {
			s.orders.rows = s.orders.rows[:0]
			return true
		}
	}
	if o := &s.orders; len(o.rows) == 0 && len(o.set) > 0 {
		for _, f := range o.set {
			for _, v := range f.pred {
				o.rows = append(o.rows, float32(s.a.model.Scale.Unscaled(0, float64(v))))
			}
		}
		s.frameStale = true
	}
	return false
}

// compareOrdered lets the order-dependent model predict from the present order,
// and from the one before if that is its first.
func (s *ParticlesSession) compareOrdered() {
	o := &s.orders
	if s.ordered == nil || s.labels.shuffles == 0 || s.orderedCannot() != "" {
		return
	}
	o.dzOrdered = s.change(s.ordered.Encode, s.ordered.Config.ZDim)
	if o.count == 0 {
		s.addOrdered(s.labels.before)
	}
	s.addOrdered(s.labels.of)
}

func (s *ParticlesSession) addOrdered(labels []int) {
	o, n := &s.orders, s.play.horizon+1
	if o.count == shownOrders {
		o.ordered = o.ordered[:copy(o.ordered, o.ordered[n:])]
		o.count--
	}
	if cap(o.scratch) < n {
		o.scratch = make([]float32, n)
	}
	o.scratch = o.scratch[:n]
	s.ordered.Predict(o.scratch, s.labels.arranged(s.play.frame(0), labels), s.play.macro[0])
	for _, v := range o.scratch {
		o.ordered = append(o.ordered, float32(s.ordered.Scale().Unscaled(0, float64(v))))
	}
	o.count++
}

// orderedCannot says why the order-dependent model cannot be compared, "" if it
// can.
func (s *ParticlesSession) orderedCannot() string {
	switch {
	case s.orderedMissing:
		return "The order-dependent encoder could not be fetched; reload the page to try again."
	case s.ordered == nil:
		return ""
	case s.play.particles() != s.ordered.Particles():
		return fmt.Sprintf("The order-dependent encoder takes exactly %d particles, since each has an input of its own, and there are %d; ẑ of the deep set stays as it is.", s.ordered.Particles(), s.play.particles())
	case s.macroName() != energyOfPairs:
		return "The order-dependent model predicts the energy alone; ẑ of the deep set stays as it is."
	}
	return ""
}

// fetchedOrdered takes the order-dependent model.
func (s *ParticlesSession) fetchedOrdered(b []byte, err error) *wire.Notice {
	s.wantsOrdered = false
	if err == nil {
		s.ordered, err = ReadOrdered(bytes.NewReader(b))
	}
	if err != nil {
		s.orderedMissing = true
		return failure(fmt.Errorf("the order-dependent encoder could not be opened, so the deep set is shown alone: %w", err))
	}
	s.compareOrdered()
	s.changed()
	return nil
}
