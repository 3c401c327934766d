// Package simd chooses among the forms of a package's hot loops: plain Go, and those
// that the vectors of the present processor allow.
//
// A package lists its forms in a function, from the plainest to the fastest, and keeps a
// Choice among them. It writes its Choice as a literal, so that the linker leaves out the
// loops that a program does not run.
package simd

import (
	"fmt"
	"runtime"
	"sync/atomic"
)

// A Form is one implementation of a package's loops.
type Form interface {
	// Form returns "plain", "avx2", "avx512", "neon" or "simd128".
	Form() string
}

// Narrow returns the name of the form in vectors of 128 bits.
func Narrow() string {
	if runtime.GOARCH == "wasm" {
		return "simd128"
	}
	return "neon"
}

// Choice holds which form serves: the fastest until Use.
type Choice[F Form] struct {
	Package string     // for errors
	List    func() []F // the forms that this processor can run
	serving atomic.Pointer[F]
}

// Serving returns the form that serves: at first the last one listed. It may be called
// from any number of goroutines.
func (c *Choice[F]) Serving() *F {
	if f := c.serving.Load(); f != nil {
		return f
	}
	return c.fastest()
}

func (c *Choice[F]) fastest() *F {
	all := c.List()
	c.serving.CompareAndSwap(nil, &all[len(all)-1])
	return c.serving.Load()
}

// Use makes the named form serve until restore is called. No loop may be running
// meanwhile. The error names the forms that there are here.
func (c *Choice[F]) Use(name string) (restore func(), err error) {
	var names []string
	for _, f := range c.List() {
		if f.Form() == name {
			before := c.serving.Swap(&f)
			return func() { c.serving.Store(before) }, nil
		}
		names = append(names, f.Form())
	}
	return nil, fmt.Errorf("%s: no form %q here, only %q", c.Package, name, names)
}

// Each calls do for every form while that one serves, from the plainest to the fastest.
func (c *Choice[F]) Each(do func(*F)) {
	before := c.serving.Load()
	defer func() { c.serving.Store(before) }()
	for _, f := range c.List() {
		c.serving.Store(&f)
		do(&f)
	}
}
