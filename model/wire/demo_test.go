package wire

import (
	"bytes"
	"math"
	"reflect"
	"testing"
)

func demoSample() DemoFrame {
	return DemoFrame{
		Status: Training, Refitting: true, Step: 12, Total: 3000, Eps: 0.1, FitEps: 0.3, KL: 0.02, Lo: -2, Hi: 2,
		Particles: []float32{-1, 0.5}, Mixture: []float32{0, 1, 0}, Target: []float32{0, 2, 0}, Fit: []float32{0, 1.5, 0},
		Z: []float32{0.25}, LossStep: []float32{1, 2}, Loss: []float32{3, 2}, KLStep: []float32{1}, ValKL: []float32{0.4},
	}
}

func TestDemoFrameRoundTrip(t *testing.T) {
	want := demoSample()
	var got DemoFrame
	if err := got.Decode(want.AppendTo(nil)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestDemoFrameRejects(t *testing.T) {
	good := demoSample()
	b := good.AppendTo(nil)
	var f DemoFrame
	for n := range len(b) {
		if f.Decode(b[:n]) == nil {
			t.Fatalf("accepted %d of %d bytes", n, len(b))
		}
	}
	if f.Decode(append(bytes.Clone(b), 0)) == nil {
		t.Error("accepted a trailing byte")
	}
	uneven := demoSample()
	uneven.Loss = uneven.Loss[:1]
	if f.Decode(uneven.AppendTo(nil)) == nil {
		t.Error("accepted curves of different lengths")
	}
}

func TestDemoFrameDoesNotAllocate(t *testing.T) {
	f := demoSample()
	b := f.AppendTo(nil)
	var g DemoFrame
	if err := g.Decode(b); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(20, func() {
		b = f.AppendTo(b[:0])
		if g.Decode(b) != nil {
			t.Fatal("decode failed")
		}
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func FuzzDemoFrame(f *testing.F) {
	s := demoSample()
	f.Add(s.AppendTo(nil))
	s.KL = float32(math.NaN())
	f.Add(s.AppendTo(nil))
	f.Add([]byte("MSF1"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var g DemoFrame
		if g.Decode(b) != nil {
			return
		}
		if again := g.AppendTo(nil); !bytes.Equal(again, b) {
			t.Fatalf("decode, encode: %x became %x", b, again)
		}
	})
}
