package lj

import "math"

// pairTable holds the coefficients of the pair potentials c12/r¹² - c6/r⁶ within the cutoff,
// for each pair of species.
type pairTable struct {
	cutoff  float64
	c12, c6 [2][2]float64
	least   float64 // the smallest σ
	overlap [2][2]float64
}

func newPairTable(cutoff float64, aa, bb, ab Pair) pairTable {
	t := pairTable{cutoff: cutoff, least: min(aa.Sigma, bb.Sigma, ab.Sigma)}
	for a, row := range [2][2]Pair{{aa, ab}, {ab, bb}} {
		for b, p := range row {
			s6 := math.Pow(p.Sigma, 6)
			t.c12[a][b], t.c6[a][b] = 4*p.Epsilon*s6*s6, 4*p.Epsilon*s6
			t.overlap[a][b] = overlap * p.Sigma
		}
	}
	return t
}

// relaxing returns the pair table before the relabelling; the method mixing returns the pair table
// after it.
func (c Config) relaxing() pairTable { return newPairTable(c.Cutoff, c.Single, c.Single, c.Single) }
func (c Config) mixing() pairTable   { return newPairTable(c.Cutoff, c.AA, c.BB, c.AB) }

// pair returns the potential and -U'(r)/r at a squared distance r².
func (t *pairTable) pair(a, b int, square float64) (energy, force float64) {
	inv := 1 / square
	inv6 := inv * inv * inv
	twelve, six := t.c12[a][b]*inv6*inv6, t.c6[a][b]*inv6
	return twelve - six, (12*twelve - 6*six) * inv
}
