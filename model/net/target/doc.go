// Package target is the density that a set X of particles stands for, the
// paper's q_X: a Gaussian kernel round every particle,
//
//	q_X(x) = 1/|X| Σ_i N(x; x_i, ε² I)
//
// It is what the decoder is fitted to. Samples of it, unlike the particles
// themselves, have a density, so that the fit has a Kullback-Leibler
// divergence that vanishes only where the two agree.
package target
