// Package view evaluates a model for the page, in pieces that fit between two pictures: the
// target density of a set and points for comparison (Target), the learned density (Density),
// the prediction of a run from its frame 0 alone (Prediction), all three for one model
// (Shown), its results for other orders of the particles (Orders), and its errors on
// trajectories of a file (Measurement). The same set gives the same numbers, to the bit,
// however the work is divided; the steps do not allocate.
package view
