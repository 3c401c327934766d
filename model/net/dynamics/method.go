package dynamics

import "fmt"

// Method names a way to advance dz/dt = g(z) by one step.
type Method string

// The methods.
const (
	Euler Method = "euler" // order 1; one evaluation of g per step
	RK4   Method = "rk4"   // the classical Runge–Kutta method: order 4; four evaluations of g per step
)

// Validate returns an error for an unknown method.
func (m Method) Validate() error {
	if m != Euler && m != RK4 {
		return fmt.Errorf("dynamics: no method is called %q; use %q or %q", string(m), Euler, RK4)
	}
	return nil
}

// tableau is an explicit Runge–Kutta method with stages that depend only on the
// previous stage:
//
//	k_i = g(z + dt·reach_i·k_{i-1}),  z' = z + dt Σ_i weight_i k_i.
type tableau struct{ reach, weight []float64 }

func (m Method) tableau() tableau {
	switch m {
	case Euler:
		return tableau{[]float64{0}, []float64{1}}
	case RK4:
		return tableau{[]float64{0, 0.5, 0.5, 1}, []float64{1. / 6, 1. / 3, 1. / 3, 1. / 6}}
	}
	panic(m.Validate())
}
