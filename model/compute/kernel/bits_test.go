package kernel

import (
	"encoding/binary"
	"hash/fnv"
	"runtime"
	"testing"
)

// golden lists a hash of the results of all kernels for fixed inputs, by architecture and
// implementation. A processor that rounds differently gives another hash. The hashes were computed
// on an AMD EPYC (Zen 5) and in Node. If the order of operations changes,
// TestEqualBitsOnEveryMachine prints the new hashes. There is no hash for arm64, because no
// hardware was available. On arm64 the compiler also fuses multiplications with additions in the
// plain form.
var golden = map[string]uint64{
	"amd64 plain":  0xdb252033a1f46fed,
	"amd64 avx2":   0x5f3bc16bd23c8989,
	"amd64 avx512": 0xf25081e43827bd3c,
	"wasm plain":   0xdb252033a1f46fed,
	"wasm simd128": 0x845c5c6e145ce034,
}

func TestEqualBitsOnEveryMachine(t *testing.T) {
	if fused() && runtime.GOARCH == "amd64" {
		t.Skip("built for a GOAMD64 that fuses multiplications and additions")
	}
	eachImplementation(t, func(t *testing.T) {
		h := fnv.New64a()
		r := newRand()
		var s Scratch
		put := func(x ...float32) { binary.Write(h, binary.LittleEndian, x) }
		for _, sh := range []shape{{3, 5, 2}, {9, 17, 31}, {130, 149, 131}, {131, 2, 65}} {
			a, b, c := uniform(r, sh.m*sh.k), uniform(r, sh.k*sh.n), make([]float32, sh.m*sh.n)
			for _, gemm := range []func(*Scratch, []float32, []float32, []float32, int, int, int, bool){
				GemmNN[float32], GemmNT[float32], GemmTN[float32],
			} {
				gemm(&s, c, a, b, sh.m, sh.n, sh.k, true)
				put(c...)
			}
			slope, bias, dx, dbias := make([]float32, len(c)), uniform(r, sh.n), make([]float32, len(c)), make([]float32, sh.n)
			for act := Identity; act <= SiLU; act++ {
				Affine(&s, c, slope, a, b, bias, sh.m, sh.k, sh.n, act)
				ActivationGrad(dx, uniform(r, len(c)), c, slope, act)
				put(c...)
				put(dx...)
			}
			SoftmaxRows(dx, slope, sh.m, sh.n)
			ColSum(dbias, slope, sh.m, sh.n)
			put(dx...)
			put(dbias...)
		}

		const n = 1003
		x, y, dst := uniform(r, n), uniform(r, n), make([]float32, n)
		for i := range x {
			x[i] *= 20
		}
		for _, f := range []func(dst, x []float32){ExpTo[float32], TanhTo[float32], SoftplusTo[float32], SigmoidTo[float32]} {
			f(dst, x)
			put(dst...)
		}
		ExpTo(dst, x)
		LogTo(dst, dst)
		put(dst...)
		put(Sum(x), Dot(x, y), Max(x))
		Axpy(dst, 0.3, x)
		Scale(dst, 1.7)
		Mul(dst, dst, y)
		put(dst...)
		first, second := make([]float32, n), make([]float32, n)
		for step := range 3 {
			Adam(y, x, first, second, AdamStep{Rate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.01, Step: step + 1})
		}
		put(y...)
		put(first...)
		put(second...)

		key := runtime.GOARCH + " " + active().name
		want, ok := golden[key]
		if got := h.Sum64(); ok && got != want {
			t.Errorf("%s: the results hash to %#x, want %#x", key, got, want)
		} else if !ok {
			t.Logf("%s: no hash to compare with %#x", key, got)
		}
	})
}

var unknown = 2.0 // not a constant, or the compiler would compute the expression in fused() itself

// fused reports whether the compiler turns x·y + z into one operation.
func fused() bool {
	x, z := 1+0x1p-30*unknown, -1-0x1p-29*unknown
	return x*x+z != 0
}
