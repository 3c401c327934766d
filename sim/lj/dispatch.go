package lj

import "macroscope/sim/simd"

//go:generate go run macroscope/serve/generate motion512.go 256

// impl is one implementation of the loops of a step.
type impl struct {
	name  string
	width int // number of neighbours in a block
	// forces writes the forces (N, 2) to dst, by slot. It may overwrite the next two elements of
	// dst.
	forces func(dst []float32, f *field, l *list)
	drift  func(m *motion) (within bool)
	kick   func(v []float64, f []float32, half float64) (square float64)
	scale  func(v []float64, scale float64) (square float64)
}

var plain = impl{"plain", maxWidth, refForces, refDrift, refKick, refScale}

// Form returns the implementation's name; Implementation lists all names.
func (im impl) Form() string { return im.name }

var choice = simd.Choice[impl]{Package: "lj", List: implementations}

// active is the implementation in use.
func active() *impl { return choice.Serving() }

// Implementation returns the name of the form in use: "plain", "avx2", "avx512",
// "neon" or "simd128".
func Implementation() string { return active().name }

// Use selects the named form of the loops. A call of restore selects the previous
// form again. Existing simulations must not continue after a change of the form.
func Use(name string) (restore func(), err error) { return choice.Use(name) }
