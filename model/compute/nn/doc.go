// Package nn holds the layers of networks: an affine map with an activation, and the
// multilayer perceptron made of several. LineWorkspace evaluates residual networks with
// ReLUs faster if the inputs lie on lines.
//
// A layer owns no numbers, only its place in a tensor.Layout; weights and gradients
// are passed in as arenas of that layout. Forward stands next to Backward. Results
// lie in a workspace that is made once, and gradients accumulate with +=. Weights
// are stored (out, in) and initialised as in PyTorch's nn.Linear, so that PyTorch
// opens checkpoints unchanged.
package nn
