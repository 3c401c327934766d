// Package view evaluates a model for the page, in pieces that fit between two pictures.
// Target is the target density of a set with points to compare models at. Density is the
// learned density. Prediction predicts a run from its frame 0 alone. Shown holds these for
// one displayed model. Orders compares results for other orders of the particles.
// Measurement measures errors on trajectories of a file. The results do not depend on how
// the work is divided, bit for bit. Its steps do not allocate.
package view
