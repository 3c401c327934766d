// Package simd chooses among the forms of a package's hot loops: plain Go, and those
// that the vectors of the present processor allow.
//
// A package lists its forms in a function, from the plainest to the fastest. It is
// handed to every call instead of being kept, so that no package refers to its loops
// as it is initialised, and the linker leaves out those that a program does not run.
package simd

import (
	"fmt"
	"sync/atomic"
)

// A Form is one implementation of a package's loops.
type Form interface {
	// Form returns "plain", "avx2", "avx512", "neon" or "simd128".
	Form() string
}

// Choice holds which form serves. Its zero value has the fastest serve.
type Choice[F Form] struct{ serving atomic.Pointer[F] }

// Of returns the form that serves: at first the last one listed. It may be called from
// any number of goroutines.
func (c *Choice[F]) Of(list func() []F) *F {
	if f := c.serving.Load(); f != nil {
		return f
	}
	return c.fastest(list)
}

func (c *Choice[F]) fastest(list func() []F) *F {
	all := list()
	c.serving.CompareAndSwap(nil, &all[len(all)-1])
	return c.serving.Load()
}

// Use makes the named form serve until restore is called. No loop may be running
// meanwhile. The error names the forms that there are here.
func (c *Choice[F]) Use(name string, list func() []F) (restore func(), err error) {
	var names []string
	for _, f := range list() {
		if f.Form() == name {
			before := c.serving.Swap(&f)
			return func() { c.serving.Store(before) }, nil
		}
		names = append(names, f.Form())
	}
	return nil, fmt.Errorf("no form %q here, only %q", name, names)
}

// Each calls do for every form while that one serves, from the plainest to the fastest.
func (c *Choice[F]) Each(list func() []F, do func(*F)) {
	before := c.serving.Load()
	defer func() { c.serving.Store(before) }()
	for _, f := range list() {
		c.serving.Store(&f)
		do(&f)
	}
}
