// Package polymer adapts sim/polymer to model/system. The system is a chain that
// a flow unfolds, from section 4.4 of the paper.
//
// A trajectory contains beads (x, y, z). Models learn from one of two kinds of sets. Sets of
// labelled beads (x, y, s) serve to predict the extension max x - min x. The label s is the place
// along the chain from 0 to 1. Sets of pixels (column, row, intensity) contain the nonzero pixels
// of a picture of the chain. They serve to predict the span of the columns, as in the paper.
// Pictures are drawn when they are needed.
package polymer
