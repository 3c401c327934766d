// Package fit trains an experiment's model in phases: the autoencoder (stage I),
// then the dynamics, from neighbouring frames and through long stretches, or by
// their likelihood (stage II).
//
// A training is a list of phases: Phases makes it from a configuration, and nothing else
// here asks which phase it is. What a phase keeps of a trajectory is an item of a store,
// which is made in the same pieces wherever it is made.
//
// There is one training, a Run, and two ways to drive it. The command line lets
// Prepare read a phase's data with all cores and train.Run take its steps. A page
// wraps the run in a Live, which does the same in short pieces of work, between
// which the page can be answered, while trajectories are still being simulated,
// and with a pool of helpers. The bits are the same. In a Live, the intake reads
// the data, the Pool takes the steps with them, the validator measures what they lead
// to and the estimate how long they take.
package fit
