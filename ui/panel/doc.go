// Package panel holds what all panels of the labs' pictures share, and the panels with maps of the
// plane and the pipeline from particles to prediction. Charts are in package chart.
//
// Each panel is in a file of its name: crowd, film, map (of the plane; also a box of atoms),
// pipeline and ruler. Further files of a panel begin with its name.
//
// A panel is configured by the names of its rows in a wire.Frame, and by the words for these
// rows. It reads its rows, draws itself at its place in a layout, and responds to the pointer
// and the keys. It does not refer to other panels: shared state (a Plane, a Scale, a chart.Clock) is
// passed to every panel that uses it. Missing or invalid rows are displayed as missing. Nothing
// in this package is safe for concurrent use.
package panel
