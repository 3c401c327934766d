package ckpt

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"macroscope/model/compute/tensor"
)

func layout() *tensor.Layout {
	l := new(tensor.Layout)
	l.Add("w", 2, 3)
	l.Add("b", 3)
	return l
}

func TestArenaRoundTrip(t *testing.T) {
	l := layout()
	weights := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}
	moment := []float32{-1, -2, -3, -4, -5, -6, -7, -8, -9}
	b := encode(t, &File{Tensors: append(FromArena(l, weights, "model."), FromArena(l, moment, "adam.m.")...)})
	f, err := Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for prefix, want := range map[string][]float32{"model.": weights, "adam.m.": moment} {
		got := make([]float32, l.Size())
		if err := f.ToArena(l, got, prefix); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %v, %v, want %v", prefix, got, err, want)
		}
	}
}

func TestToArenaRejects(t *testing.T) {
	l := layout()
	w := Tensor{Name: "w", Shape: []int{2, 3}, F32: make([]float32, 6)}
	b := Tensor{Name: "b", Shape: []int{3}, F32: make([]float32, 3)}
	for _, tc := range []struct {
		name    string
		tensors []Tensor
		want    []string
	}{
		{"missing", []Tensor{w}, []string{`"b"`, "[3]", "missing"}},
		{"mismatched", []Tensor{b, {Name: "w", Shape: []int{3, 2}, F32: make([]float32, 6)}}, []string{`"w"`, "[3 2]", "[2 3]"}},
		{"extra", []Tensor{w, b, {Name: "c", Shape: []int{1, 1}, F32: []float32{1}}}, []string{`"c"`, "[1 1]", "not a part"}},
		{"of another type", []Tensor{w, {Name: "b", Shape: []int{3}, F64: make([]float64, 3)}}, []string{`"b"`, "F64", "F32"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			arena := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}
			before := slices.Clone(arena)
			err := (&File{Tensors: tc.tensors}).ToArena(l, arena, "")
			if err == nil {
				t.Fatal("accepted")
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %q, want %q in it", err, want)
				}
			}
			if !slices.Equal(arena, before) {
				t.Errorf("the arena became %v", arena)
			}
		})
	}
}

func TestArenaPanicsOnSize(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	FromArena(layout(), make([]float32, 8), "")
}
