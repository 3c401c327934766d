// Package brush draws what all pictures have in common: text of one size, marks on curves and
// maps, sample lines of legends, and tips, all in the colours of a Theme. A Brush appends
// triangles to a plot.Batch. It does not depend on frames or panels.
package brush
