package particle

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// ErrUnstable is wrapped by the error of Step when a step would carry particles out of bounds
// or raise the energy.
var ErrUnstable = errors.New("the time step is too long for these forces")

// Simulation is one system of particles in motion. It is not safe for
// concurrent use.
type Simulation struct {
	cfg       Config
	step      int
	now, next half
	ahead     half // for refine; empty for the force of A and B
}

// half holds one state with the results of its pass. Step computes the next state in
// Simulation.next, so the present state, in Simulation.now, survives an error.
type half struct {
	*pass
	energy float64 // energy per pair
}

// New returns a simulation at step 0 with the given positions (N, 2). If ctx ends, New returns
// the error of ctx.
func New(ctx context.Context, cfg Config, positions []float32) (*Simulation, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := &Simulation{cfg: cfg}
	s.now.pass, s.next.pass = newPass(cfg.A, cfg.B, cfg.N), newPass(cfg.A, cfg.B, cfg.N)
	s.now.use(cfg.Force)
	s.next.use(cfg.Force)
	if cfg.Force != nil {
		s.ahead.pass = newPass(cfg.A, cfg.B, cfg.N)
		s.ahead.use(cfg.Force)
	}
	if err := s.Reset(ctx, positions); err != nil {
		return nil, err
	}
	return s, nil
}

// Reset sets the simulation to step 0 with other positions (N, 2). On an error, including the
// error of ctx, the simulation stays unchanged.
func (s *Simulation) Reset(ctx context.Context, positions []float32) error {
	if err := s.cfg.checkPositions(positions); err != nil {
		return err
	}
	for i := range s.cfg.N {
		s.next.x[i], s.next.y[i] = positions[2*i], positions[2*i+1]
	}
	if err := s.evaluate(ctx, &s.next); err != nil {
		return err
	}
	s.now, s.next, s.step = s.next, s.now, 0
	return nil
}

// smallest is the least number of particles for which vectors are faster. With fewer particles,
// a tile has more padding pairs than real pairs; the padding also makes the energy less
// accurate.
const smallest = 2 * maxWidth

// evaluate computes velocities and energy from positions.
func (s *Simulation) evaluate(ctx context.Context, h *half) error {
	n := s.cfg.N
	vx, vy := h.vx[:n], h.vy[:n]
	clear(vx)
	clear(vy)
	pairs := active().pairs
	if n < smallest {
		pairs = plain.pairs
	}
	total, err := pairs(ctx, h.pass)
	if err != nil {
		return err
	}
	scale := 1 / float32(n)
	for i := range vx {
		vx[i] *= scale
		vy[i] *= scale
	}
	h.energy = total / (float64(n) * float64(n-1) / 2)
	return nil
}

// overshoot is the rise in energy per pair, relative to Config.size, above which a step counts as
// unstable. The energy rises by less if particles only hop about a point at which the force
// abruptly changes sign.
const overshoot = 0.01

// Step takes one step. It allocates nothing.
//
// If a user-defined Force changes so much within the step that an Euler step would be wrong, Step
// takes shorter pieces (see refine). All other steps are Euler steps, as in the paper's code.
//
// In the exact dynamics the energy can only fall. If a step would raise it by more than a little,
// or carry particles out of bounds, Step returns an error that wraps ErrUnstable. If ctx ends, Step
// returns the error of ctx. In both cases the simulation stays unchanged.
func (s *Simulation) Step(ctx context.Context) error {
	dt := float32(s.cfg.Dt)
	n := s.cfg.N
	inside := advance(s.next.x[:n], s.now.x, s.now.vx, dt)
	inside = advance(s.next.y[:n], s.now.y, s.now.vy, dt) && inside
	if !inside {
		return fmt.Errorf("particle: step %d moves particles further than %g from the origin, so the last state is kept; start again with a weaker repulsion or a time step below %g: %w",
			s.step+1, float64(maxPosition), s.cfg.Dt, ErrUnstable)
	}
	if err := s.evaluate(ctx, &s.next); err != nil {
		return err
	}
	if s.cfg.Force != nil && s.next.energy <= s.now.energy && roughness(&s.now, &s.next, n, dt) > coarse {
		if err := s.refine(ctx); err != nil {
			return err
		}
	}

	rise := s.next.energy - s.now.energy
	if !(rise <= overshoot*s.cfg.size()) { // true for NaN too
		return fmt.Errorf("particle: stopped at step %d: the energy rose, which only too long a time step can cause; choose a time step below %.2g: %w",
			s.step+1, s.cfg.Dt/2, ErrUnstable)
	}
	s.now, s.next = s.next, s.now
	s.step++
	return nil
}

// advance writes x + v·dt to dst and reports whether all coordinates are in bounds.
func advance(dst, x, v []float32, dt float32) bool {
	const sign = 1 << 31
	var furthest uint32 // largest |x|, as bits. The bits are ordered like |x|. Infinity and NaN are largest
	for i := range dst {
		at := x[i] + v[i]*dt
		dst[i] = at
		furthest = max(furthest, math.Float32bits(at)&^sign)
	}
	return furthest <= math.Float32bits(maxPosition)
}

// Config returns the parameters.
func (s *Simulation) Config() Config { return s.cfg }

// Index returns the number of steps taken.
func (s *Simulation) Index() int { return s.step }

// Energy returns the energy per pair, E/(N(N-1)/2), of the present positions.
func (s *Simulation) Energy() float64 { return s.now.energy }

// Positions writes the present positions to dst (N, 2).
func (s *Simulation) Positions(dst []float32) { interleave(dst, s.now.x, s.now.y) }

// Velocities writes the velocities at the present positions to dst (N, 2).
func (s *Simulation) Velocities(dst []float32) { interleave(dst, s.now.vx, s.now.vy) }

func interleave(dst, x, y []float32) {
	x, y = x[:len(dst)/2], y[:len(dst)/2]
	for i := range x {
		dst[2*i], dst[2*i+1] = x[i], y[i]
	}
}

// State and a Config determine how a simulation continues: nothing is random after the start.
type State struct {
	Step int
	X, Y []float32 // (N): positions
}

// Save writes the present state to dst and reuses its slices.
func (s *Simulation) Save(dst *State) {
	n := s.cfg.N
	dst.Step = s.step
	dst.X = append(dst.X[:0], s.now.x[:n]...)
	dst.Y = append(dst.Y[:0], s.now.y[:n]...)
}

// Restore sets the simulation to a saved state. On an error the simulation stays unchanged.
func (s *Simulation) Restore(ctx context.Context, from State) error {
	if len(from.X) != s.cfg.N || len(from.Y) != s.cfg.N {
		return fmt.Errorf("particle: a state of %d particles cannot go on as %d; restore it into a simulation of its own size",
			len(from.X), s.cfg.N)
	}
	if from.Step < 0 {
		return fmt.Errorf("particle: a state cannot be at step %d; save it again from a running simulation", from.Step)
	}
	positions := make([]float32, 2*s.cfg.N)
	interleave(positions, from.X, from.Y)
	if err := s.Reset(ctx, positions); err != nil {
		return err
	}
	s.step = from.Step
	return nil
}
