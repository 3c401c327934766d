// Package curve keeps measured quantities over the steps of a training, in at most a few hundred points each.
package curve

import "math"

// MaxPoints is the largest number of points in a curve. If there are more, each pair of
// neighbouring points is averaged into one.
const MaxPoints = 600

// Curve contains a measured quantity over the steps of a training. Neighbouring values are
// averaged, so a curve has at most MaxPoints points.
type Curve struct {
	Step, Value []float32
	Every       int // number of values that are averaged into a point

	sum    float64 // sum of the values in the unfinished point
	count  int
	latest float64
}

// Add adds the value v at a step.
func (c *Curve) Add(step int, v float64) {
	c.latest = v
	c.Every = max(c.Every, 1)
	c.sum += v
	if c.count++; c.count < c.Every {
		return
	}
	c.Step, c.Value = append(c.Step, float32(step)), append(c.Value, float32(c.sum/float64(c.count)))
	c.sum, c.count = 0, 0
	if len(c.Step) < MaxPoints {
		return
	}
	for i := range MaxPoints / 2 {
		c.Step[i] = c.Step[2*i+1]
		c.Value[i] = (c.Value[2*i] + c.Value[2*i+1]) / 2
	}
	c.Step, c.Value = c.Step[:MaxPoints/2], c.Value[:MaxPoints/2]
	c.Every *= 2
}

// Last returns the latest value, or NaN before the first value.
func (c *Curve) Last() float64 {
	if len(c.Step) == 0 && c.count == 0 {
		return math.NaN()
	}
	return c.latest
}

// At returns the step of the last point, or -1 before the first point.
func (c *Curve) At() int {
	if n := len(c.Step); n > 0 {
		return int(c.Step[n-1])
	}
	return -1
}

// Reaches returns the step at which the curve would fall to v. The curve is cut into quarters.
// Reaches averages the logarithms of steps and values, once over the third quarter and once over
// the last quarter. It extrapolates the power law through these two means. The result is NaN if the
// curve does not fall or has fewer than four points.
func (c *Curve) Reaches(v float64) float64 {
	n := len(c.Step) / 4
	if n == 0 {
		return math.NaN()
	}
	middle := func(from, to int) (x, y float64) { // means of the logarithms of steps and values
		for i := from; i < to; i++ {
			x, y = x+math.Log(float64(c.Step[i])), y+math.Log(float64(c.Value[i]))
		}
		return x / float64(to-from), y / float64(to-from)
	}
	at := len(c.Step)
	x0, y0 := middle(at-2*n, at-n)
	x1, y1 := middle(at-n, at)
	if slope := (y1 - y0) / (x1 - x0); slope < 0 {
		return math.Max(float64(c.Step[at-1]), math.Exp(x1+(math.Log(v)-y1)/slope))
	}
	return math.NaN()
}

// Restore sets the curve to a saved one.
func (c *Curve) Restore(step, value []float32, every int) {
	*c = Curve{Step: step, Value: value, Every: every, latest: math.NaN()}
	if n := len(step); n > 0 {
		c.latest = float64(value[n-1])
	}
}

// Curves contains the loss of every phase and the measures on the validation set, over the
// steps of the phase. The measures continue from one phase of stage II to the next.
type Curves struct {
	Loss [4]Curve // by the number of the phase, see fit.Stage
	// KL is for systems of single sets, in nats. MRE is for deterministic dynamics. For stochastic
	// dynamics, Coverage is the share of true values inside bands of 90 %, and RMSE is the error of
	// the ensembles' mean in the variables' units.
	KL, MRE, Coverage, RMSE Curve
}

// Measure returns the curve of the validation measure, which is the KL, the MRE or the RMSE.
// Lower is better. The curve is empty if nothing has been measured.
func (c *Curves) Measure() *Curve {
	for _, m := range []*Curve{&c.MRE, &c.RMSE} {
		if len(m.Step) > 0 {
			return m
		}
	}
	return &c.KL
}

// Named lists the curves by their names in saved sessions.
func (c *Curves) Named() map[string]*Curve {
	return map[string]*Curve{
		"loss1": &c.Loss[1], "loss2": &c.Loss[2], "loss3": &c.Loss[3],
		"kl": &c.KL, "mre": &c.MRE, "coverage": &c.Coverage, "rmse": &c.RMSE,
	}
}
