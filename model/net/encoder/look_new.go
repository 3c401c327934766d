//go:build !first

package encoder

// look returns a net that passes to n what it sees of the points of a shape.
func look(n Net, s Shape) Net { return seeingNet{n, s} }
