package polymer

import (
	"macroscope/sim/polymer"
	"macroscope/sim/rng"
)

// Every third start in training is folded, because coils alone seldom pass through long-lived
// folds. A fold has fewestStrands to mostStrands strands. Its tension (see polymer.Config.Folded)
// is between leastPull and mostPull.
const (
	foldEvery                  = 3
	fewestStrands, mostStrands = 2, 4
	leastPull, mostPull        = 0.8, 3.0
)

// In the wide range (see system.Choice), every fourth start is a hairpin in addition. The longer a
// hairpin takes to unfold, the more equal are its two strands. Of the other chains, one in 17 passes
// through a hairpin of nearly equal strands. Here the turn is in the middle fifth of the chain.
const (
	hairpinEvery    = 4
	middle          = 0.2
	shortestHairpin = 4 // beads
)

// startStream names the random stream of the starts.
const startStream = "polymer start"

// writeStart writes the start (N, 3) of the seed's trajectory with this index: a chain in
// equilibrium, a fold or, if `wide` is set, a hairpin.
func writeStart(dst []float32, c polymer.Config, wide bool, seed uint64, index int) {
	r := rng.New(seed, startStream, uint64(index))
	if wide && c.N >= shortestHairpin {
		if index%hairpinEvery == 0 {
			turn := c.N/2 + int(middle*float64(c.N)*(r.Float64()-0.5))
			hairpin(dst, c, turn, drawPull(r), r)
			flip(dst, r)
			return
		}
		index -= index/hairpinEvery + 1 // the other starts are as in the usual range
	}
	if index%foldEvery == 0 {
		fold(dst, c, r)
		return
	}
	c.Equilibrium(dst, r.Rand)
}

// fold writes the positions (N, 3) of a chain that turns back at least once.
func fold(dst []float32, c polymer.Config, r *rng.Source) {
	strands := fewestStrands + r.IntN(mostStrands-fewestStrands+1)
	c.Folded(dst, min(strands, c.N/2), drawPull(r), r.Rand)
	flip(dst, r)
}

// drawPull draws the tension of a fold.
func drawPull(r *rng.Source) float64 { return leastPull + (mostPull-leastPull)*r.Float64() }

// flip reverses the x axis of positions (N, 3) at random, because either end of a chain may be on the
// left.
func flip(dst []float32, r *rng.Source) {
	if r.IntN(2) == 1 {
		for i := 0; i < len(dst); i += dim {
			dst[i] = -dst[i]
		}
	}
}

// hairpin writes the positions (N, 3) of a chain of two strands. The first `turn` beads are the first
// strand. The tension is as in polymer.Config.Folded.
func hairpin(dst []float32, c polymer.Config, turn int, tension float64, r *rng.Source) {
	first, second := c, c
	first.N, second.N = turn, c.N-turn
	out, back := dst[:dim*first.N], dst[dim*first.N:]
	first.Folded(out, 1, tension, r.Rand)
	second.Folded(back, 1, tension, r.Rand)
	end := [dim]float32(out[len(out)-dim:])
	from := [dim]float32(back[:dim])
	for i := range back {
		d := back[i] - from[i%dim]
		if i%dim == 0 {
			d = -d
		}
		back[i] = end[i%dim] + d
		if i%dim == 1 { // at the turn, one bond points along y
			back[i]++
		}
	}
	centre(dst)
}
