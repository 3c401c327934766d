// Package flock is the system of birds that turn towards their neighbours and err (package sim/flock). It is not in
// the paper. The macroscopic variables are the polarisation and the clustering. A flock with little noise orders, and
// one with much noise does not, so dynamics that know the noise η predict a transition between the two.
//
// Trajectories are simulated when they are read, or come from NumPy files with the array trajectories (E, T, N, 4): x,
// y, vx and vy of every bird, in a square of side 10 whose edges repeat.
package flock
