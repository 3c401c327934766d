// Package fit trains an experiment's model in phases. Stage I trains the autoencoder. Stage
// II trains the dynamics: from neighbouring frames and then through long stretches or, for
// a stochastic system, by the likelihood.
//
// Phases makes the list of phases from a configuration. No other code in this package
// depends on which phase is trained. For each phase a store keeps one item per trajectory.
//
// A training is a Run, and there are two ways to drive it. On the command line, Prepare
// reads a phase's data with all cores and train.Run takes its steps. On a page, a Live
// wraps the Run and does the same in short pieces of work, so that the page can respond
// between them. It trains while trajectories are still being simulated, and with a pool of
// helpers. Both ways give the same bits. In a Live, the intake reads the data, the Pool
// takes the steps, the validator measures the results and the estimate predicts the time
// left.
package fit
