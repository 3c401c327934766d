// Package excerpt has parts of a source's trajectories, which are sources again. Starts are the first frames of
// trajectories, from which predictions begin. A Part is some of the user's trajectories, each with some of its frames:
// what trains a model, or what is kept out of its training.
package excerpt
