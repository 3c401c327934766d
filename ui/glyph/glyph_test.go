package glyph

import (
	"fmt"
	"image"
	"math"
	"testing"

	"macroscope/ui/plot"
)

// signs has symbols of the pictures that are not ASCII.
const signs = "ẑ‖θεφΔ≥≈−×·–…⁰¹²³⁴⁵⁶⁷⁸⁹⁻"

func TestFontHasEverySign(t *testing.T) {
	a := New()
	f := a.face(20)
	missing := a.glyph(f, '\uffff', 0) // the font's glyph for a rune that it does not contain
	seen := map[string]rune{}
	check := func(r rune) {
		s := a.glyph(f, r, 0)
		if s.w == 0 || s.h == 0 {
			t.Errorf("%q is empty", r)
			return
		}
		pix := shape(a, s)
		if pix == shape(a, missing) {
			t.Errorf("%q is missing from the font", r)
		}
		if other, ok := seen[pix]; ok {
			t.Errorf("%q looks like %q", r, other)
		}
		seen[pix] = r
	}
	for r := '!'; r <= '~'; r++ {
		check(r)
	}
	for _, r := range signs {
		check(r)
	}
}

// shape returns a slot's size and pixels.
func shape(a *Atlas, s slot) string {
	text := fmt.Sprint(s.w, s.h)
	for y := range s.h {
		i := a.Image.PixOffset(s.x, s.y+y)
		text += string(a.Image.Pix[i : i+s.w])
	}
	return text
}

func TestHattedZ(t *testing.T) {
	a := New()
	f := a.face(24)
	z, hat, hatted := a.glyph(f, 'z', 0), a.glyph(f, 'ˆ', 0), a.glyph(f, 'ẑ', 0)
	if hatted.dy >= z.dy || hatted.dy+hatted.h != z.dy+z.h {
		t.Errorf("ẑ reaches from %d to %d, z from %d to %d", hatted.dy, hatted.dy+hatted.h, z.dy, z.dy+z.h)
	}
	if math.Abs(float64(hatted.w-max(z.w, hat.w))) > 2 {
		t.Errorf("ẑ is %d wide, z %d, the hat %d", hatted.w, z.w, hat.w)
	}
	if got, want := Width(a, "ẑ", 24), Width(a, "z", 24); got != want {
		t.Errorf("ẑ advances by %v, z by %v", got, want)
	}
}

func TestMarksSitOverTheirLetter(t *testing.T) {
	a := New()
	for _, tc := range []struct{ text, letter string }{{"φ\u0302", "φ"}, {"z\u0304", "z"}} {
		if got, want := Width(a, tc.text, 24), Width(a, tc.letter, 24); got != want {
			t.Errorf("%s advances by %v, %s by %v", tc.text, got, tc.letter, want)
		}
		var b plot.Batch
		Append(a, &b, tc.text, 24, 40, 60, Left, plot.RGB(0))
		if len(b.Vertices) != 8 {
			t.Fatalf("%s is %d glyphs, want 2", tc.text, len(b.Vertices)/4)
		}
		middle := func(i int) float32 { return (b.Vertices[4*i].DstX + b.Vertices[4*i+3].DstX) / 2 }
		// Glyphs lie on whole pixels, and their left and right margins differ, so the middles of
		// letter and mark may be two pixels apart.
		if d := middle(1) - middle(0); d < -2 || d > 2 {
			t.Errorf("%s: the mark is %v pixels off its letter", tc.text, d)
		}
		if b.Vertices[4].DstY >= b.Vertices[0].DstY {
			t.Errorf("%s: the mark begins at %v, the letter at %v", tc.text, b.Vertices[4].DstY, b.Vertices[0].DstY)
		}
	}
}

func TestWidth(t *testing.T) {
	a := New()
	if got, want := Width(a, "ab", 16), Width(a, "a", 16)+Width(a, "b", 16); math.Abs(float64(got-want)) > 1e-4 {
		t.Errorf("width of ab %v, of its letters %v", got, want)
	}
	if got, want := Width(a, []byte("p_θ"), 16), Width(a, "p", 16)+Width(a, "θ", 16*subscriptSize); math.Abs(float64(got-want)) > 0.01 {
		t.Errorf("width with subscript %v, want %v", got, want)
	}
	if got := Width(a, "", 16); got != 0 {
		t.Errorf("width of nothing %v", got)
	}
	// An underscore at the end is drawn as an underscore. Invalid bytes are also drawn.
	if got := Width(a, "a_", 16); got <= Width(a, "a", 16) {
		t.Errorf("width of a trailing underscore %v", got)
	}
	Width(a, "\xff\xce", 16)
}

func TestAppendAligns(t *testing.T) {
	a := New()
	for _, align := range []Align{Left, Center, Right} {
		var b plot.Batch
		w := Append(a, &b, "nats", 16, 100, 50, align, plot.RGB(0))
		lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
		for _, v := range b.Vertices {
			lo, hi = min(lo, v.DstX), max(hi, v.DstX)
			if v.DstX != float32(int(v.DstX)) || v.DstY != float32(int(v.DstY)) {
				t.Fatalf("a glyph is not on whole pixels: %v, %v", v.DstX, v.DstY)
			}
			if v.SrcX < 0 || v.SrcY < 0 || v.SrcX > Side || v.SrcY > Side {
				t.Fatalf("a glyph is outside the atlas: %v, %v", v.SrcX, v.SrcY)
			}
		}
		left := 100 - float32(align)*w
		// Margins and antialiasing take up to two pixels at either end.
		if lo < left-2 || lo > left+3 || hi < left+w-3 || hi > left+w+2 {
			t.Errorf("alignment %v: from %v to %v, want about %v to %v", align, lo, hi, left, left+w)
		}
	}
}

func TestFullAtlasIsEmptied(t *testing.T) {
	a := New()
	var b plot.Batch
	for size := float32(10); !a.Emptied; size++ {
		if size > 300 {
			t.Fatal("the atlas never fills")
		}
		Append(a, &b, "0123456789", size, 0, 0, Left, plot.RGB(0))
	}
	if a.Changed != a.Image.Rect {
		t.Errorf("after it was emptied %v counts as changed, want all", a.Changed)
	}
	b.Reset()
	Append(a, &b, "0", 24, 0, 30, Left, plot.RGB(0))
	s := a.glyph(a.face(24), '0', 0)
	if len(b.Vertices) != 4 || shape(a, s) == fmt.Sprint(s.w, s.h)+string(make([]byte, s.w*s.h)) {
		t.Error("no glyph after the atlas was emptied")
	}
}

func TestChangedCoversNewGlyphs(t *testing.T) {
	a := New()
	var b plot.Batch
	Append(a, &b, "abc", 16, 0, 20, Left, plot.RGB(0))
	first := a.Changed
	if first.Empty() {
		t.Fatal("new glyphs, but nothing changed")
	}
	a.Changed = image.Rectangle{}
	Append(a, &b, "abc", 16, 0, 20, Left, plot.RGB(0))
	if !a.Changed.Empty() {
		t.Errorf("the same glyphs changed %v", a.Changed)
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	a := New()
	var b plot.Batch
	text := []byte("KL(q_X ‖ p_θ) = 0.0153 nats")
	draw := func() {
		b.Reset()
		Append(a, &b, text, 14, 10.3, 20, Right, plot.RGB(0))
		Append(a, &b, "latent ẑ", 14, 10.3, 20, Left, plot.RGB(0))
	}
	draw()
	if n := testing.AllocsPerRun(20, draw); n != 0 {
		t.Errorf("%v allocations a text", n)
	}
}

func ExampleAppend() {
	var batch plot.Batch
	atlas := New()
	Append(atlas, &batch, "p_θ(x | ẑ)", 14, 20, 40, Left, plot.RGB(0x1b1b1f))
	fmt.Println(len(batch.Vertices)/4, "glyphs in", atlas.Changed.Dy() > 0)
	// Output: 7 glyphs in true
}
