//go:build goexperiment.simd && (wasm || arm64)

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// This file defines the types, constants and functions of lanes512.go for vectors of 128 bits.
// Generated code uses them.

type (
	array128 = [lanes128]float32
	f128     = vec
)

const (
	lanes128 = 4
	bytes128 = 16
)

func load128(p unsafe.Pointer) f128        { return archsimd.LoadFloat32x4Array((*array128)(p)) }
func store128(p unsafe.Pointer, v f128)    { v.StoreArray((*array128)(p)) }
func storeOne128(p unsafe.Pointer, v f128) { *(*float32)(p) = v.GetElem(0) }
func fill128(x float32) f128               { return archsimd.BroadcastFloat32x4(x) }
func sumLanes128(v f128) f128              { return all(total(v)) }
