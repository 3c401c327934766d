package particle

// The vector forms compute tanh u and log cosh u from h = e^{-2|u|}/2 alone:
//
//	|tanh u| = 1/(1/2 + h) - 1,   log cosh u = |u| + log(1/2 + h).
//
// h is 2^n·2^f/2 with n whole and |f| ≤ 1/2. The approximation 2^f ≈ 1 + c1 f + … + c6 f⁶ has an
// error of at most 2.6e-9. Its coefficients come from the Remez algorithm. The sum of the
// logarithms is the logarithm of a product. Each lane multiplies the factors 1/2 + h of up to 64
// pairs, then splits the product into mantissa and exponent (see sums). Logarithms are taken only
// at the end of a pass.
const (
	exp2c1 = 0.693147214967885
	exp2c2 = 0.24022652782876178
	exp2c3 = 0.05550310551206981
	exp2c4 = 0.009617692976143188
	exp2c5 = 0.0013406643847480061
	exp2c6 = 0.0001559467701510541
)
