// Package nn holds the layers that networks are built from: an affine map with
// an activation, and the multilayer perceptron made of several. For inputs on a line,
// residual networks with ReLUs have a shorter way (LineWorkspace).
//
// A layer owns no numbers, only its place in a tensor.Layout; weights and
// gradients are passed in as arenas of that layout. Forward stands beside
// Backward, results lie in a workspace that is made once, and gradients are
// accumulated with +=. Weights are stored (out, in) and initialised as
// PyTorch's nn.Linear does, so that checkpoints open there as they are.
package nn
