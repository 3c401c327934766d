//go:build !first

package model

import (
	"fmt"
	"math"
	"math/rand/v2"

	"macroscope/model/learn/method"
	"macroscope/model/net/dynamics"
	"macroscope/sim/rng"
)

// Forecast advances states by the dynamics of a model, one frame at a time, so a page need not
// wait for the last frame. Every state has several rows. For a deterministic system these are
// the views of a frame, advanced by RK4. For a stochastic system they are the members of an
// ensemble; the members start from the views in turn and advance by Euler–Maruyama steps with
// separate noise. Forecast is not safe for concurrent use.
type Forecast struct {
	model        *Model
	states, rows int
	frame        int
	parts        []forecastPart
	gauss        *rand.Rand
	path         pathSource
}

// forecastPart holds the variables of one equation, for all rows.
type forecastPart struct {
	equation *method.Equation
	ode      *dynamics.Integrator[float32]
	sde      *dynamics.EulerMaruyama[float32]
	z, dW    []float32 // states and increments of W (states·rows, D)
	before   []float32 // macroscopic variables (states·rows, M) of the last frame, for dynamics with a memory
	paths    []rand.PCG
}

// pathSource is the source of Forecast.gauss. For each row, the method Step sets PCG to the
// generator of this row. Every row thus has its own noise.
type pathSource struct{ *rand.PCG }

// NewForecast makes a Forecast with the given number of states. For a stochastic system,
// members is the number of rows of each state.
func (m *Model) NewForecast(states, members int) *Forecast {
	f := &Forecast{model: m, states: states, rows: m.Config.Data.Views}
	if m.Config.Traits.Stochastic {
		f.rows = members
	}
	f.gauss = rand.New(&f.path)
	rows := states * f.rows
	for i := range m.Weights.net.Equations {
		e := &m.Weights.net.Equations[i]
		p := forecastPart{equation: e, z: make([]float32, rows*len(e.Of))}
		if e.Noise == nil {
			p.ode = dynamics.NewIntegrator(e.NewDrift(rows), dynamics.RK4, rows)
		} else {
			p.sde = dynamics.NewEulerMaruyama(e.NewDrift(rows), e.NewDiffusion(rows, 0), rows)
			p.dW, p.paths = make([]float32, len(p.z)), make([]rand.PCG, rows)
			if m.Config.Frozen().Remembered() > 0 {
				p.before = make([]float32, rows*m.Config.Variables)
			}
		}
		f.parts = append(f.parts, p)
	}
	return f
}

// Rows returns how many rows a state has.
func (f *Forecast) Rows() int { return f.rows }

// Frame returns the index of the present frame.
func (f *Forecast) Frame() int { return f.frame }

// Begin sets all rows to the initial states z0 (states, Views, V), at the frame at which
// predictions begin. If the system is stochastic, the members start from the views in turn, and
// seed and block select the random stream of the noise.
func (f *Forecast) Begin(z0 []float32, seed, block uint64) {
	f.frame = f.model.Config.Dynamics.Begin
	v, views := f.model.Config.States(), f.model.Config.Data.Views
	src := rng.New(seed, f.model.Config.Traits.Streams.Rollouts, block)
	for i := range f.parts {
		p := &f.parts[i]
		d := len(p.equation.Of)
		if p.ode != nil {
			p.equation.Gather(p.z, z0, f.states*f.rows, v)
			continue
		}
		for r := range p.paths {
			p.paths[r].Seed(src.Uint64(), src.Uint64())
			p.equation.Gather(p.z[r*d:(r+1)*d], z0[(r/f.rows*views+r%views)*v:], 1, v)
		}
	}
}

// Step advances all states to the next frame. params are the parameters of the dynamics.
func (f *Forecast) Step(params []float32) {
	dt := f.model.Config.Dynamics.Dt
	root := math.Sqrt(dt)
	for i := range f.parts {
		p := &f.parts[i]
		d := len(p.equation.Of)
		if p.ode != nil {
			p.ode.Step(p.z, params, p.z, len(p.z)/d, dt)
			continue
		}
		for r := range p.paths {
			f.path.PCG = &p.paths[r]
			for j := range d {
				p.dW[r*d+j] = float32(root * f.gauss.NormFloat64())
			}
		}
		for i := range p.before {
			vars := f.model.Config.Variables
			p.before[i] = p.z[i/vars*d+i%vars]
		}
		p.sde.Step(p.z, params, p.z, p.dW, len(p.paths), dt)
		if len(p.before) > 0 {
			f.model.recall(p.z, p.before, len(p.paths))
		}
	}
	f.frame++
}

// find returns the part that moves variable k of z, and the index of the variable in this part.
// If several parts move the variable, the first counts.
func (f *Forecast) find(k int) (p *forecastPart, at int) {
	for i := range f.parts {
		e := f.parts[i].equation
		for at, of := range e.Of {
			if of == k && (k >= f.model.Config.Variables || at < e.Macro) {
				return &f.parts[i], at
			}
		}
	}
	panic(fmt.Sprintf("model: no equation has variable %d", k))
}

// Variable writes variable k of z to dst (Rows), for every row of a state. The variable is scaled
// to [-1, 1].
func (f *Forecast) Variable(dst []float32, state, k int) {
	p, at := f.find(k)
	d := len(p.equation.Of)
	for r := range f.rows {
		dst[r] = p.z[(state*f.rows+r)*d+at]
	}
}

// Macro writes macroscopic variable k for every row of a state to dst (Rows), in the
// variable's own units.
func (f *Forecast) Macro(dst []float32, state, k int) {
	f.Variable(dst, state, k)
	for i, v := range dst[:f.rows] {
		dst[i] = float32(f.model.Scale.Value(k, float64(v)))
	}
}

// Mean returns the mean of variable k of z over the rows of a state. The variable is scaled to
// [-1, 1].
func (f *Forecast) Mean(state, k int) float32 {
	p, at := f.find(k)
	d := len(p.equation.Of)
	sum := 0.0
	for r := range f.rows {
		sum += float64(p.z[(state*f.rows+r)*d+at])
	}
	return float32(sum / float64(f.rows))
}

// Members writes macroscopic variable k of a state to dst in the units of a measure.Prediction: the values
// of all members of an ensemble (Rows), or the Mean of a path (1).
func (f *Forecast) Members(dst []float32, state, k int) {
	if f.model.Config.Motion().Ensemble {
		f.Macro(dst, state, k)
	} else {
		dst[0] = f.Mean(state, k)
	}
}

// First writes z of a state's first row to dst (V). All variables are scaled to [-1, 1].
func (f *Forecast) First(dst []float32, state int) {
	for k := range dst {
		p, at := f.find(k)
		dst[k] = p.z[state*f.rows*len(p.equation.Of)+at]
	}
}
