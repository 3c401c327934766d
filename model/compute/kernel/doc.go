// Package kernel holds the arithmetic that dominates the running time: matrix products with a
// fused bias and activation, elementwise functions, reductions, softmax and the Adam update.
//
// Every operation is generic over float32 and float64. The plain form in ref.go is always
// compiled. It serves all calls in float64, such as gradient checks, and is the reference for
// the SIMD forms, which exist only in float32 (simd_amd64.go and simd_128.go list them).
// dispatch.go chooses among the float32 forms once, on first use. Most forms with vectors of 256
// and 128 bits are generated from the files for 512 bits. The tiles of matrix products are
// generated from templates.
//
// Equal inputs give equal bits wherever Name is the same. Every operation rounds as IEEE 754
// prescribes. Instructions that estimate a reciprocal or a root are not used, because the
// estimates depend on the processor's maker. Implementations differ in the order of summation.
// Their results are within a few roundings of the plain form in float64. Use("plain") gives the
// same bits on amd64 and in WebAssembly. (On amd64 equal bits require a processor with FMA and
// a build for GOAMD64=v1 or v2, the default. On arm64 the compiler also fuses plain code, so
// its results differ.)
//
// Matrices are row-major slices. A wrong length panics with the package's name. Nothing here
// allocates once its Scratch has grown.
package kernel
