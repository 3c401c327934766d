package model

import (
	"macroscope/model/learn/method"
	"macroscope/model/net/dynamics"
)

// Field gives the dynamics of a model at any state z (V) in [-1, 1]: the drift g(z)·Δt, the
// Jacobian of the drift, and the covariance ΣΣᵀ·Δt of the noise. The unit of time is a frame. If
// several equations contain a variable, the first equation determines it, as in a Forecast. Field
// is not safe for concurrent use.
type Field struct {
	model *Model
	parts []fieldPart
	grads []float32 // gradients of the parameters, which Backward computes and Field does not use
}

// fieldPart holds the memory in which one equation is evaluated.
type fieldPart struct {
	equation *method.Equation
	owns     []int // variables that no earlier equation moves, as indices in equation.Of
	drift    dynamics.Drift[float32]
	noise    dynamics.Diffusion[float32] // nil if the system is not stochastic
	z, g, dz []float32                   // state, drift and the drift's gradient (D, D)
	sigma    []float32                   // values of the diffusion (Width)
}

// NewField returns a Field, or nil if the model has no dynamics.
func (m *Model) NewField() *Field {
	if !m.Config.HasDynamics() {
		return nil
	}
	f := &Field{model: m, grads: make([]float32, len(m.Weights.DynamicsParams))}
	owned := make([]bool, m.Config.Moving())
	for i := range m.Weights.net.Equations {
		e := &m.Weights.net.Equations[i]
		d := len(e.Of)
		p := fieldPart{equation: e, drift: e.NewDrift(d), z: make([]float32, d*d), g: make([]float32, d*d), dz: make([]float32, d*d)}
		if e.Noise != nil {
			p.noise = e.NewDiffusion(1, 0)
			p.sigma = make([]float32, p.noise.Width())
		}
		for at, k := range e.Of {
			if k < len(owned) && !owned[k] && (k >= m.Config.Variables || at < e.Macro) {
				owned[k] = true
				p.owns = append(p.owns, at)
			}
		}
		f.parts = append(f.parts, p)
	}
	return f
}

// Drift writes g(z)·Δt (V) to dst. It is 0 for frozen variables.
func (f *Field) Drift(dst []float64, z []float32) {
	clear(dst)
	dt := f.model.Config.Dynamics.Dt
	for i := range f.parts {
		p := &f.parts[i]
		p.equation.Gather(p.z, z, 1, len(z))
		p.drift.Forward(p.g, f.model.Weights.DynamicsParams, p.z, 1)
		for _, at := range p.owns {
			dst[p.equation.Of[at]] = dt * float64(p.g[at])
		}
	}
}

// Jacobian writes ∂g_i/∂z_j·Δt to dst (V, V).
func (f *Field) Jacobian(dst []float64, z []float32) {
	clear(dst)
	v, dt := len(z), f.model.Config.Dynamics.Dt
	for i := range f.parts {
		p := &f.parts[i]
		of, d := p.equation.Of, len(p.equation.Of)
		// Each row of the batch computes the gradient of one component of g. This is a row of
		// the Jacobian.
		p.equation.Gather(p.z, z, 1, v)
		for r := 1; r < d; r++ {
			copy(p.z[r*d:(r+1)*d], p.z[:d])
		}
		p.drift.Forward(p.g, f.model.Weights.DynamicsParams, p.z, d)
		clear(p.g)
		for at := range d {
			p.g[at*d+at] = 1
		}
		p.drift.Backward(p.dz, f.model.Weights.DynamicsParams, f.grads, p.z, p.g, d)
		for _, at := range p.owns {
			for j, k := range of {
				dst[of[at]*v+k] = dt * float64(p.dz[at*d+j])
			}
		}
	}
	clear(f.grads)
}

// Covariance writes ΣΣᵀ·Δt to dst (V, V). It is 0 if the system is deterministic. The noises of
// different equations are independent.
func (f *Field) Covariance(dst []float64, z []float32) {
	clear(dst)
	v, dt := len(z), f.model.Config.Dynamics.Dt
	for i := range f.parts {
		p := &f.parts[i]
		if p.noise == nil {
			continue
		}
		of, d := p.equation.Of, len(p.equation.Of)
		p.equation.Gather(p.z, z, 1, v)
		p.noise.Forward(p.sigma, f.model.Weights.DynamicsParams, p.z, 1)
		for _, a := range p.owns {
			for _, b := range p.owns {
				dst[of[a]*v+of[b]] = dt * dynamics.Covariance(p.sigma, d, a, b)
			}
		}
	}
}
