// Package brush draws what all pictures have in common: text of one size, marks on curves
// and maps, legends' keys and tips, in the colours of a Theme. A Brush appends triangles to
// a plot.Batch. It knows neither frames nor panels.
package brush
