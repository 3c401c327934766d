// Package glyph sets text. It rasterises the glyphs of one font into an atlas when they are
// first needed, and appends a quad for each glyph to a plot.Batch, so that text is drawn
// together with other shapes.
//
// A text is one line. An underscore makes the rune after it a subscript: "p_θ". Two symbols
// of the paper that the font lacks, ẑ and ‖, are composed of others. A combining hat or bar
// is centred over the rune before it: "φ̂", "z̄".
package glyph
