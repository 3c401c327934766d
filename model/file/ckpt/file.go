package ckpt

import (
	"fmt"
	"math"
)

// Limits of Encode and Decode. They suit the memory of a browser tab and are far above the
// networks here, which have less than a million parameters.
const (
	MaxBytes  = 256 << 20 // bytes of all elements together
	MaxHeader = 1 << 20   // the header: names, shapes and metadata
	MaxRank   = 32        // dimensions of one tensor
)

// File is the content of a checkpoint.
type File struct {
	Metadata map[string]string
	Tensors  []Tensor
	// Unchecked is a sentence that says which parts of the decoded file no checksum covers. It
	// is "" if a checksum covers everything.
	Unchecked string
}

// Tensor is one named array in row-major order. Exactly one of F32, F64 and I64 is not nil and
// holds as many elements as the product of Shape; a scalar has an empty Shape. If Half is set,
// the file stores F32 as F16.
type Tensor struct {
	Name  string
	Shape []int
	F32   []float32
	Half  bool
	F64   []float64
	I64   []int64
}

// Tensor returns the tensor with this name, or nil if there is none.
func (f *File) Tensor(name string) *Tensor {
	for i := range f.Tensors {
		if f.Tensors[i].Name == name {
			return &f.Tensors[i]
		}
	}
	return nil
}

// CheckFinite returns an error that names the first element that is NaN or
// infinite, or nil if there is none.
func (f *File) CheckFinite() error {
	for i := range f.Tensors {
		t := &f.Tensors[i]
		at, v := firstNonFinite(t.F32)
		if at < 0 {
			at, v = firstNonFinite(t.F64)
		}
		if at >= 0 {
			return fmt.Errorf("safetensors: tensor %.60q holds %v at index %v; training had diverged when it was saved, so take an earlier checkpoint",
				t.Name, v, indexOf(at, t.Shape))
		}
	}
	return nil
}

func firstNonFinite[T float32 | float64](s []T) (at int, v float64) {
	for i, x := range s {
		if x-x != 0 {
			return i, float64(x)
		}
	}
	return -1, math.NaN()
}

// indexOf turns an offset in row-major order into one index per dimension.
func indexOf(offset int, shape []int) []int {
	index := make([]int, len(shape))
	for d := len(shape) - 1; d >= 0; d-- {
		index[d] = offset % shape[d]
		offset /= shape[d]
	}
	return index
}

// dtype returns the format's name for the type of the tensor's elements, the size of an element
// in bytes, and the number of elements. The name is "" unless exactly one slice is set.
func (t *Tensor) dtype() (name string, size, n int) {
	set := 0
	if t.F32 != nil {
		name, size, n = "F32", 4, len(t.F32)
		if t.Half {
			name, size = "F16", 2
		}
		set++
	}
	if t.F64 != nil {
		name, size, n = "F64", 8, len(t.F64)
		set++
	}
	if t.I64 != nil {
		name, size, n = "I64", 8, len(t.I64)
		set++
	}
	if set != 1 {
		return "", 0, 0
	}
	return name, size, n
}

// elements returns the product of the dimensions in shape. It returns an error if a dimension
// is negative, if there are too many dimensions, or if the elements, of `size` bytes each, exceed
// MaxBytes.
func elements(shape []int, size int) (int, error) {
	if len(shape) > MaxRank {
		return 0, fmt.Errorf("has %d dimensions, and the limit is %d", len(shape), MaxRank)
	}
	n := 1
	for _, s := range shape {
		if s < 0 {
			return 0, fmt.Errorf("has the shape %v, and a dimension cannot be negative", shape)
		}
		if s > 0 && n > MaxBytes/size/s {
			return 0, fmt.Errorf("has the shape %v, which is over the limit of %d MiB", shape, MaxBytes>>20)
		}
		n *= s
	}
	return n, nil
}

// Halve marks every float32 tensor to be written as F16 (IEEE 754's binary16), which takes
// half the bytes and has 11 significant bits instead of 24.
func (f *File) Halve() {
	for i := range f.Tensors {
		f.Tensors[i].Half = f.Tensors[i].F32 != nil
	}
}
