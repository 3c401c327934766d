package view

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// shownPaths is the number of ensemble members that are drawn individually.
const shownPaths = 6

// NextGeneration is added to a generation when its subject has changed.
const NextGeneration = 1 << 32

// Prediction is a model's prediction of a run from its frame 0 alone, or from the frame that
// its predictions begin at, made step by step, so that a page need not wait for it. It equals
// Predict to the bit.
type Prediction struct {
	model    *experiment.Model
	forecast *experiment.Forecast
	coder    *experiment.Coder
	frame    system.Frame // the first frame, in the order of its encoding
	macro    []float64    // the macroscopic variables up to the first frame (K, M)
	seed     uint64
	z0       []float32 // (Views, V)
	views    int       // encoded views of the frame

	horizon int
	Done    int       // the last predicted frame; before the first one, the frame before it
	Mean    []float32 // (horizon+1, M), in the variables' units; NaN for missing frames
	scaled  []float32 // the same in [-1, 1], of deterministic dynamics
	Low     []float32 // of ensembles
	High    []float32
	Paths   []float32 // (shownPaths, horizon+1, M)
	future  []float32 // (horizon+1, V) of the frame as it stands, or of the first member, in [-1, 1]
	values  []float32 // (Rows)
	state   []float32 // z in the mean of the rows (V), in [-1, 1]
	left    departure

	// Each, unless nil, receives the values of all members of an ensemble, for every frame
	// and variable as they are computed. It may not keep them.
	Each func(frame, variable int, values []float32)

	// Generation changes whenever the prediction has changed, and differs from any other
	// prediction's.
	Generation uint64
}

// departure is the first state of a prediction outside training.
type departure struct {
	frame, variable int // frame is -1 while there is none; see experiment.Model.Left
	value           float32
}

// NewPrediction returns memory for predictions of a model, with so many members if its
// dynamics are stochastic. None has begun.
func NewPrediction(m *experiment.Model, members int) *Prediction {
	f := m.NewForecast(1, members)
	return &Prediction{
		model: m, forecast: f, coder: m.NewCoder(), z0: make([]float32, m.Config.Views*m.Config.States()),
		values: make([]float32, f.Rows()), state: make([]float32, m.Config.States()), left: departure{frame: -1}, Done: -1,
	}
}

// Told fills f with the first frame of a model's predictions of a run, and returns the
// macroscopic variables up to it (K, M), as Begin takes them; ok is false until the run has
// reached that frame.
func Told(f *system.Frame, live system.Live, m *experiment.Model) (past []float64, ok bool) {
	begin := m.Config.Dynamics.Begin
	if live.Run().Known < begin {
		return nil, false
	}
	for k := range begin + 1 {
		past = append(past, live.Macro(k)...)
	}
	live.Frame(f, begin)
	return past, true
}

// Begin restarts from the first frame of the model's predictions, with sorted particles
// unless asIs is true, and the macroscopic variables up to it, as experiment.Coder.State
// takes them.
func (p *Prediction) Begin(f *system.Frame, macro []float64, horizon int, seed uint64, asIs bool) {
	if !asIs {
		f = p.coder.Canonical(f)
	}
	p.frame.Copy(f)
	p.macro, p.horizon, p.seed = append(p.macro[:0], macro...), horizon, seed
	n, v := (horizon+1)*p.model.Config.Variables, p.model.Config.States()
	for _, row := range []*[]float32{&p.Mean, &p.Low, &p.High, &p.scaled} {
		*row = allNaN(*row, n)
	}
	p.Paths = allNaN(p.Paths, shownPaths*n)
	p.future = allNaN(p.future, (horizon+1)*v)
	p.views, p.Done, p.left.frame = 0, p.model.Config.Dynamics.Begin-1, -1
}

// allNaN returns n NaNs, in v's memory if that suffices.
func allNaN(v []float32, n int) []float32 {
	v = slices.Grow(v[:0], n)[:n]
	for i := range v {
		v[i] = float32(math.NaN())
	}
	return v
}

// Step encodes one more view of frame 0, or predicts one more frame, and reports whether work
// was left.
func (p *Prediction) Step() bool {
	c := &p.model.Config
	v := c.States()
	switch k := p.views; {
	case k < c.Views:
		p.coder.State(p.z0[k*v:(k+1)*v], &p.frame, p.macro, k)
		if p.views++; p.views == c.Views {
			p.forecast.Begin(p.z0, p.seed, 0)
			p.keep()
		}
		return true
	case p.Done >= p.horizon:
		return false
	}
	p.forecast.Step(p.model.DynamicsParams)
	p.keep()
	return true
}

// keep stores the forecast's present frame.
func (p *Prediction) keep() {
	p.Done++
	p.Generation += NextGeneration
	c := &p.model.Config
	m, v := c.Variables, c.States()
	p.forecast.First(p.future[p.Done*v:(p.Done+1)*v], 0)
	for k := range p.state {
		p.state[k] = p.forecast.Mean(0, k)
	}
	if i, left := p.model.Left(p.state, p.Done); left && p.left.frame < 0 {
		p.left = departure{frame: p.Done, variable: i}
		if i != experiment.WholeState {
			p.left.value = p.state[i]
		}
	}
	for k := range m {
		at := m*p.Done + k
		if !c.Traits.Stochastic {
			p.scaled[at] = p.forecast.Mean(0, k)
			p.Mean[at] = float32(p.model.Scale.Value(k, float64(p.scaled[at])))
			continue
		}
		p.forecast.Macro(p.values, 0, k)
		if p.Each != nil {
			p.Each(p.Done, k, p.values)
		}
		for i := range min(shownPaths, len(p.values)) {
			p.Paths[m*i*(p.horizon+1)+at] = p.values[i]
		}
		sum := 0.0
		for _, x := range p.values {
			sum += float64(x)
		}
		p.Mean[at] = float32(sum / float64(len(p.values)))
		p.Low[at], p.High[at] = experiment.Bounds(p.values, p.model.Stretch)
	}
}

// Begun says whether Begin has been called since the prediction was made or ended.
func (p *Prediction) Begun() bool { return len(p.macro) > 0 }

// End drops the prediction, until Begin.
func (p *Prediction) End() { p.macro = p.macro[:0] }

// Complete says whether every frame has been predicted.
func (p *Prediction) Complete() bool { return p.Done == p.horizon && p.views == p.model.Config.Views }

// Closures returns the predicted ẑ of frame k in [-1, 1].
func (p *Prediction) Closures(k int) []float32 {
	c := &p.model.Config
	v, first := c.States(), c.Variables
	return p.future[k*v+first : k*v+first+c.Sets()*c.ZDim()]
}

// Within counts the true values (M) of a frame that lie in the predicted band.
func (p *Prediction) Within(frame int, truth []float64) (n int) {
	for k, v := range truth {
		if at := len(truth)*frame + k; float64(p.Low[at]) <= v && v <= float64(p.High[at]) {
			n++
		}
	}
	return n
}

// Left returns the first predicted frame with a state, the mean of an ensemble, outside
// training; -1 is none.
func (p *Prediction) Left() (frame int) { return p.left.frame }

// LeftWhat describes which variable has left training, and in which direction.
func (p *Prediction) LeftWhat() string {
	variable := p.left.variable
	if variable == experiment.WholeState {
		return "the predicted z is farther out than nearly all states in training"
	}
	c := &p.model.Config
	if variable >= c.Moving() {
		return fmt.Sprintf("the %s of this run is outside of its trained range", c.StillName(variable))
	}
	what := ""
	if m := c.Variables; variable < m {
		what = p.model.System.Variables(c.Observable)[variable]
	} else {
		what = "ẑ" + subscript(variable-m+1)
	}
	v := float64(p.left.value)
	side := "above"
	if v < 0 {
		side = "below"
	}
	if math.IsNaN(v) {
		return fmt.Sprintf("the predicted %s is no longer a number", what)
	}
	return fmt.Sprintf("the predicted %s is %s its trained range, by %.0f %% of the range", what, side, 50*(math.Abs(v)-1))
}

// subscript writes a whole number in subscript digits.
func subscript(n int) string {
	out := ""
	for _, r := range fmt.Sprint(n) {
		out += string('₀' + r - '0')
	}
	return out
}

// Errors writes the squared relative errors of a prediction of the first variable, both in
// [-1, 1], to dst: (pred-truth)² over the mean of truth². It returns their mean, the run's
// MRE so far (see metric.MRE).
func (p *Prediction) Errors(dst []float32, truth func(k int) float64) (mre float64) {
	s, m, n := &p.model.Scale, p.model.Config.Variables, len(dst)
	size := 0.0
	for k := range n {
		t := float64(float32(s.State(0, truth(k))))
		size += t * t / float64(n)
	}
	for k := range n {
		d := float64(float32(s.State(0, truth(k)))) - float64(p.scaled[m*k])
		e := d * d / size
		dst[k] = float32(e)
		mre += e / float64(n)
	}
	return mre
}
