// Package nn holds the layers of networks: an affine map with an activation, and the multilayer
// perceptron, a chain of such maps. LineWorkspace evaluates residual networks with ReLUs faster if
// the inputs lie on lines.
//
// A layer stores no weights, only their offsets in a tensor.Layout. Its functions receive weights
// and gradients as arenas of this layout. Results lie in a workspace that is made once.
// Gradients are accumulated. Weights have the shape (out, in) and the initial values of
// PyTorch's nn.Linear, so PyTorch opens checkpoints unchanged.
package nn
