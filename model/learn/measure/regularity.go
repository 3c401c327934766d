package measure

import (
	"fmt"
	"math"
	"slices"

	"macroscope/model/system"
	"macroscope/model/work"
)

const (
	// leastPairs is the number of pairs of successive changes below which nothing is said. For 32 pairs of
	// independent changes, the correlation has a standard deviation of 1/4.
	leastPairs = 32
	// noisy and smooth are the largest correlation of noise and the smallest of smooth motion. An
	// oscillation has 1/2 with 6 frames in a period, and 0.95 with 20. The simulated particles have 0.999 or
	// more; mixtures and polymers have -0.25 to 0.
	noisy, smooth = 0.5, 0.95
	// atRest is the largest change, as a share of the range of a macroscopic variable, that counts as
	// none. So a motion that has come to rest is not judged by the rounding errors that remain.
	atRest = 1e-3
	// mostJudged is the number of trajectories by which a motion is judged.
	mostJudged = 16
)

// Regularity is how macroscopic variables move.
type Regularity struct {
	Noise       bool    // whether a variable moves by noise
	Correlation float64 // the least correlation of successive changes of a variable
	Variables   int
	Mean        []float64       // mean of each coordinate (D)
	Keep        system.Schedule // frames for stage I: more where the variables change faster
	Stride      int             // how many frames apart states are from which dynamics with noise learn best
	pairs       int
}

// RegularityOf reads the first of the user's trajectories of M variables, and finds out how the variables move. It
// takes a variable for noise if successive changes have a correlation below 0.5. For n pairs of independent
// changes that are symmetric about 0, the probability of more is at most exp(-0.27²n/2), by Azuma's inequality:
// 1e-14 for 900 pairs. Runs that are too short to tell count as smooth. For workers, see work.Each.
func RegularityOf(pause work.Pause, own system.Recorded, variables, workers int) (*Regularity, error) {
	s := own.Shape()
	runs, sums := make([][]float64, min(s.Trajectories, mostJudged)), make([][]float64, min(s.Trajectories, mostJudged))
	counts := make([]int, len(runs))
	err := system.Each(pause, own, len(runs), workers, func(i int, t *system.Trajectory) error {
		runs[i], sums[i] = slices.Clone(t.Macro), make([]float64, s.Dim)
		for p := range slices.Chunk(t.Points, s.Dim) {
			if p[0] != p[0] { // a particle that is not there
				continue
			}
			counts[i]++
			for k, v := range p {
				sums[i][k] += float64(v)
			}
		}
		return nil
	})
	m := &Regularity{Correlation: 1, Variables: variables, Mean: make([]float64, s.Dim)}
	if err != nil {
		return m, err
	}
	all := 0
	for _, n := range counts {
		all += n
	}
	for _, sum := range sums {
		for k, v := range sum {
			m.Mean[k] += v / float64(all)
		}
	}
	m.Keep = keep(runs, variables, s.Frames)
	for i := range variables {
		if c, pairs := correlation(column(runs, i, variables)); pairs >= leastPairs {
			m.Correlation, m.pairs = min(m.Correlation, c), pairs
		}
	}
	m.Noise = m.Correlation < noisy
	m.Stride = 3
	if m.Correlation < fluctuates {
		m.Stride = 8
	}
	return m, nil
}

// mostKept is about how many frames of a run stage I uses.
const mostKept = 60

// A variable whose successive changes have a lower correlation than `fluctuates` moves back and forth about its course. Over
// few frames, the noise of dynamics would be that of these fluctuations, which does not accumulate.
const fluctuates = -0.1

// keep chooses about mostKept of the frames of runs (T, M). Half of them are spread evenly over the time, half over
// the changes of the variables, relative to their ranges. Distances between frames do not decrease.
func keep(runs [][]float64, variables, frames int) (s system.Schedule) {
	change := make([]float64, frames-1) // from each frame to the next, over all runs and variables
	total := 0.0
	for i := range variables {
		x := column(runs, i, variables)
		low, high := math.Inf(1), math.Inf(-1)
		for _, r := range x {
			low, high = min(low, slices.Min(r)), max(high, slices.Max(r))
		}
		for _, r := range x {
			for k := range len(r) - 1 {
				if high > low {
					change[k] += math.Abs(r[k+1]-r[k]) / (high - low)
				}
			}
		}
	}
	for _, v := range change {
		total += v
	}
	every := 1
	for k := 0; k < frames-1; k += every {
		share := 0.5 / float64(frames-1)
		if total > 0 {
			share += 0.5 * change[k] / total
		}
		if next := min(int(1/(mostKept*share)), 2*every); next > every && k%next == 0 {
			s = append(s, struct{ Last, Every int }{k, every})
			every = next
		}
	}
	return append(s, struct{ Last, Every int }{frames - 1, every})
}

// StrideInWords says why the dynamics learn from states Stride frames apart.
func (m *Regularity) StrideInWords() string {
	if m.Correlation < fluctuates {
		return "an observable moves back and forth about its course, so the dynamics learn from frames far apart: stride"
	}
	return "the dynamics learn from frames near each other: stride"
}

// InWords says how the variables move, and which dynamics are for them.
func (m *Regularity) InWords() string {
	switch {
	case m.pairs == 0:
		return "the runs are too short to tell noise from motion, so the dynamics have none"
	case m.Noise:
		return fmt.Sprintf("the correlation of successive changes is %.2f, near that of noise, so the dynamics have noise", m.Correlation)
	}
	return fmt.Sprintf("the correlation of successive changes is %.2f at least, near that of smooth motion, so the dynamics have no noise", m.Correlation)
}

// column returns macroscopic variable i (T) of runs (T, M).
func column(runs [][]float64, i, variables int) [][]float64 {
	x := make([][]float64, len(runs))
	for e, r := range runs {
		for k := i; k < len(r); k += variables {
			x[e] = append(x[e], r[k])
		}
	}
	return x
}

// steady reports whether the changes of a variable in runs (T) change smoothly too. They do not if noise is
// added to a drift, however strong the drift is: two successive changes of changes then have a correlation
// of -1/2 or less.
func steady(x [][]float64) bool {
	changes := make([][]float64, len(x))
	for e, r := range x {
		for k := 1; k < len(r); k++ {
			changes[e] = append(changes[e], r[k]-r[k-1])
		}
	}
	c, pairs := correlation(changes)
	return pairs >= leastPairs && c > noisy
}

// correlation returns a robust correlation between successive changes of a variable in runs (T), and the
// number of pairs of changes. It computes the mean c of 2ab/(a²+b²) over all pairs of successive changes a
// and b, without the pairs in which both are at rest, and returns 2c/(1+c²). This is the correlation if the
// changes are Gaussian. For an oscillation it is the cosine of its phase from frame to frame.
//
// The result is between -1 and 1. Smooth motion has equal successive changes in the limit of short
// intervals, hence 1. Changes that are independent and symmetric about 0, as in a diffusion, give 0.
// Errors of measurement give less than 0, because a change takes the one before it back. Each pair has
// the same weight, so neither outliers nor a fast beginning count more than the rest.
func correlation(x [][]float64) (c float64, pairs int) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, r := range x {
		for _, v := range r {
			low, high = min(low, v), max(high, v)
		}
	}
	least := atRest * (high - low)
	for _, r := range x {
		for k := 2; k < len(r); k++ {
			a, b := r[k-1]-r[k-2], r[k]-r[k-1]
			if most := max(a, -a, b, -b); most > least {
				a, b = a/most, b/most // squares of small numbers would be 0
				c += 2 * a * b / (a*a + b*b)
				pairs++
			}
		}
	}
	c /= float64(max(pairs, 1))
	return 2 * c / (1 + c*c), pairs
}
