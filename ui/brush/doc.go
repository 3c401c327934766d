// Package brush paints the common elements of all pictures: text of one size, marks on curves
// and maps, legends' keys and tips, all in the colours of a Theme. A Brush appends triangles
// to a plot.Batch; it knows neither frames nor panels.
package brush
