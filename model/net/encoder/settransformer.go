package encoder

import (
	"macroscope/model/compute/tensor"
	"macroscope/model/net/attention"
)

// setTransformer is an attention.SetTransformer as an Encoder.
type setTransformer[T tensor.Float] struct{ ws *attention.Workspace[T] }

func (e *setTransformer[T]) Encode(params []T, in Batch[T]) []T {
	return attention.Encode(e.ws, params, in.Points, in.Ends)
}

func (e *setTransformer[T]) Backward(params, grads []T, in Batch[T], dz []T) {
	attention.Backward(e.ws, params, grads, nil, in.Points, in.Ends, dz)
}

// setTransformerOnly keeps no activations.
type setTransformerOnly[T tensor.Float] struct{ setTransformer[T] }

func (e *setTransformerOnly[T]) Encode(params []T, in Batch[T]) []T {
	return attention.EncodeOnly(e.ws, params, in.Points, in.Ends)
}
