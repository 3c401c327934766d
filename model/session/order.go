package session

import (
	"bytes"
	"errors"
	"fmt"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/view"
	"macroscope/model/wire"
)

// order is the order of the particles on show, and the model that depends on it,
// with which the others are compared.
type order struct {
	s *Session
	*view.Orders
	missing bool // the order-dependent model could not be had
	wants   bool
	model   *experiment.Model // the order-dependent one, nil before it has come
	coder   *experiment.Coder
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
	o.Shuffle(s.run.described(), a, a != nil && !s.traits.Stochastic && a.Predictable() && s.own.speaks(a.Model), s.settings.Members)
	s.settings.Colours = true // or there is nothing to see of it
	o.compare()
	s.changed()
	return nil
}

// follow works one step further on the predictions from several orders, and
// reports whether there was one left.
func (o *order) follow() bool {
	s := o.s
	if !s.display.a.Usable || s.display.revealed&revealPrediction == 0 {
		return false
	}
	stepped, whole := o.Step()
	s.frameStale = s.frameStale || whole
	return stepped
}

// compare lets the order-dependent model predict, if it can.
func (o *order) compare() {
	if o.model != nil && o.Shuffles > 0 && o.s.run.playable() && o.cannot() == "" {
		o.Compare(o.s.run.described(), o.model, o.coder)
	}
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
	case o.s.run.described().Takes(o.model) != nil:
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
