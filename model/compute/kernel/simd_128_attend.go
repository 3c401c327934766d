//go:build goexperiment.simd && (wasm || arm64)

package kernel

import (
	"math"
	"unsafe"
)

func softmaxCols128(dst, x []float32, rows, cols int) {
	if cols%4 != 0 {
		refSoftmaxCols(dst, x, rows, cols)
		return
	}
	next := uintptr(4 * cols)
	size := next * uintptr(rows)
	p, q := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(dst))
	for j := uintptr(0); j < next; j += 16 {
		m := all(float32(math.Inf(-1)))
		for at := j; at < size; at += next {
			m = m.Max(load(p, at))
		}
		var s vec
		for at := j; at < size; at += next {
			e := raise(reduce(load(p, at).Sub(m)))
			s = s.Add(e)
			store(q, at, e)
		}
		part := all(1).Div(s)
		for at := j; at < size; at += next {
			store(q, at, load(q, at).Mul(part))
		}
	}
}

func softmaxRowsGrad128(dx, dy, y []float32, rows, cols int) {
	if cols%4 != 0 {
		refSoftmaxRowsGrad(dx, dy, y, rows, cols)
		return
	}
	to, d, u := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)), unsafe.Pointer(unsafe.SliceData(y))
	next := uintptr(4 * cols)
	for r := range rows {
		at := next * uintptr(r)
		end := at + next
		var s vec
		for i := at; i < end; i += 16 {
			s = load(d, i).MulAdd(load(u, i), s)
		}
		mean := all(total(s))
		for ; at < end; at += 16 {
			store(to, at, load(u, at).Mul(load(d, at).Sub(mean)))
		}
	}
}

func softmaxColsGrad128(dx, dy, y []float32, rows, cols int) {
	if cols%4 != 0 {
		refSoftmaxColsGrad(dx, dy, y, rows, cols)
		return
	}
	to, d, u := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)), unsafe.Pointer(unsafe.SliceData(y))
	next := uintptr(4 * cols)
	size := next * uintptr(rows)
	for j := uintptr(0); j < next; j += 16 {
		var mean vec
		for at := j; at < size; at += next {
			mean = load(d, at).MulAdd(load(u, at), mean)
		}
		for at := j; at < size; at += next {
			store(to, at, load(u, at).Mul(load(d, at).Sub(mean)))
		}
	}
}

func normRows128(y, unit, inv, x, add, gain, shift []float32, rows, cols int) {
	if cols%4 != 0 {
		refNormRows(y, unit, inv, x, add, gain, shift, rows, cols)
		return
	}
	to, u := unsafe.Pointer(unsafe.SliceData(y)), unsafe.Pointer(unsafe.SliceData(unit))
	p, o := unsafe.Pointer(unsafe.SliceData(x)), unsafe.Pointer(unsafe.SliceData(add))
	g, b := unsafe.Pointer(unsafe.SliceData(gain)), unsafe.Pointer(unsafe.SliceData(shift))
	next, share := uintptr(4*cols), all(1/float32(cols))
	for r := range rows {
		at := next * uintptr(r)
		end := at + next
		var sum, square vec
		for i := at; i < end; i += 16 {
			v := load(p, i).Add(load(o, i))
			store(u, i, v)
			sum = sum.Add(v)
		}
		mean := all(total(sum)).Mul(share)
		for i := at; i < end; i += 16 {
			v := load(u, i).Sub(mean)
			store(u, i, v)
			square = v.MulAdd(v, square)
		}
		scale := all(1).Div(all(total(square)).MulAdd(share, all(normFloor)).Sqrt())
		inv[r] = scale.GetElem(0)
		for i := at; i < end; i += 16 {
			v := load(u, i).Mul(scale)
			store(u, i, v)
			store(to, i, v.MulAdd(load(g, i-at), load(b, i-at)))
		}
	}
}

func normRowsGrad128(dx, dgain, dshift, dy, unit, inv, gain []float32, rows, cols int) {
	if cols%4 != 0 {
		refNormRowsGrad(dx, dgain, dshift, dy, unit, inv, gain, rows, cols)
		return
	}
	to, d, u := unsafe.Pointer(unsafe.SliceData(dx)), unsafe.Pointer(unsafe.SliceData(dy)), unsafe.Pointer(unsafe.SliceData(unit))
	g, toGain, toShift := unsafe.Pointer(unsafe.SliceData(gain)), unsafe.Pointer(unsafe.SliceData(dgain)), unsafe.Pointer(unsafe.SliceData(dshift))
	next, share := uintptr(4*cols), all(1/float32(cols))
	for r := range rows {
		at := next * uintptr(r)
		end := at + next
		var sum, dot vec
		for i := at; i < end; i += 16 {
			v, w, j := load(d, i), load(u, i), i-at
			store(toGain, j, v.MulAdd(w, load(toGain, j)))
			store(toShift, j, load(toShift, j).Add(v))
			v = v.Mul(load(g, j))
			sum = sum.Add(v)
			dot = v.MulAdd(w, dot)
		}
		mean, along, scale := all(total(sum)).Mul(share), all(total(dot)).Mul(share), all(inv[r])
		for i := at; i < end; i += 16 {
			v := load(d, i).Mul(load(g, i-at)).Sub(mean)
			store(to, i, v.Sub(load(u, i).Mul(along)).Mul(scale))
		}
	}
}
