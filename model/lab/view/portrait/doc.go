// Package portrait analyses dynamics dz = g(z) dt + Σ(z) dW near given states. It finds the
// principal components of these states, the fixed points g(z*) = 0, and the motion of z near
// the fixed points. Near z*, dz/dt ≈ J (z − z*), where J is the Jacobian of g. So z − z* is a
// sum of modes that change as exp(λt) with the eigenvalues λ of J. A mode with Re λ < 0 decays
// with the time constant −1/Re λ; a mode with Re λ > 0 grows. Im λ is the angular frequency of
// the mode.
package portrait
