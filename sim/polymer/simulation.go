package polymer

import (
	"fmt"
	"math"
	"math/bits"
)

// Chain describes a chain at its start.
type Chain struct {
	Key       Key       // key of the chain's random numbers
	Positions []float32 // (N, 3)
}

// Simulation is one chain in motion, or several independent chains side by side. It is not safe
// for concurrent use.
type Simulation struct {
	cfg    Config
	params params
	chains int
	steps  []uint64 // steps taken, by chain
	g      *group
	halver *halver // made when first needed
}

// Side returns the best number of chains to simulate side by side. With this number, a step takes
// the least time per chain.
func Side() int { return active().width }

// New returns a simulation of 1 to Side() chains, at step 0.
func New(cfg Config, chains ...Chain) (*Simulation, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if len(chains) < 1 || len(chains) > active().width {
		return nil, fmt.Errorf("polymer: %d chains cannot be simulated side by side; choose 1 to %d", len(chains), active().width)
	}
	width := 1
	if len(chains) > 1 {
		width = active().width
	}
	s := &Simulation{cfg: cfg, params: cfg.params(cfg.Dt), chains: len(chains), g: newGroup(cfg, width)}
	s.steps = make([]uint64, width)
	for l := range width { // unused places repeat the first chain
		c := chains[0]
		if l < len(chains) {
			c = chains[l]
		}
		if err := s.reset(l, c); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Reset restarts chain k at step 0 with the key and the positions of c. On an error the simulation
// stays unchanged.
func (s *Simulation) Reset(k int, c Chain) error {
	s.mustHave(k)
	return s.reset(k, c)
}

func (s *Simulation) reset(l int, c Chain) error {
	bonds, err := s.cfg.bonds(c.Positions)
	if err != nil {
		return err
	}
	s.start(l, State{Key: c.Key, Bonds: bonds})
	return nil
}

func (s *Simulation) start(l int, from State) {
	s.g.setKey(l, from.Key)
	s.g.setBonds(l, from.Bonds)
	s.steps[l] = from.Step
}

func (s *Simulation) mustHave(k int) {
	if k < 0 || k >= s.chains {
		panic(fmt.Sprintf("polymer: no chain %d of %d", k, s.chains))
	}
}

// bonds returns the bonds (N-1, 3) between positions (N, 3), with rods scaled to
// their length.
func (c Config) bonds(positions []float32) ([]float32, error) {
	if len(positions) != 3*c.N {
		return nil, fmt.Errorf("polymer: %d numbers cannot be the positions of %d beads in space; give %d", len(positions), c.N, 3*c.N)
	}
	bonds := make([]float32, 3*(c.N-1))
	for i := range c.N - 1 {
		var d [3]float64
		square := 0.0
		for axis := range d {
			d[axis] = float64(positions[3*i+3+axis]) - float64(positions[3*i+axis])
			square += d[axis] * d[axis]
		}
		length := math.Sqrt(square)
		if !(length >= shortest && length <= longest) { // true for NaN too
			return nil, fmt.Errorf("polymer: beads %d and %d are %.3g apart; give positions of neighbours at a distance of about 1", i, i+1, length)
		}
		if c.Bonds == Springs {
			length = 1
		}
		for axis, v := range d {
			bonds[3*i+axis] = float32(v / length)
		}
	}
	return bonds, nil
}

// The constants shortest and longest are limits for the length of bonds at the start.
const shortest, longest = 0.5, 1.5

// Step takes one step. The first step that must be halved allocates memory; no other step
// allocates.
//
// If a chain's step fails after the last halving, Step returns an error that wraps ErrUnstable,
// and the simulation stays unchanged.
func (s *Simulation) Step() error {
	g := s.g
	for l, step := range s.steps {
		g.setStep(l, step)
	}
	g.noise(s.params.noise, 0)
	for failed := g.advance(&s.params); failed != 0; failed &= failed - 1 {
		if s.halver == nil {
			s.halver = newHalver(s.cfg)
		}
		if err := s.halver.step(g, bits.TrailingZeros16(failed)); err != nil {
			return err
		}
	}
	g.u, g.next = g.next, g.u
	for l := range s.steps {
		s.steps[l]++
	}
	return nil
}

// Config returns the parameters.
func (s *Simulation) Config() Config { return s.cfg }

// Chains returns the number of chains.
func (s *Simulation) Chains() int { return s.chains }

// Index returns the number of steps that chain k has taken.
func (s *Simulation) Index(k int) int {
	s.mustHave(k)
	return int(s.steps[k])
}

// Positions writes the positions of chain k's beads, relative to their centre of mass, to dst
// (N, 3).
func (s *Simulation) Positions(k int, dst []float32) {
	s.mustHave(k)
	if len(dst) != 3*s.cfg.N {
		panic(fmt.Sprintf("polymer: room for %d numbers, for %d beads", len(dst), s.cfg.N))
	}
	positions(s.g, k, dst)
}

// positions writes the positions of chain l's beads, relative to their centre of mass, to dst
// (beads, 3).
func positions(g *group, l int, dst []float32) {
	for axis := range 3 {
		u := g.u[axis]
		var x, centre float64
		for i := range g.beads {
			centre += x / float64(g.beads)
			x += float64(u[g.at(i, l)]) // after the last bead this reads a zero of the halo
		}
		x = -centre
		for i := range g.beads {
			dst[3*i+axis] = float32(x)
			x += float64(u[g.at(i, l)])
		}
	}
}

// Extension returns max x - min x of chain k.
func (s *Simulation) Extension(k int) float64 {
	s.mustHave(k)
	var x, low, high float64
	u := s.g.u[0]
	for i := range s.cfg.N {
		low, high = min(low, x), max(high, x)
		x += float64(u[s.g.at(i, k)])
	}
	return high - low
}

// State and a Config determine how a chain continues.
type State struct {
	Step  uint64
	Key   Key
	Bonds []float32 // (N-1, 3)
}

// Save writes the present state of chain k to dst, and reuses the memory of dst.Bonds.
func (s *Simulation) Save(k int, dst *State) {
	s.mustHave(k)
	n := 3 * (s.cfg.N - 1)
	if cap(dst.Bonds) < n {
		dst.Bonds = make([]float32, n)
	}
	dst.Bonds = dst.Bonds[:n]
	s.g.getBonds(dst.Bonds, k)
	dst.Step = s.steps[k]
	for i := range dst.Key {
		dst.Key[i] = s.g.key[i][k]
	}
}

// Restore sets chain k to a saved state. On an error the simulation stays unchanged.
func (s *Simulation) Restore(k int, from State) error {
	s.mustHave(k)
	if len(from.Bonds) != 3*(s.cfg.N-1) {
		return fmt.Errorf("polymer: a state of %d numbers cannot go on as %d beads; restore it into a simulation of its own size",
			len(from.Bonds), s.cfg.N)
	}
	slack := longest - 1.0
	if s.cfg.Bonds != Springs {
		slack = 2 * tolerance
	}
	for i := range s.cfg.N - 1 {
		b := from.Bonds[3*i : 3*i+3]
		length := math.Sqrt(float64(b[0])*float64(b[0]) + float64(b[1])*float64(b[1]) + float64(b[2])*float64(b[2]))
		if !(math.Abs(length-1) <= slack) { // true for NaN too
			return fmt.Errorf("polymer: bond %d of a state has the length %.6g and should have 1; save it again from a running simulation", i, length)
		}
	}
	s.start(k, from)
	return nil
}
