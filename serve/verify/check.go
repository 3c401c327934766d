package verify

import (
	"context"
	"fmt"
	"math"
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/model/file/data"
)

// check recomputes a case in one precision.
type check[T tensor.Float] struct {
	ctx     context.Context // if it ends, a long computation stops
	arrays  map[string]*data.Array
	seen    map[string]bool // names of the arrays read so far, with prefix
	prefix  string          // put before the name of every array
	lengths map[string]int  // lengths of the arrays' dimensions, by the letters in row.arrays
	*comparison
}

// comparison collects the largest errors over several arrays.
type comparison struct {
	precision string // the suffix of the case in the output: "" for float64, ".float32"
	abs, rel  float64
	count     int     // number of comparisons
	tolerance float64 // largest relative error allowed
	// A relative error is an error divided by the size of the element. The divisor is at least
	// `floor` times the array's largest element.
	floor float64
	left  []string // parts of arrays that were not recomputed, with reasons
}

// The method `leave` records a text. The text says which part of an array is not recomputed, and
// why.
func (c *comparison) leave(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.left, text) {
		c.left = append(c.left, text)
	}
}

// A problem is an error in a case. The methods of the type check panic with a problem. The function
// recompute recovers and returns the problem.
type problem struct{ error }

func must(err error) {
	if err != nil {
		panic(problem{err})
	}
}

func failf(format string, args ...any) { must(fmt.Errorf(format, args...)) }

// within returns a check whose array names start with `prefix`.
func (c *check[T]) within(prefix string) *check[T] {
	inner := *c
	inner.prefix += prefix
	return &inner
}

func (c *check[T]) has(name string) bool { return c.arrays[c.prefix+name] != nil }

func (c *check[T]) array(name string) *data.Array {
	if !c.has(name) {
		failf("there is no %s%s", c.prefix, name)
	}
	c.seen[c.prefix+name] = true
	return c.arrays[c.prefix+name]
}

// size returns the number of an array's values.
func (c *check[T]) size(name string) int { return c.array(name).Len() }

// values returns an array's values in float64.
func (c *check[T]) values(name string) []float64 { return c.array(name).Float64s() }

// data returns an array's values in the precision of the check.
func (c *check[T]) data(name string) []T { return to[T](c.values(name)) }

// scalar returns the single value of an array.
func (c *check[T]) scalar(name string) float64 {
	v := c.values(name)
	if len(v) != 1 {
		failf("%s%s holds %d values and should hold one", c.prefix, name, len(v))
	}
	return v[0]
}

// indices returns an array of integers in [0, bound).
func (c *check[T]) indices(name string, bound int) []int {
	v, err := c.array(name).Int64s()
	if err != nil {
		failf("%s%s: %w", c.prefix, name, err)
	}
	indices := make([]int, len(v))
	for i, x := range v {
		if x < 0 || x >= int64(bound) {
			failf("%s%s holds %d and should hold 0 to %d", c.prefix, name, x, bound-1)
		}
		indices[i] = int(x)
	}
	return indices
}

// ends returns the end index of each set, from the array `counts`. The sets lie one after another
// among n particles.
func (c *check[T]) ends(n int) (ends []int) {
	end := 0
	for _, count := range c.indices("counts", n+1) {
		if end += count; count == 0 {
			failf("counts holds an empty set")
		}
		ends = append(ends, end)
	}
	if end != n {
		failf("counts adds up to %d and there are %d particles", end, n)
	}
	return ends
}

// layers returns the array names of a network's consecutive layers from layer 0, and the widths of
// the layers. `weights` and `biases` are patterns of array names, with %d for the layer.
func (c *check[T]) layers(weights, biases string) (names []string, widths []int) {
	for i := 0; c.has(fmt.Sprintf(weights, i)); i++ {
		w, b := fmt.Sprintf(weights, i), fmt.Sprintf(biases, i)
		names, widths = append(names, w, b), append(widths, c.size(b))
	}
	return names, widths
}

// network is a network's parameters and their gradients.
type network[T tensor.Float] struct {
	layout        tensor.Layout
	names         []string // names of the case's arrays, in the layout's order
	params, grads []T
}

// fill copies the named arrays into a network, after all of its parameters have been added to
// the layout.
func (c *check[T]) fill(n *network[T], names []string) {
	all := n.layout.Params()
	if len(all) != len(names) {
		failf("there are %d arrays for %d parameters", len(names), len(all))
	}
	n.names, n.params, n.grads = names, make([]T, n.layout.Size()), make([]T, n.layout.Size())
	for i, p := range all {
		if size := c.size(names[i]); size != p.Len() {
			failf("%s%s holds %d values and should hold %d", c.prefix, names[i], size, p.Len())
		}
		copy(tensor.Of(n.params, p), c.data(names[i]))
	}
}

// equal compares computed values (got) with the named array, if the case has the array.
func (c *check[T]) equal(name string, got []T) { c.equal64(name, from(got)...) }

// equal64 is `equal` for values that are always float64, also when the case is checked in float32.
func (c *check[T]) equal64(name string, got ...float64) {
	if c.has(name) {
		c.add(got, c.values(name))
	}
}

// gradients compares a network's gradients with the gradients in the case.
func (c *check[T]) gradients(n *network[T]) {
	for i, p := range n.layout.Params() {
		c.equal("grad_"+n.names[i], tensor.Of(n.grads, p))
	}
}

// add compares the computed values (got) with the case's values (want).
func (c *comparison) add(got, want []float64) {
	c.count++
	if len(got) != len(want) {
		c.abs, c.rel = math.NaN(), math.NaN()
		return
	}
	largest := 0.0
	for _, w := range want {
		largest = math.Max(largest, math.Abs(w))
	}
	for i, w := range want {
		d := math.Abs(got[i] - w)
		if math.IsInf(w, 0) && got[i] == w {
			d = 0
		}
		c.abs = worse(c.abs, d)
		if d != 0 {
			c.rel = worse(c.rel, d/math.Max(math.Abs(w), c.floor*largest))
		}
	}
}

// worse returns the larger of two errors, or NaN if one is NaN.
func worse(a, b float64) float64 {
	if math.IsNaN(a) || math.IsNaN(b) {
		return math.NaN()
	}
	return math.Max(a, b)
}

func to[T tensor.Float](x []float64) []T {
	y := make([]T, len(x))
	for i, v := range x {
		y[i] = T(v)
	}
	return y
}

func from[T tensor.Float](x []T) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}
