// Package polymer adapts sim/polymer, chains that a flow unfolds, to the interfaces of
// model/system. It is the system of section 4.4 of the paper.
//
// A trajectory contains beads (x, y, z). Models learn from one of two kinds of sets. Labelled
// beads (x, y, s), where s is the place along the chain from 0 to 1, are used to predict the
// extension max x - min x. As in the paper, the nonzero pixels (column, row, intensity) of a
// picture of the chain are used to predict the span of their columns. Pictures are drawn when
// they are needed.
package polymer
