package catalogue

import (
	"macroscope/model/compute/kernel"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/model/system/polymer"
)

// Plain switches all arithmetic to the plain form until restore is called. Vectors differ
// in width between processors; without them, the same settings and seeds give the same bits
// on amd64 and in WebAssembly, several times more slowly. Nothing may be computed during
// the calls of Plain and restore.
func Plain() (restore func()) {
	return all(PlainLine(), used(particles.Use("plain")), used(mixing.Use("plain")), used(polymer.Use("plain")))
}

// PlainLine is Plain for a program with the lab of the line alone.
func PlainLine() (restore func()) { return used(kernel.Use("plain")) }

// used returns the restore function of a kernel.Use of the plain form, which always exists.
func used(restore func(), err error) func() {
	if err != nil {
		panic(err)
	}
	return restore
}

func all(restore ...func()) func() {
	return func() {
		for _, r := range restore {
			r()
		}
	}
}
