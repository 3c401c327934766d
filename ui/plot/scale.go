package plot

import "math"

// Scale maps values from Lo to Hi to pixels from A to B, where A may exceed B. With Log it maps
// logarithms, and Lo and Hi must be positive. If Near is above 0, it maps log(1 + v/Near), and Lo
// and Hi must not be negative. This function is nearly linear below Near, and logarithmic above.
type Scale struct {
	Lo, Hi float64
	A, B   float32
	Log    bool
	Near   float64
}

// The method `even` returns v, log v, or log(1 + v/Near). The axis is linear in this quantity. The
// logarithm of a number that is not positive is NaN.
func (s Scale) even(v float64) float64 {
	switch {
	case s.Near > 0:
		return math.Log1p(v / s.Near)
	case s.Log && v <= 0:
		return math.NaN()
	case s.Log:
		return math.Log(v)
	}
	return v
}

// Pos returns the pixel of v. It is NaN if v has no place on the scale: if v is NaN, or v ≤ 0
// on a logarithmic scale.
func (s Scale) Pos(v float64) float32 {
	lo, hi := s.Lo, s.Hi
	if s.Log || s.Near > 0 {
		lo, hi, v = s.even(lo), s.even(hi), s.even(v)
	}
	return s.A + float32((v-lo)/(hi-lo)*float64(s.B-s.A))
}

// Value is the inverse of Pos.
func (s Scale) Value(p float32) float64 {
	lo, hi := s.even(s.Lo), s.even(s.Hi)
	v := lo + float64(p-s.A)/float64(s.B-s.A)*(hi-lo)
	switch {
	case s.Near > 0:
		return s.Near * math.Expm1(v)
	case s.Log:
		return math.Exp(v)
	}
	return v
}

// Eased is a number that follows a goal smoothly.
type Eased struct {
	V   float64
	set bool
}

// To moves V towards the goal for dt seconds, with the time constant tau. It returns whether V
// still moves. V stops at the goal once the distance is at most tol. The first call, and any call
// with tau = 0, jumps to the goal.
func (e *Eased) To(goal, dt, tau, tol float64) bool {
	if !e.set || tau <= 0 || math.IsNaN(e.V) || math.Abs(goal-e.V) <= tol {
		e.V, e.set = goal, true
		return false
	}
	e.V += (goal - e.V) * -math.Expm1(-dt/tau)
	return true
}
