// Package attention holds the Set Transformer (Lee et al., 2019), a set encoder in
// which particles interact through attention.
//
// Multihead attention (Vaswani et al., 2017) of a query x to points y_i is
//
//	O·concat_h( Σ_i a_hi (V_h y_i + b_h) ) + b,   a_h = softmax_i( (Q_h x)·(K_h y_i) / √d )
//
// with heads of d numbers each. Keys have no bias: it would add the same number to
// all scores of a query, which cancels in the softmax.
//
// The points of a set do not attend to one another directly. A few learned queries
// attend to the set (gather), and the set attends to their results (spread). This
// costs O(n·m) for n particles and m queries:
//
//	I = norm(queries + attention(queries; h))
//	h ← norm(h + attention(h; I))
//	h ← norm(h + W₂ relu(W₁ h + b₁) + b₂)
//
// After some such blocks one or a few learned seeds attend to the set and pass
// through a separate feed-forward layer. ẑ is an affine map of their mean.
//
// One side of every attention is small, so the set is never projected. The few
// queries absorb the keys' projection, Kᵀ_h Q_h x, and the few points absorb the
// projections of queries and output. For the set, each attention then costs two
// products with matrices of (heads·m, width), less than its projections would cost.
// In the first block, where the set is an affine map of a few coordinates, the
// small side absorbs that map as well, and multiplies the coordinates. The results
// equal the formula's except for rounding.
//
// Sets are ragged, laid end to end, without padding. Sets do not interact.
package attention
