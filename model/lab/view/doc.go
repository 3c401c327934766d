// Package view evaluates a model for the page, in pieces that fit between two pictures. Target
// is the target density of a set, with points at which models are compared. Density is the
// learned density. Prediction predicts a run from its frame 0. Shown contains all of these for
// one displayed model. Orders compares results for different orders of the particles. The bits
// of the results do not depend on how the work is divided into pieces. A piece does not
// allocate.
//
// In shapes, N is the number of particles, S of sets, K of frames, M of macroscopic variables,
// and V of the variables of a state z.
package view
