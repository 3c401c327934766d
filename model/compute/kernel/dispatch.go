package kernel

import "macroscope/sim/simd"

//go:generate go run macroscope/serve/generate attend512.go 256 128
//go:generate go run macroscope/serve/generate gemm512.go 256
//go:generate go run macroscope/serve/generate impl512.go 256 128
//go:generate go run macroscope/serve/generate lanes512.go 256
//go:generate go run macroscope/serve/generate math512.go 256
//go:generate go run macroscope/serve/generate reduce512.go 256
//go:generate go run macroscope/serve/generate tiles512.tmpl tiles512.go
//go:generate go run macroscope/serve/generate tiles512.go 256

// A tile is the part of C that a loop keeps in accumulators. On arm64 a tile has four rows by
// twelve columns in twelve accumulators. The accumulators and their operands fit in the
// registers, and there are enough independent accumulators to hide the latency of a fused
// multiply-add. On wasm a tile has three rows by twelve columns in nine accumulators. The nine
// accumulators, three vectors of B, a factor from A and a product fill fourteen of the
// compiler's sixteen registers.
//go:generate go run macroscope/serve/generate tiles128.tmpl tiles_arm64.go arch=arm64 rows=4
//go:generate go run macroscope/serve/generate tiles128.tmpl tiles_wasm.go arch=wasm rows=3

// impl is a float32 implementation of all operations that have SIMD forms.
type impl struct {
	name string

	gemmNN, gemmNT, gemmTN func(s *Scratch, c, a, b []float32, m, n, k int, accumulate bool)
	affine                 func(s *Scratch, y, slope, x, w, bias []float32, rows, in, out int, act Activation)
	activate               func(y, slope, x []float32, act Activation)
	activationGrad         func(dx, dy, y, slope []float32, act Activation)

	exp, log, tanh, softplus, sigmoid func(dst, x []float32)

	sum         func(x []float32) float32
	dot         func(x, y []float32) float32
	max         func(x []float32) float32
	allFinite   func(x []float32) bool
	axpy        func(dst []float32, alpha float32, x []float32)
	scale       func(dst []float32, alpha float32)
	mul         func(dst, x, y []float32)
	colSum      func(dst, x []float32, rows, cols int)
	softmaxRows func(dst, x []float32, rows, cols int)
	adam        func(p, g, m, v []float32, h AdamStep)

	softmaxCols                      func(dst, x []float32, rows, cols int)
	softmaxRowsGrad, softmaxColsGrad func(dx, dy, y []float32, rows, cols int)
	normRows                         func(y, unit, inv, x, add, gain, shift []float32, rows, cols int)
	normRowsGrad                     func(dx, dgain, dshift, dy, unit, inv, gain []float32, rows, cols int)
}

var plain = impl{
	name:   "plain",
	gemmNN: func(_ *Scratch, c, a, b []float32, m, n, k int, acc bool) { refGemmNN(c, a, b, m, n, k, acc) },
	gemmNT: func(_ *Scratch, c, a, b []float32, m, n, k int, acc bool) { refGemmNT(c, a, b, m, n, k, acc) },
	gemmTN: func(_ *Scratch, c, a, b []float32, m, n, k int, acc bool) { refGemmTN(c, a, b, m, n, k, acc) },
	affine: func(_ *Scratch, y, slope, x, w, bias []float32, rows, in, out int, act Activation) {
		refAffine(y, slope, x, w, bias, rows, in, out, act)
	},
	activate: refActivate[float32], activationGrad: refActivationGrad[float32],
	exp: refExp[float32], log: refLog[float32], tanh: refTanh[float32],
	softplus: refSoftplus[float32], sigmoid: refSigmoid[float32],
	sum: refSum[float32], dot: refDot[float32], max: refMax[float32], allFinite: refAllFinite[float32],
	axpy: refAxpy[float32], scale: refScale[float32], mul: refMul[float32], colSum: refColSum[float32],
	softmaxRows: refSoftmaxRows[float32], adam: refAdam[float32],
	softmaxCols: refSoftmaxCols[float32], softmaxRowsGrad: refSoftmaxRowsGrad[float32], softmaxColsGrad: refSoftmaxColsGrad[float32],
	normRows: refNormRows[float32], normRowsGrad: refNormRowsGrad[float32],
}

// Form returns the implementation's name.
func (im impl) Form() string { return im.name }

var choice = simd.Choice[impl]{Package: "kernel", List: implementations}

// active is the implementation in use.
func active() *impl { return choice.Serving() }

// Name returns the form of float32 arithmetic in use: "plain", "avx2", "avx512",
// "neon" or "simd128".
func Name() string { return active().name }

// Use selects the named implementation. A call of `restore` selects the previous implementation
// again. Tests and benchmarks compare implementations in this way. No kernel may run during these
// calls.
func Use(name string) (restore func(), err error) { return choice.Use(name) }
