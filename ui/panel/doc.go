// Package panel is what the pictures of the labs are put together from: maps of
// the plane, quantities through time with their bands, training curves, bars and
// ribbons of a latent, the densities of a line, the pipeline from particles to
// prediction.
//
// A panel is configured by the names of the rows of a wire.Frame that it shows and
// by the words for them. It reads its own rows, draws itself where a layout puts
// it, answers the pointer and the keys, and knows no other panel: what several
// share, a Clock, a Plane or a Scale, they are given. Rows that are missing or make
// no sense are shown as missing. Nothing here is safe for concurrent use.
package panel
