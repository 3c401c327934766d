package system

// Motion says how the variables z = [z̄, ẑ] of a system move, and holds what follows from this for every
// system that moves so.
type Motion struct {
	Name string
	// Figure is the figure that compares trainings, as it is called in results. Smaller is better.
	Figure   string
	Error    string  // name of the error of a single prediction; "" if there is none
	Ensemble bool    // whether a prediction is an ensemble of members; otherwise it is one path
	Least    int     // smallest number of trajectories for which there is a Figure
	Most     int     // largest number of trajectories of a test
	Share    int     // a test needs 1/Share of the trajectories that a test of paths needs
	Clip     float64 // largest norm of a gradient in the training of the dynamics
}

// The motions.
var (
	// Still sets do not move. A model of them is measured by its density.
	Still = &Motion{Name: "still", Figure: "kl", Share: 1}
	// ODE is dz = g(z) dt. A frame determines the future.
	ODE = &Motion{Name: "exact", Figure: "mre", Error: "MRE", Least: 1, Most: 1_000_000, Share: 1, Clip: 1}
	// SDE is dz = g(z) dt + Σ(z) dW. Ensembles are compared, and the cost of an MMD grows with the square of their
	// sizes, so its tests have fewer trajectories.
	SDE = &Motion{Name: "noise", Figure: "mmd", Error: "RMSE", Ensemble: true, Least: 2, Most: 100_000, Share: 5, Clip: 5}
)

// Motion returns how a system moves that has the given number of macroscopic variables.
func (t *Traits) Motion(variables int) *Motion {
	switch {
	case variables == 0:
		return Still
	case t.Stochastic:
		return SDE
	}
	return ODE
}

// Motion returns how the system moves.
func (s *System) Motion() *Motion { return s.Traits.Motion(len(s.Macro)) }

// Trajectories returns how many trajectories a test needs where a test of paths needs n.
func (m *Motion) Trajectories(n int) int { return max(m.Least, n/m.Share) }

// Members returns how many members a prediction has if an ensemble has n.
func (m *Motion) Members(n int) int {
	if m.Ensemble {
		return n
	}
	return 1
}
