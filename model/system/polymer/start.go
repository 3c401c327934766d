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

// startStream names the random stream of the starts.
const startStream = "polymer start"

// writeStart writes the start (N, 3) of the seed's trajectory with this index: a chain in
// equilibrium or a fold.
func writeStart(dst []float32, c polymer.Config, seed uint64, index int) {
	r := rng.New(seed, startStream, uint64(index))
	if index%foldEvery == 0 {
		fold(dst, c, r)
		return
	}
	c.Equilibrium(dst, r.Rand)
}

// fold writes the positions (N, 3) of a chain that turns back at least once.
func fold(dst []float32, c polymer.Config, r *rng.Source) {
	strands := fewestStrands + r.IntN(mostStrands-fewestStrands+1)
	c.Folded(dst, min(strands, c.N/2), leastPull+(mostPull-leastPull)*r.Float64(), r.Rand)
	if r.IntN(2) == 1 { // either end may be on the left
		for i := 0; i < len(dst); i += dim {
			dst[i] = -dst[i]
		}
	}
}
