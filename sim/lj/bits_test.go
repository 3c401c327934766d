package lj

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"runtime"
	"testing"
)

// golden holds a hash of a state's bits for each architecture and form of the loops. A processor
// that rounds differently gives another hash. TestEqualBitsOnEveryMachine computed the hashes on an
// AMD EPYC (Zen 5), the hash of avx2 on an Intel Xeon, and those of wasm in Node. After a change of
// the order of operations, the test fails and prints the new hashes. There is no hash for arm64,
// because no hardware was available. On arm64 the compiler also fuses multiplications with additions
// in the plain form.
var golden = map[string]uint64{
	"amd64 plain":  0x8c9531c9b3d039ba,
	"amd64 avx2":   0x33881d61054ff5cc,
	"amd64 avx512": 0xf4f5519092734758,
	"wasm plain":   0x8c9531c9b3d039ba,
	"wasm simd128": 0x9caeff0417c8c977,
}

// TestEqualBitsOnEveryMachine follows 529 atoms for 400 steps, with many rebuilt neighbour lists
// and a relabelling in the middle. In this time the last bit of a single force affects all atoms.
func TestEqualBitsOnEveryMachine(t *testing.T) {
	if fused() && runtime.GOARCH == "amd64" {
		t.Skip("built for a GOAMD64 that fuses multiplications and additions")
	}
	with(t, func(t *testing.T) {
		cfg := Default()
		cfg.Relaxation = 200
		s := start(t, cfg, 1)
		run(t, s, 400)
		at := save(s)
		h := fnv.New64a()
		for _, numbers := range [...][]float64{at.X, at.Y, at.VX, at.VY, at.PlaceX, at.PlaceY, at.Eta[:], at.Rate[:]} {
			binary.Write(h, binary.LittleEndian, numbers)
		}
		h.Write(at.Species)
		key := runtime.GOARCH + " " + active().name
		want, ok := golden[key]
		if got := h.Sum64(); ok && got != want {
			t.Errorf("%s: the state hashes to %#x, want %#x", key, got, want)
		} else if !ok {
			t.Logf("%s: no hash to compare with %#x", key, got)
		}
	})
}

var unknown = 2.0 // a variable, so that fused computes x·x + z at run time

// fused reports whether the compiler turns x·y + z into one operation.
func fused() bool {
	x, z := 1+0x1p-30*unknown, -1-0x1p-29*unknown
	return x*x+z != 0
}

// TestFormsAgree compares runs of all forms of the loops with the plain form, which sums forces in
// float64. All start from the lattice with the same velocities. Rounding to float32 changes forces
// by 1e-6, and collisions amplify this difference roughly as e^{5t}. Over 20 seeds the largest
// differences are 1.2e-6 after 200 steps and 6.6e-6 after 400. The seeds are fixed, so each run of
// the test finds the same differences.
func TestFormsAgree(t *testing.T) {
	tolerances := []float64{2e-5, 1e-4}
	for seed := range uint64(3) {
		want := make([]State, len(tolerances))
		choice.Each(func(im *impl) { // the plain form comes first
			cfg := Default()
			cfg.Relaxation = 200
			s := start(t, cfg, seed)
			for k, tol := range tolerances {
				run(t, s, 200)
				if im.name == "plain" {
					s.Save(&want[k])
					continue
				}
				got := save(s)
				for i := range got.X {
					if d := math.Hypot(got.X[i]-want[k].X[i], got.Y[i]-want[k].Y[i]); !(d <= tol) {
						t.Fatalf("seed %d, %s: after %d steps atom %d is %.2g from where the plain form has it, tolerance %.0g", seed, im.name, 200*(k+1), i, d, tol)
					}
				}
			}
		})
	}
}
