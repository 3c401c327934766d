// Package measure says how good a model is. A Task predicts trajectories and compares them with the truth; it
// is the only code that does. A Prediction has the figures: MRE, MMD, coverage of bands. KL compares the
// density of a model with its target. A Mismatch says that trajectories move as no model of a system can.
package measure
