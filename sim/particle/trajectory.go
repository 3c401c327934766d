package particle

import "context"

// Trajectory is a recorded run.
type Trajectory struct {
	Frames []float32 // (Steps+1, N, 2)
	Energy []float64 // (Steps+1), per pair
}

// NewTrajectory allocates a trajectory with the shape that cfg says.
func NewTrajectory(cfg Config) *Trajectory {
	return &Trajectory{
		Frames: make([]float32, (cfg.Steps+1)*cfg.N*2),
		Energy: make([]float64, cfg.Steps+1),
	}
}

// Record runs the simulation from step 0 to step Steps and writes every frame and energy to t. It
// allocates nothing. If Step fails or ctx ends, Record returns the error and does not write the
// frames from Index()+1 on.
func (s *Simulation) Record(ctx context.Context, t *Trajectory) error {
	size := 2 * s.cfg.N
	if s.step != 0 || len(t.Frames) != (s.cfg.Steps+1)*size || len(t.Energy) != s.cfg.Steps+1 {
		panic("particle: Record wants a simulation at step 0 and a trajectory of its Config's shape")
	}
	for k := 0; ; k++ {
		s.Positions(t.Frames[k*size : (k+1)*size])
		t.Energy[k] = s.Energy()
		if k == s.cfg.Steps {
			return nil
		}
		if err := s.Step(ctx); err != nil {
			return err
		}
	}
}
