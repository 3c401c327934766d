package chart

import (
	"math"

	"macroscope/model/wire"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// Steps is the x axis of a quantity that is measured at some steps of a training. The axis ends at
// the step in the row Total, or earlier.
type Steps struct {
	plain
	Row    string // the steps
	Total  string // row that contains the last step of the schedule; "": none
	Linked *Chart // chart that shows its value at the same step; nil for none

	steps []float32
	total int
	last  plot.Eased
}

// read reads the steps of the first n values.
func (k *Steps) read(f *wire.Frame, n int) {
	k.steps, k.total = f.Numbers(k.Row), panel.Count(f, k.Total, 0)
	k.steps = k.steps[:min(n, len(k.steps))]
}

func (k *Steps) extent() (now, known, end int) {
	n := len(k.steps) - 1
	return n, n, n
}

func (k *Steps) span(s *Chart, dt, tau float64) (moving bool) {
	end := stepEnd(k.steps, k.total)
	moving = k.last.To(end, dt, tau, 1e-2*end)
	s.x.Hi = k.last.V
	return moving
}

func (k *Steps) at(i int) float64    { return at(k.steps, i) }
func (k *Steps) index(x float64) int { return plot.Nearest(k.steps, x) }

func (k *Steps) reads(c *panel.Canvas, s *Chart) int {
	for _, q := range [...]*Chart{s, k.Linked} {
		if q != nil && q.At.H > 0 && c.Over(q.area) {
			return k.index(q.x.Value(c.Pointer.X))
		}
	}
	return -1
}

func (k *Steps) name() (title, word string, letters float32) { return "step", "step", 6 }

// stepEnd returns the end of the steps' axis. It is a round number after the last measurement,
// but at most the end of the schedule. The first steps of a long run are therefore visible.
func stepEnd(steps []float32, total int) float64 {
	last := 20.0
	if n := len(steps); n > 0 {
		last = math.Max(last, float64(steps[n-1]))
	} else if total > 0 {
		return float64(total)
	}
	decade := math.Pow(10, math.Floor(math.Log10(last)))
	for _, m := range [...]float64{1, 1.5, 2, 3, 5, 7.5, 10} {
		end := m * decade
		if float64(total) >= last && end > float64(total) {
			return float64(total)
		}
		if end >= last {
			return end
		}
	}
	return last
}
