package flock

import (
	"fmt"
	"math"

	"macroscope/sim/rng"
)

// Dim is the number of coordinates of a bird: x, y, vx and vy.
const Dim = 4

// Simulation is a flock. It is not safe for concurrent use.
type Simulation struct {
	cfg   Config
	seed  uint64
	run   int // index of the trajectory
	step  int
	src   *rng.Source
	birds []float32 // (N, 4)

	sums []float64 // (N, 2): sum of the velocities of a bird and its neighbours
	near int       // number of ordered pairs of neighbours
	grid grid
}

// New returns a flock at frame 0, which Config.Start draws.
func New(c Config, seed uint64, index int) (*Simulation, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return Resume(c, seed, index, 0, c.Start(seed, index))
}

// Resume returns the flock of a trajectory after the given number of steps. Its birds are then at (N, 4). It copies
// the birds.
func Resume(c Config, seed uint64, index, step int, birds []float32) (*Simulation, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if len(birds) != Dim*c.N {
		return nil, fmt.Errorf("flock: %d numbers cannot be %d birds; give %d", len(birds), c.N, Dim*c.N)
	}
	for i, v := range birds {
		if i%Dim < 2 && !(v >= 0 && v < float32(c.Side)) || v-v != 0 {
			return nil, fmt.Errorf("flock: coordinate %d of bird %d is %g; give positions from 0 to the side, %g, and finite velocities", i%Dim, i/Dim, v, c.Side)
		}
	}
	s := &Simulation{cfg: c, seed: seed, run: index, step: step, src: rng.New(seed, noiseStream), birds: append([]float32(nil), birds...), sums: make([]float64, 2*c.N)}
	s.grid.size(c.Side, c.N)
	s.look()
	return s, nil
}

// Config returns the parameters.
func (s *Simulation) Config() Config { return s.cfg }

// Index returns the number of steps since frame 0.
func (s *Simulation) Index() int { return s.step }

// SetNoise changes η, between 0 and 1, for the steps to come.
func (s *Simulation) SetNoise(eta float64) error {
	c := s.cfg
	c.Noise = eta
	err := c.Validate()
	if err == nil {
		s.cfg = c
	}
	return err
}

// Birds returns x, y, vx and vy of every bird (N, 4). The next step changes the result.
func (s *Simulation) Birds() []float32 { return s.birds }

// Step moves every bird, and then turns it. It allocates no memory. It never fails.
func (s *Simulation) Step() {
	s.src.Seed(s.seed, noiseStream, uint64(s.run), uint64(s.step))
	for i := range s.cfg.N {
		b := s.birds[Dim*i : Dim*i+Dim]
		b[0], b[1] = s.cfg.wrap(b[0]+b[2]), s.cfg.wrap(b[1]+b[3])
		sin, cos := math.Sincos(math.Pi * s.cfg.Noise * (2*s.src.Float64() - 1))
		if vx, vy := s.sums[2*i], s.sums[2*i+1]; vx != 0 || vy != 0 { // else the neighbours cancel, and the bird keeps its heading
			v := s.cfg.Speed / math.Sqrt(vx*vx+vy*vy)
			b[2], b[3] = float32(v*(vx*cos-vy*sin)), float32(v*(vx*sin+vy*cos))
		}
	}
	s.step++
	s.look()
}

// look sums over the neighbours of every bird.
func (s *Simulation) look() {
	s.grid.fill(s.birds)
	s.near = 0
	for i := range s.cfg.N {
		vx, vy, near := s.grid.around(s.birds, i)
		s.sums[2*i], s.sums[2*i+1] = vx, vy
		s.near += near - 1 // without itself
	}
}

// Polarisation returns the length of the mean of the birds' directions. It is 1 if all fly in one direction, and about
// 1/√N if there is no order.
func (s *Simulation) Polarisation() float64 { return Polarisation(s.birds) }

// Neighbours returns the mean number of neighbours of a bird, without itself.
func (s *Simulation) Neighbours() float64 { return float64(s.near) / float64(s.cfg.N) }

// Polarisation returns the length of the mean of the directions of birds (n, 4). A bird that stands still has none.
func Polarisation(birds []float32) float64 {
	var x, y float64
	for i := 0; i < len(birds); i += Dim {
		vx, vy := float64(birds[i+2]), float64(birds[i+3])
		if v := math.Sqrt(vx*vx + vy*vy); v > 0 {
			x, y = x+vx/v, y+vy/v
		}
	}
	return math.Sqrt(x*x+y*y) / float64(max(1, len(birds)/Dim))
}

// Neighbours returns the mean number of neighbours of birds (n, 4) in a square of the given side. Positions may lie
// outside the square.
func Neighbours(birds []float32, side float64) float64 {
	n := len(birds) / Dim
	near := 0
	for i := range n {
		for j := range i {
			if apart(birds, i, j, side) <= 1 {
				near += 2
			}
		}
	}
	return float64(near) / float64(max(1, n))
}

// apart returns the squared distance of two birds, by the shortest way over the edges.
func apart(birds []float32, i, j int, side float64) float64 {
	dx, dy := float64(birds[Dim*i])-float64(birds[Dim*j]), float64(birds[Dim*i+1])-float64(birds[Dim*j+1])
	dx, dy = math.Remainder(dx, side), math.Remainder(dy, side)
	return dx*dx + dy*dy
}
