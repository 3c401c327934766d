package flow

import (
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// Affine is a map z ↦ A·z + C from a short ẑ to the longer ẑ that a flow reads.
type Affine[T tensor.Float] struct {
	A []T // a matrix (long, short)
	C []T // a vector (long)
}

// After computes a flow that first applies m to ẑ and then works like the flow `from`. The new flow
// has the structure of `to`. Its parameters are written to dst. The flows `from` and `to` differ
// only in ZDim. Every network of a flow reads ẑ through a linear layer, so m is multiplied into
// these layers. The result is exact up to rounding.
func After[T tensor.Float](dst []T, to *Flow, params []T, from *Flow, m Affine[T]) {
	for i := range from.layers {
		a, b := &from.layers[i], &to.layers[i]
		networkAfter(dst, b.first, params, a.first, m)
		for j := range a.rest {
			linearAfter(dst, b.rest[j].z, params, a.rest[j].z, m)
			copy(tensor.Of(dst, b.rest[j].x), tensor.Of(params, a.rest[j].x))
			copyLayers(dst, b.rest[j].rest.Layers, params, a.rest[j].rest.Layers)
		}
	}
	if from.base != nil {
		networkAfter(dst, to.base, params, from.base, m)
	}
}

func networkAfter[T tensor.Float](dst []T, to *nn.MLP, params []T, from *nn.MLP, m Affine[T]) {
	linearAfter(dst, to.Layers[0], params, from.Layers[0], m)
	copyLayers(dst, to.Layers[1:], params, from.Layers[1:])
}

func copyLayers[T tensor.Float](dst []T, to []*nn.Linear, params []T, from []*nn.Linear) {
	for i := range from {
		copy(tensor.Of(dst, to[i].W), tensor.Of(params, from[i].W))
		copy(tensor.Of(dst, to[i].B), tensor.Of(params, from[i].B))
	}
}

func linearAfter[T tensor.Float](dst []T, to *nn.Linear, params []T, from *nn.Linear, m Affine[T]) {
	w, b := tensor.Of(params, from.W), tensor.Of(params, from.B)
	wTo, bTo := tensor.Of(dst, to.W), tensor.Of(dst, to.B)
	clear(wTo)
	for h := range from.Out {
		bTo[h] = b[h]
		row := wTo[h*to.In : (h+1)*to.In]
		for c, v := range w[h*from.In : (h+1)*from.In] {
			bTo[h] += v * m.C[c]
			for j, a := range m.A[c*to.In : (c+1)*to.In] {
				row[j] += v * a
			}
		}
	}
}
