// Package decoder restores sets from closure variables ẑ, and so measures how much ẑ remembers.
//
// A Kind is a kind of decoder with its settings. Flow (package flow) is a density; its loss is
// the cross-entropy with the set's kernel density q_X. Matching (package matching) is a density
// that learns the velocity of a flow. The other kinds are the paper's baselines. Pointwise
// restores every particle; its loss is the mean squared error or, for Nearest, the Chamfer
// distance. Picture restores the picture that an encoder drew. None restores nothing. A Config
// is a kind with the settings common to all kinds: the Target of a density, and a Step, which
// trains ẑ to make the next frame predictable.
//
// Apart from a kind's own file, only the code for tunable models and for pictures uses its settings. To
// add a kind, write a file with a struct of settings. It embeds Sampled (for a density) or PerSet, has the
// methods Name, Table and New, and overrides the embedded methods that would be wrong for it. In package
// method, give it a name in catalogue.go, and name it in a method of methods.txt: the tests of this package
// run over the decoders of all methods.
package decoder
