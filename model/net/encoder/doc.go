// Package encoder turns frames into closure variables ẑ. A frame is one or more sets of
// particles, and each set has its own ẑ.
//
// A Kind is a kind of encoder with its settings. DeepSet (package deepset) and SetTransformer
// (package attention) do not depend on the order of the particles; SetTransformer also lets the
// particles interact. Flat, the paper's baseline, takes the coordinates of a fixed number of
// particles as one long vector. Picture draws the set as a picture and encodes it with one of
// the paper's baselines for video (package image).
//
// Apart from a kind's own file, only the code for tunable models and for pictures uses its settings. To
// add a kind, write a file with a struct of settings. The struct embeds Unordered, has the methods Name,
// Table and New, and overrides the methods of Unordered that are wrong for the kind. In package method, give
// it a name in catalogue.go, and name it in a method of methods.txt: the tests of this package run over the
// encoders of all methods.
package encoder
