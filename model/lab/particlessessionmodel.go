package lab

import (
	"math"
	"time"
)

// shownModel is a model on show, and what it makes of the run.
type shownModel struct {
	name, origin string
	model        *ParticlesModel
	usable       bool      // the law can predict
	live         bool      // the model is in training
	told         time.Time // when the prediction last took its weights
	view         *particlesView
	ahead        *forecast // that is being worked out
	latest       *forecast // that was worked out before, nil if none was of this run

	code    []float32 // ẑ of the frame on show, in the encoder's units (ZDim)
	z       []float32 // the same in [-1, 1]
	from    []float32 // what the density is decoded from, in the encoder's units
	kl      float64   // NaN before it has been measured
	decoded bool      // there is a density and a KL, or they are being worked out
	past    []float32 // ẑ of frames 0, stride, 2·stride … in [-1, 1] (K, ZDim)
	next    int       // row of past to encode next
	stride  int
	version uint64    // generation of latest and pred
	pred    []float32 // the latest prediction in the observable's units (horizon+1)
	left    int       // first frame that is beyond training; -1 is none
	what    string    // has left
	spare   *forecast
}

func newShownModel(m *ParticlesModel, name, origin string) *shownModel {
	d := m.Config.Encoder.ZDim
	return &shownModel{
		name: name, origin: origin, model: m, usable: true, view: newParticlesView(m), ahead: newForecast(m), spare: newForecast(m),
		code: make([]float32, d), z: make([]float32, d), from: make([]float32, d), kl: math.NaN(),
	}
}

// begin follows the beginning of a run.
func (m *shownModel) begin(s *ParticlesSession) {
	p := &s.play
	m.latest, m.pred, m.left, m.what = nil, m.pred[:0], -1, ""
	m.past = m.past[:0]
	m.stride = max(1, (p.horizon*p.particles()+pastNumbers-1)/pastNumbers, (p.horizon+pastRows-1)/pastRows)
	m.again(s)
}

// again works all out once more that depends on the weights, while what there
// was stays on show.
func (m *shownModel) again(s *ParticlesSession) {
	m.ahead.begin(s.play.frame(0), s.play.macro[0], s.play.horizon, false)
	m.next = 0
}

// called returns the name of a model on show, "" for none.
func (m *shownModel) called() string {
	if m == nil {
		return ""
	}
	return m.name
}

// settled says whether nothing is being worked out.
func (m *shownModel) settled(p *playback) bool {
	return (!m.usable || m.ahead.complete()) && !m.pastBehind(p)
}

// stepAhead predicts one frame more, and reports whether there was one left.
func (m *shownModel) stepAhead(macro string) bool {
	if !m.usable || !m.ahead.step() {
		return false
	}
	if !m.ahead.complete() {
		return true
	}
	m.latest, m.version = m.ahead, generation()
	m.ahead, m.spare = m.spare, m.ahead
	// The other is whole too, until it begins anew.
	m.ahead.horizon, m.ahead.done, m.ahead.views = 0, 0, m.model.Config.Views
	m.pred = m.pred[:0]
	for _, v := range m.latest.pred {
		m.pred = append(m.pred, float32(m.model.Scale.Unscaled(0, float64(v))))
	}
	frame, variable := m.latest.left()
	if m.left, m.what = frame, ""; frame >= 0 {
		m.what = m.latest.leftWhat(macro, frame, variable)
	}
	return true
}

// predicts says whether there is a prediction of the run.
func (m *shownModel) predicts() bool { return m.usable && m.latest != nil }

// pastBehind says whether a frame that has been is still to be encoded for ẑ
// through time.
func (m *shownModel) pastBehind(p *playback) bool { return m.next*m.stride <= p.known }

// encodePast encodes the next of them.
func (m *shownModel) encodePast(p *playback) {
	d := len(m.z)
	m.view.encode(m.from, m.view.order.sorted(p.frame(m.next*m.stride)))
	for len(m.past) < (m.next+1)*d {
		m.past = append(m.past, 0)
	}
	m.view.scaled(m.past[m.next*d:(m.next+1)*d], m.from)
	m.next++
}
