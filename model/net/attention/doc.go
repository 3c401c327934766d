// Package attention holds the Set Transformer (Lee et al., 2019), a set encoder in which
// particles interact through attention.
//
// Multihead attention (Vaswani et al., 2017) of a query x to points y_i is
//
//	O·concat_h( Σ_i a_hi (V_h y_i + b_h) ) + b,   a_h = softmax_i( (Q_h x)·(K_h y_i) / √d )
//
// with heads of d numbers each. Keys have no bias: it would add the same number to all scores
// of a query, which cancels in the softmax.
//
// The points of a set do not attend to one another directly. A few learned queries attend to
// the set (gather); then the set attends to their results (spread). For n particles and m
// queries the cost is O(n·m):
//
//	I = norm(queries + attention(queries; h))
//	h ← norm(h + attention(h; I))
//	h ← norm(h + W₂ relu(W₁ h + b₁) + b₂)
//
// After several such blocks, one or more learned queries, the seeds, attend to the set, and the
// results pass through a separate feed-forward layer. ẑ is an affine map of the mean of this
// layer's outputs.
//
// In every attention, one side has only m members. All projections are applied to this small side,
// never to the set. In gather, the queries are multiplied by the projection of the keys: Kᵀ_h Q_h
// x. In spread, the m points are multiplied by the projections of the queries and of the output.
// Each attention then multiplies the set by two matrices (heads·m, width), which costs less than
// projecting the set. In the first block, the set is an affine map of a few coordinates. There each
// matrix is multiplied by this map, and the product multiplies the coordinates. Except for
// rounding, the results are the same as with separate projections.
//
// Sets of different sizes lie end to end without padding. They do not interact.
package attention
