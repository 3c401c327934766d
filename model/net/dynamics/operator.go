package dynamics

import "macroscope/model/compute/tensor"

// operator applies an OnsagerNet's matrix to the gradient of its potential:
//
//	g = -(αI + LLᵀ + A - Aᵀ) v
//
// for v (rows, D) and full matrices L, A (rows, D, D).
type operator[T tensor.Float] struct {
	dim    int
	alpha  T
	lv, le []T // Lᵀv, Lᵀdg of one row (D)
}

func newOperator[T tensor.Float](dim int, alpha float64) operator[T] {
	return operator[T]{dim, T(alpha), make([]T, dim), make([]T, dim)}
}

// forward writes g (rows, D).
func (o *operator[T]) forward(dst, v, l, a []T, rows int) {
	D := o.dim
	for r := range rows {
		v, g := v[r*D:r*D+D], dst[r*D:r*D+D]
		l, a := l[r*D*D:(r+1)*D*D], a[r*D*D:(r+1)*D*D]
		mulTransposed(o.lv, l, v)
		for i := range g {
			sum := o.alpha * v[i]
			for j := range g {
				sum += l[i*D+j]*o.lv[j] + (a[i*D+j]-a[j*D+i])*v[j]
			}
			g[i] = -sum
		}
	}
}

// backward computes the gradients of v, L and A from dg, the gradient of g.
func (o *operator[T]) backward(dv, dl, da, dg, v, l, a []T, rows int) {
	D := o.dim
	for r := range rows {
		v, e, dv := v[r*D:r*D+D], dg[r*D:r*D+D], dv[r*D:r*D+D]
		l, a := l[r*D*D:(r+1)*D*D], a[r*D*D:(r+1)*D*D]
		dl, da := dl[r*D*D:(r+1)*D*D], da[r*D*D:(r+1)*D*D]
		mulTransposed(o.lv, l, v)
		mulTransposed(o.le, l, e)
		for i := range e {
			sum := o.alpha * e[i]
			for j := range e {
				sum += l[i*D+j]*o.le[j] + (a[j*D+i]-a[i*D+j])*e[j]
				dl[i*D+j] = -(e[i]*o.lv[j] + v[i]*o.le[j])
				da[i*D+j] = v[i]*e[j] - e[i]*v[j]
			}
			dv[i] = -sum
		}
	}
}

// mulTransposed writes Lᵀv to dst (D).
func mulTransposed[T tensor.Float](dst, l, v []T) {
	clear(dst)
	for i, vi := range v {
		for j := range dst {
			dst[j] += l[i*len(v)+j] * vi
		}
	}
}
