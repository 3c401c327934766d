// Package target is the density that represents a set X of particles, the paper's q_X: a
// Gaussian kernel around every particle,
//
//	q_X(x) = 1/|X| Σ_i N(x; x_i, ε² I)
//
// The decoder is fitted to q_X. Unlike the particles themselves, q_X has a density. The
// Kullback-Leibler divergence between q_X and the decoder is therefore finite, and it vanishes
// only if the two agree.
package target
