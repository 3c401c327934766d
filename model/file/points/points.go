package points

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
)

const (
	// Most is the largest number of particles in a text.
	Most = 2000
	// MaxExact is the largest number of values stored exactly, in addition to the particles.
	MaxExact = 8
	// ErrorBound is the largest shift of a coordinate, as a share of the set's extent in the same
	// dimension.
	ErrorBound = 1.0 / span

	maxDim   = 4
	span     = 1<<16 - 1 // largest number of steps between a dimension's smallest and largest coordinate
	furthest = 1 << 44   // largest |grid.low| that Decode accepts; an Encoder writes only smaller ones
	largest  = 1e30      // largest absolute coordinate
	lowest   = -149      // exponent of the smallest float32

	maxRecord = (2+2*maxDim)*binary.MaxVarintLen64 + 2*maxDim*Most + 4*MaxExact + crc32.Size
	// MaxText is the largest length of a text.
	MaxText = (maxRecord + maxRecord/8 + 64) * 4 / 3
)

// errDamaged is the error for a text that no Encoder has written.
var errDamaged = errors.New("the particles in the link are damaged or cut short")

// Encoder writes particles. It reuses its memory and keeps its last text, so encoding the same
// particles again costs nothing. The zero Encoder is ready for use; it is not safe for
// concurrent use.
type Encoder struct {
	last, exact []float32
	dim         int
	text        string
	w           *flate.Writer
}

// Encode returns a text with the particles (N, dim) and the numbers in the slice `exact`. Only the
// coordinates of the particles are rounded. Encode returns an error if there are too many particles
// or numbers, or if one of them cannot be written.
func (w *Encoder) Encode(particles []float32, dim int, exact []float32) (string, error) {
	if w.text == "" || w.dim != dim || !slices.Equal(w.last, particles) || !slices.Equal(w.exact, exact) {
		text, err := w.encode(particles, dim, exact)
		if err != nil {
			return "", err
		}
		w.last, w.exact, w.dim, w.text = append(w.last[:0], particles...), append(w.exact[:0], exact...), dim, text
	}
	return w.text, nil
}

func (w *Encoder) encode(particles []float32, dim int, exact []float32) (string, error) {
	switch n := len(particles) / dim; {
	case n > Most:
		return "", fmt.Errorf("a link holds %d particles, and there are %d", Most, n)
	case n == 0 || len(particles)%dim != 0 || dim > maxDim || len(exact) > MaxExact:
		return "", errors.New("there are no particles that a link could hold")
	}
	for _, v := range particles {
		if !(math.Abs(float64(v)) <= largest) {
			return "", fmt.Errorf("a particle at %g cannot be written", v)
		}
	}
	// If the text is decoded and the result is encoded again, the text must stay the same. The
	// decoded coordinates are rounded, and fit() may find a finer step for them. Therefore fit() is
	// called a second time, with the rounded coordinates. The finer grid does not change these
	// coordinates, because they are also multiples of the finer step.
	g := fit(particles, dim)
	rounded := g.values(g.multiples(particles))
	g = fit(rounded, dim)
	record := g.appendRecord(g.multiples(rounded), exact)
	var packed bytes.Buffer
	if w.w == nil {
		w.w, _ = flate.NewWriter(nil, flate.BestCompression) // the error is nil because the level is valid
	}
	w.w.Reset(&packed)
	w.w.Write(record) // writing to memory cannot fail
	if err := w.w.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(packed.Bytes()), nil
}

// Decode reads particles (N, dim) and the exact numbers from the text of an Encoder. The error
// is a sentence. MaxText and Most limit the memory that it uses.
func Decode(text string, dim int) (particles, exact []float32, err error) {
	if len(text) > MaxText || dim < 1 || dim > maxDim {
		return nil, nil, errDamaged
	}
	packed, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, nil, errDamaged
	}
	in := bytes.NewReader(packed)
	record, err := io.ReadAll(io.LimitReader(flate.NewReader(in), maxRecord+1))
	if err != nil || in.Len() > 0 || len(record) > maxRecord || len(record) < crc32.Size {
		return nil, nil, errDamaged
	}
	body := record[:len(record)-crc32.Size]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(record[len(body):]) {
		return nil, nil, errDamaged
	}
	return parseRecord(body, dim)
}

// extents returns the smallest and the largest value of every dimension.
func extents(v []float32, dim int) (low, high []float32) {
	low, high = slices.Clone(v[:dim]), slices.Clone(v[:dim])
	for i, x := range v {
		low[i%dim], high[i%dim] = min(low[i%dim], x), max(high[i%dim], x)
	}
	return low, high
}

// grid rounds coordinates to multiples of a step. For each dimension it holds the exponent of the
// step, which is a power of 2, and the smallest coordinate as a multiple of the step.
type grid struct{ exponent, low []int }

// fit returns the finest grid on which the particles extend over at most `span` steps.
//
// Every rounded coordinate is a float32, for the following reason. A float32 is a multiple of its
// spacing, the distance to the next float32. The spacing and the step are powers of 2. If the
// spacing is at least the step, the coordinate is a multiple of the step, and rounding does not
// change it. If the spacing is smaller than the step, the nearest multiple of the step is also a
// float32.
func fit(particles []float32, dim int) grid {
	low, high := extents(particles, dim)
	g := grid{make([]int, dim), make([]int, dim)}
	for d := range dim {
		a, b := float64(low[d]), float64(high[d])
		_, e := math.Frexp(b - a)
		e -= 17
		if a == b {
			_, e = math.Frexp(a)
			e -= 24
		}
		e = max(e, lowest)
		for multiple(b, e)-multiple(a, e) > span {
			e++
		}
		g.exponent[d], g.low[d] = e, multiple(a, e)
	}
	return g
}

// multiple returns the k for which k·2^e is nearest to v.
func multiple(v float64, e int) int { return int(math.RoundToEven(math.Ldexp(v, -e))) }

// The method `multiples` divides coordinates (N, dim) by the steps and rounds the quotients.
func (g grid) multiples(particles []float32) []int {
	k := make([]int, len(particles))
	for i, v := range particles {
		k[i] = multiple(float64(v), g.exponent[i%len(g.exponent)])
	}
	return k
}

// values is the inverse of multiples.
func (g grid) values(multiples []int) []float32 {
	v := make([]float32, len(multiples))
	for i, k := range multiples {
		v[i] = float32(g.value(i, k))
	}
	return v
}

// value returns the coordinate that is k times the step. i is the index of the coordinate in the
// flattened set (N, dim), and determines the step.
func (g grid) value(i, k int) float64 {
	return math.Ldexp(float64(k), g.exponent[i%len(g.exponent)])
}

// appendRecord returns the uncompressed record of the rounded coordinates, given as multiples of
// the step, and of the exact numbers.
func (g grid) appendRecord(multiples []int, exact []float32) []byte {
	dim := len(g.low)
	n := len(multiples) / dim
	b := binary.AppendUvarint(nil, uint64(n))
	b = binary.AppendUvarint(b, uint64(len(exact)))
	for d := range dim {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(g.exponent[d])), int64(g.low[d]))
	}
	upper, lower := make([]byte, dim*n), make([]byte, dim*n)
	for d := range dim {
		before := g.low[d]
		for i := range n {
			k := multiples[i*dim+d]
			step := int16(uint16(k - before))
			folded := uint16(step)<<1 ^ uint16(step>>15)
			upper[d*n+i], lower[d*n+i] = byte(folded>>8), byte(folded)
			before = k
		}
	}
	b = append(append(b, upper...), lower...)
	for _, v := range exact {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// parseRecord is the inverse of appendRecord, for the record without its checksum.
func parseRecord(b []byte, dim int) (particles, exact []float32, err error) {
	r := bytes.NewReader(b)
	count, err1 := binary.ReadUvarint(r)
	more, err2 := binary.ReadUvarint(r)
	if err1 != nil || err2 != nil || count < 1 || count > Most || more > MaxExact {
		return nil, nil, errDamaged
	}
	g := grid{make([]int, dim), make([]int, dim)}
	for d := range dim {
		e, err1 := binary.ReadVarint(r)
		k, err2 := binary.ReadVarint(r)
		if err1 != nil || err2 != nil || e < lowest || e > math.MaxInt8 || k < -furthest || k > furthest {
			return nil, nil, errDamaged
		}
		g.exponent[d], g.low[d] = int(e), int(k)
	}
	n := int(count)
	b = b[len(b)-r.Len():]
	if len(b) != 2*dim*n+4*int(more) {
		return nil, nil, errDamaged
	}
	multiples := make([]int, dim*n)
	for d := range dim {
		at := uint16(0)
		for i := range n {
			folded := uint16(b[d*n+i])<<8 | uint16(b[(dim+d)*n+i])
			at += folded>>1 ^ -(folded & 1)
			multiples[i*dim+d] = g.low[d] + int(at)
		}
	}
	for rest := b[2*dim*n:]; len(rest) > 0; rest = rest[4:] {
		exact = append(exact, math.Float32frombits(binary.LittleEndian.Uint32(rest)))
	}
	particles = g.values(multiples)
	for i, v := range particles {
		if float64(v) != g.value(i, multiples[i]) || math.Abs(float64(v)) > largest {
			return nil, nil, errDamaged
		}
	}
	if slices.ContainsFunc(exact, func(v float32) bool { return v-v != 0 }) {
		return nil, nil, errDamaged
	}
	return particles, exact, nil
}
