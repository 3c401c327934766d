// Package simd chooses among the forms of a package's hot loops: plain Go, and the vector forms
// that the present processor can run.
//
// A package lists its forms in a function, from the plainest to the fastest, and keeps a Choice
// among them. The Choice is a literal that needs no code at the start of a program. The linker
// therefore drops the loops that a program does not use.
package simd

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
)

// A Form is one implementation of a package's loops.
type Form interface {
	// Form returns the form's name: "plain", "avx2", "avx512", "neon" or "simd128".
	Form() string
}

// Narrow returns the name of the form with vectors of 128 bits.
func Narrow() string {
	if runtime.GOARCH == "wasm" {
		return "simd128"
	}
	return "neon"
}

// Initial is an environment variable that may name the initial form. With it, a processor can compute
// the bits of another processor, and test the forms that it would not use. It has no effect on a Choice
// without a form of this name.
const Initial = "MACROSCOPE_SIMD"

// Choice holds the form in use. Initially it is the form that the variable Initial names, or else the
// fastest form.
type Choice[F Form] struct {
	Package string     // package name for error messages
	List    func() []F // the forms that this processor can run
	serving atomic.Pointer[F]
}

// Serving returns the form in use. It is safe for concurrent use.
func (c *Choice[F]) Serving() *F {
	if f := c.serving.Load(); f != nil {
		return f
	}
	return c.initial()
}

func (c *Choice[F]) initial() *F {
	all, name := c.List(), os.Getenv(Initial)
	f := &all[len(all)-1]
	for i := range all {
		if all[i].Form() == name {
			f = &all[i]
		}
	}
	c.serving.CompareAndSwap(nil, f)
	return c.serving.Load()
}

// Use selects the named form until the returned function is called. No loop may run during either
// call. The error names the available forms.
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

// Each selects every available form in turn, from the plainest to the fastest, and passes it to
// `do`. Afterwards the previous form is in use again.
func (c *Choice[F]) Each(do func(*F)) {
	before := c.serving.Load()
	defer func() { c.serving.Store(before) }()
	for _, f := range c.List() {
		c.serving.Store(&f)
		do(&f)
	}
}
