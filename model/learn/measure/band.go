package measure

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"macroscope/model/learn/model"
)

// BandShare is the share of the predicted distribution that a band covers: from its 5 % to its
// 95 % quantile.
const BandShare = 0.9

// Bounds sorts the values of an ensemble and returns their band. An uncalibrated band has the
// stretch 1 and covers the middle BandShare of the values. A stretch multiplies the distance of
// each end from the median. An uncalibrated band contains the truth with probability BandNominal if
// the truth and the members have the same distribution.
func Bounds(values []float32, stretch float64) (low, high float32) {
	slices.Sort(values)
	j := bandRank(len(values))
	low, high = values[j], values[len(values)-1-j]
	if stretch != 1 {
		mid, s := median(values), float32(stretch)
		low, high = mid-s*(mid-low), mid+s*(high-mid)
	}
	return low, high
}

func median(values []float32) float32 {
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}

// bandRank returns the index of the band's lower end among the sorted members.
func bandRank(members int) int {
	return max(0, int(math.Round((1-BandShare)/2*float64(members+1)))-1)
}

// BandNominal returns the nominal coverage of an uncalibrated band of an ensemble: the probability
// that the band contains another value that is drawn from the distribution of the members.
func BandNominal(members int) float64 {
	return 1 - 2*float64(bandRank(members)+1)/float64(members+1)
}

// reach returns the smallest stretch at which the band of an ensemble contains the truth.
func reach(values []float32, truth float32) float64 {
	low, high := Bounds(values, 1)
	mid := median(values)
	miss, half := float64(truth-mid), float64(high-mid)
	if miss < 0 {
		miss, half = -miss, float64(mid-low)
	}
	if miss == 0 {
		return 0
	}
	return miss / half
}

// calibrator finds the stretch of bands by split conformal prediction, from runs that were not
// used for training. The score of a true value is the smallest stretch at which the band
// contains this value. All runs have equal weights, and so have all values of a run. With K runs the stretch is
// therefore the quantile of all scores at the level BandShare·(K+1)/K. The band then contains a
// value of another run of the same kind with a probability of at least BandShare (Lee, Barber
// and Willett, Distribution-free inference with hierarchical data, 2023, section 3). This takes
// FewestRuns, and with so few the stretch is the largest score.
type calibrator struct {
	scores  []float64
	weights []float64 // the share of each value in its run
}

// Len, Less and Swap implement sort.Interface. The generic sort of pairs takes 20 kB more in a page.
func (c *calibrator) Len() int           { return len(c.scores) }
func (c *calibrator) Less(i, j int) bool { return c.scores[i] < c.scores[j] }
func (c *calibrator) Swap(i, j int) {
	c.scores[i], c.scores[j] = c.scores[j], c.scores[i]
	c.weights[i], c.weights[j] = c.weights[j], c.weights[i]
}

// Add sorts the values of an ensemble and adds the score of the truth.
func (c *calibrator) Add(values []float32, truth float32, weight float64) {
	c.scores, c.weights = append(c.scores, reach(values, truth)), append(c.weights, weight)
}

// FewestRuns is the least number of runs that calibrate bands.
const FewestRuns = 9

// Stretch sorts the scores and returns the stretch, given the number of runs. The error says that there are too few
// runs, or that no finite stretch suffices.
func (c *calibrator) Stretch(runs int) (float64, error) {
	if runs < FewestRuns {
		return 1, fmt.Errorf("bands cannot be calibrated by %d runs; use %d or more", runs, FewestRuns)
	}
	return c.quantile(BandShare*float64(runs+1)/float64(runs), runs)
}

// quantile sorts the scores of a number of runs and returns their quantile at a level.
func (c *calibrator) quantile(level float64, runs int) (float64, error) {
	sort.Sort(c)
	stretch, below := 0.0, 0.0
	for i, s := range c.scores {
		if below >= level*float64(runs)-1e-9 { // the weights of a run sum to 1 up to rounding errors
			break
		}
		stretch, below = s, below+c.weights[i]
	}
	if err := model.CheckStretch(stretch); err != nil {
		return 1, err
	}
	return stretch, nil
}

// Calibrate sets the stretch of a model's bands from predictions of runs that were not used for training.
func Calibrate(m *model.Model, p *Prediction) error {
	s, err := calibratorOf(p).Stretch(p.Trajectories())
	if err == nil {
		m.Calibration.Stretch = s
	}
	return err
}

// StretchBands sets the stretch of a model's bands so that they hold BandShare of the values of a few runs that were not
// used for training. Unlike Calibrate, it promises nothing for other runs. Bands that hold more stay as they are, because few
// runs may be held by chance. p has bands that are not stretched.
func StretchBands(m *model.Model, p *Prediction) error {
	if share, _, nominal := p.Coverage(); share > nominal {
		return nil
	}
	s, err := calibratorOf(p).quantile(BandShare, p.Trajectories())
	if err == nil {
		m.Calibration.Stretch = s
	}
	return err
}

// calibratorOf returns a calibrator with all values of a prediction.
func calibratorOf(p *Prediction) *calibrator {
	c := new(calibrator)
	p.each(func(_ int, weight float64, values []float32, truth float32) { c.Add(values, truth, weight) })
	return c
}

// The method `each` calls f for every variable in every frame after Begin. The arguments are the trajectory, the weight of
// the value (1 is divided equally among the values of a trajectory), the members' values and the true value.
func (p *Prediction) each(f func(e int, weight float64, values []float32, truth float32)) {
	row := p.Variables * p.Frames
	values := make([]float32, p.Members)
	for e := range p.Trajectories() {
		members := p.Pred[e*p.Members*row : (e+1)*p.Members*row]
		first, end := (p.Begin+1)*p.Variables, p.length(e)*p.Variables
		for i := first; i < end; i++ {
			for j := range values {
				values[j] = members[j*row+i]
			}
			f(e, 1/float64(end-first), values, p.Truth[e*row+i])
		}
	}
}
