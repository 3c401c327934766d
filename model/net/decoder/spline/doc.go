// Package spline is the monotone rational-quadratic bijection of the real line from Durkan,
// Bekasov, Murray and Papamakarios, Neural Spline Flows (2019), section 3.1. It has the
// conventions of their nflows library: K bins between -B and B, the identity outside.
//
// # The map
//
// A bin has the left knot (x₀, y₀), the width w, the height h, the slope s = h/w, and the
// derivatives d₀ and d₁ at its two knots. With θ = (x - x₀)/w and u = 1 - θ, the paper's equations
// 4 and 5 are
//
//	y     = y₀ + h (sθ² + d₀θu) / D        D = s(θ² + u²) + (d₀ + d₁)θu
//	dy/dx = s² M / D²                      M = d₁θ² + 2sθu + d₀u²
//
// D is written here as a sum of positive terms. The paper's form, s + (d₀ + d₁ - 2s)θu, loses
// digits by cancellation.
//
// # Its inverse
//
// Let η = (y - y₀)/h, p = d₀(1-η) - d₁η and q = 4s²η(1-η). The quadratic of the paper's
// equations 6 to 8 has the discriminant p² + q, again a sum of positive terms, and the root
//
//	θ = 2sη / (2sη + r)        r = p + √(p² + q)
//
// For p < 0, r is computed as q / (√(p² + q) - p). The root then loses no digits at either end of
// the bin.
//
// # Its parameters
//
// A row of raw parameters is [K widths | K heights | K-1 derivatives]. Widths and heights are
// 2B(m + (1 - Km) softmax) with the floor m = [Floor]; derivatives are Floor + softplus at the
// inner knots, 1 at ±B.
//
// On a circle, -B and B are one point, so they are one knot, and it has a derivative of its own: the last
// of K.
//
// A [Table] evaluates samples that share a row; [Rows] has one row per sample.
package spline
