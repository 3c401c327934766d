package fit

import "math"

// MaxPoints bounds a curve: beyond it, every two points become one.
const MaxPoints = 600

// Curve is a figure against the step, of bounded length whatever the length of
// the run. Neighbouring values are averaged where there are too many.
type Curve struct {
	Step, Value []float32
	Every       int // values in a point

	sum    float64 // of the point that is being filled
	count  int
	latest float64
}

// Add adds a value.
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

// Last returns the latest value, NaN before the first.
func (c *Curve) Last() float64 {
	if len(c.Step) == 0 && c.count == 0 {
		return math.NaN()
	}
	return c.latest
}

// Restore makes the curve one that was saved.
func (c *Curve) Restore(step, value []float32, every int) {
	*c = Curve{Step: step, Value: value, Every: every, latest: math.NaN()}
	if n := len(step); n > 0 {
		c.latest = float64(value[n-1])
	}
}

// Curves are the figures that a training leaves behind, against the steps of
// their phase: the loss of every phase, and the measures on the validation set,
// which go on from one phase of stage II to the next.
type Curves struct {
	Loss [Done]Curve
	// KL is of a sampler's sets, in nats; MRE of deterministic dynamics; Coverage,
	// the share of the truth in bands of 90 %, and RMSE, of the ensembles' mean in
	// the variables' units, are of stochastic ones.
	KL, MRE, Coverage, RMSE Curve
}

// Named lists the curves by the names that saved sessions have for them.
func (c *Curves) Named() map[string]*Curve {
	return map[string]*Curve{
		"loss1": &c.Loss[Autoencoder], "loss2": &c.Loss[Velocity], "loss3": &c.Loss[Rollout],
		"kl": &c.KL, "mre": &c.MRE, "coverage": &c.Coverage, "rmse": &c.RMSE,
	}
}
