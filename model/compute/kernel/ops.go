package kernel

import "math"

// GemmNN computes C = A·B, or C += A·B, for A (m, k), B (k, n), C (m, n).
func GemmNN[T Float](s *Scratch, c, a, b []T, m, n, k int, accumulate bool) {
	gemm(s, c, a, b, m, n, k, accumulate, active().gemmNN, refGemmNN[T])
}

// GemmNT computes C = A·Bᵀ, or C += A·Bᵀ, for A (m, k), B (n, k), C (m, n).
func GemmNT[T Float](s *Scratch, c, a, b []T, m, n, k int, accumulate bool) {
	gemm(s, c, a, b, m, n, k, accumulate, active().gemmNT, refGemmNT[T])
}

// GemmTN computes C = Aᵀ·B, or C += Aᵀ·B, for A (k, m), B (k, n), C (m, n).
func GemmTN[T Float](s *Scratch, c, a, b []T, m, n, k int, accumulate bool) {
	gemm(s, c, a, b, m, n, k, accumulate, active().gemmTN, refGemmTN[T])
}

// gemm computes a product: in float32 with the active form, in float64 with the plain form.
func gemm[T Float](s *Scratch, c, a, b []T, m, n, k int, accumulate bool,
	serving func(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool), plain func(c, a, b []T, m, n, k int, accumulate bool)) {
	checkGemm(len(c), len(a), len(b), m, n, k)
	if c32, ok := as32(c); ok {
		a32, _ := as32(a)
		b32, _ := as32(b)
		serving(s, c32, a32, b32, m, n, k, accumulate)
		return
	}
	plain(c, a, b, m, n, k, accumulate)
}

func checkGemm(c, a, b, m, n, k int) {
	if m < 0 || n < 0 || k < 0 || c < m*n || a < m*k || b < n*k {
		fail("product (%d, %d, %d) does not fit slices of %d, %d, %d", m, n, k, c, a, b)
	}
}

// Affine computes y = act(x·wᵀ + bias) for x (rows, in), w (out, in) as in PyTorch, bias (out) or
// nil, and y (rows, out). If slope is not nil and act is SiLU, slope receives act'(x·wᵀ + bias),
// which ActivationGrad needs. In float32, act has an error of at most 4 units of the last place.
// The error of SiLU is larger below -87, where the sigmoid becomes denormal.
func Affine[T Float](s *Scratch, y, slope, x, w, bias []T, rows, in, out int, act Activation) {
	checkGemm(len(y), len(x), len(w), rows, out, in)
	if bias != nil && len(bias) < out {
		fail("bias of %d for %d outputs", len(bias), out)
	}
	if slope != nil && len(slope) < rows*out {
		fail("slopes of %d for (%d, %d)", len(slope), rows, out)
	}
	if y32, ok := as32(y); ok {
		p32, _ := as32(slope)
		x32, _ := as32(x)
		w32, _ := as32(w)
		b32, _ := as32(bias)
		active().affine(s, y32, p32, x32, w32, b32, rows, in, out, act)
		return
	}
	refAffine(y, slope, x, w, bias, rows, in, out, act)
}

// Activate writes act(x) to y, which may be x, with Affine's accuracy. If slope is not nil and
// act is SiLU, slope receives act'(x). slope may be x if y is not x.
func Activate[T Float](y, slope, x []T, act Activation) {
	checkPair(len(y), len(x))
	if slope != nil {
		checkPair(len(slope), len(x))
	}
	if y32, ok := as32(y); ok {
		p32, _ := as32(slope)
		x32, _ := as32(x)
		active().activate(y32, p32, x32, act)
		return
	}
	refActivate(y, slope, x, act)
}

// ActivationGrad computes dx = dy·act'(x) from the activation's output y. For SiLU, slope must hold
// the slopes from the forward pass. For other activations it may be nil. dx may be dy. The
// derivative of Softplus is within 4 units of the last place for the given y. For SiLU the absolute
// error is a few times 2^-24·max(1, |x|), for other activations a few times 2^-24.
func ActivationGrad[T Float](dx, dy, y, slope []T, act Activation) {
	if len(dx) < len(dy) || len(y) < len(dy) || act == SiLU && len(slope) < len(dy) {
		fail("activation gradient of %d values from %d outputs, %d slopes", len(dy), len(y), len(slope))
	}
	if d32, ok := as32(dx); ok {
		g32, _ := as32(dy)
		y32, _ := as32(y)
		p32, _ := as32(slope)
		active().activationGrad(d32, g32, y32, p32, act)
		return
	}
	refActivationGrad(dx, dy, y, slope, act)
}

// ExpTo writes e^x to dst, which may be x. In float32 it is within 2 units of the last place,
// down to denormal results. An element's result does not depend on its place in the slice. The
// functions below work alike, each with its own error bound.
func ExpTo[T Float](dst, x []T) { elementwise(dst, x, active().exp, refExp[T]) }

// LogTo writes the natural logarithm of x to dst, which may be x, within 2 units of the last place.
// The logarithm of 0 is -Inf. The logarithm of a negative number is NaN.
func LogTo[T Float](dst, x []T) { elementwise(dst, x, active().log, refLog[T]) }

// TanhTo writes tanh(x) to dst, which may be x, within 4 units of the last place.
func TanhTo[T Float](dst, x []T) { elementwise(dst, x, active().tanh, refTanh[T]) }

// SoftplusTo writes log(1 + e^x) to dst, which may be x, within 4 units of the
// last place.
func SoftplusTo[T Float](dst, x []T) { elementwise(dst, x, active().softplus, refSoftplus[T]) }

// SigmoidTo writes 1/(1 + e^-x) to dst, which may be x, within 4 units of the
// last place.
func SigmoidTo[T Float](dst, x []T) { elementwise(dst, x, active().sigmoid, refSigmoid[T]) }

// elementwise computes dst from x: in float32 with the active form of a function, in float64
// with the plain form.
func elementwise[T Float](dst, x []T, serving func(dst, x []float32), plain func(dst, x []T)) {
	checkPair(len(dst), len(x))
	if d32, ok := as32(dst); ok {
		x32, _ := as32(x)
		serving(d32, x32)
		return
	}
	plain(dst, x)
}

func checkPair(dst, x int) {
	if dst < x {
		fail("%d values into a slice of %d", x, dst)
	}
}

// Sum returns Σ x.
func Sum[T Float](x []T) T {
	if x32, ok := as32(x); ok {
		return T(active().sum(x32))
	}
	return refSum(x)
}

// Dot returns the scalar product of x with the first len(x) elements of y.
func Dot[T Float](x, y []T) T {
	checkPair(len(y), len(x))
	if x32, ok := as32(x); ok {
		y32, _ := as32(y)
		return T(active().dot(x32, y32))
	}
	return refDot(x, y)
}

// Max returns the largest element of x, -Inf if x is empty and NaN if any element is NaN.
func Max[T Float](x []T) T {
	if x32, ok := as32(x); ok {
		return T(active().max(x32))
	}
	return refMax(x)
}

// AllFinite reports whether x holds neither NaN nor an infinity.
func AllFinite[T Float](x []T) bool {
	if x32, ok := as32(x); ok {
		return active().allFinite(x32)
	}
	return refAllFinite(x)
}

// Axpy adds alpha·x to dst.
func Axpy[T Float](dst []T, alpha T, x []T) {
	checkPair(len(dst), len(x))
	if d32, ok := as32(dst); ok {
		x32, _ := as32(x)
		active().axpy(d32, float32(alpha), x32)
		return
	}
	refAxpy(dst, alpha, x)
}

// Scale multiplies dst by alpha.
func Scale[T Float](dst []T, alpha T) {
	if d32, ok := as32(dst); ok {
		active().scale(d32, float32(alpha))
		return
	}
	refScale(dst, alpha)
}

// Mul writes the elementwise product x·y to dst, which may be x or y.
func Mul[T Float](dst, x, y []T) {
	checkPair(len(dst), len(x))
	checkPair(len(y), len(x))
	if d32, ok := as32(dst); ok {
		x32, _ := as32(x)
		y32, _ := as32(y)
		active().mul(d32, x32, y32)
		return
	}
	refMul(dst, x, y)
}

// Transpose writes the transpose of x (n, n) to dst, which must not be x.
func Transpose[T Float](dst, x []T, n int) {
	for i := range n {
		for j := range n {
			dst[j*n+i] = x[i*n+j]
		}
	}
}

// ColSum adds the sum of the rows of x (rows, cols) to dst (cols).
func ColSum[T Float](dst, x []T, rows, cols int) {
	if len(dst) < cols || len(x) < rows*cols {
		fail("column sums of (%d, %d) from %d values into %d", rows, cols, len(x), len(dst))
	}
	if d32, ok := as32(dst); ok {
		x32, _ := as32(x)
		active().colSum(d32, x32, rows, cols)
		return
	}
	refColSum(dst, x, rows, cols)
}

// SoftmaxRows writes the softmax of every row of x (rows, cols) to dst, which
// may be x.
func SoftmaxRows[T Float](dst, x []T, rows, cols int) {
	if len(dst) < rows*cols || len(x) < rows*cols {
		fail("softmax of (%d, %d) from %d values into %d", rows, cols, len(x), len(dst))
	}
	if d32, ok := as32(dst); ok {
		x32, _ := as32(x)
		active().softmaxRows(d32, x32, rows, cols)
		return
	}
	refSoftmaxRows(dst, x, rows, cols)
}

// AdamStep holds the parameters of one Adam update (Kingma and Ba, 2015; decoupled weight decay
// as in Loshchilov and Hutter, 2019).
type AdamStep struct {
	Rate, Beta1, Beta2, Epsilon, WeightDecay float64
	Step                                     int // number of this step, counted from 1, for the bias corrections
}

// adam holds the factors for updating one element, computed from an AdamStep.
type adam[T Float] struct{ beta1, gain1, beta2, gain2, keep, rate, root, epsilon T }

func adamFactors[T Float](h AdamStep) adam[T] {
	c1, c2 := 1/(1-math.Pow(h.Beta1, float64(h.Step))), 1/(1-math.Pow(h.Beta2, float64(h.Step)))
	return adam[T]{
		beta1: T(h.Beta1), gain1: 1 - T(h.Beta1), beta2: T(h.Beta2), gain2: 1 - T(h.Beta2),
		keep: T(1 - h.Rate*h.WeightDecay), rate: T(h.Rate * c1), root: T(math.Sqrt(c2)), epsilon: T(h.Epsilon),
	}
}

// Adam updates the parameters p and their moments m and v from the gradients g.
func Adam[T Float](p, g, m, v []T, h AdamStep) {
	if len(p) < len(g) || len(m) < len(g) || len(v) < len(g) {
		fail("Adam over %d gradients, %d parameters, %d and %d moments", len(g), len(p), len(m), len(v))
	}
	if p32, ok := as32(p); ok {
		g32, _ := as32(g)
		m32, _ := as32(m)
		v32, _ := as32(v)
		active().adam(p32, g32, m32, v32, h)
		return
	}
	refAdam(p, g, m, v, h)
}
