package lj

import "fmt"

// impl is one implementation of the loops of a step.
type impl struct {
	name  string
	width int // neighbours in a block
	// forces writes the forces (N, 2) to dst, by slot, and may write two
	// elements more.
	forces func(dst []float32, f *field, l *list)
	drift  func(m *motion) (within bool)
	kick   func(v []float64, f []float32, half float64) (square float64)
	scale  func(v []float64, scale float64) (square float64)
}

var plain = impl{"plain", maxWidth, refForces, refDrift, refKick, refScale}

// active is the implementation in use: at first the last, fastest entry of
// implementations(), which lists what this processor can run.
var active = func() impl {
	all := implementations()
	return all[len(all)-1]
}()

// Implementation says which form of the loops is in use: "plain", "avx2",
// "avx512", "neon" or "simd128".
func Implementation() string { return active.name }

// Use makes the named form of the loops serve until restore is called. No
// simulation may go on from before.
func Use(name string) (restore func(), err error) {
	for _, im := range implementations() {
		if im.name == name {
			was := active
			active = im
			return func() { active = was }, nil
		}
	}
	return nil, fmt.Errorf("lj: no implementation %q here", name)
}
