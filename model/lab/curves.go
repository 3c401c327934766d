package lab

import (
	"math"
	"sync/atomic"
)

var generations atomic.Uint64

// generation returns a number that it returns once: for what a session has
// worked out and will not change (see wire.Frame's Extend).
func generation() uint64 { return generations.Add(1) }

// curves are the figures that training leaves behind.
type curves struct{ loss, kl curve }

func (c *curves) clear() { c.loss, c.kl = curve{}, curve{} }

// maxPoints bounds a curve: beyond it, every two points become one.
const maxPoints = 600

// curve is a figure against the step, of bounded length whatever the length
// of the run. Neighbouring values are averaged where there are too many.
type curve struct {
	step, value []float32
	every       int     // values in a point
	sum         float64 // of the point that is being filled
	count       int
	latest      float64
}

func (c *curve) add(step int, v float64) {
	c.latest = v
	c.every = max(c.every, 1)
	c.sum += v
	if c.count++; c.count < c.every {
		return
	}
	c.step, c.value = append(c.step, float32(step)), append(c.value, float32(c.sum/float64(c.count)))
	c.sum, c.count = 0, 0
	if len(c.step) < maxPoints {
		return
	}
	for i := range maxPoints / 2 {
		c.step[i] = c.step[2*i+1]
		c.value[i] = (c.value[2*i] + c.value[2*i+1]) / 2
	}
	c.step, c.value = c.step[:maxPoints/2], c.value[:maxPoints/2]
	c.every *= 2
}

// last returns the latest value, NaN before the first.
func (c *curve) last() float64 {
	if len(c.step) == 0 && c.count == 0 {
		return math.NaN()
	}
	return c.latest
}

func (c *curve) appendTo(step, value []float32) ([]float32, []float32) {
	return append(step, c.step...), append(value, c.value...)
}
