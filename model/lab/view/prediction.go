package view

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/system"
)

// shownPaths is the number of members of an ensemble that are drawn as single paths.
const shownPaths = 6

// NextGeneration is added to a generation number (see wire.Frame.Extend) whenever the data change.
const NextGeneration = 1 << 32

// Prediction is a model's prediction of a run from only its first frame: frame 0, or the frame
// at which the model's predictions begin. It is computed step by step, so a page need not wait.
// It has the same bits as measure.Predict.
type Prediction struct {
	model    *model.Model
	forecast *model.Forecast
	coder    *model.Coder
	frame    system.Frame // the first frame, with the particles in the order in which they are encoded
	macro    []float64    // macroscopic variables (K, M) from frame 0 to the first frame of the prediction
	seed     uint64
	z0       []float32 // (Views, V): initial z of every view; a view is a turned or mirrored copy of the first frame
	views    int       // number of views of the first frame that have been encoded

	horizon int
	Done    int       // last predicted frame; at the start, the frame before Config.Dynamics.Begin
	Mean    []float32 // (horizon+1, M) in the variables' units; NaN for frames not predicted yet
	scaled  []float32 // Mean in [-1, 1], for deterministic dynamics
	Low     []float32 // lower end of an ensemble's band (horizon+1, M)
	High    []float32 // upper end
	Paths   []float32 // single members of an ensemble (shownPaths, horizon+1, M)
	future  []float32 // (horizon+1, V): z of the first view or member, in [-1, 1]
	values  []float32 // one variable in all rows of the forecast (Rows)
	state   []float32 // z (V), averaged over the rows of the forecast, in [-1, 1]
	left    departure

	// Each is called when an ensemble has predicted a variable of a frame. The slice contains the
	// variable of every member. The function must not keep the slice. The field may be nil.
	Each func(frame, variable int, values []float32)

	// Generation changes whenever the prediction changes. Two predictions never have the same
	// Generation.
	Generation uint64
}

// departure is the first predicted state outside the range of training.
type departure struct {
	frame, variable int // frame is -1 if no state is outside; variable is a result of model.Model.Left
	value           float32
}

// NewPrediction returns a Prediction for a model. members is the size of the ensemble if the
// dynamics are stochastic.
func NewPrediction(m *model.Model, members int) *Prediction {
	f := m.NewForecast(1, members)
	return &Prediction{
		model: m, forecast: f, coder: m.NewCoder(), z0: make([]float32, m.Config.Data.Views*m.Config.States()),
		values: make([]float32, f.Rows()), state: make([]float32, m.Config.States()), left: departure{frame: -1}, Done: -1,
	}
}

// Told returns the input of a prediction: it fills f with the first frame, and returns the
// macroscopic variables (K, M) of all frames up to this frame. ok is false if the run has not
// reached the first frame.
func Told(f *system.Frame, live system.Live, m *model.Model) (past []float64, ok bool) {
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

// Begin begins a prediction from its first frame f and the macroscopic variables up to this
// frame (see model.Coder.State). It first sorts the particles, unless asIs is set.
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

// allNaN returns n NaNs. It uses the memory of v if v is large enough.
func allNaN(v []float32, n int) []float32 {
	v = slices.Grow(v[:0], n)[:n]
	for i := range v {
		v[i] = float32(math.NaN())
	}
	return v
}

// Step encodes one view of the first frame, or predicts one frame. It returns false if there
// was nothing to do.
func (p *Prediction) Step() bool {
	c := &p.model.Config
	v := c.States()
	switch k := p.views; {
	case k < c.Data.Views:
		p.coder.State(p.z0[k*v:(k+1)*v], &p.frame, p.macro, k)
		if p.views++; p.views == c.Data.Views {
			p.forecast.Begin(p.z0, p.seed, 0)
			p.keep()
		}
		return true
	case p.Done >= p.horizon:
		return false
	}
	p.forecast.Step(p.model.Weights.DynamicsParams)
	p.keep()
	return true
}

// keep stores the frame that has just been predicted.
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
		if i != model.WholeState {
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
		p.Low[at], p.High[at] = measure.Bounds(p.values, p.model.Calibration.Stretch)
	}
}

// Begun reports whether a prediction has begun.
func (p *Prediction) Begun() bool { return len(p.macro) > 0 }

// End drops the prediction.
func (p *Prediction) End() { p.macro = p.macro[:0] }

// Complete reports whether every frame has been predicted.
func (p *Prediction) Complete() bool {
	return p.Done == p.horizon && p.views == p.model.Config.Data.Views
}

// Closures returns the predicted ẑ of frame k, in [-1, 1].
func (p *Prediction) Closures(k int) []float32 {
	c := &p.model.Config
	v, first := c.States(), c.Variables
	return p.future[k*v+first : k*v+first+c.Sets()*c.ZDim()]
}

// Within returns how many of the true values (M) of a frame lie inside the band.
func (p *Prediction) Within(frame int, truth []float64) (n int) {
	for k, v := range truth {
		if at := len(truth)*frame + k; float64(p.Low[at]) <= v && v <= float64(p.High[at]) {
			n++
		}
	}
	return n
}

// Left returns the first frame in which the predicted state is outside the range of training, or -1
// if there is none. For an ensemble, only the mean state counts.
func (p *Prediction) Left() (frame int) { return p.left.frame }

// LeftWhat says which variable has left the training range, and on which side.
func (p *Prediction) LeftWhat() string {
	variable := p.left.variable
	if variable == model.WholeState {
		return "the predicted z is farther out than nearly all states in training"
	}
	c := &p.model.Config
	if variable >= c.Moving() {
		return fmt.Sprintf("the %s of this run is outside of its trained range", c.Frozen().Ranges()[variable-c.Moving()].Name)
	}
	what := ""
	if m := c.Variables; variable < m {
		what = p.model.System.Variables(c.Data.Observable)[variable]
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

// LeftSign returns the symbol of the closure variable that has left the training range, like "ẑ_3". It
// returns "" if something else has.
func (p *Prediction) LeftSign() string {
	c := &p.model.Config
	if v := p.left.variable; v != model.WholeState && c.Variables <= v && v < c.Moving() {
		sign := "ẑ"
		for _, digit := range fmt.Sprint(v - c.Variables + 1) {
			sign += "_" + string(digit)
		}
		return sign
	}
	return ""
}

// subscript returns a whole number in subscript digits.
func subscript(n int) string {
	out := ""
	for _, r := range fmt.Sprint(n) {
		out += string('₀' + r - '0')
	}
	return out
}

// Errors writes the squared relative errors of the first variable to dst: (pred-truth)² divided
// by the mean of truth², with pred and truth scaled to [-1, 1]. It returns the mean of these
// errors, the MRE of the run so far (see metric.MRE).
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
