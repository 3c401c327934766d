package lab

import (
	"macroscope/model/metric"
	"macroscope/model/sde"
)

// heldOut measures a law on trajectories that do not train it, as Evaluate
// does, but in short pieces of work. The encoder must not change meanwhile.
type heldOut struct {
	model  *ParticlesModel
	frames int
	first  [][]float32 // frame 0 of every trajectory (N, Dim)
	macro  [][]float64 // the observable of every frame (T)

	coded   int       // trajectories whose z0 is there
	z0      []float32 // (V, Views, D)
	truth   []float32 // z̄ in [-1, 1] (V, T)
	encoder *frameEncoder

	integrator *sde.Integrator[float32]
	params     []float32 // the law that is measured
	z          []float32 // (V, Views, D)
	pred       []float32 // (V, T)
	mre        []float64 // (V)
	frame      int       // that comes next; 0 while nothing is being measured
	at         int       // step of the law that is, or was last, measured; 0 for none
}

func newHeldOut(m *ParticlesModel, count int, s Shape) *heldOut {
	d, views := m.Config.Law.Drift.Dim, m.Config.Views
	rows := count * views
	return &heldOut{
		model: m, frames: s.Frames, first: make([][]float32, count), macro: make([][]float64, count),
		z0: make([]float32, rows*d), truth: make([]float32, count*s.Frames), encoder: m.newFrameEncoder(s.Particles),
		integrator: sde.NewIntegrator(sde.NewDrift[float32](m.law, rows), sde.RK4, rows),
		params:     make([]float32, len(m.LawParams)), z: make([]float32, rows*d),
		pred: make([]float32, count*s.Frames), mre: make([]float64, count),
	}
}

// put adds trajectory e, of which it keeps a copy.
func (h *heldOut) put(e int, frame []float32, macro []float64) {
	h.first[e], h.macro[e] = append([]float32(nil), frame...), append([]float64(nil), macro...)
}

// code encodes the next trajectory's views, and says whether there was one.
func (h *heldOut) code() bool {
	e := h.coded
	if e == len(h.first) {
		return false
	}
	m, n := h.model, len(h.z0)/len(h.first)
	m.states(h.z0[e*n:(e+1)*n], h.encoder, h.first[e], h.macro[e][0])
	for t, v := range h.macro[e] {
		h.truth[e*h.frames+t] = float32(m.Scale.Macro(0, v))
	}
	h.coded++
	return true
}

// begin measures the law as it is now, after so many steps.
func (h *heldOut) begin(step int) {
	h.at = step
	copy(h.params, h.model.LawParams)
	copy(h.z, h.z0)
	h.read(0)
	h.frame = 1
}

func (h *heldOut) busy() bool { return h.frame > 0 }

// advance goes on by a frame. After the last it returns the mean MRE, which is
// infinite where a prediction has left all bounds.
func (h *heldOut) advance() (mre float64, whole bool) {
	if h.frame < h.frames {
		c := &h.model.Config.Law
		h.integrator.Step(h.z, h.params, h.z, len(h.z)/c.Drift.Dim, c.Dt)
		h.read(h.frame)
		h.frame++
		return 0, false
	}
	h.frame = 0
	metric.MRE(h.mre, h.pred, h.truth)
	mean, _, _ := (&Rollouts{MRE: h.mre}).Summary()
	return mean, true
}

// read enters z̄ of a frame, the mean over views, into the predictions.
func (h *heldOut) read(frame int) {
	d, views := h.model.Config.Law.Drift.Dim, h.model.Config.Views
	for e := range h.first {
		sum := 0.0
		for k := range views {
			sum += float64(h.z[(e*views+k)*d])
		}
		h.pred[e*h.frames+frame] = float32(sum / float64(views))
	}
}

// heldOutCount is how many trajectories a training is watched by.
const heldOutCount = 16

// heldOutOf returns which trajectories of a recording a training is watched by,
// count from first on: those that do not train, or the last where all do.
func heldOutOf(c *ParticlesConfig, trajectories int) (first, count int) {
	count = min(heldOutCount, trajectories)
	return min(max(c.Trajectories, c.Law.Trajectories), trajectories-count), count
}
