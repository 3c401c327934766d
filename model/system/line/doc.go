// Package line is the system of section 4.1: sets of points on a line, each drawn
// from a Gaussian mixture of its own (package sim/gauss). There is no time and
// there are no macroscopic variables: what is learned is the density of a set.
package line
