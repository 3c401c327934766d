// Package assets contains the texts of the page that are compiled into programs: the names of
// labs and controls, and sentences about them. system.ReadPage describes their format. The
// other files of this folder are not compiled.
package assets

import _ "embed" // for the texts

// The texts that all labs share, and then the texts of each lab.
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
	//go:embed texts/flock.txt
	Flock string
	//go:embed texts/own.txt
	Own string
)
