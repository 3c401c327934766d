// Package panel holds the panels of the labs' pictures: maps of the plane, quantities over time
// with their bands, training curves, bars and ribbons of ẑ, densities on a line, and the
// pipeline from particles to prediction.
//
// Each panel is in a file of its name: bars, crowd, density (on a line), film, map (of the
// plane; also a box of atoms), pipeline, portrait, ribbons, ruler, series (over time) and steps
// (of training). Further files of a panel begin with its name.
//
// A panel is configured by the names of its rows in a wire.Frame, and by the words for these
// rows. It reads its rows, draws itself at its place in a layout, and responds to the pointer
// and the keys. It does not refer to other panels: shared state (a Clock, a Plane, a Scale) is
// passed to every panel that uses it. Missing or invalid rows are displayed as missing. Nothing
// in this package is safe for concurrent use.
package panel
