// Package target is the density that represents a set X of particles, the paper's
// q_X: a Gaussian kernel around every particle,
//
//	q_X(x) = 1/|X| Σ_i N(x; x_i, ε² I)
//
// The decoder is fitted to it. Its samples, unlike the particles themselves, have a
// density, so the fit has a Kullback-Leibler divergence that vanishes only if the
// two agree.
package target
