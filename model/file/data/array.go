package data

import (
	"fmt"
	"math"
)

// Array is an array of numbers of any rank, in row-major order. Make one with
// NewArray or ReadNPZ.
type Array struct {
	Shape  []int // empty for a single number
	values any   // []float32, []float64, []int64 or, for writing only, []int16
}

// NewArray returns an array that uses values without copying. It panics unless the number of
// values is the product of shape. An int16 array takes less space in a file; it is read as
// int64.
func NewArray[T float32 | float64 | int64 | int16](shape []int, values []T) *Array {
	n := 1
	for _, s := range shape {
		n *= s
	}
	if n != len(values) {
		panic(fmt.Sprintf("data: %d values for an array of shape %v", len(values), shape))
	}
	return &Array{shape, values}
}

// Len returns the number of values.
func (a *Array) Len() int {
	switch v := a.values.(type) {
	case []float32:
		return len(v)
	case []float64:
		return len(v)
	case []int64:
		return len(v)
	case []int16:
		return len(v)
	}
	return 0
}

// Float64s returns the values as float64. A float64 array returns its own slice, not a copy.
// Integers beyond 2^53 are rounded.
func (a *Array) Float64s() []float64 {
	switch v := a.values.(type) {
	case []float32:
		return convert[float64](v)
	case []float64:
		return v
	case []int64:
		return convert[float64](v)
	case []int16:
		return convert[float64](v)
	}
	return nil
}

// Float32s returns the values as float32. A float32 array returns its own slice, not a copy.
// Values are rounded; values beyond the range of float32 become infinite.
func (a *Array) Float32s() []float32 {
	switch v := a.values.(type) {
	case []float32:
		return v
	case []float64:
		return convert[float32](v)
	case []int64:
		return convert[float32](v)
	case []int16:
		return convert[float32](v)
	}
	return nil
}

// Int64s returns the values as int64. An int64 array returns its own slice, not a copy. Int64s
// returns an error if a value is not a whole number.
func (a *Array) Int64s() ([]int64, error) {
	switch v := a.values.(type) {
	case []float32:
		return whole(v)
	case []float64:
		return whole(v)
	case []int64:
		return v, nil
	case []int16:
		return convert[int64](v), nil
	}
	return nil, nil
}

func convert[T, S float32 | float64 | int64 | int16](s []S) []T {
	t := make([]T, len(s))
	for i, v := range s {
		t[i] = T(v)
	}
	return t
}

func whole[T float32 | float64](s []T) ([]int64, error) {
	out := make([]int64, len(s))
	for i, v := range s {
		// 2^63 is a float64 but not an int64.
		if x := float64(v); x != math.Trunc(x) || !(math.Abs(x) < 1<<63) {
			return nil, fmt.Errorf("value %d is %v where a whole number is needed", i, v)
		}
		out[i] = int64(v)
	}
	return out, nil
}
