// Package kernel holds the arithmetic that everything else spends its time in:
// matrix products with a fused bias and activation, elementwise functions,
// reductions, softmax and the Adam update.
//
// Every operation is generic over float32 and float64. The plain form in
// ref.go is always compiled; it is what float64 runs, what gradients are
// checked with, and what the float32 SIMD forms (listed by simd_amd64.go and
// simd_128.go) are tested against. dispatch.go chooses among them once, when it
// is first asked. Most forms of 256 and 128 bits are generated from the files of
// 512 bits, and the tiles of matrix products from templates.
//
// Equal inputs give equal bits wherever Name is the same: every operation rounds
// as IEEE 754 prescribes, and none is an estimate, which would differ between
// makers of processors. Between implementations the order of summation differs;
// each is within a few roundings of the plain form in float64, and Use("plain")
// gives the same bits on amd64 and in WebAssembly. (On amd64 equal
// bits take a processor with FMA and a build for GOAMD64=v1 or v2, the default; on
// arm64 the compiler fuses plain code as well, and its results are its own.)
//
// Matrices are row-major slices. A caller's mistake in a length panics with
// the package's name; nothing here allocates once its Scratch has grown.
package kernel
