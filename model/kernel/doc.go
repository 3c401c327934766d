// Package kernel holds the arithmetic that everything else spends its time in:
// matrix products with a fused bias and activation, elementwise functions,
// reductions, softmax and the Adam update.
//
// Every operation is generic over float32 and float64. The plain form in
// ref.go is always compiled; it is what float64 runs, what gradients are
// checked with, and what the float32 SIMD forms (listed by simd_amd64.go,
// simd_arm64.go, simd_wasm.go) are tested against. dispatch.go chooses among
// them once, as the program starts.
//
// Matrices are row-major slices. A caller's mistake in a length panics with
// the package's name; nothing here allocates once its Scratch has grown.
package kernel
