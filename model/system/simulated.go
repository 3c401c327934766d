package system

// Simulation makes the frames of one trajectory in order. Both a Reader and a Core use it.
type Simulation interface {
	// Index returns the number of steps since frame 0. It is negative before frame 0.
	Index() int
	Step() error
	// Frame writes the positions (N, Dim) of the particles and the macroscopic variables (M) of
	// the present frame.
	Frame(points []float32, macro []float64)
}

type simulatedReader struct {
	shape            Shape
	variables        int
	every, piece     int
	start            func(index int, t *Trajectory) (Simulation, error)
	sim              Simulation
	t                Trajectory
	trajectory, next int // the present trajectory, and the number of its next frame
}

// NewSimulatedReader returns a reader of simulated trajectories. Two frames are `every` steps
// apart. A piece of work consists of `piece` steps. The function `start` begins the simulation of
// trajectory t and sets the parameters of t, if there are any. All species of t are 1 unless the
// Simulation changes them.
func NewSimulatedReader(s Shape, variables, every, piece int, start func(index int, t *Trajectory) (Simulation, error)) Reader {
	return &simulatedReader{shape: s, variables: variables, every: every, piece: piece, start: start, t: Trajectory{
		Points: make([]float32, s.Frames*s.Particles*s.Dim), Species: Alike(s.Particles), Macro: make([]float64, s.Frames*variables),
	}}
}

func (r *simulatedReader) Begin(index int) (err error) {
	if err := CheckIndex(index, r.shape.Trajectories); err != nil {
		return err
	}
	r.trajectory, r.next = index, 0
	r.sim, err = r.start(index, &r.t)
	return OfTrajectory(index, err)
}

func (r *simulatedReader) Advance() (whole bool, err error) {
	for range r.piece {
		if k, size := r.next, r.shape.Particles*r.shape.Dim; r.sim.Index() == k*r.every {
			r.sim.Frame(r.t.Points[k*size:(k+1)*size], r.t.Macro[k*r.variables:(k+1)*r.variables])
			if r.next++; r.next == r.shape.Frames {
				return true, nil
			}
		}
		if err := r.sim.Step(); err != nil {
			return false, OfTrajectory(r.trajectory, err)
		}
	}
	return false, nil
}

func (r *simulatedReader) Trajectory() *Trajectory { return &r.t }
func (r *simulatedReader) Close()                  {}
