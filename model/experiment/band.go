package experiment

import (
	"math"
	"slices"
)

// BandShare is the part of the dynamics' probability that a band holds: from its
// 5 % to its 95 % quantile.
const BandShare = 0.9

// Quantiles returns what the values of an ensemble lie between, and sorts them.
// Of members and a truth drawn from one distribution, the truth lies
// between with the probability that BandNominal returns.
func Quantiles(values []float32) (low, high float32) {
	slices.Sort(values)
	j := bandRank(len(values))
	return values[j], values[len(values)-1-j]
}

// bandRank is the place of the lower end of the band among sorted members.
func bandRank(members int) int {
	return max(0, int(math.Round((1-BandShare)/2*float64(members+1)))-1)
}

// BandNominal is described at Quantiles.
func BandNominal(members int) float64 {
	return 1 - 2*float64(bandRank(members)+1)/float64(members+1)
}
