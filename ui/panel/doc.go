// Package panel holds the parts of the labs' pictures: maps of the plane, quantities over
// time with their bands, training curves, bars and ribbons of a latent, the densities of a
// line, the pipeline from particles to prediction.
//
// Each has a file of its name: bars, crowd, density (of a line), film, map (of the plane; a
// box of atoms too), pipeline, portrait, ribbons, ruler, series (over time) and steps (of
// training). The other files of a panel begin with its name.
//
// A panel is configured by the names of its rows in a wire.Frame and by the words for them.
// It reads its own rows, draws itself at its place in a layout, responds to the pointer and
// the keys, and knows no other panel: shared values, a Clock, a Plane or a Scale, are passed
// to it. Missing or invalid rows are shown as missing. Nothing here is safe for concurrent
// use.
package panel
