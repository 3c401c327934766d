package data

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"macroscope/model/setting"
)

// Limits of sets of particles. A text with MaxParticles numbers, each with all of its digits, takes a
// sixth of MaxFileBytes.
const (
	MaxParticles = 100_000
	MaxFileBytes = 16_000_000
	MaxDim       = 16 // coordinates of a particle
)

// Particles1D makes one set of particles on a line from the bytes of a file. The file is an NPY
// array, a CSV text with one column or one row, or an NPZ archive with an array "x" or with only
// one array. The format is determined from the content. There are 1 to MaxParticles values, all
// finite as float32. The error is one sentence, without the file's name.
func Particles1D(name string, b []byte) ([]float32, error) {
	if len(b) > MaxFileBytes {
		return nil, errTooManyBytes
	}
	b, name, err := unpacked(name, b)
	if err != nil {
		return nil, err
	}
	format, err := FormatOf(name, b[:min(len(b), HeadBytes)])
	if err != nil {
		return nil, err
	}
	switch format {
	case NPZ:
		return fromNPZ(b)
	case NPY:
		return fromNPY(b)
	case DumpText, XYZ:
		return nil, errors.New("a dump or an XYZ file has particles in the plane or in space, and these particles are on a line; keep one coordinate, as CSV")
	}
	return fromCSV(b)
}

func fromCSV(b []byte) ([]float32, error) {
	t, err := ReadCSV(string(b), MaxParticles)
	if err != nil {
		return nil, err
	}
	if t.Columns > 1 && t.Rows() > 1 {
		names := ""
		if t.Header != nil {
			names = " (" + List(t.Header) + ")"
		}
		return nil, fmt.Errorf("particles on a line need one column, and the file has %d%s; keep one, and write decimals with a point", t.Columns, names)
	}
	return finite(NewArray([]int{len(t.Values)}, t.Values))
}

func fromNPY(b []byte) ([]float32, error) {
	r := bytes.NewReader(b)
	h, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	if err := oneColumn(h); err != nil {
		return nil, err
	}
	a, err := h.read(r)
	if err != nil {
		return nil, err
	}
	return finite(a)
}

func fromNPZ(b []byte) ([]float32, error) {
	members, err := openNPZ(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	names := slices.Sorted(maps.Keys(members))
	chosen := "x"
	switch {
	case len(names) == 0:
		return nil, errors.New("the archive is empty; save an array in it with numpy.savez")
	case len(names) == 1:
		chosen = names[0]
	case members[chosen] == nil:
		return nil, fmt.Errorf("the archive holds %s; keep one of them, or name one \"x\"", List(names))
	}
	a, err := members[chosen].read(oneColumn)
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", setting.Quote(chosen), err)
	}
	return finite(a)
}

// oneColumn returns an error unless the array is a number, a vector, one column or one
// row, with 1 to MaxParticles elements.
func oneColumn(h *npyHeader) error {
	s := h.shape
	if err := h.checkNumbers(); err != nil {
		return err
	}
	switch {
	case len(s) > 2 || len(s) == 2 && s[0] != 1 && s[1] != 1:
		return fmt.Errorf("the array has the shape %s, and particles on a line need one column; keep one", shapeText(s))
	case h.count == 0:
		return errors.New("the array is empty; give it one number or more")
	case h.count > MaxParticles:
		return fmt.Errorf("the array holds %d numbers, and the limit is %d; keep fewer", h.count, MaxParticles)
	}
	return nil
}

// finite returns the values as float32, or an error unless all are finite.
func finite(a *Array) ([]float32, error) {
	x := a.Float32s()
	for i, v := range x {
		if v-v != 0 {
			return nil, fmt.Errorf("value %d is %v, which is not a finite number in single precision; leave it out", i+1, a.Float64s()[i])
		}
	}
	values := a.Float64s()
	low, high := slices.Min(values), slices.Max(values)
	if d := Digits(high-low, max(math.Abs(low), math.Abs(high))); high > low && d < FewestDigits {
		return nil, fmt.Errorf("the numbers go from %.9g to %.9g, and single precision keeps %.1f digits of what they differ by, where %d are needed; subtract their mean", low, high, max(d, 0), FewestDigits)
	}
	return x, nil
}

// FewestDigits is how many decimal digits of an extent single precision must keep.
const FewestDigits = 3

// Digits returns how many decimal digits of an extent single precision keeps in numbers of at most
// the given absolute value.
func Digits(extent, largest float64) float64 {
	return math.Log10(extent / (largest * 0x1p-23))
}

// List returns the first few names, in quotation marks.
func List(names []string) string {
	if len(names) == 0 {
		return "none at all"
	}
	q := make([]string, len(names))
	for i, n := range names {
		q[i] = setting.Quote(n)
	}
	return setting.First(8, ", ", q)
}
