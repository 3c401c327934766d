// Package polymer adapts sim/polymer, chains that a flow unfolds, to the interfaces of
// model/system. It is the system of section 4.4 of the paper.
//
// A trajectory holds beads, (x, y, z) each. Models learn from sets of one of two kinds:
// labelled beads (x, y, s) with the place s along the chain from 0 to 1, to predict the
// extension max x - min x; or, as in the paper, the nonzero pixels of a picture of the chain
// (column, row, intensity), to predict their span of columns. Pictures are drawn on demand.
package polymer
