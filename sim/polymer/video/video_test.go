package video

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/sbinet/npyio/npz"
)

// readBeads returns the chains of the reference case: a coil, a fold, a half-unfolded and an
// unfolded chain.
func readBeads(t testing.TB) (frames [][]float64) {
	t.Helper()
	file, err := npz.Open("testdata/polymer_image.npz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var beads []float64
	if err := file.Read("beads.npy", &beads); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(slices.Chunk(beads, 900))
}

// TestAgainstDefinition draws chains that extend beyond the picture and far in depth, and
// compares the pictures with the definition.
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
	frames, r := readBeads(t), NewRenderer()
	picture := make([]uint8, Height*Width)
	pixels := make([]float32, 0, 3*len(picture))
	if n := testing.AllocsPerRun(3, func() {
		Draw(r, picture, frames[1])
		pixels = Pixels(pixels[:0], picture)
		Span(picture)
	}); n != 0 {
		t.Errorf("%g allocations a picture, want 0", n)
	}
}

// BenchmarkDraw draws a frame and extracts its pixels.
func BenchmarkDraw(b *testing.B) {
	frames, r := readBeads(b), NewRenderer()
	picture := make([]uint8, Height*Width)
	pixels := make([]float32, 0, 3*len(picture))
	for k, beads := range frames {
		b.Run([]string{"coil", "fold", "half", "open"}[k], func(b *testing.B) {
			for b.Loop() {
				Draw(r, picture, beads)
				pixels = Pixels(pixels[:0], picture)
				Span(picture)
			}
		})
	}
}

// TestSparsePictures compares Pixels and Span with a loop over every pixel, for pictures with
// few nonzero pixels.
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
	frames, r := readBeads(b), NewRenderer()
	picture, pixels := make([]uint8, Height*Width), []float32(nil)
	Draw(r, picture, frames[1])
	for b.Loop() {
		pixels = Pixels(pixels[:0], picture)
	}
}

func BenchmarkSpan(b *testing.B) {
	frames, r := readBeads(b), NewRenderer()
	picture := make([]uint8, Height*Width)
	Draw(r, picture, frames[1])
	for b.Loop() {
		Span(picture)
	}
}
