package measure

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/work"
)

// Task predicts trajectories of a source with a model. It encodes the frame at which predictions begin,
// and then only advances z. For a stochastic system, every trajectory gets an ensemble of predictions. The
// members start from the views in turn and have independent noise, which depends on the seed. For a
// deterministic system the prediction is the mean over the views.
type Task struct {
	Model   *model.Model
	Source  system.Source
	Count   int // number of trajectories: the first ones of the source
	Members int // number of predictions per trajectory for a stochastic system
	Seed    uint64
	Workers int // see work.Each; the result does not depend on them
	// Frames is how many frames are predicted at least, even of trajectories that have fewer; these can then be only starts,
	// of all frames up to the first of a prediction. 0: predictions are as long as the longest trajectory.
	Frames int
	// Encode fills Prediction.Closures from trajectory e, see Closures; nil: the Prediction has no ẑ.
	Encode func(g *Given, e int, coder *model.Coder, t *system.Trajectory)
}

// Run predicts the trajectories.
func (t Task) Run(pause work.Pause) (*Prediction, error) {
	m, s := t.Model, t.Source.Shape()
	c := &m.Config
	if s.Dim != c.Dim() {
		return nil, fmt.Errorf("the particles have %d coordinates, and the model was trained on %d; use trajectories of the same kind", s.Dim, c.Dim())
	}
	g := NewGiven(m, min(t.Count, s.Trajectories), max(s.Frames, t.Frames))
	if g.horizon = t.Frames; t.Encode != nil {
		g.closures = nans(g.count * g.frames * c.Sets() * c.ZDim())
	}
	if err := g.check(); err != nil {
		return nil, err
	}
	type room struct {
		coder *model.Coder
		frame system.Frame
	}
	rooms := sync.Pool{New: func() any { return &room{coder: m.NewCoder()} }}
	err := system.Each(pause.Part(0, 0.5), t.Source, g.count, t.Workers, func(e int, of *system.Trajectory) error {
		r := rooms.Get().(*room)
		defer rooms.Put(r)
		m.System.Frame(&r.frame, of, c.Dynamics.Begin, s.Dim)
		if err := m.Takes(&r.frame); err != nil {
			return fmt.Errorf("trajectory %d: %w", e, err)
		}
		if err := g.Set(e, r.coder, &r.frame, of.Macro); err != nil || g.closures == nil {
			return err
		}
		t.Encode(g, e, r.coder, of)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return g.Predict(pause.Part(0.5, 1), m.Weights.DynamicsParams, t.Members, method.PredictedTogether, t.Seed, t.Workers)
}

// Given holds what predictions of trajectories begin with, and the truth with which they are compared.
type Given struct {
	model         *model.Model
	count, frames int
	z0            []float32 // (E, Views, V): z at the frame at which predictions begin
	truth         []float32 // (E, T, M), in the units of a Prediction
	lengths       []int     // see Prediction.Lengths
	horizon       int       // see Prediction.Horizon
	closures      []float32 // see Prediction.Closures
}

// NewGiven makes a Given for a number of trajectories. Set fills it.
func NewGiven(m *model.Model, count, frames int) *Given {
	c := &m.Config
	return &Given{
		model: m, count: count, frames: frames,
		z0: make([]float32, count*c.Data.Views*c.States()), truth: make([]float32, count*frames*c.Variables), lengths: slices.Repeat([]int{frames}, count),
	}
}

// GivenCodes returns what predictions of encoded trajectories begin with, of `count` trajectories from `first`
// on.
func GivenCodes(m *model.Model, k *model.Codes, first, count int) *Given {
	g, c := NewGiven(m, count, k.Frames), &m.Config
	copy(g.lengths, k.Lengths[min(first, len(k.Lengths)):])
	v, row := k.Variables, k.Frames*c.Variables
	for e := range count {
		z := k.Of(first + e)[c.Dynamics.Begin*v:][:v]
		for i := range c.Data.Views {
			copy(g.z0[(e*c.Data.Views+i)*v:], z)
		}
		k.Truth(g.truth[e*row:(e+1)*row], m, first+e)
	}
	return g
}

// Set encodes the frame at which the predictions of trajectory e begin. macro (T, M) contains the
// macroscopic variables of all its frames. The error says that there are too few.
func (g *Given) Set(e int, coder *model.Coder, f *system.Frame, macro []float64) error {
	c := &g.model.Config
	v, row, begin := c.Data.Views*c.States(), g.frames*c.Variables, c.Dynamics.Begin
	g.lengths[e] = len(macro) / c.Variables
	least := min(begin+2, g.frames)
	if g.horizon > 0 {
		least = begin + 1
	}
	if g.lengths[e] < least {
		return fmt.Errorf("trajectory %d has %s, and predictions begin at frame %d; leave it out", e, setting.Count(g.lengths[e], "frame", "frames"), begin)
	}
	g.model.TruthOf(g.truth[e*row:e*row+len(macro)], macro)
	coder.States(g.z0[e*v:(e+1)*v], f, macro[:(begin+1)*c.Variables])
	return nil
}

// nans returns n NaNs.
func nans(n int) []float32 {
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(math.NaN())
	}
	return v
}

// check returns an error if the trajectories end before predictions begin.
func (g *Given) check() error {
	if begin := g.model.Config.Dynamics.Begin; begin >= g.frames {
		return fmt.Errorf("predictions begin at frame %d, and the trajectories have %d", begin, g.frames)
	}
	return nil
}

// Predict predicts all trajectories with the given parameters of the dynamics. `side` trajectories are
// advanced together; for a stochastic system, the noise depends on the seed and on `side`. Predict pauses
// between frames.
func (g *Given) Predict(pause work.Pause, params []float32, members, side int, seed uint64, workers int) (*Prediction, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	m := g.model
	c := &m.Config
	members = c.Motion().Members(members)
	p := &Prediction{
		Frames: g.frames, Members: members, Variables: c.Variables, Begin: c.Dynamics.Begin, Ensemble: c.Motion().Ensemble,
		Pred: make([]float32, members*len(g.truth)), Truth: g.truth,
		Lengths: g.lengths, Stretch: m.Calibration.Stretch, Unit: m.Unit(), Left: make([]bool, g.count*g.frames),
		Horizon: g.horizon, Closures: g.closures,
	}
	if g.closures != nil {
		p.Predicted = nans(len(g.closures))
	}
	p.tell()
	return p, roll(pause, m, p, params, g.z0, side, seed, workers)
}

// Predict predicts from one frame. macro contains macroscopic variables, as for model.Coder.State.
// Predict writes the macroscopic variables of every frame to dst (members, frames, M), in the
// units of a Prediction.
func Predict(m *model.Model, dst []float32, f *system.Frame, macro []float64, members, frames int, seed uint64) {
	z := make([]float32, m.Config.Data.Views*m.Config.States())
	m.NewCoder().States(z, f, macro)
	p := &Prediction{Frames: frames, Members: members, Variables: m.Config.Variables, Pred: dst, Truth: make([]float32, frames*m.Config.Variables)}
	_ = roll(func(float64) error { return nil }, m, p, m.Weights.DynamicsParams, z, 1, seed, 1) // only a pause can fail
}

// roll advances the states z0 (E, Views, V) from frame p.Begin on. It fills p.Pred, and p.Left unless it
// is nil.
func roll(pause work.Pause, m *model.Model, p *Prediction, params, z0 []float32, side int, seed uint64, workers int) error {
	c := &m.Config
	v, row, count := c.Data.Views*c.States(), p.Members*p.Frames*p.Variables, p.Trajectories()
	return work.Each(pause, count, side, workers, func() func(work.Pause, int, int) error {
		var whole *model.Forecast // of `side` trajectories
		z, values := make([]float32, c.States()), make([]float32, p.Members)
		return func(pause work.Pause, from, to int) error {
			n := to - from
			f := whole
			if n < side || f == nil {
				f = m.NewForecast(n, p.Members)
			}
			if n == side {
				whole = f
			}
			f.Begin(z0[from*v:], seed, uint64(from/side))
			for t := p.Begin; t < p.Frames; t++ {
				if t > p.Begin {
					if err := pause(float64(t) / float64(p.Frames)); err != nil {
						return err
					}
					f.Step(params)
				}
				p.read(p.Pred[from*row:], values, f, n, t)
				for e := 0; e < n && p.Left != nil; e++ {
					for k := range z {
						z[k] = f.Mean(e, k)
					}
					at := (from+e)*p.Frames + t
					if _, p.Left[at] = m.Left(z, t); p.Predicted != nil {
						closures := z[c.Variables:c.Moving()]
						copy(p.Predicted[at*len(closures):], closures)
					}
				}
			}
			return nil
		}
	})
}
