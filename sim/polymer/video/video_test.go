package video

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sbinet/npyio/npz"
)

type reference struct {
	beads, pixels, span []float64
	images              []uint8
	counts              []int64
}

func read(t testing.TB) (r reference) {
	t.Helper()
	file, err := npz.Open("testdata/polymer_image.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, dst := range map[string]any{"beads": &r.beads, "pixels": &r.pixels, "images": &r.images} {
		if err := file.Read(name+".npy", dst); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	for name, dst := range map[string]*[]int64{"counts": &r.counts} {
		if err := file.Read(name+".npy", dst); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	return r
}

func (r *reference) frame(k int) []float64 { return r.beads[k*900 : (k+1)*900] }

// TestAgainstReference wants every pixel of the reference's pictures, and one level
// more or less in two of them if beads are in single precision.
func TestAgainstReference(t *testing.T) {
	ref, r := read(t), NewRenderer()
	picture := make([]uint8, Height*Width)
	at := 0
	for k, count := range ref.counts {
		want := ref.images[k*len(picture) : (k+1)*len(picture)]
		Draw(r, picture, ref.frame(k))
		if !slices.Equal(picture, want) {
			t.Errorf("frame %d: another picture", k)
		}
		pixels := Pixels(nil, picture)
		if len(pixels) != 3*int(count) {
			t.Fatalf("frame %d: %d pixels, want %d", k, len(pixels)/3, count)
		}
		first, last := math.Inf(1), math.Inf(-1)
		for i, v := range pixels {
			if float64(v) != ref.pixels[at+i] {
				t.Fatalf("frame %d: number %d of the pixels is %g, want %g", k, i, v, ref.pixels[at+i])
			}
			if i%3 == 0 {
				first, last = min(first, float64(v)), max(last, float64(v))
			}
		}
		at += len(pixels)
		if got := Span(picture); float64(got) != last-first {
			t.Errorf("frame %d: span %d, want %g", k, got, last-first)
		}

		single := make([]float32, 900)
		for i, x := range ref.frame(k) {
			single[i] = float32(x)
		}
		Draw(r, picture, single)
		differ := 0
		for i, v := range picture {
			if d := int(v) - int(want[i]); d != 0 {
				differ++
				if d*d > 1 {
					t.Errorf("frame %d: pixel %d is %d, want %d", k, i, v, want[i])
				}
			}
		}
		if differ > 2 {
			t.Errorf("frame %d: %d pixels differ in single precision", k, differ)
		}
	}
}

// TestAgainstDefinition draws chains that reach out of the picture and far in depth.
func TestAgainstDefinition(t *testing.T) {
	r, picture := NewRenderer(), make([]uint8, Height*Width)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 3 {
		beads := make([]float64, 3*20)
		for i := range beads {
			beads[i] = []float64{150, 40, 60}[i%3] * rng.NormFloat64()
		}
		Draw(r, picture, beads)
		want, peak := make([]float64, len(picture)), 0.0
		mean := 0.0
		for i := 2; i < len(beads); i += 3 {
			mean += beads[i] / 20
		}
		for p := range want {
			for i := 0; i < len(beads); i += 3 {
				s := max(math.Abs(beads[i+2]-mean)/5, 1)
				dx, dy := float64(p%Width-250)-beads[i], float64(p/Width-50)-beads[i+1]
				want[p] += math.Exp(-(dx*dx+dy*dy)/(2*s*s)) / (2 * math.Pi * s * s)
			}
			peak = max(peak, want[p])
		}
		for p, v := range want {
			if d := math.Abs(v/peak*255 - float64(picture[p])); d > 0.5+1e-9 {
				t.Fatalf("pixel %d is %d, want %.6g", p, picture[p], v/peak*255)
			}
		}
	}
}

func TestOutOfThePicture(t *testing.T) {
	r, picture := NewRenderer(), make([]uint8, Height*Width)
	Draw(r, picture, []float64{1e9, 0, 0, math.Inf(-1), 3, 0})
	if slices.Max(picture) != 0 || Span(picture) != 0 || Pixels(nil, picture) != nil {
		t.Error("something is seen of a chain that is not there")
	}
	Draw(r, picture, []float64{0, 0, 0})
	if picture[50*Width+250] != 255 {
		t.Error("a bead in the middle is not the brightest pixel")
	}
}

func TestDrawDoesNotAllocate(t *testing.T) {
	ref, r := read(t), NewRenderer()
	picture := make([]uint8, Height*Width)
	pixels := make([]float32, 0, 3*len(picture))
	if n := testing.AllocsPerRun(3, func() {
		Draw(r, picture, ref.frame(1))
		pixels = Pixels(pixels[:0], picture)
		Span(picture)
	}); n != 0 {
		t.Errorf("%g allocations a picture, want 0", n)
	}
}

// BenchmarkDraw draws a frame and picks out its pixels.
func BenchmarkDraw(b *testing.B) {
	ref, r := read(b), NewRenderer()
	picture := make([]uint8, Height*Width)
	pixels := make([]float32, 0, 3*len(picture))
	for k := range ref.counts {
		b.Run([]string{"coil", "fold", "half", "open"}[k], func(b *testing.B) {
			for b.Loop() {
				Draw(r, picture, ref.frame(k))
				pixels = Pixels(pixels[:0], picture)
				Span(picture)
			}
		})
	}
}

// TestSparsePictures compares what is read of pictures with few pixels with what a look
// at every pixel finds.
func TestSparsePictures(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	pictures := [][]int{{}, {0}, {Width - 1}, {Height*Width - 1}, {0, Height*Width - 1}, {Width - 1, Width}}
	for n := range 40 {
		var at []int
		for range 1 + n%8 {
			at = append(at, rng.IntN(Height*Width))
		}
		pictures = append(pictures, at)
	}
	for _, at := range pictures {
		picture := make([]uint8, Height*Width)
		for _, i := range at {
			picture[i] = uint8(1 + rng.IntN(255))
		}
		var want []float32
		first, last := Width, 0
		for i, v := range picture {
			if v != 0 {
				want = append(want, float32(i%Width)+0.5, float32(i/Width)+0.5, float32(v))
				first, last = min(first, i%Width), max(last, i%Width)
			}
		}
		if got := Pixels(nil, picture); !slices.Equal(got, want) {
			t.Errorf("pixels at %d: %g, want %g", at, got, want)
		}
		if got := Span(picture); got != max(last-first, 0) {
			t.Errorf("pixels at %d: span %d, want %d", at, got, max(last-first, 0))
		}
	}
}

func BenchmarkPixels(b *testing.B) {
	ref, r := read(b), NewRenderer()
	picture, pixels := make([]uint8, Height*Width), []float32(nil)
	Draw(r, picture, ref.frame(1))
	for b.Loop() {
		pixels = Pixels(pixels[:0], picture)
	}
}

func BenchmarkSpan(b *testing.B) {
	ref, r := read(b), NewRenderer()
	picture := make([]uint8, Height*Width)
	Draw(r, picture, ref.frame(1))
	for b.Loop() {
		Span(picture)
	}
}
