// Package view evaluates what is drawn of a model, in pieces that fit between two
// pictures: the target density of a set and points to compare it at (Target), the
// density that a model has learned (Density), what a model predicts of a run from
// its frame 0 alone (Prediction), all of these of one model (Shown), what it makes of
// the particles in another order (Orders), and how well it predicts trajectories of a
// file (Measurement). The same set gives the same numbers, to the
// bit, however the pieces fall; nothing allocates once it has begun.
package view
