// Package line is the system of section 4.1: sets of points on a line, each drawn from its
// own Gaussian mixture (package sim/gauss). There is no time and there are no macroscopic
// variables: the model learns the density of a set.
//
// Its lab has two names: demo in links, saved sessions and early files (wire.Demo), and line everywhere
// else.
package line
