// Package fit trains an experiment's model in phases. Stage I trains the autoencoder. Stage II
// trains the dynamics. Deterministic dynamics are trained on neighbouring frames, then on long
// stretches. Stochastic dynamics are trained by the likelihood. A system of single sets, such as
// the points on a line, has no trajectories and no stage II.
//
// Phases makes the list of phases from a configuration. No other code in this package
// distinguishes between phases. A store keeps the data that a phase needs: one item per trajectory.
//
// A training is a Run. It is computed in one of two ways, with the same bits as a result. On
// the command line, Prepare reads a phase's data with all cores, and train.Run takes its steps.
// On a page, a Live does the same in short pieces of work, between which the page can respond.
// A Live already trains while trajectories are still being simulated, and shares its work with
// helpers in other workers of the page. In a Live, the intake reads the data, the Pool takes
// the steps, the validator measures the results, and the estimate predicts the time left.
package fit
