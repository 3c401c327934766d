// Package kernel holds the arithmetic that dominates the running time: matrix products with a
// fused bias and activation, elementwise functions, reductions, softmax and the Adam update.
//
// Every operation is generic over float32 and float64. The plain form in ref.go is always
// compiled. It does all float64 arithmetic, such as gradient checks. The SIMD forms exist only in
// float32 (simd_amd64.go and simd_128.go list them) and are tested against the plain form.
// dispatch.go chooses one of the float32 forms on first use. Most forms with vectors of 256 and 128
// bits are generated from the files for 512 bits. The tiles of matrix products are generated from
// templates.
//
// Two machines on which Name returns the same form compute the same bits. Every operation rounds as
// IEEE 754 prescribes. Instructions that estimate a reciprocal or a root are not used, because the
// estimates depend on the processor's maker. The form "plain" also gives the same bits on amd64 as
// in WebAssembly. All of this requires, on amd64, a processor with FMA and a build for GOAMD64=v1
// (the default) or v2. On arm64 the compiler fuses operations of the plain form, which changes its
// results.
//
// Different forms add in different orders. Their results differ from the plain form in float64 by
// a few rounding errors.
//
// Matrices are row-major slices. A wrong length panics with the package's name. Nothing here
// allocates once its Scratch has grown.
package kernel
