// Package nn holds the layers of networks: an affine map with an activation, and the multilayer
// perceptron made of several. LineWorkspace evaluates residual networks with ReLUs faster if
// the inputs lie on lines.
//
// A layer contains no numbers, only its place in a tensor.Layout; weights and gradients are
// passed in as arenas of that layout. Results are kept in a workspace that is made once.
// Gradients are added to the gradients so far. Weights have the shape (out, in) and the initial
// values of PyTorch's nn.Linear, so PyTorch opens checkpoints unchanged.
package nn
