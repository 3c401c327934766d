package model_test

import (
	"slices"
	"testing"

	"macroscope/model/learn/model"
	"macroscope/model/system"
)

// TestList sorts the sets of a first frame by their coordinates. In a later frame every particle must keep its place.
func TestList(t *testing.T) {
	first := system.Frame{Points: []float32{2, 0, 1, 5, 1, 4, 9, 9, -3, 1}, Ends: []int{3, 5}}
	var list model.List
	list.Begin(&first, 2)
	if got, want := list.Places(), []int{2, 1, 0, 4, 3}; !slices.Equal(got, want) {
		t.Errorf("the places are %v, want %v", got, want)
	}
	later := system.Frame{Points: []float32{0, 0, 1, 0, 2, 0, 3, 0, 4, 0}, Ends: []int{3, 5}}
	if list.Arrange(&later); !slices.Equal(later.Points, []float32{2, 0, 1, 0, 0, 0, 4, 0, 3, 0}) {
		t.Errorf("a later frame became %v", later.Points)
	}
	other := system.Frame{Points: []float32{4, 4, 3, 3}, Ends: []int{1, 2}}
	if list.Arrange(&other); !slices.Equal(other.Points, []float32{4, 4, 3, 3}) {
		t.Errorf("a frame of other sets became %v", other.Points)
	}
}
