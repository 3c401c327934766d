package catalogue

import "macroscope/model/compute/kernel"

// Plain switches all arithmetic to code without SIMD until `restore` is called. The width of SIMD
// vectors differs between processors. Without SIMD, the same settings and seeds give the same
// bits on amd64 and in WebAssembly, but programs are several times slower. Nothing may be
// computed during the calls of Plain and restore.
func Plain() (restore func()) {
	restores := []func(){PlainLine()}
	for _, s := range Systems() {
		if s.Use != nil {
			restores = append(restores, used(s.Use("plain")))
		}
	}
	return func() {
		for _, r := range restores {
			r()
		}
	}
}

// PlainLine does the same as Plain. It is for a program that contains only the line's lab.
func PlainLine() (restore func()) { return used(kernel.Use("plain")) }

// used returns its first argument. err is always nil, because every package has arithmetic without
// SIMD.
func used(restore func(), err error) func() {
	if err != nil {
		panic(err)
	}
	return restore
}
