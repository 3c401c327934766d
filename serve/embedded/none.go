//go:build !release

// Package embedded holds the lab inside of a released program.
package embedded

// Lab is the built lab as a zip file. It is nil in a program from make build, which serves the
// folder dist.
var Lab []byte
