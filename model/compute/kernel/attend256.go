//go:build goexperiment.simd && amd64

package kernel

import (
	"simd/archsimd"
	"unsafe"
)

// softmaxCols256 takes as many columns at a time as a vector has lanes.
func softmaxCols256(dst, x []float32, rows, cols int) {
	if cols%lanes256 != 0 {
		refSoftmaxCols(dst, x, rows, cols)
		return
	}
	stride := 4 * cols
	for j := 0; j < stride; j += bytes256 {
		from, to := unsafe.Add(unsafe.Pointer(unsafe.SliceData(x)), j), unsafe.Add(unsafe.Pointer(unsafe.SliceData(dst)), j)
		m := fill256(infinity).Neg()
		for r := range rows {
			m = m.Max(load256(unsafe.Add(from, r*stride)))
		}
		var zero, sum f256
		for r := range rows {
			v := load256(unsafe.Add(from, r*stride)).Sub(m)
			none := v.Less(const256(&expMin))
			n, t := expSplit256(zero.IfElse(none, v))
			e := zero.IfElse(none, ldexp256(expm1256(t).Add(const256(&one)), n))
			store256(unsafe.Add(to, r*stride), e)
			sum = sum.Add(e)
		}
		part := const256(&one).Div(sum)
		for r := range rows {
			p := unsafe.Add(to, r*stride)
			store256(p, load256(p).Mul(part))
		}
	}
	archsimd.ClearAVXUpperBits()
}

func softmaxRowsGrad256(dx, dy, y []float32, rows, cols int) {
	if cols%lanes256 != 0 {
		refSoftmaxRowsGrad(dx, dy, y, rows, cols)
		return
	}
	to, pd, py := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)), unsafe.Pointer(unsafe.SliceData(y))
	for r := range rows {
		at, end := 4*r*cols, 4*(r+1)*cols
		var s f256
		for i := at; i < end; i += bytes256 {
			s = load256(unsafe.Add(pd, i)).MulAdd(load256(unsafe.Add(py, i)), s)
		}
		s = sumLanes256(s)
		for ; at < end; at += bytes256 {
			store256(unsafe.Add(to, at), load256(unsafe.Add(py, at)).Mul(load256(unsafe.Add(pd, at)).Sub(s)))
		}
	}
	archsimd.ClearAVXUpperBits()
}

func softmaxColsGrad256(dx, dy, y []float32, rows, cols int) {
	if cols%lanes256 != 0 {
		refSoftmaxColsGrad(dx, dy, y, rows, cols)
		return
	}
	to, pd, py := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)), unsafe.Pointer(unsafe.SliceData(y))
	end := 4 * rows * cols
	for j := 0; j < 4*cols; j += bytes256 {
		var s f256
		for i := j; i < end; i += 4 * cols {
			s = load256(unsafe.Add(pd, i)).MulAdd(load256(unsafe.Add(py, i)), s)
		}
		for i := j; i < end; i += 4 * cols {
			store256(unsafe.Add(to, i), load256(unsafe.Add(py, i)).Mul(load256(unsafe.Add(pd, i)).Sub(s)))
		}
	}
	archsimd.ClearAVXUpperBits()
}

func normRows256(y, unit, inv, x, add, gain, shift []float32, rows, cols int) {
	if cols%lanes256 != 0 {
		refNormRows(y, unit, inv, x, add, gain, shift, rows, cols)
		return
	}
	to, pu, pi := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(unit)), unsafe.Pointer(unsafe.SliceData(inv))
	px, pa := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(add))
	pg, ps := unsafe.Pointer(unsafe.SliceData(gain)), unsafe.Pointer(unsafe.SliceData(shift))
	share, floor, first := fill256(1/float32(cols)), fill256(normFloor), first256(1)
	for r := range rows {
		at, end := 4*r*cols, 4*(r+1)*cols
		var sum, square f256
		for i := at; i < end; i += bytes256 {
			v := load256(unsafe.Add(px, i)).Add(load256(unsafe.Add(pa, i)))
			store256(unsafe.Add(pu, i), v)
			sum = sum.Add(v)
		}
		mean := sumLanes256(sum).Mul(share)
		for i := at; i < end; i += bytes256 {
			v := load256(unsafe.Add(pu, i)).Sub(mean)
			store256(unsafe.Add(pu, i), v)
			square = v.MulAdd(v, square)
		}
		scale := const256(&one).Div(sumLanes256(square).MulAdd(share, floor).Sqrt())
		storeFirst256(unsafe.Add(pi, 4*r), scale, first)
		for i := at; i < end; i += bytes256 {
			v := load256(unsafe.Add(pu, i)).Mul(scale)
			store256(unsafe.Add(pu, i), v)
			store256(unsafe.Add(to, i), v.MulAdd(load256(unsafe.Add(pg, i-at)), load256(unsafe.Add(ps, i-at))))
		}
	}
	archsimd.ClearAVXUpperBits()
}

func normRowsGrad256(dx, dgain, dshift, dy, unit, inv, gain []float32, rows, cols int) {
	if cols%lanes256 != 0 {
		refNormRowsGrad(dx, dgain, dshift, dy, unit, inv, gain, rows, cols)
		return
	}
	to, pd, pu, pi := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)), unsafe.Pointer(unsafe.SliceData(unit)), unsafe.Pointer(unsafe.SliceData(inv))
	pg, pdg, pds := unsafe.Pointer(unsafe.SliceData(gain)), unsafe.Pointer(unsafe.SliceData(dgain)), unsafe.Pointer(unsafe.SliceData(dshift))
	share := fill256(1 / float32(cols))
	for r := range rows {
		at, end := 4*r*cols, 4*(r+1)*cols
		var mean, along f256
		for i := at; i < end; i += bytes256 {
			d, u := load256(unsafe.Add(pd, i)), load256(unsafe.Add(pu, i))
			toGain, toShift := unsafe.Add(pdg, i-at), unsafe.Add(pds, i-at)
			store256(toGain, d.MulAdd(u, load256(toGain)))
			store256(toShift, load256(toShift).Add(d))
			d = d.Mul(load256(unsafe.Add(pg, i-at)))
			mean = mean.Add(d)
			along = d.MulAdd(u, along)
		}
		mean, along = sumLanes256(mean).Mul(share), sumLanes256(along).Mul(share)
		scale := fill256(*(*float32)(unsafe.Add(pi, 4*r)))
		for i := at; i < end; i += bytes256 {
			d := load256(unsafe.Add(pd, i)).Mul(load256(unsafe.Add(pg, i-at))).Sub(mean)
			store256(unsafe.Add(to, i), d.Sub(load256(unsafe.Add(pu, i)).Mul(along)).Mul(scale))
		}
	}
	archsimd.ClearAVXUpperBits()
}
