package lab

import (
	"fmt"
	"math"

	"macroscope/model/sde"
)

// forecast is what a model predicts of a run from its frame 0 alone, worked out
// step by step, so that a page need not wait for it. It is what Predict does,
// to the bit: RK4 of z from several views of the frame, and their mean.
type forecast struct {
	model *ParticlesModel
	in    *sde.Integrator[float32]
	enc   *frameEncoder
	order planeOrder
	frame []float32 // frame 0 (N, 2) in the order that it is encoded in
	macro float64   // the observable there
	z     []float32 // (Views, D) at frame done
	views int       // of frame 0 that have been encoded

	horizon, done int
	pred          []float32 // z̄ (horizon+1) in [-1, 1]
	future        []float32 // (horizon+1, D) of the frame as it stands, in [-1, 1]
}

func newForecast(m *ParticlesModel) *forecast {
	rows := m.Config.Views
	return &forecast{
		model: m, in: sde.NewIntegrator(sde.NewDrift[float32](m.law, rows), sde.RK4, rows), z: make([]float32, rows*m.Config.Law.Drift.Dim),
	}
}

// begin starts anew from a frame (N, 2), whose particles are brought into one
// order unless asIs says that they are not to be, and its observable.
func (f *forecast) begin(frame []float32, macro float64, horizon int, asIs bool) {
	if f.enc == nil || f.enc.size != len(frame) {
		f.enc = f.model.newFrameEncoder(len(frame) / 2)
	}
	if !asIs {
		frame = f.order.sorted(frame)
	}
	f.frame, f.macro = append(f.frame[:0], frame...), macro
	if f.horizon = horizon; cap(f.pred) <= horizon {
		f.pred, f.future = make([]float32, horizon+1), make([]float32, (horizon+1)*f.model.Config.Law.Drift.Dim)
	}
	f.pred, f.future = f.pred[:horizon+1], f.future[:(horizon+1)*f.model.Config.Law.Drift.Dim]
	f.views, f.done = 0, 0
}

func (f *forecast) keep() {
	d, views := f.model.Config.Law.Drift.Dim, f.model.Config.Views
	sum := 0.0
	for k := range views {
		sum += float64(f.z[k*d])
	}
	f.pred[f.done] = float32(sum / float64(views))
	copy(f.future[f.done*d:(f.done+1)*d], f.z) // view 0 is the frame itself
}

// step encodes one more view of frame 0, or predicts one more frame, and reports
// whether there was something left.
func (f *forecast) step() bool {
	d := f.model.Config.Law.Drift.Dim
	switch k := f.views; {
	case k < f.model.Config.Views:
		f.model.state(f.z[k*d:(k+1)*d], f.enc, f.frame, f.macro, k)
		if f.views++; f.views == f.model.Config.Views {
			f.keep()
		}
		return true
	case f.done >= f.horizon:
		return false
	}
	f.in.Step(f.z, f.model.LawParams, f.z, f.model.Config.Views, f.model.Config.Law.Dt)
	f.done++
	f.keep()
	return true
}

// complete says whether every frame has been predicted.
func (f *forecast) complete() bool { return f.views == f.model.Config.Views && f.done == f.horizon }

// closure returns the predicted ẑ of frame k in [-1, 1].
func (f *forecast) closure(k int) []float32 {
	d := f.model.Config.Law.Drift.Dim
	return f.future[k*d+1 : (k+1)*d]
}

// leftMargin is how far beyond the range of the training set, in [-1, 1], a
// variable counts as having left it: a hundredth of the range. Of 240 runs of the
// test sets, with 50 to 400 particles, none came that far.
const leftMargin = 0.02

// left returns the first predicted frame at which a variable is beyond what
// training covered, and which; frame -1 is none.
func (f *forecast) left() (frame, variable int) {
	d := f.model.Config.Law.Drift.Dim
	for k := range f.done + 1 {
		for i, v := range f.future[k*d : (k+1)*d] {
			if !(math.Abs(float64(v)) <= 1+leftMargin) { // also when NaN
				return k, i
			}
		}
	}
	return -1, 0
}

// leftWhat says in words which variable has left, and where to.
func (f *forecast) leftWhat(macro string, frame, variable int) string {
	what := macro
	if variable > 0 {
		what = fmt.Sprintf("closure variable ẑ%s", subscript(variable))
	}
	v := float64(f.future[frame*f.model.Config.Law.Drift.Dim+variable])
	side := "above the largest"
	if v < 0 {
		side = "below the smallest"
	}
	if math.IsNaN(v) {
		return fmt.Sprintf("the predicted %s is no number any more", what)
	}
	return fmt.Sprintf("the predicted %s is %.0f%% of its range %s value that training covered", what, 50*(math.Abs(v)-1), side)
}

// subscript writes a whole number in small figures.
func subscript(n int) string {
	out := ""
	for _, r := range fmt.Sprint(n) {
		out += string('₀' + r - '0')
	}
	return out
}

// errors writes the squared relative errors of a prediction against what came,
// both in [-1, 1], to dst: (pred-truth)² over the mean of truth². Their mean is
// the run's MRE so far, which is returned (see metric.MRE).
func (f *forecast) errors(dst []float32, truth []float64) (mre float64) {
	s := &f.model.Scale
	size := 0.0
	for _, v := range truth {
		t := float64(float32(s.Macro(0, v)))
		size += t * t / float64(len(truth))
	}
	for k, v := range truth {
		d := float64(float32(s.Macro(0, v))) - float64(f.pred[k])
		e := d * d / size
		dst[k] = float32(e)
		mre += e / float64(len(truth))
	}
	return mre
}
