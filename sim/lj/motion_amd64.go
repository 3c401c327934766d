//go:build goexperiment.simd && amd64

package lj

import (
	"simd/archsimd"
	"unsafe"
)

// Operations of motion512.go and motion256.go that need different code for the two widths.

const doubles512, doubles256 = 8, 4 // float64s in a vector

// widen512 and widen256 load the forces on atoms as float64s.
func widen512(f unsafe.Pointer) archsimd.Float64x8 {
	return archsimd.LoadFloat32x8Array((*[8]float32)(f)).ConvertToFloat64()
}

func widen256(f unsafe.Pointer) archsimd.Float64x4 {
	return archsimd.LoadFloat32x4Array((*[4]float32)(f)).ConvertToFloat64()
}

// storeXY512 and storeXY256 store the x and the y of atoms as float32s.
func storeXY512(at archsimd.Float64x8, x, y unsafe.Pointer) {
	apart := at.ConvertToFloat32().Permute(archsimd.LoadUint32x8Array(&xThenY))
	apart.GetLo().StoreArray((*[4]float32)(x))
	apart.GetHi().StoreArray((*[4]float32)(y))
}

func storeXY256(at archsimd.Float64x4, x, y unsafe.Pointer) {
	p := at.ConvertToFloat32()
	apart := p.ConcatPermuteScalars(0, 2, 5, 7, p).ToBits().ReshapeToUint64s()
	*(*uint64)(x), *(*uint64)(y) = apart.GetElem(0), apart.GetElem(1)
}

var xThenY = [8]uint32{0, 2, 4, 6, 1, 3, 5, 7}
