package model

import (
	"fmt"
	"math"

	"macroscope/model/file/ckpt"
)

// Margin is a tolerance in scaled variables: a hundredth of the training range. For the method
// Left, a moving variable has left the range if it is outside [-1, 1] by more than Margin. In 240
// runs of the particles' test sets, with 50 to 400 particles, no variable left the range.
const Margin = 0.02

// Support describes where states lie if their run is like the training runs. It contains the range
// of each variable, and the distribution of the states in each period of the runs. All variables
// are scaled: in the training runs they lie in [-1, 1]. The subcommand calibrate computes a Support
// from runs that were not trained on.
type Support struct {
	Low, High []float64 // ends of the variables' ranges (V)
	Periods   []Period  // in the order of their first frames, from frame 0
}

// Period describes the states of consecutive frames by a Gaussian and a distance, Reach. Nearly all
// runs that are like the training runs stay within this distance.
type Period struct {
	From   int       // first frame; the period ends where the next period begins, and the last period has no end
	Mean   []float64 // (V)
	Factor []float64 // (V, V): the lower-triangular L of the covariance LLᵀ
	Reach  float64   // a state at a larger Distance is outside training; the subcommand calibrate sets it
}

// At returns the period of a frame.
func (s *Support) At(frame int) *Period {
	i := len(s.Periods) - 1
	for i > 0 && s.Periods[i].From > frame {
		i--
	}
	return &s.Periods[i]
}

// Distance returns the Mahalanobis distance |L⁻¹(z - Mean)| of a state (V).
func (s *Period) Distance(z []float32) float64 {
	var y [maxVariables]float64
	v, sum := len(s.Mean), 0.0
	for i := range v {
		y[i] = float64(z[i]) - s.Mean[i]
		for j := range i {
			y[i] -= s.Factor[i*v+j] * y[j]
		}
		y[i] /= s.Factor[i*v+i]
		sum += y[i] * y[i]
	}
	return math.Sqrt(sum)
}

// WholeState is the variable that Left returns if no single variable is outside training, but
// the state as a whole is.
const WholeState = -1

// Left reports whether a state z (V) of a frame is outside training. A state is outside in three
// cases:
//   - A moving variable is NaN, or outside [-1, 1] by more than Margin.
//   - A frozen variable is outside its range in the Support by more than a hundredth of this range.
//   - The Distance of the state exceeds the Reach of the frame's Period.
//
// In the first two cases, the result `variable` is the index of the variable. In the third case it
// is WholeState. Without a Support there is only the first case, for all variables but a memory.
func (m *Model) Left(z []float32, frame int) (variable int, left bool) {
	moving, s := m.Config.Moving(), m.Calibration.Support
	limited := z[:moving]
	if s == nil {
		limited = z[:len(z)-m.Config.Frozen().Remembered()]
	}
	for i, x := range limited {
		if !(math.Abs(float64(x)) <= 1+Margin) { // true for NaN too
			return i, true
		}
	}
	if s == nil {
		return WholeState, false
	}
	for i := moving; i < len(z); i++ {
		if out := math.Max(s.Low[i]-float64(z[i]), float64(z[i])-s.High[i]); !(out <= Margin/2*(s.High[i]-s.Low[i])) {
			return i, true
		}
	}
	at := s.At(frame)
	return WholeState, !(at.Distance(z) <= at.Reach)
}

// Tensors of a Support in a checkpoint, with their shapes. Older files have a single period: they
// lack supportFrom, and their tensors lack the dimension of periods.
const (
	supportLow    = "support.low"    // (V)
	supportHigh   = "support.high"   // (V)
	supportFrom   = "support.from"   // (periods)
	supportMean   = "support.mean"   // (periods, V)
	supportFactor = "support.factor" // (periods, V, V)
	supportReach  = "support.reach"  // (periods)
)

// tensors lists the support as tensors of a checkpoint. A nil support has none.
func (s *Support) tensors() []ckpt.Tensor {
	if s == nil {
		return nil
	}
	v, n := len(s.Low), len(s.Periods)
	var from, mean, factor, reach []float64
	for _, p := range s.Periods {
		from, mean, factor, reach = append(from, float64(p.From)), append(mean, p.Mean...), append(factor, p.Factor...), append(reach, p.Reach)
	}
	list := []ckpt.Tensor{{Name: supportLow, Shape: []int{v}, F64: s.Low}, {Name: supportHigh, Shape: []int{v}, F64: s.High}}
	if n == 1 {
		return append(list, ckpt.Tensor{Name: supportMean, Shape: []int{v}, F64: mean}, ckpt.Tensor{Name: supportFactor, Shape: []int{v, v}, F64: factor},
			ckpt.Tensor{Name: supportReach, Shape: []int{1}, F64: reach})
	}
	return append(list, ckpt.Tensor{Name: supportFrom, Shape: []int{n}, F64: from}, ckpt.Tensor{Name: supportMean, Shape: []int{n, v}, F64: mean},
		ckpt.Tensor{Name: supportFactor, Shape: []int{n, v, v}, F64: factor}, ckpt.Tensor{Name: supportReach, Shape: []int{n}, F64: reach})
}

// readSupport reads the support of states of v variables from a checkpoint. It returns nil if there is none.
func readSupport(f *ckpt.File, v int) (*Support, error) {
	if f.Tensor(supportMean) == nil {
		return nil, nil
	}
	var s Support
	from, mean, factor, reach := []float64{0}, []float64(nil), []float64(nil), []float64(nil)
	n := 1
	if t := f.Tensor(supportFrom); t != nil {
		from, n = t.F64, len(t.F64)
	}
	for _, part := range []struct {
		name string
		to   *[]float64
		n    int
	}{{supportLow, &s.Low, v}, {supportHigh, &s.High, v}, {supportMean, &mean, n * v}, {supportFactor, &factor, n * v * v}, {supportReach, &reach, n}} {
		t := f.Tensor(part.name)
		if t == nil || len(t.F64) != part.n || n == 0 {
			return nil, fmt.Errorf("the checkpoint has no %s of %d numbers; choose one that was saved whole", part.name, part.n)
		}
		*part.to = t.F64
	}
	for i := range n {
		p := Period{From: int(from[i]), Mean: mean[i*v : (i+1)*v], Factor: factor[i*v*v : (i+1)*v*v], Reach: reach[i]}
		if first := i == 0; float64(p.From) != from[i] || first && p.From != 0 || !first && p.From <= s.Periods[i-1].From {
			return nil, fmt.Errorf("the checkpoint’s %s are not the first frames of periods, from 0 on; choose one that was saved whole", supportFrom)
		}
		if !(p.Reach > 0) || math.IsInf(p.Reach, 1) {
			return nil, fmt.Errorf("the checkpoint's %s is %g, and should be above 0; choose one that was saved whole", supportReach, p.Reach)
		}
		for k := range v {
			if !(p.Factor[k*v+k] > 0 && s.High[k] >= s.Low[k]) {
				return nil, fmt.Errorf("the checkpoint's support has no spread in variable %d; choose one that was saved whole", k)
			}
		}
		s.Periods = append(s.Periods, p)
	}
	return &s, nil
}
