package model

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/net/dynamics"
	"macroscope/sim/rng"
)

// Weights are the parameters of a model's networks.
type Weights struct {
	Params         []float32 // parameters of the encoder, then parameters of the decoder
	DynamicsParams []float32
	Decodes        bool // whether the model has the decoder's weights; some files do not contain them

	net *method.Networks
}

// allocate allocates the weights of the networks.
func (w *Weights) allocate() {
	w.Params = make([]float32, w.net.EncoderLayout.Size()+w.net.DecoderLayout.Size())
	w.DynamicsParams = make([]float32, w.net.DynamicsLayout.Size())
}

// draw allocates the weights and draws them. c has the seed.
func (w *Weights) draw(c *method.Config) {
	w.allocate()
	r := rng.New(c.Seed, c.Traits.Streams.Weights).Rand
	enc, dec := w.Split(w.Params)
	w.net.Encoder.Float32().Init(enc, r)
	w.net.Decoder.Float32().Init(dec, r)
	w.drawDynamics(r)
}

func (w *Weights) drawDynamics(r *rand.Rand) {
	for _, e := range w.net.Equations {
		dynamics.Init(w.DynamicsParams, e.Drift, r)
		if e.Noise != nil {
			dynamics.InitNoise(w.DynamicsParams, e.Noise, r)
		}
	}
}

// Redraw draws new weights of the dynamics for another try. Tries are numbered from 0; New draws the weights of
// try 0. c has the seed.
func (w *Weights) Redraw(c *method.Config, try int) {
	clear(w.DynamicsParams)
	w.drawDynamics(rng.New(c.Seed, c.Traits.Streams.Weights, uint64(try)).Rand)
}

// Split returns the encoder's and the decoder's part of an arena with the layout of Params.
func (w *Weights) Split(arena []float32) (enc, dec []float32) {
	n := w.net.EncoderLayout.Size()
	return arena[:n:n], arena[n:]
}

// Matrices lists the parameters that SOAP optimises, see method.Networks.Matrices.
func (w *Weights) Matrices(stageOne bool) []tensor.Param { return w.net.Matrices(stageOne) }

// Counts returns how many parameters the encoder, the decoder and the dynamics have.
func (w *Weights) Counts() (enc, dec, dynamics int) { return w.net.WeightCounts() }

// Len returns the number of parameters.
func (w *Weights) Len() int { return len(w.Params) + len(w.DynamicsParams) }

// Finite reports whether all weights are finite.
func (w *Weights) Finite() bool {
	return kernel.AllFinite(w.Params) && kernel.AllFinite(w.DynamicsParams)
}

// take copies the weights of `from`, which has an encoder and dynamics of the same sizes. The decoder's weights are
// copied only if both decoders have the same size, and if `from` has these weights.
func (w *Weights) take(from *Weights) {
	enc, dec := w.Split(w.Params)
	encFrom, decFrom := from.Split(from.Params)
	copy(enc, encFrom)
	if len(dec) == len(decFrom) && from.Decodes {
		copy(dec, decFrom)
	}
	copy(w.DynamicsParams, from.DynamicsParams)
}

// arenas lists the weights as parts of a checkpoint.
func (w *Weights) arenas() []Arena {
	enc, dec := w.Split(w.Params)
	arenas := []Arena{{&w.net.EncoderLayout, enc, paramPrefix}}
	if w.Decodes {
		prefix := restoringPrefix
		if w.density() {
			prefix = paramPrefix
		}
		arenas = append(arenas, Arena{&w.net.DecoderLayout, dec, prefix})
	}
	return append(arenas, w.Dynamics(w.DynamicsParams, dynamicsPrefix))
}

// density reports whether the decoder is a density.
func (w *Weights) density() bool { return w.net.Decoder.Config().Density() }

// Moments returns Adam's first and second moments as parts of a checkpoint. stageOne selects
// the layout and the prefixes of stage I or of stage II.
func (w *Weights) Moments(stageOne bool, first, second []float32) []Arena {
	if !stageOne {
		return []Arena{w.Dynamics(first, "law.adam.m."), w.Dynamics(second, "law.adam.v.")}
	}
	decoderM, decoderV := "adam.m.", "adam.v."
	if !w.density() {
		decoderM, decoderV = "decoder.adam.m.", "decoder.adam.v."
	}
	enc1, dec1 := w.Split(first)
	enc2, dec2 := w.Split(second)
	return []Arena{
		{&w.net.EncoderLayout, enc1, "adam.m."}, {&w.net.DecoderLayout, dec1, decoderM},
		{&w.net.EncoderLayout, enc2, "adam.v."}, {&w.net.DecoderLayout, dec2, decoderV},
	}
}

// Dynamics returns values with the layout of DynamicsParams as a part of a checkpoint.
func (w *Weights) Dynamics(values []float32, prefix string) Arena {
	return Arena{&w.net.DynamicsLayout, values, prefix}
}

// checkRoom rejects networks that are much larger than a file, because the file cannot contain
// their weights. It does so before any memory is allocated for the weights.
func (w *Weights) checkRoom(f *ckpt.File) error {
	const spare = 1 << 14
	held := 0
	for _, t := range f.Tensors {
		held += len(t.F32) + len(t.F64)
	}
	enc, dec, dynamics := w.Counts()
	if !w.Decodes {
		dec = 0
	}
	if need := enc + dec + dynamics; need > held+spare {
		return fmt.Errorf("the checkpoint's configuration is that of a model of %d weights, and the file holds %d numbers; choose one that was saved whole", need, held)
	}
	return nil
}
