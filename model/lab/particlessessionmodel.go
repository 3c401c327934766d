package lab

// shownModel is a model on show, and what it makes of the run.
type shownModel struct {
	name, origin string
	model        *ParticlesModel
	usable       bool // the law can predict
	view         *particlesView
	ahead        *forecast

	code    []float32 // ẑ of the frame on show, in the encoder's units (ZDim)
	z       []float32 // the same in [-1, 1]
	from    []float32 // what the density is decoded from, in the encoder's units
	kl      float64
	decoded bool      // there is a density and a KL, or they are being worked out
	past    []float32 // ẑ of frames 0, stride, 2·stride … in [-1, 1] (K, ZDim)
	stride  int
	known   []float32 // the prediction in the observable's units, once it is whole
	left    int       // first frame that is beyond training; -1 is none
	what    string    // has left
}

func newShownModel(m *ParticlesModel, name, origin string) *shownModel {
	d := m.Config.Encoder.ZDim
	return &shownModel{
		name: name, origin: origin, model: m, usable: true, view: newParticlesView(m), ahead: newForecast(m),
		code: make([]float32, d), z: make([]float32, d), from: make([]float32, d),
	}
}

// begin follows the beginning of a run.
func (m *shownModel) begin(s *ParticlesSession) {
	p := &s.play
	m.ahead.begin(p.frame(0), p.macro[0], p.horizon, false)
	m.known, m.left, m.what = m.known[:0], -1, ""
	m.past = m.past[:0]
	m.stride = max(1, (p.horizon*p.particles()+pastNumbers-1)/pastNumbers, (p.horizon+pastRows-1)/pastRows)
}

// pastBehind says whether a frame that has been is still to be encoded for ẑ
// through time.
func (m *shownModel) pastBehind(p *playback) bool {
	return len(m.past)/len(m.z)*m.stride <= p.known
}

// encodePast encodes the next of them.
func (m *shownModel) encodePast(p *playback) {
	d := len(m.z)
	k := len(m.past) / d
	m.view.encode(m.from, m.view.order.sorted(p.frame(k*m.stride)))
	for range d {
		m.past = append(m.past, 0)
	}
	m.view.scaled(m.past[k*d:], m.from)
}

// prediction returns z̄ of every frame as it was predicted, in the observable's
// units; nil before it is whole.
func (m *shownModel) prediction(macro string) []float32 {
	if !m.usable || !m.ahead.complete() {
		return nil
	}
	if len(m.known) == 0 {
		for _, v := range m.ahead.pred {
			m.known = append(m.known, float32(m.model.Scale.Unscaled(0, float64(v))))
		}
		frame, variable := m.ahead.left()
		if m.left = frame; frame >= 0 {
			m.what = m.ahead.leftWhat(macro, frame, variable)
		}
	}
	return m.known
}
