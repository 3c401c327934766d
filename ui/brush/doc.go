// Package brush paints what the pictures of all labs have in common: text of one
// size, marks on curves and maps, legends' keys and the tip beside what is read, all
// in the colours of a Theme. A Brush appends triangles to a plot.Batch; it knows
// neither frames nor panels.
package brush
