// Package attention holds the Set Transformer (Lee et al., 2019), an encoder of
// sets whose particles see each other through attention.
//
// Multihead attention (Vaswani et al., 2017) of a query x to points y_i is
//
//	O·concat_h( Σ_i a_hi (V_h y_i + b_h) ) + b,   a_h = softmax_i( (Q_h x)·(K_h y_i) / √d )
//
// with heads of d numbers each. Keys have no bias: it would add the same to all
// scores of a query, which the softmax does not see.
//
// All points of a set never attend to each other. A few learned queries attend to
// the set (gather), and the set attends to what they found (spread), which costs
// O(n·m) for n particles and m queries:
//
//	I = norm(queries + attention(queries; h))
//	h ← norm(h + attention(h; I))
//	h ← norm(h + W₂ relu(W₁ h + b₁) + b₂)
//
// After some such blocks one or a few learned seeds attend to the set, pass a
// feed-forward layer of their own, and an affine map of their mean is ẑ.
//
// Of the two sides of an attention one is always few. So the set is not projected
// at all: the few queries take the keys' projection upon themselves, Kᵀ_h Q_h x,
// and the few points the queries' and the output's. What is left for the set of
// each attention are two products with matrices of (heads·m, width), which is
// less than its projections would be. In the first block, where the set is an
// affine map of a few coordinates, the few take that upon themselves as well, and
// meet the coordinates. The results are those of the formula but for rounding.
//
// Sets are ragged, laid end to end; there is no padding. No two sets see each
// other.
package attention
