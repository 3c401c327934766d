// Package panel is what the pictures of the labs are put together from: maps of
// the plane, quantities through time with their bands, training curves, bars and
// ribbons of a latent, the densities of a line, the pipeline from particles to
// prediction.
//
// Each has the file of its name: bars, crowd, density (of a line), film, map (of the plane;
// a box of atoms too), pipeline, portrait, ribbons, ruler, series (of time) and steps (of
// training). The other files of a panel begin with its name.
//
// A panel is configured by the names of the rows of a wire.Frame that it shows and
// by the words for them. It reads its own rows, draws itself where a layout puts
// it, answers the pointer and the keys, and knows no other panel: what several
// share, a Clock, a Plane or a Scale, they are given. Rows that are missing or make
// no sense are shown as missing. Nothing here is safe for concurrent use.
package panel
