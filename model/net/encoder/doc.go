// Package encoder turns frames into closure variables ẑ. A frame is one or more
// sets of particles, and each set has a ẑ of its own.
//
// A Kind is a kind of encoder with its settings: DeepSet, which does not know the order of
// the particles (package deepset), SetTransformer, which does not either and lets them
// see each other (package attention), Flat, the paper's baseline, which takes the
// coordinates of a fixed number of particles as one long vector, and Picture, its
// baselines for video, which draw the set as a picture (package image).
//
// Nothing outside of a kind's file knows its settings. To add a kind: a file with a struct of
// settings that embeds Unordered and has Name, Table and New, and those methods of Unordered
// that are not true of it. A method of package experiment names it, and the battery in this
// package's tests runs over the encoders of all methods.
package encoder
