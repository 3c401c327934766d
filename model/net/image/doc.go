// Package image holds autoencoders of pictures, the baselines of the paper's polymer
// (section 4.4), observed on video instead of by its particles. The sizes and the code of
// the published ones are unknown; these have the customary form.
//
// CNN: convolutions of 3 × 3 pixels that halve the picture, with ReLU; an affine
// map to ẑ; and back by an affine map with ReLU and transposed convolutions, with a
// sigmoid at the end.
//
// ViT (Dosovitskiy et al., 2021): patches of the picture, and a class token that represents the
// whole picture, pass through a stack of attention blocks. ẑ is an affine map of the class token. A
// decoder's tokens are an affine map of ẑ plus position embeddings. They pass through another stack
// to the pixels of their patches.
//
// Pictures are (channels, rows, columns), in reading order. Both minimise the mean
// squared error of restored pictures.
package image
