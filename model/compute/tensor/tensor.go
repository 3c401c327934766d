// Package tensor lays a model's parameters out in one slice.
//
// A model declares every parameter once, by name and shape, in a Layout. Its
// weights, its gradients and the optimiser's moments are plain slices of
// Layout.Size elements that share this one table. An Adam step, a gradient norm, a
// search for NaN, a checkpoint and an exchange of gradients between workers are
// therefore one loop each.
package tensor

import (
	"fmt"
	"slices"
)

// Float is the set of element types of models.
type Float interface{ float32 | float64 }

// Param is a parameter's name, shape and place in an arena.
type Param struct {
	Name   string
	Shape  []int
	Offset int
}

// Len returns the number of elements, the product of the shape.
func (p Param) Len() int {
	n := 1
	for _, s := range p.Shape {
		n *= s
	}
	return n
}

// Of returns the parameter's elements in an arena.
func Of[T Float](arena []T, p Param) []T {
	n := p.Len()
	return arena[p.Offset : p.Offset+n : p.Offset+n]
}

// Layout is the table of a model's parameters in the order of their offsets.
type Layout struct {
	params []Param
	taken  map[string]bool // names in use
	size   int
}

// Add appends a parameter. It panics if the name is taken or a dimension is not
// positive: both are mistakes in the model's code.
func (l *Layout) Add(name string, shape ...int) Param {
	if name == "" || l.taken[name] {
		panic(fmt.Sprintf("tensor: parameter name %q is empty or taken", name))
	}
	for _, s := range shape {
		if s <= 0 {
			panic(fmt.Sprintf("tensor: parameter %s has shape %v", name, shape))
		}
	}
	p := Param{Name: name, Shape: slices.Clone(shape), Offset: l.size}
	if l.taken == nil {
		l.taken = make(map[string]bool)
	}
	l.taken[name] = true
	l.params = append(l.params, p)
	l.size += p.Len()
	return p
}

// Params returns the table, which callers must not change.
func (l *Layout) Params() []Param { return l.params }

// Size returns the number of elements of an arena with this layout.
func (l *Layout) Size() int { return l.size }
