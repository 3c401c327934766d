// Package flock simulates birds that turn towards the mean heading around them, and err:
//
//	x_i(t+1) = x_i(t) + v (cos θ_i(t), sin θ_i(t)),
//	θ_i(t+1) = the direction of Σ_j (cos θ_j(t), sin θ_j(t)) + ξ_i(t),
//
// where the sum is over all birds within the distance 1 of bird i, itself included, and ξ_i is uniform between
// -πη and πη. These are Eqs. (1) and (2) of Vicsek, Czirók, Ben-Jacob, Cohen and Shochet, Phys. Rev. Lett. 75,
// 1226 (1995), whose noise is 2πη here. Positions take a forward Euler step: a bird moves along the heading that it
// had. The birds are in a square with periodic edges. The unit of length is the radius of a neighbourhood, and the
// unit of time is a step.
//
// With small η the flock orders: nearly all birds fly in one direction. With large η it does not. The order parameter
// is the polarisation.
//
// The state of a run is its frame, in float32, and its step: the noise of a step has a random stream of its own. A run
// therefore continues from any of its frames with the same bits. Equal seeds give equal bits on every machine, except
// where the compiler fuses multiplications with additions (arm64).
package flock
