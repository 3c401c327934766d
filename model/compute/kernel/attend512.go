//go:build goexperiment.simd && amd64

package kernel

import (
	"math"
	"simd/archsimd"
	"unsafe"
)

// softmaxCols512 processes lanes512 columns at a time.
func softmaxCols512(dst, x []float32, rows, cols int) {
	if cols%lanes512 != 0 {
		refSoftmaxCols(dst, x, rows, cols)
		return
	}
	from, to := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(dst))
	next, size := 4*cols, 4*cols*rows
	for j := 0; j < next; j += bytes512 {
		m := fill512(float32(math.Inf(-1)))
		for at := j; at < size; at += next {
			m = m.Max(load512(unsafe.Add(from, at)))
		}
		var sum f512
		for at := j; at < size; at += next {
			e := raise512(reduce512(load512(unsafe.Add(from, at)).Sub(m)))
			sum = sum.Add(e)
			store512(unsafe.Add(to, at), e)
		}
		part := fill512(1).Div(sum)
		for at := j; at < size; at += next {
			store512(unsafe.Add(to, at), load512(unsafe.Add(to, at)).Mul(part))
		}
	}
	archsimd.ClearAVXUpperBits()
}

func softmaxRowsGrad512(dx, dy, y []float32, rows, cols int) {
	if cols%lanes512 != 0 {
		refSoftmaxRowsGrad(dx, dy, y, rows, cols)
		return
	}
	to, pd, py := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)), unsafe.Pointer(unsafe.SliceData(y))
	for r := range rows {
		at, end := 4*r*cols, 4*(r+1)*cols
		var s f512
		for i := at; i < end; i += bytes512 {
			s = load512(unsafe.Add(pd, i)).MulAdd(load512(unsafe.Add(py, i)), s)
		}
		s = sumLanes512(s)
		for ; at < end; at += bytes512 {
			store512(unsafe.Add(to, at), load512(unsafe.Add(py, at)).Mul(load512(unsafe.Add(pd, at)).Sub(s)))
		}
	}
	archsimd.ClearAVXUpperBits()
}

func softmaxColsGrad512(dx, dy, y []float32, rows, cols int) {
	if cols%lanes512 != 0 {
		refSoftmaxColsGrad(dx, dy, y, rows, cols)
		return
	}
	to, pd, py := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)), unsafe.Pointer(unsafe.SliceData(y))
	next, size := 4*cols, 4*cols*rows
	for j := 0; j < next; j += bytes512 {
		var s f512
		for at := j; at < size; at += next {
			s = load512(unsafe.Add(pd, at)).MulAdd(load512(unsafe.Add(py, at)), s)
		}
		for at := j; at < size; at += next {
			store512(unsafe.Add(to, at), load512(unsafe.Add(py, at)).Mul(load512(unsafe.Add(pd, at)).Sub(s)))
		}
	}
	archsimd.ClearAVXUpperBits()
}

func normRows512(y, unit, inv, x, add, gain, shift []float32, rows, cols int) {
	if cols%lanes512 != 0 {
		refNormRows(y, unit, inv, x, add, gain, shift, rows, cols)
		return
	}
	to, pu, pi := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(unit)), unsafe.Pointer(unsafe.SliceData(inv))
	px, pa := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(add))
	pg, ps := unsafe.Pointer(unsafe.SliceData(gain)), unsafe.Pointer(unsafe.SliceData(shift))
	whole, share, floor := fill512(1), fill512(1/float32(cols)), fill512(normFloor)
	for r := range rows {
		at, end := 4*r*cols, 4*(r+1)*cols
		var sum, square f512
		for i := at; i < end; i += bytes512 {
			v := load512(unsafe.Add(px, i)).Add(load512(unsafe.Add(pa, i)))
			store512(unsafe.Add(pu, i), v)
			sum = sum.Add(v)
		}
		mean := sumLanes512(sum).Mul(share)
		for i := at; i < end; i += bytes512 {
			v := load512(unsafe.Add(pu, i)).Sub(mean)
			store512(unsafe.Add(pu, i), v)
			square = v.MulAdd(v, square)
		}
		scale := whole.Div(sumLanes512(square).MulAdd(share, floor).Sqrt())
		storeOne512(unsafe.Add(pi, 4*r), scale)
		for i := at; i < end; i += bytes512 {
			v := load512(unsafe.Add(pu, i)).Mul(scale)
			store512(unsafe.Add(pu, i), v)
			store512(unsafe.Add(to, i), v.MulAdd(load512(unsafe.Add(pg, i-at)), load512(unsafe.Add(ps, i-at))))
		}
	}
	archsimd.ClearAVXUpperBits()
}

func normRowsGrad512(dx, dgain, dshift, dy, unit, inv, gain []float32, rows, cols int) {
	if cols%lanes512 != 0 {
		refNormRowsGrad(dx, dgain, dshift, dy, unit, inv, gain, rows, cols)
		return
	}
	to, pd, pu, pi := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)), unsafe.Pointer(unsafe.SliceData(unit)), unsafe.Pointer(unsafe.SliceData(inv))
	pg, pdg, pds := unsafe.Pointer(unsafe.SliceData(gain)), unsafe.Pointer(unsafe.SliceData(dgain)), unsafe.Pointer(unsafe.SliceData(dshift))
	share := fill512(1 / float32(cols))
	for r := range rows {
		at, end := 4*r*cols, 4*(r+1)*cols
		var mean, along f512
		for i := at; i < end; i += bytes512 {
			d, u := load512(unsafe.Add(pd, i)), load512(unsafe.Add(pu, i))
			toGain, toShift := unsafe.Add(pdg, i-at), unsafe.Add(pds, i-at)
			store512(toGain, d.MulAdd(u, load512(toGain)))
			store512(toShift, load512(toShift).Add(d))
			d = d.Mul(load512(unsafe.Add(pg, i-at)))
			mean = mean.Add(d)
			along = d.MulAdd(u, along)
		}
		mean, along = sumLanes512(mean).Mul(share), sumLanes512(along).Mul(share)
		scale := fill512(*(*float32)(unsafe.Add(pi, 4*r)))
		for i := at; i < end; i += bytes512 {
			d := load512(unsafe.Add(pd, i)).Mul(load512(unsafe.Add(pg, i-at))).Sub(mean)
			store512(unsafe.Add(to, i), d.Sub(load512(unsafe.Add(pu, i)).Mul(along)).Mul(scale))
		}
	}
	archsimd.ClearAVXUpperBits()
}
