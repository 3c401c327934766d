//go:build !release

// Package embedded holds the lab inside of a released program.
package embedded

// Lab is the built lab as a zip file. A program made by "make build" has no zip file and serves the
// folder dist.
var Lab []byte
