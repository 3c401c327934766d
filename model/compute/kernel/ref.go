package kernel

import "math"

// The plain forms are written to be obviously right.

func refGemmNN[T Float](c, a, b []T, m, n, k int, accumulate bool) {
	for i := range m {
		ci := c[i*n : i*n+n]
		if !accumulate {
			clear(ci)
		}
		for p := range k {
			av := a[i*k+p]
			for j, bv := range b[p*n : p*n+n] {
				ci[j] += av * bv
			}
		}
	}
}

// refGemmNT computes four sums at a time, each in the order of its terms. An addition must wait for
// the previous addition of the same sum, but not for other sums.
func refGemmNT[T Float](c, a, b []T, m, n, k int, accumulate bool) {
	for i := range m {
		ai, ci := a[i*k:i*k+k], c[i*n:i*n+n]
		if !accumulate {
			clear(ci)
		}
		j := 0
		for ; j+4 <= n; j += 4 {
			b0, b1, b2, b3 := b[j*k:][:k], b[(j+1)*k:][:k], b[(j+2)*k:][:k], b[(j+3)*k:][:k]
			s0, s1, s2, s3 := ci[j], ci[j+1], ci[j+2], ci[j+3]
			for p, av := range ai {
				s0 += av * b0[p]
				s1 += av * b1[p]
				s2 += av * b2[p]
				s3 += av * b3[p]
			}
			ci[j], ci[j+1], ci[j+2], ci[j+3] = s0, s1, s2, s3
		}
		for ; j < n; j++ {
			sum := ci[j]
			for p, bv := range b[j*k : j*k+k] {
				sum += ai[p] * bv
			}
			ci[j] = sum
		}
	}
}

func refGemmTN[T Float](c, a, b []T, m, n, k int, accumulate bool) {
	if !accumulate {
		clear(c[:m*n])
	}
	for p := range k {
		bp := b[p*n : p*n+n]
		for i := range m {
			av := a[p*m+i]
			ci := c[i*n : i*n+n]
			for j, bv := range bp {
				ci[j] += av * bv
			}
		}
	}
}

func refAffine[T Float](y, slope, x, w, bias []T, rows, in, out int, act Activation) {
	refGemmNT(y, x, w, rows, out, in, false)
	for r := range rows {
		yr := y[r*out : r*out+out]
		for j := range yr {
			if bias != nil {
				yr[j] += bias[j]
			}
		}
	}
	refActivate(y, slope, y[:rows*out], act)
}

func refActivate[T Float](dst, slope, x []T, act Activation) {
	switch act {
	case Identity:
		copy(dst, x)
	case ReLU:
		for i, v := range x {
			dst[i] = max(v, 0)
		}
	case Softplus:
		refSoftplus(dst, x)
	case Tanh:
		refTanh(dst, x)
	case SiLU:
		for i, v := range x {
			s := sigmoid(v)
			dst[i] = v * s
			if slope != nil {
				slope[i] = s * (1 + v*(1-s))
			}
		}
	}
}

func refActivationGrad[T Float](dx, dy, y, slope []T, act Activation) {
	switch act {
	case Identity:
		copy(dx, dy)
	case ReLU:
		for i, g := range dy {
			if y[i] > 0 {
				dx[i] = g
			} else {
				dx[i] = 0
			}
		}
	case Softplus: // y = log(1+e^x), so sigmoid(x) = 1 - e^-y
		for i, g := range dy {
			dx[i] = g * T(-math.Expm1(-float64(y[i])))
		}
	case Tanh:
		for i, g := range dy {
			dx[i] = g * (1 - y[i]*y[i])
		}
	case SiLU:
		for i, g := range dy {
			dx[i] = g * slope[i]
		}
	}
}

func sigmoid[T Float](x T) T { return T(1 / (1 + math.Exp(-float64(x)))) }

func refExp[T Float](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Exp(float64(v)))
	}
}

func refLog[T Float](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Log(float64(v)))
	}
}

func refTanh[T Float](dst, x []T) {
	for i, v := range x {
		dst[i] = T(math.Tanh(float64(v)))
	}
}

func refSoftplus[T Float](dst, x []T) {
	for i, v := range x {
		f := float64(v)
		dst[i] = T(math.Max(f, 0) + math.Log1p(math.Exp(-math.Abs(f))))
	}
}

func refSigmoid[T Float](dst, x []T) {
	for i, v := range x {
		dst[i] = sigmoid(v)
	}
}

func refSum[T Float](x []T) T {
	var s T
	for _, v := range x {
		s += v
	}
	return s
}

func refDot[T Float](x, y []T) T {
	var s T
	for i, v := range x {
		s += v * y[i]
	}
	return s
}

func refMax[T Float](x []T) T {
	m := T(math.Inf(-1))
	for _, v := range x {
		m = max(m, v)
	}
	return m
}

func refAllFinite[T Float](x []T) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

func refAxpy[T Float](dst []T, alpha T, x []T) {
	for i, v := range x {
		dst[i] += alpha * v
	}
}

func refScale[T Float](dst []T, alpha T) {
	for i := range dst {
		dst[i] *= alpha
	}
}

func refMul[T Float](dst, x, y []T) {
	for i, v := range x {
		dst[i] = v * y[i]
	}
}

func refColSum[T Float](dst, x []T, rows, cols int) {
	for r := range rows {
		for j, v := range x[r*cols : r*cols+cols] {
			dst[j] += v
		}
	}
}

func refSoftmaxRows[T Float](dst, x []T, rows, cols int) {
	for r := range rows {
		xr, dr := x[r*cols:r*cols+cols], dst[r*cols:r*cols+cols]
		m := refMax(xr)
		var sum T
		for j, v := range xr {
			dr[j] = T(math.Exp(float64(v - m)))
			sum += dr[j]
		}
		for j := range dr {
			dr[j] /= sum
		}
	}
}

func refAdam[T Float](p, g, m, v []T, h AdamStep) {
	a := adamFactors[T](h)
	for i, gi := range g {
		m[i] = a.beta1*m[i] + a.gain1*gi
		v[i] = a.beta2*v[i] + a.gain2*gi*gi
		p[i] = a.keep*p[i] - a.rate*m[i]/(T(math.Sqrt(float64(v[i])))*a.root+a.epsilon)
	}
}

func refSoftmaxCols[T Float](dst, x []T, rows, cols int) {
	for j := range cols {
		m, sum := T(math.Inf(-1)), T(0)
		for r := range rows {
			m = max(m, x[r*cols+j])
		}
		for r := range rows {
			e := T(math.Exp(float64(x[r*cols+j] - m)))
			dst[r*cols+j] = e
			sum += e
		}
		for r := range rows {
			dst[r*cols+j] /= sum
		}
	}
}

func refSoftmaxRowsGrad[T Float](dx, dy, y []T, rows, cols int) {
	for r := range rows {
		at := r * cols
		mean := refDot(dy[at:at+cols], y[at:at+cols])
		for i := at; i < at+cols; i++ {
			dx[i] = y[i] * (dy[i] - mean)
		}
	}
}

func refSoftmaxColsGrad[T Float](dx, dy, y []T, rows, cols int) {
	for j := range cols {
		var mean T
		for r := range rows {
			mean += dy[r*cols+j] * y[r*cols+j]
		}
		for r := range rows {
			i := r*cols + j
			dx[i] = y[i] * (dy[i] - mean)
		}
	}
}

func refNormRows[T Float](y, unit, inv, x, add, gain, shift []T, rows, cols int) {
	for r := range rows {
		at := r * cols
		u := unit[at : at+cols]
		for j, v := range x[at : at+cols] {
			u[j] = v + add[at+j]
		}
		mean := refSum(u) / T(cols)
		var square T
		for j := range u {
			u[j] -= mean
			square += u[j] * u[j]
		}
		inv[r] = T(1 / math.Sqrt(float64(square/T(cols)+normFloor)))
		for j := range u {
			u[j] *= inv[r]
			y[at+j] = gain[j]*u[j] + shift[j]
		}
	}
}

func refNormRowsGrad[T Float](dx, dgain, dshift, dy, unit, inv, gain []T, rows, cols int) {
	for r := range rows {
		at := r * cols
		var mean, along T
		for j, u := range unit[at : at+cols] {
			d := dy[at+j]
			dgain[j] += d * u
			dshift[j] += d
			mean += d * gain[j]
			along += d * gain[j] * u
		}
		mean, along = mean/T(cols), along/T(cols)
		for j, u := range unit[at : at+cols] {
			dx[at+j] = inv[r] * (dy[at+j]*gain[j] - mean - u*along)
		}
	}
}
