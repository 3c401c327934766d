// Package image contains autoencoders of pictures. They are the baselines of the paper's
// polymer (section 4.4), which is observed on video instead of as particles. The sizes and the
// code of the published autoencoders are unknown; the autoencoders here have the customary
// form.
//
// CNN: convolutions of 3 × 3 pixels with ReLU halve the picture several times, and an affine
// map leads to ẑ. The decoder is an affine map with ReLU, followed by transposed convolutions
// with a sigmoid at the end.
//
// ViT (Dosovitskiy et al., 2021): patches of the picture, and a class token that represents the
// whole picture, pass through a stack of attention blocks. ẑ is an affine map of the class
// token. A decoder's tokens are an affine map of ẑ plus position embeddings. They pass through
// another stack, and an affine map leads to the pixels of each patch.
//
// Pictures are (channels, rows, columns), in reading order. Both autoencoders minimise the mean
// squared error of restored pictures.
package image
