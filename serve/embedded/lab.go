//go:build release

// Package embedded holds the lab inside of a released program.
package embedded

import _ "embed"

// Lab is the built lab as a zip file. serve/release writes the file before it builds.
//
//go:embed lab.zip
var Lab []byte
