package experiment

import (
	"fmt"
	"math"

	"macroscope/model/net/dynamics"
	"macroscope/model/system"
)

// Frozen variables of z are inputs of the dynamics that the dynamics do not advance. They are
// the last variables of z, in this order: the share of the first species among all particles,
// the parameters that are inputs of the dynamics, and a memory. The first two are known from
// frame 0 on and never change. The memory is computed in every frame.

// still returns the number of frozen variables of z.
func (c *Config) still() int {
	n := len(c.Dynamics.Params) + c.remembered()
	if c.Dynamics.Share {
		n++
	}
	return n
}

// frozen lists the frozen variables with their ranges. The range of a memory is a placeholder;
// stage II computes its true range.
func (c *Config) frozen() (ranges system.Ranges) {
	if c.Dynamics.Share {
		ranges = append(ranges, system.Range{Name: "share", Low: 0, High: 1})
	}
	ranges = append(ranges, c.Dynamics.Params...)
	for i := range c.remembered() {
		ranges = append(ranges, system.Range{Name: fmt.Sprintf("memory of %d frames", c.Dynamics.Memory[i/c.Variables]), Low: -1, High: 1})
	}
	return ranges
}

// StillName returns the name of a frozen variable of z.
func (c *Config) StillName(variable int) string { return c.frozen()[variable-c.Moving()].Name }

// freeze writes the share and the parameters of a frame to the end of z (V), scaled to [-1, 1]. It
// does not write the memory.
func (m *Model) freeze(z []float32, f *system.Frame) {
	c, at := &m.Config, m.Config.Moving()
	put := func(v float64) {
		z[at] = float32(m.Scale.State(at, v))
		at++
	}
	if c.Dynamics.Share {
		put(float64(f.Ends[0]) / float64(f.Ends[len(f.Ends)-1]))
	}
	for _, r := range c.Dynamics.Params {
		put(c.Traits.Parameters.Value(f.Params, c.Traits.Parameters.Find(r.Name)))
	}
}

// frozenDrift is a drift that is 0 for the last variables, the frozen ones.
type frozenDrift struct {
	dynamics.Drift[float32]
	still int // the number of frozen variables
}

var _ dynamics.Drift[float32] = frozenDrift{}

// Forward implements dynamics.Drift.
func (d frozenDrift) Forward(dst, params, z []float32, rows int) {
	d.Drift.Forward(dst, params, z, rows)
	d.freeze(dst, rows)
}

// Backward implements dynamics.Drift.
func (d frozenDrift) Backward(dz, params, grads, z, dg []float32, rows int) {
	d.freeze(dg, rows)
	d.Drift.Backward(dz, params, grads, z, dg, rows)
}

// Another implements dynamics.Drift.
func (d frozenDrift) Another() dynamics.Drift[float32] {
	return frozenDrift{d.Drift.Another(), d.still}
}

func (d frozenDrift) freeze(g []float32, rows int) {
	n := d.Dim()
	for r := range rows {
		clear(g[(r+1)*n-d.still : (r+1)*n])
	}
}

// frozenDiffusion gives each frozen variable a noise σ that is independent of the other
// variables. In a rollout σ is 0.
type frozenDiffusion struct {
	dynamics.Diffusion[float32]
	still int // the number of frozen variables
	sigma float32
}

var _ dynamics.Diffusion[float32] = frozenDiffusion{}

// unnoticed returns a σ for frozen variables. With this σ, a frozen variable adds nothing to the
// log-likelihood of steps of length dt (see dynamics.Likelihood).
func unnoticed(dt float64) float32 { return float32(1 / math.Sqrt(2*math.Pi*dt)) }

// Forward implements dynamics.Diffusion.
func (d frozenDiffusion) Forward(dst, params, z []float32, rows int) {
	d.Diffusion.Forward(dst, params, z, rows)
	d.freeze(dst, rows, d.sigma)
}

// Backward implements dynamics.Diffusion.
func (d frozenDiffusion) Backward(dz, params, grads, z, ds []float32, rows int) {
	d.freeze(ds, rows, 0)
	d.Diffusion.Backward(dz, params, grads, z, ds, rows)
}

// freeze changes the last d.still rows of every Σ in s, which belong to the frozen variables. It
// sets the diagonal elements of these rows to the given value, and the other elements to 0. A
// diagonal Σ is stored as its n diagonal elements. A full Σ also stores the elements below the
// diagonal, row by row: i elements for row i.
func (d frozenDiffusion) freeze(s []float32, rows int, last float32) {
	n, width := d.Dim(), d.Width()
	left := 0
	if width > n {
		left = d.still * (2*n - d.still - 1) / 2
	}
	for r := range rows {
		row := s[r*width : (r+1)*width]
		for i := n - d.still; i < n; i++ {
			row[i] = last
		}
		clear(row[width-left:])
	}
}

// newDrift returns a drift that can compute up to the given number of rows at once.
func (e *equation) newDrift(rows int) dynamics.Drift[float32] {
	drift := dynamics.NewDrift[float32](e.drift, rows)
	if e.still > 0 {
		return frozenDrift{drift, e.still}
	}
	return drift
}

// newDiffusion returns a diffusion that can compute up to the given number of rows at once.
// sigma is the noise of frozen variables.
func (e *equation) newDiffusion(rows int, sigma float32) dynamics.Diffusion[float32] {
	noise := dynamics.NewDiffusion[float32](e.noise, rows)
	if e.still > 0 {
		return frozenDiffusion{noise, e.still, sigma}
	}
	return noise
}

// gather copies the equation's variables from z (rows, V) to dst (rows, D).
func (e *equation) gather(dst, z []float32, rows, variables int) {
	for r := range rows {
		for j, k := range e.of {
			dst[r*len(e.of)+j] = z[r*variables+k]
		}
	}
}
