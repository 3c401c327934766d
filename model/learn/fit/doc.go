// Package fit trains an experiment's model in phases: the autoencoder (stage I),
// then the dynamics, from neighbouring frames and through long stretches, or by
// their likelihood (stage II).
//
// A training is a list of phases: Phases makes it from a configuration, and no other code
// here asks which phase it is. A store keeps an item of each trajectory for a phase. Items
// are made in the same pieces everywhere.
//
// There is one training, a Run, and two ways to drive it. The command line lets
// Prepare read a phase's data with all cores and train.Run take its steps. A page
// wraps the run in a Live. It does the same in short pieces of work, so that the page can
// respond between them, while trajectories are still being simulated, and with a pool of
// helpers. The bits are the same. In a Live, the intake reads the data, the Pool takes the
// steps, the validator measures the results and the estimate predicts the time left.
package fit
