// Package portrait analyses dynamics dz = g(z) dt + Σ(z) dW near the states that
// there are: the principal components of these states, the fixed points g(z*) = 0, and
// how z behaves about them. There dz/dt ≈ J (z − z*), where J is the Jacobian of g, so
// that z − z* is a sum of modes that change as exp(λt) with the eigenvalues λ of J: a
// mode with Re λ < 0 dies out with the time constant −1/Re λ, one with Re λ > 0 grows,
// and Im λ is the angular frequency with which it turns.
package portrait
