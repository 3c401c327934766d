// Package assets holds the texts of the page that are part of its programs: what the
// labs and their controls are called, and what they say of themselves. Each is of the
// form that system.ReadPage reads. The other files of this folder are no part of a
// program.
package assets

import _ "embed" // for the texts

// The texts of every lab, and of each.
var (
	//go:embed texts/lab.txt
	Lab string
	//go:embed texts/line.txt
	Line string
	//go:embed texts/particles.txt
	Particles string
	//go:embed texts/mixing.txt
	Mixing string
	//go:embed texts/polymer.txt
	Polymer string
)
