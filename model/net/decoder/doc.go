// Package decoder turns closure variables ẑ back into what they were made of,
// and so says how much ẑ remembers.
//
// The kinds are values of one Config: Flow, a density that is compared with the
// set's kernel density q_X by their cross-entropy (package flow), Matching, a
// density that learns the velocity of a flow (package matching), and the paper's
// baselines: Pointwise, which gives every particle back and is compared by the
// mean squared error, Chamfer, whose points are compared by their nearest
// neighbours, and Picture, which restores the picture that an encoder drew. To add a
// kind: a file with a type that implements Decoder,
// and Density if it is one, and a case in Validate, Table, Dims, New, Init and
// NewDecoder. The battery in this package's tests runs over all kinds, once one of it is
// in their list.
package decoder
