package wire

import (
	"bytes"
	"math"
	"testing"
)

func fill(f *Frame) {
	f.Begin("particles")
	f.Put("x", 1, 2, 3, 4)
	f.Put("now", 7)
	f.PutText("note", "ẑ has left")
	f.Put("none")
}

func TestFrameRoundTrip(t *testing.T) {
	var sent, got Frame
	fill(&sent)
	b := sent.AppendTo(nil)
	if LabOf(b) != "particles" {
		t.Errorf("a frame of %q", LabOf(b))
	}
	if err := got.Decode(b); err != nil {
		t.Fatal(err)
	}
	if got.Lab != "particles" || got.Number("now") != 7 || !got.On("now") || len(got.Numbers("x")) != 4 || got.Numbers("x")[3] != 4 ||
		string(got.Text("note")) != "ẑ has left" || len(got.Numbers("none")) != 0 {
		t.Errorf("got %+v", got)
	}
	if !math.IsNaN(got.Number("none")) || got.On("none") || got.Numbers("note") != nil || got.Text("x") != nil || got.Numbers("missing") != nil {
		t.Error("a row that is not there was found")
	}
	// Fewer rows later must not bring back earlier ones.
	sent.Begin("particles")
	sent.Put("now", 8)
	if err := got.Decode(sent.AppendTo(nil)); err != nil || got.Numbers("x") != nil || got.Number("now") != 8 {
		t.Errorf("an earlier frame's row is still there (%v)", err)
	}
}

func TestLabOf(t *testing.T) {
	d := demoSample()
	for b, want := range map[string]string{
		string(d.AppendTo(nil)): Demo, "": "", "MSF": "", "MSF2": "", "MSF2\x05abc": "", "what": "",
	} {
		if got := LabOf([]byte(b)); got != want {
			t.Errorf("%.8q is of %q, want %q", b, got, want)
		}
	}
}

func TestFrameRejects(t *testing.T) {
	var f, g Frame
	fill(&f)
	b := f.AppendTo(nil)
	for n := range len(b) {
		if g.Decode(b[:n]) == nil {
			t.Fatalf("accepted %d of %d bytes", n, len(b))
		}
	}
	if g.Decode(append(bytes.Clone(b), 0)) == nil {
		t.Error("accepted a trailing byte")
	}
}

func TestFrameDoesNotAllocate(t *testing.T) {
	var f, g Frame
	x := make([]float32, 1000)
	var b []byte
	again := func() {
		f.Begin("particles")
		f.Put("x", x...)
		f.PutText("note", "a note")
		b = f.AppendTo(b[:0])
		if g.Decode(b) != nil || g.Numbers("x") == nil {
			t.Fatal("decode failed")
		}
	}
	again()
	if n := testing.AllocsPerRun(20, again); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

func FuzzFrame(f *testing.F) {
	var s Frame
	fill(&s)
	f.Add(s.AppendTo(nil))
	f.Add([]byte("MSF2"))
	f.Fuzz(func(t *testing.T, b []byte) {
		var g Frame
		if g.Decode(b) != nil {
			return
		}
		if again := g.AppendTo(nil); !bytes.Equal(again, b) {
			t.Fatalf("decode, encode: %x became %x", b, again)
		}
	})
}
