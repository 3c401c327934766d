package lj

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

var (
	// ErrUnstable is wrapped by the error of Step when a step would make atoms fly apart.
	ErrUnstable = errors.New("the time step is too long for these forces")
	// ErrEmpty is wrapped by the error of Step when the relabelling would leave a species
	// empty.
	ErrEmpty = errors.New("one species is empty")
)

// Simulation is one box of atoms in motion. It is not safe for
// concurrent use.
type Simulation struct {
	cfg       Config
	n         int
	step      int // counts from -Relaxation; mixing begins at 0
	species   []uint8
	pairs     pairTable
	field     *field
	motion    motion
	now, next half
	lists     [2]*list
	spare     []float64 // (N, 2), scratch for reordering
}

// half holds one state. Simulation.now is the present state. Step computes the next state in
// Simulation.next, so an error leaves the present state unchanged.
type half struct {
	x, v   []float64 // (N, 2), by slot
	f      []float32 // (N, 2), by slot
	list   *list
	chain  chain
	square float64 // Σv², twice the kinetic energy
}

// New returns a simulation at the start of a run, Relaxation steps before the
// relabelling, with velocities from r.
func New(cfg Config, r *rand.Rand) (*Simulation, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := newSimulation(cfg, cfg.N())
	return s, s.Reset(r)
}

func newSimulation(cfg Config, n int) *Simulation {
	s := &Simulation{cfg: cfg, n: n, species: make([]uint8, n), field: newField(padded(2*n) / 2)}
	for _, h := range [...]*half{&s.now, &s.next} {
		h.x, h.v = alignedOf[float64](padded(2*n)), alignedOf[float64](padded(2*n))
		h.f = alignedOf[float32](padded(2 * n))
	}
	for k := range s.lists {
		s.lists[k] = newList(n)
	}
	s.spare = make([]float64, 2*n)
	return s
}

// Reset starts another run, with velocities from r.
func (s *Simulation) Reset(r *rand.Rand) error {
	if s.n != s.cfg.N() {
		return fmt.Errorf("lj: a simulation of %d atoms cannot start from a lattice of %d; make a new one", s.n, s.cfg.N())
	}
	s.cfg.Initial(s.now.x[:2*s.n], s.now.v[:2*s.n], r)
	for i := range s.species {
		s.species[i] = 1
	}
	s.step = -s.cfg.Relaxation
	s.pairs = s.cfg.relaxing()
	s.now.chain = chain{}
	s.settle(nil)
	if s.step < 0 {
		return nil
	}
	return s.Relabel(s.cfg.Boundary)
}

// settle computes the rest of the present state from its positions and velocities. At first these
// are ordered by atom; settle reorders them by slot. `place` contains the positions, ordered by
// atom, at which the neighbour list is made. If `place` is nil, the list is made at the present
// positions.
func (s *Simulation) settle(place []float64) {
	n := 2 * s.n
	h := &s.now
	h.list = s.lists[0]
	for i := range s.lists[1].id {
		s.lists[1].id[i] = int32(i)
	}
	if place == nil {
		place = h.x
	}
	h.list.build(place, s.lists[1].id, s.reach(), s.cfg.Height)
	s.lists[1].reserve(cap(h.list.near), cap(h.list.first))
	h.list.reorder(h.x[:n], s.spare)
	h.list.reorder(h.v[:n], s.spare)
	h.list.label(s.species, &s.pairs)
	for i := range s.n {
		s.field.x[i], s.field.y[i] = float32(h.x[2*i]), float32(h.x[2*i+1])
	}
	s.forces(h)
	h.square = active().scale(h.v, 1)
}

func (s *Simulation) reach() float64 { return s.pairs.cutoff + skin }

func (s *Simulation) forces(h *half) {
	s.field.square = float32(s.pairs.cutoff * s.pairs.cutoff)
	active().forces(h.f, s.field, h.list)
	clear(h.f[2*s.n:])
}

func (s *Simulation) bath() bath {
	return bath{freedom(s.n), s.cfg.Temperature, s.cfg.Damping}
}

// Step takes one step: at constant energy before step 0, with the thermostat after it. The step
// that reaches step 0 relabels the atoms. Step allocates nothing, unless it relabels by
// Config.Left.
//
// If a step would make atoms fly apart or leave a species empty, Step returns an
// error that wraps ErrUnstable or ErrEmpty, and the state stays unchanged.
func (s *Simulation) Step() error {
	now, next := &s.now, &s.next
	dt := s.cfg.Dt
	next.list, next.chain = now.list, now.chain
	mixing := s.step >= 0
	scale := 1.0
	if mixing {
		scale = next.chain.half(s.bath(), now.square, dt)
	}
	s.motion = motion{
		x: now.x, v: now.v, f: now.f, toX: next.x, toV: next.v,
		place: now.list.place, imageX: s.field.x, imageY: s.field.y,
		scale: scale, half: dt / 2, dt: dt, width: s.cfg.Width, height: s.cfg.Height,
		limit: skin * skin / 4,
	}
	if !active().drift(&s.motion) {
		if err := s.relist(); err != nil {
			return err
		}
	}
	s.forces(next)
	next.square = active().kick(next.v, next.f, dt/2)
	if mixing {
		next.square = active().scale(next.v, next.chain.half(s.bath(), next.square, dt))
	}
	if !(next.square <= hottest*float64(s.n)) {
		return s.unstable("makes atoms too fast")
	}
	if s.step == -1 {
		if err := s.relabel(next, s.cfg.Boundary); err != nil {
			return err
		}
	}
	*now, *next = *next, *now
	s.step++
	return nil
}

// hottest is the largest Σv²/N of a valid state. At the highest temperature allowed, Σv²/N is
// 200.
const hottest = 1e5

// relist makes a neighbour list for the state Simulation.next, after checking that no atom left the
// box or moved implausibly far.
func (s *Simulation) relist() error {
	now, next := &s.now, &s.next
	most := s.pairs.least * s.pairs.least / 16
	for i := range s.n {
		x, y := next.x[2*i], next.x[2*i+1]
		dx, dy := x-now.x[2*i], y-now.x[2*i+1]
		if !(dx*dx+dy*dy <= most && x >= 0 && y >= 0 && x <= s.cfg.Width && y <= s.cfg.Height) { // true for NaN too
			return s.unstable(fmt.Sprintf("moves an atom by more than a quarter of its size, %.3g", s.pairs.least))
		}
	}
	next.list = s.lists[0]
	if now.list == next.list {
		next.list = s.lists[1]
	}
	n := 2 * s.n
	next.list.build(next.x, now.list.id, s.reach(), s.cfg.Height)
	next.list.reorder(next.x[:n], s.spare)
	next.list.reorder(next.v[:n], s.spare)
	next.list.label(s.species, &s.pairs)
	for i := range s.n {
		s.field.x[i], s.field.y[i] = float32(next.x[2*i]), float32(next.x[2*i+1])
	}
	return nil
}

func (s *Simulation) unstable(what string) error {
	at := fmt.Sprintf("step %d", s.step+1)
	if s.step < 0 { // steps count from the relabelling
		at = fmt.Sprintf("step %d of the %d before the mixing", s.step+1+s.cfg.Relaxation, s.cfg.Relaxation)
	}
	return fmt.Errorf("lj: %s %s, so the last state is kept; start again with a time step below %.2g or a lower temperature: %w",
		at, what, s.cfg.Dt/2, ErrUnstable)
}

// relabel sets the species of h's atoms, which begins the mixing.
func (s *Simulation) relabel(h *half, boundary float64) error {
	if s.cfg.Left > 0 {
		s.labelLeft(h)
	} else if err := s.labelByBoundary(h, boundary); err != nil {
		return err
	}
	s.pairs = s.cfg.mixing()
	h.list.label(s.species, &s.pairs)
	h.chain = chain{}
	for i := range s.n {
		s.field.x[i], s.field.y[i] = float32(h.x[2*i]), float32(h.x[2*i+1])
	}
	s.forces(h)
	return nil
}

// labelByBoundary assigns species 1 to the atoms left of x = boundary, and species 2 to all
// others. On an error all species stay unchanged.
func (s *Simulation) labelByBoundary(h *half, boundary float64) error {
	first := 0
	for i := range s.n {
		if h.x[2*i] < boundary {
			first++
		}
	}
	if first == 0 || first == s.n {
		return fmt.Errorf("lj: a boundary at x = %g leaves all atoms on one side, so the last state is kept; choose one further inside the box, for example %g: %w",
			boundary, s.cfg.Width/2, ErrEmpty)
	}
	for i, atom := range h.list.id {
		s.species[atom] = 2
		if h.x[2*i] < boundary {
			s.species[atom] = 1
		}
	}
	return nil
}

// labelLeft assigns species 1 to the Config.Left atoms with the smallest x, and species 2 to all
// others. Of atoms with equal x, those with smaller indices come first. It allocates.
func (s *Simulation) labelLeft(h *half) {
	slots := make([]int, s.n)
	for i := range slots {
		slots[i] = i
	}
	slices.SortFunc(slots, func(i, j int) int {
		return cmp.Or(cmp.Compare(h.x[2*i], h.x[2*j]), cmp.Compare(h.list.id[i], h.list.id[j]))
	})
	for k, i := range slots {
		s.species[h.list.id[i]] = 2
		if k < s.cfg.Left {
			s.species[h.list.id[i]] = 1
		}
	}
}

// Relabel restarts the mixing from the present positions and velocities, at step 0 and with the
// thermostat at rest. Atoms left of x = boundary, or the leftmost Config.Left atoms, become
// species 1; all other atoms become species 2. On an error the simulation stays unchanged.
func (s *Simulation) Relabel(boundary float64) error {
	cfg := s.cfg
	cfg.Boundary = boundary
	if err := cfg.Validate(); err != nil {
		return err
	}
	if err := s.relabel(&s.now, boundary); err != nil {
		return err
	}
	s.cfg, s.step = cfg, 0
	return nil
}

// Retune continues from the present state with other parameters. The box and the density cannot
// change. After the relabelling, the boundary and Config.Left cannot change either; Relabel moves
// the boundary. On an error the simulation stays unchanged.
func (s *Simulation) Retune(cfg Config) error {
	if err := cfg.Validate(); err != nil {
		return err
	}
	old := s.cfg
	if cfg.Width != old.Width || cfg.Height != old.Height || cfg.Density != old.Density {
		return fmt.Errorf("lj: a box of %g × %g at density %g cannot become one of %g × %g at %g while atoms move in it; start a new run",
			old.Width, old.Height, old.Density, cfg.Width, cfg.Height, cfg.Density)
	}
	if s.step >= 0 && cfg.Boundary != old.Boundary {
		return fmt.Errorf("lj: the boundary cannot move from x = %g to %g while the species mix; relabel the atoms or start a new run",
			old.Boundary, cfg.Boundary)
	}
	if s.step >= 0 && cfg.Left != old.Left {
		return fmt.Errorf("lj: %d atoms of species 1 cannot become %d while the species mix; start a new run", old.Left, cfg.Left)
	}
	var state State
	s.Save(&state)
	if cfg.Cutoff != old.Cutoff {
		state.PlaceX, state.PlaceY = nil, nil
	}
	s.cfg = cfg
	if err := s.Restore(state); err != nil {
		s.cfg = old
		return err
	}
	return nil
}

// Config returns the parameters.
func (s *Simulation) Config() Config { return s.cfg }

// N returns the number of atoms.
func (s *Simulation) N() int { return s.n }

// Index returns the number of steps since the relabelling, negative before it.
func (s *Simulation) Index() int { return s.step }

// Relax takes all steps up to the relabelling.
func (s *Simulation) Relax() error {
	for s.step < 0 {
		if err := s.Step(); err != nil {
			return err
		}
	}
	return nil
}

// Positions writes the present positions to dst (N, 2).
func (s *Simulation) Positions(dst []float32) { byAtom(dst, s.now.x, s.now.list) }

// Velocities writes the present velocities to dst (N, 2).
func (s *Simulation) Velocities(dst []float32) { byAtom(dst, s.now.v, s.now.list) }

// Forces writes the forces on the atoms at their present positions to dst (N, 2).
func (s *Simulation) Forces(dst []float32) { byAtom(dst, s.now.f, s.now.list) }

// Species writes the species of the atoms, 1 or 2, to dst (N). Before the
// relabelling all are 1.
func (s *Simulation) Species(dst []uint8) { copy(dst, s.species) }

// byAtom copies the values in `from` (N, 2) to dst (N, 2) in another order. `from` is ordered by
// slot. dst is ordered by atom.
func byAtom[T, F float32 | float64](dst []T, from []F, l *list) {
	if len(dst) != 2*len(l.id) {
		panic(fmt.Sprintf("lj: room for %d numbers, for %d atoms", len(dst), len(l.id)))
	}
	for i, atom := range l.id {
		dst[2*atom], dst[2*atom+1] = T(from[2*i]), T(from[2*i+1])
	}
}

// reorder brings x (N, 2) from the order of the previous list into the order of l.
func (l *list) reorder(x, spare []float64) {
	copy(spare, x)
	for at, k := range l.from {
		x[2*at], x[2*at+1] = spare[2*k], spare[2*k+1]
	}
}

// State and a Config determine how a simulation continues: nothing is random after the start.
type State struct {
	Step    int       // negative before the relabelling
	Species []uint8   // (N): 1 or 2
	X, Y    []float64 // (N): positions
	VX, VY  []float64 // (N): velocities

	// PlaceX and PlaceY (N) are the positions at which the neighbour list was made; the order
	// of summation depends on them. Without them the list is made at the present positions.
	PlaceX, PlaceY []float64

	Eta, Rate [links]float64 // the thermostats' positions and velocities
}

// Save writes the present state to dst and reuses its slices.
func (s *Simulation) Save(dst *State) {
	dst.Step = s.step
	dst.Species = append(dst.Species[:0], s.species...)
	for _, c := range [...]struct {
		dst  *[]float64
		from []float64
	}{
		{&dst.X, s.now.x}, {&dst.Y, s.now.x[1:]}, {&dst.VX, s.now.v}, {&dst.VY, s.now.v[1:]},
		{&dst.PlaceX, s.now.list.place}, {&dst.PlaceY, s.now.list.place[1:]},
	} {
		if cap(*c.dst) < s.n {
			*c.dst = make([]float64, s.n)
		}
		*c.dst = (*c.dst)[:s.n]
		for i, atom := range s.now.list.id {
			(*c.dst)[atom] = c.from[2*i]
		}
	}
	dst.Eta, dst.Rate = s.now.chain.eta, s.now.chain.rate
}

// Resume returns a simulation that continues from a saved state. The state may have any number
// of atoms.
func Resume(cfg Config, from State) (*Simulation, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	s := newSimulation(cfg, len(from.X))
	if err := s.Restore(from); err != nil {
		return nil, err
	}
	return s, nil
}

// Restore sets the simulation to a saved state. On an error the simulation stays unchanged.
func (s *Simulation) Restore(from State) error {
	if err := s.check(from); err != nil {
		return err
	}
	copy(s.species, from.Species)
	s.step = from.Step
	s.pairs = s.cfg.mixing()
	if s.step < 0 {
		s.pairs = s.cfg.relaxing()
	}
	interleave(s.now.x, from.X, from.Y)
	interleave(s.now.v, from.VX, from.VY)
	s.now.chain = chain{from.Eta, from.Rate}
	var place []float64
	if from.PlaceX != nil {
		place = make([]float64, 2*s.n)
		interleave(place, from.PlaceX, from.PlaceY)
	}
	s.settle(place)
	return nil
}

func interleave(dst, x, y []float64) {
	for i := range x {
		dst[2*i], dst[2*i+1] = x[i], y[i]
	}
}

// check rejects a state that cannot continue.
func (s *Simulation) check(from State) error {
	n := s.n
	if len(from.X) != n || len(from.Y) != n || len(from.VX) != n || len(from.VY) != n || len(from.Species) != n || n < 2 || n > maxAtoms {
		return fmt.Errorf("lj: a state of %d positions, %d velocities and %d species cannot go on as %d atoms; restore it into a simulation of its own size, from 2 to %d",
			len(from.X), len(from.VX), len(from.Species), n, maxAtoms)
	}
	if from.Step < -s.cfg.Relaxation || from.Step > maxSteps {
		return fmt.Errorf("lj: a state cannot be at step %d; save it again from a running simulation", from.Step)
	}
	var first int
	for i, k := range from.Species {
		if k != 1 && k != 2 {
			return fmt.Errorf("lj: atom %d is of species %d; choose 1 or 2", i, k)
		}
		first += int(2 - k)
	}
	if from.Step >= 0 && (first == 0 || first == n) {
		return fmt.Errorf("lj: all %d atoms are of one species; choose a boundary between them: %w", n, ErrEmpty)
	}
	for i := range n {
		if !(from.X[i] >= 0 && from.X[i] <= s.cfg.Width && from.Y[i] >= 0 && from.Y[i] <= s.cfg.Height) {
			return fmt.Errorf("lj: atom %d is at (%g, %g), outside the box of %g × %g; choose a larger box or move it inside",
				i, from.X[i], from.Y[i], s.cfg.Width, s.cfg.Height)
		}
		if !(from.VX[i]*from.VX[i]+from.VY[i]*from.VY[i] <= hottest) {
			return fmt.Errorf("lj: atom %d moves at (%g, %g); choose finite velocities below %.3g", i, from.VX[i], from.VY[i], math.Sqrt(hottest))
		}
	}
	for k := range links {
		if !(math.Abs(from.Eta[k]) <= 1e12 && math.Abs(from.Rate[k]) <= 1e6) {
			return fmt.Errorf("lj: thermostat %d is at %g and moves at %g; save the state again from a running simulation", k, from.Eta[k], from.Rate[k])
		}
	}
	if from.PlaceX != nil || from.PlaceY != nil {
		if len(from.PlaceX) != n || len(from.PlaceY) != n {
			return fmt.Errorf("lj: a state of %d atoms has %d places of its list; leave them out or save it again", n, len(from.PlaceX))
		}
		for i := range n {
			if d := math.Hypot(from.X[i]-from.PlaceX[i], from.Y[i]-from.PlaceY[i]); !(d <= skin/2+1e-9) {
				return fmt.Errorf("lj: atom %d is %g from its place in the list, more than half of the skin, %g; leave the places out or save the state again", i, d, skin/2)
			}
		}
	}
	return s.checkOverlap(from)
}

// checkOverlap returns an error if two atoms are closer than overlap·σ. Atoms do not come this
// close at any allowed temperature.
func (s *Simulation) checkOverlap(from State) error {
	l := s.cfg.mixing()
	if from.Step < 0 {
		l = s.cfg.relaxing()
	}
	order := byX(from.X)
	most := 0.0
	for _, row := range l.overlap {
		most = max(most, row[0], row[1])
	}
	for at, i := range order {
		for _, j := range order[at+1:] {
			if from.X[j]-from.X[i] >= most {
				break
			}
			r := math.Hypot(from.X[i]-from.X[j], from.Y[i]-from.Y[j])
			if r < l.overlap[from.Species[i]-1][from.Species[j]-1] {
				return fmt.Errorf("lj: atoms %d and %d overlap, at a distance of %.3g; move them at least %.3g apart",
					i, j, r, l.overlap[from.Species[i]-1][from.Species[j]-1])
			}
		}
	}
	return nil
}
