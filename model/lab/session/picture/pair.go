package picture

import (
	"slices"

	"macroscope/model/lab/view"
)

// Pair contains the displayed models.
type Pair struct{ a, b *view.Shown }

// Shown returns the displayed models, with A first.
func (p *Pair) Shown() []*view.Shown {
	switch {
	case p.a == nil:
		return nil
	case p.b == nil:
		return []*view.Shown{p.a}
	}
	return []*view.Shown{p.a, p.b}
}

// A returns the first displayed model, or nil if there is none.
func (p *Pair) A() *view.Shown { return p.a }

// B returns the model with which A is compared, or nil if there is none.
func (p *Pair) B() *view.Shown { return p.b }

// InTraining reports whether the model in training is displayed.
func (p *Pair) InTraining() bool {
	return slices.ContainsFunc(p.Shown(), func(v *view.Shown) bool { return v.Training })
}

// Called returns the names of A and B. A name is "" if there is no such model.
func (p *Pair) Called() (a, b string) { return p.a.Called(), p.b.Called() }

// Rename gives a displayed run another name.
func (p *Pair) Rename(was, name string) {
	for _, v := range p.Shown() {
		if v.Name == was {
			v.Name = name
		}
	}
}

// Remove removes the displayed run with this name.
func (p *Pair) Remove(name string) {
	for _, place := range []**view.Shown{&p.a, &p.b} {
		if (*place).Called() == name {
			*place = nil
		}
	}
}

// Clear removes all models.
func (p *Pair) Clear() { p.a, p.b = nil, nil }

// EndComparison removes model B.
func (p *Pair) EndComparison() { p.b = nil }
