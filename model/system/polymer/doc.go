// Package polymer adapts sim/polymer, chains that a flow unfolds, to the interfaces of
// model/system. It is the system of section 4.4 of the paper.
//
// A trajectory contains beads (x, y, z). Models learn from one of two kinds of sets. The first is
// labelled beads (x, y, s), where s is the place along the chain from 0 to 1. It predicts the
// extension max x - min x. The second is the paper's: the nonzero pixels (column, row, intensity)
// of a picture of the chain. It predicts the span of the pixels' columns. Pictures are drawn when
// they are needed.
package polymer
