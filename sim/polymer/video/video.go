// Package video draws frames of a polymer chain as in the paper's section 4.4: a grey
// picture of 500 × 100 pixels with one Gaussian blob per bead, seen along z,
//
//	I(x, y) = Σ_i exp(-((x-X_i)² + (y-Y_i)²)/2s_i²) / 2πs_i²,  s_i = max(|Z_i - mean Z|/5, 1),
//
// with x = column - 250 and y = row - 50. Intensities are scaled to a maximum of 255 and rounded to
// whole numbers, halves to the even number. Networks receive the nonzero pixels, as a set of
// (column, row, intensity). The macroscopic variable is the span of the occupied columns.
package video

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// Width and Height are a picture's size in pixels.
const (
	Width, Height = 500, 100

	brightest = 255
	// A blob is not drawn beyond the distance cut·s from its centre. There it has e^-32 of its
	// maximum.
	cut = 8
)

// Renderer draws pictures. It is not safe for concurrent use.
type Renderer struct {
	sum          []float64                 // (Height, Width), zeros between pictures
	across, down []float64                 // a blob's factors by column and row
	area         [2]struct{ from, to int } // ranges of columns and of rows with nonzero sums
}

// NewRenderer returns a renderer.
func NewRenderer() *Renderer {
	return &Renderer{sum: make([]float64, Height*Width), across: make([]float64, Width), down: make([]float64, Height)}
}

// Draw draws beads (N, 3) to dst (Height, Width). A chain entirely outside the picture is
// invisible. Draw allocates nothing.
func Draw[T float32 | float64](r *Renderer, dst []uint8, beads []T) {
	if len(dst) != Height*Width || len(beads) == 0 || len(beads)%3 != 0 {
		panic(fmt.Sprintf("video: room for %d pixels, for %d of %d numbers of beads", len(dst), Height*Width, len(beads)))
	}
	var mean float64
	for i := 2; i < len(beads); i += 3 {
		mean += float64(beads[i])
	}
	mean /= float64(len(beads) / 3)
	columns, rows := &r.area[0], &r.area[1]
	columns.from, columns.to, rows.from, rows.to = Width, 0, Height, 0
	for i := 0; i < len(beads); i += 3 {
		r.blob(float64(beads[i])+Width/2, float64(beads[i+1])+Height/2, math.Max(math.Abs(float64(beads[i+2])-mean)/5, 1))
	}
	r.scale(dst)
}

// blob adds the blob of a bead at column x and row y.
func (r *Renderer) blob(x, y, s float64) {
	left, right := reach(x, s, Width)
	top, bottom := reach(y, s, Height)
	if left >= right || top >= bottom {
		return
	}
	across, down := r.across[:right-left], r.down[:bottom-top]
	factors(across, x-float64(left), s, 1/(2*math.Pi*s*s))
	factors(down, y-float64(top), s, 1)
	for j, b := range down {
		row := r.sum[(top+j)*Width+left:][:len(across)]
		for k, a := range across {
			row[k] += a * b
		}
	}
	columns, rows := &r.area[0], &r.area[1]
	columns.from, columns.to = min(columns.from, left), max(columns.to, right)
	rows.from, rows.to = min(rows.from, top), max(rows.to, bottom)
}

// reach returns the range [from, to) of pixels that a blob at x covers, on an axis of `size`
// pixels.
func reach(x, s float64, size int) (from, to int) {
	low, high := math.Ceil(x-cut*s), math.Floor(x+cut*s)+1
	return int(math.Max(0, math.Min(low, float64(size)))), int(math.Min(float64(size), math.Max(high, 0)))
}

// factors writes scale·exp(-(k-x)²/2s²) to dst[k].
func factors(dst []float64, x, s, scale float64) {
	for k := range dst {
		d := (float64(k) - x) / s
		dst[k] = scale * math.Exp(-d*d/2)
	}
}

// scale writes the picture, scaled from the sums, and clears the sums.
func (r *Renderer) scale(dst []uint8) {
	clear(dst)
	columns, rows := r.area[0], r.area[1]
	if columns.from >= columns.to {
		return
	}
	var peak float64
	for row := rows.from; row < rows.to; row++ {
		for _, v := range r.sum[row*Width+columns.from : row*Width+columns.to] {
			peak = max(peak, v)
		}
	}
	for row := rows.from; row < rows.to; row++ {
		from, to := row*Width+columns.from, row*Width+columns.to
		if peak > 0 {
			for k, v := range r.sum[from:to] {
				dst[from+k] = uint8(math.RoundToEven(v / peak * brightest))
			}
		}
		clear(r.sum[from:to])
	}
}

// Pixels appends the nonzero pixels of a picture row by row, each as (column + ½,
// row + ½, intensity).
func Pixels(dst []float32, picture []uint8) []float32 {
	for i := 0; i < len(picture); i++ {
		if picture[i] == 0 {
			if i += zeros(picture[i:]); i == len(picture) {
				break
			}
		}
		dst = append(dst, float32(i%Width)+0.5, float32(i/Width)+0.5, float32(picture[i]))
	}
	return dst
}

// Span returns the largest minus the smallest column with a nonzero pixel. It is 0 for an empty
// picture.
func Span(picture []uint8) int {
	first, last := Width, 0
	for row := 0; row < len(picture); row += Width {
		line := picture[row : row+Width]
		k := zeros(line)
		if k == Width {
			continue
		}
		first = min(first, k)
		for k := Width - 1; k > last; k-- {
			if line[k] != 0 {
				last = k
			}
		}
	}
	return max(last-first, 0)
}

// zeros returns the number of zero pixels before the first nonzero pixel. Most pixels are zero,
// so it checks eight at a time.
func zeros(pixels []uint8) (n int) {
	for ; len(pixels)-n >= 8; n += 8 {
		if eight := binary.LittleEndian.Uint64(pixels[n:]); eight != 0 {
			return n + bits.TrailingZeros64(eight)/8
		}
	}
	for n < len(pixels) && pixels[n] == 0 {
		n++
	}
	return n
}
