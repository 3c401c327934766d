package data

import (
	"bytes"
	"slices"
	"testing"
)

// TestAnyRow reads rows forwards, backwards and again after Close. A read beyond the last row
// must fail, and the other rows must stay readable.
func TestAnyRow(t *testing.T) {
	var b bytes.Buffer
	if err := WriteNPZ(&b, map[string]*Array{"x": NewArray([]int{3, 2}, []float32{0, 1, 2, 3, 4, 5})}); err != nil {
		t.Fatal(err)
	}
	r := NewAnyRow(bytes.NewReader(b.Bytes()), int64(b.Len()), "x", nil)
	defer r.Close()
	row := make([]float32, 2)
	for _, index := range []int{1, 2, 0, 0, 3, 1} {
		err := r.Read(row, index)
		if (err != nil) != (index == 3) {
			t.Errorf("row %d: %v", index, err)
		}
		if want := []float32{float32(2 * index), float32(2*index + 1)}; err == nil && !slices.Equal(row, want) {
			t.Errorf("row %d is %v, want %v", index, row, want)
		}
		if index == 2 {
			r.Close()
		}
	}
}
