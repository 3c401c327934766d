//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// packRows copies the k rows of src, stride elements apart, to adjacent rows of dst (k, width).
// Columns [0, valid) come from src, and the rest of a packed row is undefined. Only
// src[:readable] is read.
func packRows(dst, src unsafe.Pointer, stride, valid, width, k, readable int) {
	whole := k // number of rows that may be read to the full width
	if valid < width {
		whole = max(0, min(k, (readable-width)/stride+1))
		if readable < width {
			whole = 0
		}
	}
	for p := range whole {
		s, d := unsafe.Add(src, 4*p*stride), unsafe.Add(dst, 4*p*width)
		for j := 0; j < width; j += 8 {
			v := archsimd.LoadFloat32x8Array((*[8]float32)(unsafe.Add(s, 4*j)))
			v.StoreArray((*[8]float32)(unsafe.Add(d, 4*j)))
		}
	}
	archsimd.ClearAVXUpperBits()
	for p := whole; p < k; p++ {
		d := unsafe.Slice((*float32)(unsafe.Add(dst, 4*p*width)), width)
		clear(d[copy(d, unsafe.Slice((*float32)(unsafe.Add(src, 4*p*stride)), valid)):])
	}
}

// packColumns writes the transpose of src (width, k) to dst (k, width). In src, the distance from
// one row to the next is `stride` elements. Only the first `valid` rows are read. The remaining
// columns of dst repeat row valid-1.
func packColumns(dst, src unsafe.Pointer, stride, valid, width, k int) {
	if k < 4 {
		for j := range width {
			s := unsafe.Slice((*float32)(unsafe.Add(src, 4*min(j, valid-1)*stride)), k)
			for p, v := range s {
				*(*float32)(unsafe.Add(dst, 4*(p*width+j))) = v
			}
		}
		return
	}
	for j := 0; j < width; j += 8 {
		var row [8]unsafe.Pointer
		for r := range row {
			row[r] = unsafe.Add(src, 4*min(j+r, valid-1)*stride)
		}
		transpose8(unsafe.Add(dst, 4*j), 4*width, &row, k)
	}
}

// transpose8 writes the transpose of eight rows of k >= 4 floats to dst. In dst, groups of eight
// floats are stride bytes apart.
func transpose8(dst unsafe.Pointer, stride int, row *[8]unsafe.Pointer, k int) {
	// Rows 0-3 and 4-7 become the halves of one register.
	half := func(lo, hi unsafe.Pointer) archsimd.Float32x8 {
		var v archsimd.Float32x8
		return v.SetLo(archsimd.LoadFloat32x4Array((*[4]float32)(lo))).
			SetHi(archsimd.LoadFloat32x4Array((*[4]float32)(hi)))
	}
	r0, r1, r2, r3, r4, r5, r6, r7 := row[0], row[1], row[2], row[3], row[4], row[5], row[6], row[7]
	for p := 0; p < k; p += 4 {
		p = min(p, k-4) // the last four columns may overlap the four before
		a := half(unsafe.Add(r0, 4*p), unsafe.Add(r4, 4*p))
		b := half(unsafe.Add(r1, 4*p), unsafe.Add(r5, 4*p))
		c := half(unsafe.Add(r2, 4*p), unsafe.Add(r6, 4*p))
		d := half(unsafe.Add(r3, 4*p), unsafe.Add(r7, 4*p))
		ab0, ab1 := a.ConcatPermuteScalarsGrouped(0, 1, 4, 5, b), a.ConcatPermuteScalarsGrouped(2, 3, 6, 7, b)
		cd0, cd1 := c.ConcatPermuteScalarsGrouped(0, 1, 4, 5, d), c.ConcatPermuteScalarsGrouped(2, 3, 6, 7, d)
		t := unsafe.Add(dst, p*stride)
		ab0.ConcatPermuteScalarsGrouped(0, 2, 4, 6, cd0).StoreArray((*[8]float32)(t))
		ab0.ConcatPermuteScalarsGrouped(1, 3, 5, 7, cd0).StoreArray((*[8]float32)(unsafe.Add(t, stride)))
		ab1.ConcatPermuteScalarsGrouped(0, 2, 4, 6, cd1).StoreArray((*[8]float32)(unsafe.Add(t, 2*stride)))
		ab1.ConcatPermuteScalarsGrouped(1, 3, 5, 7, cd1).StoreArray((*[8]float32)(unsafe.Add(t, 3*stride)))
	}
	archsimd.ClearAVXUpperBits()
}
