// Package encoder turns frames into closure variables ẑ. A frame is one or more
// sets of particles, and each set has a ẑ of its own.
//
// The kinds are values of one Config: DeepSet, which does not know the order of
// the particles (package set), SetTransformer, which does not either and lets them
// see each other (package attention), Flat, the paper's baseline, which takes the
// coordinates of a fixed number of particles as one long vector, and CNN and ViT, its
// baselines for video, which draw the set as a picture (package image). To add a kind:
// a file with a type that implements Encoder, and a case in Validate, Table, New, Init,
// NewEncoder and NewFrozen, and in Rows if it pools a set before its networks. The battery
// in this package's tests runs over all kinds, once one of it is in their list.
package encoder
