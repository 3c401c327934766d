package particle

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"runtime"
	"testing"
)

// golden holds a hash of a trajectory's bits for each architecture and form of the pair loop. A
// processor that rounds differently gives another hash. TestEqualBitsOnEveryMachine computed the
// hashes on an AMD EPYC (Zen 5) and in Node. After a change of the order of operations, the test
// fails and prints the new hashes. There is no hash for arm64, because no hardware was available.
// On arm64 the compiler also fuses multiplications with additions in the plain form.
var golden = map[string]uint64{
	"amd64 plain":  0x13f66bf5cfa197d3,
	"amd64 avx2":   0x9b0b6340ce5d0981,
	"amd64 avx512": 0x8128766a599609b8,
	"wasm plain":   0x13f66bf5cfa197d3,
	"wasm simd128": 0x7127bb2e61affcb0,
}

// goldenTable holds the hashes for a trajectory with a tabulated force.
var goldenTable = map[string]uint64{
	"amd64 plain":  0xa8c62ecca14dd0ef,
	"amd64 avx2":   0x7ce858d20ba7c2d2,
	"amd64 avx512": 0x7ce858d20ba7c2d2,
	"wasm plain":   0xa8c62ecca14dd0ef,
	"wasm simd128": 0xcbf7077e7a1cc282,
}

// The function `with` runs a test for every implementation.
func with(t *testing.T, test func(*testing.T)) {
	t.Helper()
	choice.Each(func(im *impl) { t.Run(im.name, test) })
}

// TestEqualBitsOnEveryMachine follows particles through their fastest motion. Their number, 301,
// is not a multiple of any vector width.
func TestEqualBitsOnEveryMachine(t *testing.T) {
	if fused() && runtime.GOARCH == "amd64" {
		t.Skip("built for a GOAMD64 that fuses multiplications and additions")
	}
	with(t, func(t *testing.T) {
		cfg := Default()
		cfg.N, cfg.Steps = 301, 60
		for _, golden := range []map[string]uint64{golden, goldenTable} {
			run := NewTrajectory(cfg)
			if err := start(t, cfg, 1, 0).Record(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			h := fnv.New64a()
			binary.Write(h, binary.LittleEndian, run.Frames)
			binary.Write(h, binary.LittleEndian, run.Energy)
			key := runtime.GOARCH + " " + active().name
			want, ok := golden[key]
			if got := h.Sum64(); ok && got != want {
				t.Errorf("%s: the trajectory hashes to %#x, want %#x", key, got, want)
			} else if !ok {
				t.Logf("%s: no hash to compare with %#x", key, got)
			}
			cfg.Force = tabulated(t, func(r float64) float64 { return 1/(0.1+r*r) - 0.3*r })
		}
	})
}

var unknown = 2.0 // a variable, so that fused computes x·x + z at run time

// fused reports whether the compiler turns x·y + z into one operation.
func fused() bool {
	x, z := 1+0x1p-30*unknown, -1-0x1p-29*unknown
	return x*x+z != 0
}

// TestFormsAgree compares whole runs of all forms of the loop with the plain form, which computes
// pairs in float64. Particles follow a gradient to rest, so rounding errors are not amplified. Over
// 20 seeds, positions differ by at most 1.5e-8 per step, and energies by a relative 2e-8.
func TestFormsAgree(t *testing.T) {
	for seed := range uint64(2) {
		var want *Trajectory
		choice.Each(func(im *impl) { // the plain form comes first
			cfg := Default()
			cfg.Components = 2 + int(seed)%2
			if testing.Short() {
				cfg.Steps = 60
			}
			run := NewTrajectory(cfg)
			if err := start(t, cfg, seed, 0).Record(t.Context(), run); err != nil {
				t.Fatal(err)
			}
			if im.name == "plain" {
				want = run
				return
			}
			for i, x := range run.Frames {
				step := i / (2 * cfg.N)
				tol := 1e-6 + 1e-7*float64(step)
				if d := math.Abs(float64(x) - float64(want.Frames[i])); !(d <= tol) {
					t.Fatalf("seed %d, %s, step %d: a particle is %.2g from where the plain form has it, tolerance %.2g", seed, im.name, step, d, tol)
				}
			}
			for step, e := range run.Energy {
				if d := math.Abs(e/want.Energy[step] - 1); !(d <= 1e-7) {
					t.Fatalf("seed %d, %s, step %d: the energy differs by %.2g of itself, tolerance 1e-7", seed, im.name, step, d)
				}
			}
		})
	}
}
