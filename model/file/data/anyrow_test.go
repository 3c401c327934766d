package data

import (
	"bytes"
	"slices"
	"testing"
)

// TestAnyRow reads rows forwards, backwards and again after Close. A read beyond the last row
// returns an error, and does no harm to the next read. Each column has an offset of its own.
func TestAnyRow(t *testing.T) {
	var b bytes.Buffer
	if err := WriteNPZ(&b, map[string]*Array{"x": NewArray([]int{3, 2}, []float32{0, 1, 2, 3, 4, 5})}); err != nil {
		t.Fatal(err)
	}
	r := NewAnyRow(bytes.NewReader(b.Bytes()), int64(b.Len()), "x", []float64{10, 20})
	defer r.Close()
	row := make([]float32, 2)
	for _, index := range []int{1, 2, 0, 0, 3, 1} {
		clear(row)
		err := r.Read(row, index)
		if (err != nil) != (index == 3) {
			t.Errorf("row %d: %v", index, err)
		}
		if want := []float32{float32(2*index - 10), float32(2*index + 1 - 20)}; err == nil && !slices.Equal(row, want) {
			t.Errorf("row %d is %v, want %v", index, row, want)
		}
		if index == 2 {
			r.Close()
		}
	}
}

// TestAnyRowGoesOn reads an array as several workers do, nearly in order, and as a training and its
// validation do, in turn. The array may be read from its beginning only once for each.
func TestAnyRowGoesOn(t *testing.T) {
	const rows = 60
	values := make([]float32, rows)
	for i := range values {
		values[i] = float32(i)
	}
	var b bytes.Buffer
	if err := WriteNPZ(&b, map[string]*Array{"x": NewArray([]int{rows, 1}, values)}); err != nil {
		t.Fatal(err)
	}
	var nearly, turns []int
	for i := 0; i < rows; i += 4 {
		nearly = append(nearly, i+2, i, i+3, i+1)
	}
	for i := range rows / 2 {
		turns = append(turns, i, rows/2+i)
	}
	for _, tc := range []struct {
		order []int
		opens int
	}{{nearly, 1}, {turns, 2}} {
		opens := 0
		r := NewAnyRow(bytes.NewReader(b.Bytes()), int64(b.Len()), "x", nil)
		open := r.open
		r.open = func() (*Rows, error) {
			opens++
			return open()
		}
		row := make([]float32, 1)
		for _, index := range tc.order {
			if err := r.Read(row, index); err != nil || row[0] != float32(index) {
				t.Fatalf("row %d is %v, error %v", index, row, err)
			}
			if len(r.passed) > mostPassed || len(r.places) > mostPlaces {
				t.Errorf("%d passed rows, %d places", len(r.passed), len(r.places))
			}
		}
		if opens != tc.opens {
			t.Errorf("%v: the array was opened %d times, want %d", tc.order[:6], opens, tc.opens)
		}
		r.Close()
	}
}
