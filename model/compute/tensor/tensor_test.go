package tensor

import (
	"fmt"
	"testing"
)

func TestLayoutIsContiguous(t *testing.T) {
	var l Layout
	a, b, c := l.Add("a", 2, 3), l.Add("b", 4), l.Add("c")
	for _, tc := range []struct {
		p           Param
		offset, len int
	}{{a, 0, 6}, {b, 6, 4}, {c, 10, 1}} { // no dimension means one number
		if tc.p.Offset != tc.offset || tc.p.Len() != tc.len {
			t.Errorf("%s: offset %d, length %d; want %d, %d", tc.p.Name, tc.p.Offset, tc.p.Len(), tc.offset, tc.len)
		}
	}
	if l.Size() != 11 || len(l.Params()) != 3 {
		t.Errorf("size %d of %d parameters", l.Size(), len(l.Params()))
	}
}

// TestOfCannotGrow checks that appending to a parameter's elements does not overwrite the next
// parameter.
func TestOfCannotGrow(t *testing.T) {
	var l Layout
	a, b := l.Add("a", 2), l.Add("b", 2)
	arena := make([]float64, l.Size())
	_ = append(Of(arena, a), 7)
	if got := Of(arena, b)[0]; got != 0 {
		t.Errorf("appending to one parameter wrote %g into the next", got)
	}
}

// TestAddKeepsTheShape checks that Add copies the shape, so that the caller may change its own
// slice afterwards.
func TestAddKeepsTheShape(t *testing.T) {
	var l Layout
	shape := []int{2, 3}
	l.Add("a", shape...)
	shape[0] = 7
	if p := l.Params()[0]; p.Len() != 6 {
		t.Errorf("the shape became %v", p.Shape)
	}
}

func TestAddPanics(t *testing.T) {
	for name, add := range map[string]func(*Layout){
		"a name twice": func(l *Layout) { l.Add("a", 1); l.Add("a", 1) },
		"no name":      func(l *Layout) { l.Add("", 1) },
		"no elements":  func(l *Layout) { l.Add("a", 3, 0) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			add(new(Layout))
		})
	}
}

func ExampleLayout() {
	var l Layout
	w, b := l.Add("linear.weight", 3, 2), l.Add("linear.bias", 3)
	weights, gradients := make([]float32, l.Size()), make([]float32, l.Size())
	Of(weights, b)[0] = 1
	fmt.Println(len(Of(gradients, w)), weights)
	// Output: 6 [0 0 0 0 0 0 1 0 0]
}
