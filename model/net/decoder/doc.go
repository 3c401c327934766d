// Package decoder restores sets from closure variables ẑ, and so measures how much ẑ
// remembers.
//
// A Kind is a kind of decoder with its settings. Flow (package flow) is a density, compared
// with the set's kernel density q_X by their cross-entropy. Matching (package matching) is a
// density that learns the velocity of a flow. The others are the paper's baselines:
// Pointwise restores every particle and is compared by the mean squared error or, as Nearest,
// by the Chamfer distance; Picture restores the picture that an encoder drew; None restores
// nothing. A Config is a kind with the settings that all kinds share: the Target of a density,
// and a Step, which trains ẑ to make the next frame predictable.
//
// Only a kind's own file knows its settings. To add a kind, write a file with a struct of
// settings that embeds Sampled (for a density) or PerSet, has Name, Table and New, and
// overrides the embedded methods that do not hold for it. Then use it in a method of
// package experiment: the tests of this package run over the decoders of all methods.
package decoder
