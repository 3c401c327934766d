// Package fit trains an experiment's model in phases: the autoencoder (stage I),
// then the dynamics, from neighbouring frames and through long stretches, or by
// their likelihood (stage II).
//
// There is one training, a Run, and two ways to drive it. The command line lets
// Prepare read a phase's data with all cores and train.Run take its steps. A page
// wraps the run in a Live, which does the same in short pieces of work, between
// which the page can be answered, while trajectories are still being simulated,
// and with a pool of helpers. The bits are the same. In a Live, the intake reads
// the data, the Pool takes the steps with them, the gauge measures what they lead
// to and the meter how fast they go.
package fit
