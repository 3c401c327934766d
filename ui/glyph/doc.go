// Package glyph sets text: it rasterises the glyphs of one font into an atlas
// when they are first needed and appends a quad for each to a plot.Batch, so
// that text belongs to the same draw call as everything else.
//
// Text is one line of runes. An underscore sets the rune after it as a
// subscript: "p_θ". Two signs of the paper's notation that the font lacks, ẑ
// and ‖, are put together from the signs that it has. A combining hat or bar is
// centred over the rune before it: "φ̂", "z̄".
package glyph
