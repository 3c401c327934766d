package points

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// sets returns sets of several kinds: clusters, particles far from the origin, particles at one
// point, and particles with very different extents in the two directions.
func sets() map[string][]float32 {
	r := rand.New(rand.NewPCG(1, 2))
	make2 := func(n int, at func(i int) (x, y float64)) []float32 {
		var xy []float32
		for i := range n {
			x, y := at(i)
			xy = append(xy, float32(x), float32(y))
		}
		return xy
	}
	return map[string][]float32{
		"clusters": make2(Most, func(i int) (float64, float64) { return float64(i%2) + 0.1*r.NormFloat64(), 0.1 * r.NormFloat64() }),
		"stroke": make2(Most, func(i int) (float64, float64) {
			return 0.012*float64(i) + 0.03*r.NormFloat64(), math.Sin(float64(i)/99) + 0.03*r.NormFloat64()
		}),
		"far":    make2(300, func(int) (float64, float64) { return 1000 + 1e-3*r.Float64(), -1000 + 1e-3*r.Float64() }),
		"point":  make2(12, func(int) (float64, float64) { return 0.3, -0.7 }),
		"origin": make2(12, func(int) (float64, float64) { return 0, 0 }),
		"flat":   make2(100, func(int) (float64, float64) { return 1e6 * r.NormFloat64(), 1e-6 * r.NormFloat64() }),
		"tiny":   make2(100, func(int) (float64, float64) { return 1e-44 * r.Float64(), 3e-45 * r.Float64() }),
		"one":    {0.1, 0.2},
		"close":  {1, 0.25, 0.99999994, 0.3, 1.0000001, 0.2},
	}
}

// TestCodec checks that decoded coordinates are within the stated tolerance and in the same
// order, and that encoding them again gives the same text.
func TestCodec(t *testing.T) {
	for name, xy := range sets() {
		t.Run(name, func(t *testing.T) {
			exact := []float32{1.5, math.Pi}
			text, err := new(Encoder).Encode(xy, 2, exact)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) > MaxText || strings.ContainsAny(text, "+/=&#%") {
				t.Errorf("%d characters, or some that a link cannot hold", len(text))
			}
			got, more, err := Decode(text, 2)
			if err != nil || len(got) != len(xy) || !slices.Equal(more, exact) {
				t.Fatalf("%d coordinates and %v, %v; want %d", len(got), more, err, len(xy))
			}
			low, high := extents(xy, 2)
			worst := 0.0
			for i := range xy {
				moved, extent := math.Abs(float64(got[i])-float64(xy[i])), float64(high[i%2])-float64(low[i%2])
				if moved > ErrorBound*extent {
					t.Fatalf("coordinate %d moved by %g of the extent %g, more than %g", i, moved, extent, ErrorBound)
				}
				if extent > 0 {
					worst = max(worst, moved/extent)
				}
			}
			t.Logf("%d particles: %d characters, worst error %.3g of the extent", len(xy)/2, len(text), worst)
			w := new(Encoder)
			for range 2 {
				if again, err := w.Encode(got, 2, more); err != nil || again != text {
					t.Errorf("what was read is written in another way: %v", err)
				}
			}
			if other, err := w.Encode(got, 2, nil); err != nil || other == text {
				t.Errorf("another set has the text of the last: %v", err)
			}
		})
	}
}

// TestDecodeDamaged changes, shortens and extends a text. Decode must reject every damaged
// text.
func TestDecodeDamaged(t *testing.T) {
	text, err := new(Encoder).Encode(sets()["clusters"][:60], 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, _, _ := Decode(text, 2)
	damaged := []string{"", "!", text[1:], text + "A", text + text, strings.Repeat("A", MaxText+1), strings.ToUpper(text)}
	for i := range len(text) {
		other := byte('A')
		if text[i] == other {
			other = 'B'
		}
		damaged = append(damaged, text[:i], text[:i]+string(other)+text[i+1:])
	}
	for _, d := range damaged {
		if got, _, err := Decode(d, 2); (err == nil || got != nil) && !slices.Equal(got, whole) { // only the padding after the last bit may change
			t.Errorf("%.40q was read", d)
		}
	}
	packed, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Decode(base64.RawURLEncoding.EncodeToString(append(packed, 0)), 2); err == nil {
		t.Error("a byte after the particles was read")
	}
	if got, _, err := Decode(text, 1); err == nil {
		t.Errorf("points of a plane were read as %d of a line", len(got))
	}
}

func TestEncodeRefuses(t *testing.T) {
	nan := float32(math.NaN())
	for _, tc := range []struct {
		particles []float32
		exact     int
		says      string
	}{
		{make([]float32, 2*Most+2), 0, "2001"},
		{nil, 0, "no particles"},
		{[]float32{1, 2, 3}, 0, "no particles"},
		{[]float32{1, 2}, MaxExact + 1, "no particles"},
		{[]float32{1, nan}, 0, "NaN"},
		{[]float32{1, math.MaxFloat32}, 0, "e+38"},
	} {
		if _, err := new(Encoder).Encode(tc.particles, 2, make([]float32, tc.exact)); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%d numbers: %v, want %q", len(tc.particles), err, tc.says)
		}
	}
}

// FuzzDecode reads any text. Decoded particles must be the same after encoding and decoding
// again.
func FuzzDecode(f *testing.F) {
	for _, xy := range sets() {
		for _, dim := range []int{1, 2} {
			text, err := new(Encoder).Encode(xy[:min(len(xy), 80)], dim, []float32{3})
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text, dim)
		}
	}
	f.Fuzz(func(t *testing.T, text string, dim int) {
		particles, exact, err := Decode(text, dim)
		if err != nil {
			return
		}
		again, err := new(Encoder).Encode(particles, dim, exact)
		if err != nil {
			t.Fatal(err)
		}
		if got, more, err := Decode(again, dim); err != nil || !slices.Equal(got, particles) || !slices.Equal(more, exact) {
			t.Errorf("read again: %v", err)
		}
	})
}

// FuzzRecord tests the part of Decode after the checksum and the compression, which reject
// nearly all damaged texts.
func FuzzRecord(f *testing.F) {
	for _, xy := range sets() {
		xy = xy[:min(len(xy), 80)]
		g := fit(xy, 2)
		b := g.appendRecord(g.multiples(xy), []float32{3})
		f.Add(b[:len(b)-4])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		particles, exact, err := parseRecord(b, 2)
		if err != nil {
			return
		}
		if len(particles) > 2*Most || len(exact) > MaxExact {
			t.Errorf("%d numbers and %d", len(particles), len(exact))
		}
		g := fit(particles, 2)
		if !slices.Equal(g.values(g.multiples(particles)), particles) {
			t.Error("a rounded particle moved")
		}
	})
}

func Example() {
	text, err := new(Encoder).Encode([]float32{0, 0, 1, 0.5, 0.25, 1}, 2, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	particles, _, err := Decode(text, 2)
	fmt.Println(particles, err)
	// Output: [0 0 1 0.5 0.25 1] <nil>
}
