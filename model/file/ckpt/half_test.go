package ckpt

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"macroscope/sim/rng"
)

// TestHalf checks that every binary16 is written as it was read, that the examples in IEEE 754
// are right, and that a float32 rounds to the nearest binary16, with ties to even.
func TestHalf(t *testing.T) {
	for i := range 1 << 16 {
		if h := uint16(i); toHalf(fromHalf(h)) != h {
			t.Fatalf("%04x is %v, which is written as %04x", h, fromHalf(h), toHalf(fromHalf(h)))
		}
	}
	for h, want := range map[uint16]float64{
		0x0001: 0x1p-24, 0x03ff: 0x1p-14 - 0x1p-24, 0x0400: 0x1p-14, 0x3555: 0.333251953125, 0x3bff: 1 - 0x1p-11, 0x3c00: 1, 0x7bff: 65504, 0xc000: -2, 0xfc00: math.Inf(-1),
	} {
		if got := float64(fromHalf(h)); got != want {
			t.Errorf("%04x is %v, want %v", h, got, want)
		}
	}
	if v := fromHalf(0x7e00); v == v {
		t.Errorf("7e00 is %v", v)
	}
	r := rng.New(1, "half test")
	for range 200_000 {
		v := math.Float32frombits(r.Uint32())
		h := toHalf(v)
		off := func(h uint16) float64 { return math.Abs(float64(fromHalf(h)) - float64(v)) }
		size := h & 0x7fff
		switch {
		case v != v || math.Abs(float64(v)) >= 65520:
			if size < 0x7c00 || v == v && size != 0x7c00 {
				t.Fatalf("%v is written as %04x", v, h)
			}
			continue
		case math.Signbit(float64(v)) != (h>>15 == 1):
			t.Fatalf("%v is written as %04x, of another sign", v, h)
		}
		for _, other := range []uint16{h - 1, h + 1} {
			if size == 0 && other == h-1 || size == 0x7bff && other == h+1 {
				continue
			}
			if o := off(other); o < off(h) || o == off(h) && h&1 == 1 {
				t.Fatalf("%v is written as %04x, and %04x is nearer or even", v, h, other)
			}
		}
	}
}

// TestHalve checks that the file stores every float32 rounded to 16 bits, and that reading and
// writing the file again changes nothing. A number too large for 16 bits must give an error.
func TestHalve(t *testing.T) {
	f := &File{Tensors: []Tensor{
		{Name: "a", Shape: []int{3}, F32: []float32{1, 1.0003, 0.1}}, {Name: "b", Shape: []int{1}, F64: []float64{0.1}},
	}}
	f.Halve()
	b := encode(t, f)
	got, err := Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	a := got.Tensor("a")
	if want := []float32{1, 1, 0.099975586}; !a.Half || a.F32[0] != want[0] || a.F32[1] != want[1] || a.F32[2] != want[2] {
		t.Errorf("got %+v, want %v", a, want)
	}
	if got.Tensor("b").F64[0] != 0.1 || !bytes.HasSuffix(b, []byte{0, 0x3c, 0, 0x3c, 0x66, 0x2e}) {
		t.Errorf("the file is %q", b)
	}
	if again := encode(t, got); !bytes.Equal(again, b) {
		t.Error("the file changes by being read")
	}
	f.Tensors[0].F32[1] = 65520
	if err := Encode(new(bytes.Buffer), f); err == nil || !strings.Contains(err.Error(), "65504") {
		t.Errorf("a number too large: %v", err)
	}
}
