// Package decoder turns closure variables ẑ back into what they were made of,
// and so says how much ẑ remembers.
//
// A Kind is a kind of decoder with its settings: Flow, a density that is compared with the
// set's kernel density q_X by their cross-entropy (package flow), Matching, a
// density that learns the velocity of a flow (package matching), and the paper's
// baselines: Pointwise, which gives every particle back and is compared by the mean squared
// error or, as Nearest, by the Chamfer distance, Picture, which restores the picture that an
// encoder drew, and None. A Config is a kind with what all of them share: the Target of a
// density, and a Step, by which ẑ is trained to make the next frame predictable.
//
// Nothing outside of a kind's file knows its settings. To add a kind: a file with a struct of
// settings that embeds Sampled, if it is a density, or PerSet, and has Name, Table and New,
// and those methods of what it embeds that are not true of it. A method of package experiment
// names it, and the battery in this package's tests runs over the decoders of all methods.
package decoder
