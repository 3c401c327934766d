// Package flow is the decoder p_θ(x | ẑ): a stack of conditional
// autoregressive transforms, each coordinate of which goes through a monotone
// rational-quadratic spline, over a normal base density. It follows section 3
// of the paper and Durkan et al., Neural Spline Flows (2019).
//
// A layer takes the coordinates in an order of its own. Their splines' raw
// parameters are
//
//	raw_i = conditioner_i(x_{<i}, ẑ)
//
// where x_{<i} are the layer's inputs that come before coordinate i, so that
// all coordinates of a sample are transformed at once when a density is asked
// for, and one after the other when a sample is. With y the output of the last
// layer,
//
//	log p(x | ẑ) = log N(y; μ(ẑ), σ(ẑ)²) + Σ log dy_i/dx_i over layers and coordinates
//
// with μ = 0, σ = 1 where the base is not conditional.
//
// Conditioners are written out one by one instead of masking a single network.
// The first coordinate's depends on ẑ alone and runs once a set; so does the
// part of the others' first layer that ẑ enters. Residual conditioners of a single
// coordinate with ReLUs, as the published ones of particles in the plane are, are
// piecewise linear in it, and for many samples a set are evaluated by their pieces
// (nn.LineWorkspace).
package flow
