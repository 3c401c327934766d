// Package measure says how good a model is. A Task predicts the trajectories of a source and compares them
// with the truth. On the page, view.Prediction computes the same a frame at a time. The Result of a
// Prediction has the figures: MRE, MMD, coverage of bands. KL compares the density of a model with its target.
// A Mismatch says that trajectories move as no model of a system can. Package stats says how well ẑ determines known
// quantities.
package measure
