// Package intake reads trajectories of the visitor's own from a file, a piece at a time,
// so that the page goes on meanwhile.
package intake
