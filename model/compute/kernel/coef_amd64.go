//go:build goexperiment.simd && amd64

package kernel

import "math"

// splat is a constant in 16 copies, which vectors of any width load from memory. This is faster
// than a broadcast, which the compiler would repeat in every iteration of a loop.
type splat [16]float32

func of(x float32) (s splat) {
	for i := range s {
		s[i] = x
	}
	return s
}

// sqrtHalfBits is √½ as float32, in bits.
const sqrtHalfBits = 0x3f3504f3

// Constants of the elementwise functions. The polynomials interpolate at
// Chebyshev nodes. ln 2 is split so that n·ln2hi is exact for every exponent n.
var (
	zeros               splat
	one, two, minusHalf = of(1), of(2), of(-0.5)

	log2e          = of(1.44269504088896)
	ln2hi, ln2lo   = of(0.693359375), of(-2.12194440e-4)
	negLn2hi       = of(-0.693359375)
	negLn2lo       = of(2.12194440e-4)
	expMin, expMax = of(-104), of(89) // below expMin e^x is 0 in float32; above expMax it is infinite
	expm1Min       = of(-60)          // below expm1Min, e^x - 1 rounds to -1
	tanhMax        = of(20)           // for 2x > tanhMax, tanh x rounds to 1
	minNormal      = of(0x1p-126)     // the smallest normal number
	two23, minus23 = of(0x1p23), of(-23)

	// (e^r - 1 - r)/r² for |r| <= ½ ln 2.
	expQ = [...]splat{of(0.5), of(0.166665763), of(0.0416665561), of(0.00836320315), of(0.00139262131)}
	// (log(1+f) - f + f²/2)/f³ for √½ <= 1+f <= √2.
	logQ = [...]splat{of(0.333333313), of(-0.24999997), of(0.200007156), of(-0.166678026), of(0.142490581),
		of(-0.124256872), of(0.116854198), of(-0.114797339), of(0.0697161183)}
	// log(1+t)/t for 0 <= t <= 1.
	log1pQ = [...]splat{of(1), of(-0.499998927), of(0.333297104), of(-0.249516159), of(0.196632743),
		of(-0.152696669), of(0.105436236), of(-0.0563736111), of(0.0195425265), of(-0.00317605701)}
)

// Functions that are no activations. The loops for activations compute them too.
const (
	sigmoidFunction Activation = SiLU + 1 + iota
	expFunction
)

var infinity, notANumber = float32(math.Inf(1)), float32(math.NaN())
