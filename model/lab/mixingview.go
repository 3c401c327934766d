package lab

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// mixingView is a model on show, and what it makes of the run: the closures and
// densities of both species in the picture on show, and what follows from frame
// 0. It serves one goroutine at a time.
type mixingView struct {
	name, origin string
	names        string // of the closures, with spaces between
	model        *MixingModel
	usable       bool              // the law can predict
	live         bool              // it is in training
	told         time.Time         // when its prediction last began anew
	species      [2]*particlesView // they share the encoder and the flow
	ahead        mixingAhead

	code    [2][]float32 // ẑ of either species as the encoder has it (ZDim)
	kl      [2]float64
	decoded bool

	past []float32 // ẑ_A and ẑ_B of frames 0, 1, … in [-1, 1] (K, 2 ZDim)

	// True ratios within the band, up to frame counted.
	inside, counted int
}

func newMixingView(m *MixingModel, name, origin string) *mixingView {
	v := &mixingView{name: name, origin: origin, names: closureNames(m.Config.Encoder.ZDim), model: m, usable: true}
	for k := range v.species {
		v.species[k] = newParticlesView(m.autoencoder())
		v.code[k] = make([]float32, m.Config.Encoder.ZDim)
	}
	return v
}

// autoencoder returns the encoder and the flow as a picture of one species takes
// them. The weights are shared.
func (m *MixingModel) autoencoder() *ParticlesModel {
	a := &ParticlesModel{Params: m.Params, Scale: m.Scale, encoder: m.encoder, flow: m.flow}
	a.Config.Encoder, a.Config.Flow = m.Config.Encoder, m.Config.Flow
	return a
}

// closureNames lists what z is, of d closures a species.
func closureNames(d int) string {
	var names []string
	for _, species := range []string{"A", "B"} {
		for i := range d {
			name := "ẑ_" + species
			if d > 1 {
				name += fmt.Sprint(i + 1)
			}
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}

// begin follows the beginning of a run.
func (v *mixingView) begin(p *mixingPlay, members int, seed uint64) {
	first := make([]float32, len(p.x))
	p.frame(first, 0)
	v.ahead.begin(v.model, first, p.kinds, p.seen[0].Ratios[:], p.horizon, members, seed)
	v.past, v.inside, v.counted = v.past[:0], 0, 0
}

// evaluate brings the next part of the densities up to date, those of the species
// that is further behind, and reports whether all of them were already.
func (v *mixingView) evaluate() (whole bool) {
	k := 0
	if v.species[1].behind > v.species[0].behind {
		k = 1
	}
	return v.species[k].evaluate()
}

// scaled writes ẑ of a species in [-1, 1] to dst (ZDim).
func (v *mixingView) scaled(dst []float32, species int, code []float32) {
	for i, z := range code {
		dst[i] = float32(v.model.Scale.Macro(2+species*len(code)+i, float64(z)))
	}
}

// encodePast encodes the next frame that has been for ẑ through time, and reports
// whether there was one.
func (v *mixingView) encodePast(p *mixingPlay, split *speciesSplit) bool {
	d := v.model.Config.Encoder.ZDim
	k := len(v.past) / (2 * d)
	if k > p.known {
		return false
	}
	split.frame(p, k)
	for s := range v.species {
		at := len(v.past)
		v.species[s].encode(v.code[s], v.species[s].order.sorted(split.of(s)))
		v.past = append(v.past, v.code[s]...)
		v.scaled(v.past[at:], s, v.code[s])
	}
	return true
}

// coverage returns the share of the true ratios after frame 0 that lie within the
// band, NaN while there is none.
func (v *mixingView) coverage(p *mixingPlay) float64 {
	for v.counted < min(p.known, v.ahead.done) {
		v.counted++
		v.inside += v.ahead.within(v.counted, p.seen[v.counted].Ratios)
	}
	if v.counted == 0 {
		return math.NaN()
	}
	return float64(v.inside) / float64(2*v.counted)
}

// forget takes back what was found of frames after the last that there is.
func (v *mixingView) forget(p *mixingPlay) {
	v.past = v.past[:min(len(v.past), (p.known+1)*2*v.model.Config.Encoder.ZDim)]
	if v.counted > p.known {
		v.inside, v.counted = 0, 0
	}
}

// speciesSplit is a frame with the atoms of species 1 first.
type speciesSplit struct {
	all, x []float32
	first  int // atoms of species 1
}

// set takes positions (N, 2) of species kinds.
func (s *speciesSplit) set(positions []float32, kinds []uint8) {
	for len(s.x) < len(positions) {
		s.x = append(s.x, 0)
	}
	s.x = s.x[:len(positions)]
	s.first = bySpecies(s.x, positions, kinds)
}

// frame takes frame k of a run.
func (s *speciesSplit) frame(p *mixingPlay, k int) {
	for len(s.all) < len(p.x) {
		s.all = append(s.all, 0)
	}
	s.all = s.all[:len(p.x)]
	p.frame(s.all, k)
	s.set(s.all, p.kinds)
}

// of returns the positions of a species, 0 or 1.
func (s *speciesSplit) of(species int) []float32 {
	if species == 0 {
		return s.x[:2*s.first]
	}
	return s.x[2*s.first:]
}
