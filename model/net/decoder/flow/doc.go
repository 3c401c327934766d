// Package flow is the decoder p_θ(x | ẑ): a stack of conditional autoregressive transforms over
// a normal base density. Each coordinate passes through a monotone rational-quadratic spline.
// The flow follows section 3 of the paper and Durkan et al., Neural Spline Flows (2019).
//
// Each layer has an order of the coordinates. The raw parameters of coordinate i's spline are
//
//	raw_i = conditioner_i(x_{<i}, ẑ)
//
// where x_{<i} are the layer's inputs before coordinate i. LogProb knows all inputs of a layer, so
// it can transform the coordinates in any order. Sample inverts the transforms one after the other,
// because each needs the inverted coordinates before it. If y is the output of the last layer,
//
//	log p(x | ẑ) = log N(y; μ(ẑ), σ(ẑ)²) + Σ log dy_i/dx_i over layers and coordinates
//
// with μ = 0, σ = 1 for an unconditional base.
//
// A coordinate that repeats lies on a circle (package circle). Its splines are bijections of the circle
// (Rezende and others, Normalizing Flows on Tori and Spheres, 2020), its base density is uniform, and
// conditioners see its cosine and its sine. So the density has no seam. Before its splines, each layer
// turns the circles by a fixed angle.
//
// Each coordinate has its own conditioner, instead of one masked network for all. The first
// coordinate's conditioner depends only on ẑ and runs once per set. In every other conditioner, the
// part of the first layer that depends on ẑ also runs once per set. A residual conditioner with
// ReLUs that reads a single coordinate is piecewise linear in that coordinate. The shipped models
// of particles in the plane have such conditioners. With many samples per set, their linear pieces
// are evaluated one after another (nn.LineWorkspace).
package flow
