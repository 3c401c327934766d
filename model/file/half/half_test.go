package half

import (
	"math"
	"testing"
)

// TestRound checks that every binary16 rounds to itself, that the midpoint of two neighbours rounds
// to the even one, and that the float32 next to a midpoint round to the nearer one.
func TestRound(t *testing.T) {
	check := func(v float32, want uint16) {
		t.Helper()
		if got := Round(v); got != want {
			t.Errorf("%v rounds to %04x, want %04x", v, got, want)
		}
	}
	for i := range 1 << 16 {
		check(Value(uint16(i)), uint16(i))
	}
	const largest, infinite = 0x7bff, 0x7c00
	for h := range uint16(infinite) {
		low, high := Value(h), Value(h+1)
		if h == largest {
			high = 65536
		}
		middle := (low + high) / 2
		for sign, v := range map[uint16]float32{0: middle, 0x8000: -middle} {
			check(v, sign|(h+h&1))
			check(math.Nextafter32(v, 0), sign|h)
			check(math.Nextafter32(v, 2*v), sign|(h+1))
		}
	}
	check(math.SmallestNonzeroFloat32, 0)
	check(-math.MaxFloat32, 0x8000|infinite)
	check(math.Float32frombits(0xff800001), 0x8000|infinite|0x200) // a NaN with a payload too small for a binary16
}

// TestValue checks every half-precision number against the definition of the format.
func TestValue(t *testing.T) {
	for b := range 1 << 16 {
		sign := math.Pow(-1, float64(b>>15))
		exponent, fraction := b>>10&31, float64(b&1023)/1024
		want := sign * math.Pow(2, float64(exponent-15)) * (1 + fraction)
		switch {
		case exponent == 31 && fraction != 0:
			want = math.NaN()
		case exponent == 31:
			want = sign * math.Inf(1)
		case exponent == 0:
			want = sign * math.Pow(2, -14) * fraction
		}
		got := float64(Value(uint16(b)))
		if got != want && got == got || math.Signbit(got) != math.Signbit(want) && got == got || (got == got) != (want == want) {
			t.Fatalf("Value(%#04x): got %v, want %v", b, got, want)
		}
	}
}
