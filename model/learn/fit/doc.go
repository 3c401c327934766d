// Package fit trains an experiment's model in phases. Stage I trains the autoencoder. Stage II
// trains the dynamics. Deterministic dynamics are trained on neighbouring frames, then on long
// stretches. Stochastic dynamics are trained by the likelihood. A system of single sets, such as
// the points on a line, has no trajectories and no stage II.
//
// Phases makes the list of phases from a configuration. No other code in this package
// distinguishes between phases. A store keeps the data that a phase needs: one item per trajectory.
//
// A training is a Run. Its steps are taken by Run.Train, in straight lines. On the command line, Prepare
// reads a phase's data with all cores, and Train runs to the end of the phase. On a page, a Live runs the
// same Train in short pieces, between which the page can respond; the bits are the same. A Live already
// trains while trajectories are still being simulated, and shares its work with helpers in other workers of
// the page. In a Live, the intake reads what the next step needs, the validator measures the results, the
// Pool gives work to helpers, and package estimate predicts the time left. Where a Live is in its training
// follows from the phase, the step and the curves, so a checkpoint can be taken between any two pieces.
package fit
