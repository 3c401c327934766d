// Package polymer adapts sim/polymer, chains that a flow unfolds, to the interfaces of
// model/system. It is section 4.4 of the paper.
//
// A trajectory holds beads, (x, y, z) each. Learned from are sets of one of two kinds:
// marked beads (x, y, s), where s is a bead's place along the chain from 0 to 1, and what
// is predicted is the extension max x - min x; or, as in the paper, the pixels that are
// not zero of a picture of the chain (column, row, intensity), and what is predicted is
// their span of columns. Pictures are drawn when they are needed.
package polymer
