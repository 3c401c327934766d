package measure

import (
	"slices"

	"macroscope/model/learn/model"
	"macroscope/model/system"
)

// Curve is the prediction of a variable over time, in the variable's own units.
type Curve struct {
	Truth     []float32 // (E, T); NaN after the end of a trajectory
	Mean      []float32 // (E, T): the mean of the members
	Low, High []float32 // (E, T): the band of an ensemble; nil: there is none
	Members   []float32 // (E, Members, T) of an ensemble; nil: there is none
}

// Curve returns the prediction of variable k. It is NaN after the last frame of a trajectory or, if that is later, of
// the Horizon.
func (p *Prediction) Curve(m *model.Model, k int) *Curve {
	p = p.Of(k)
	n := p.Trajectories()
	c := &Curve{Truth: nans(len(p.Truth)), Mean: nans(len(p.Truth))}
	if p.Ensemble {
		c.Low, c.High, c.Members = nans(len(p.Truth)), nans(len(p.Truth)), nans(len(p.Pred))
	}
	own := func(v float32) float32 {
		if p.Ensemble {
			return v
		}
		return float32(m.Scale.Value(k, float64(v)))
	}
	values := make([]float32, p.Members)
	for e := range n {
		for t := range p.Until(e) {
			at := e*p.Frames + t
			if t < p.length(e) {
				c.Truth[at] = own(p.Truth[at])
			}
			c.Mean[at] = own(float32(p.mean(e, t)))
			if !p.Ensemble {
				continue
			}
			for j := range values {
				i := (e*p.Members+j)*p.Frames + t
				values[j], c.Members[i] = p.Pred[i], p.Pred[i]
			}
			c.Low[at], c.High[at] = Bounds(values, p.Stretch)
		}
	}
	return c
}

// Until returns how many frames of trajectory e a Curve has.
func (p *Prediction) Until(e int) int { return max(p.length(e), min(p.Horizon, p.Frames)) }

// Scored returns the prediction of the trajectories that have a frame after Begin, and of the frames of the longest. It
// has no ẑ. nil: there is nothing to compare with.
func (p *Prediction) Scored() *Prediction {
	lengths := p.lengths()
	frames := slices.Max(lengths)
	if frames < p.Begin+2 {
		return nil
	}
	of := *p
	of.Frames, of.Lengths, of.Pred, of.Truth, of.Left, of.Closures, of.Predicted = frames, nil, nil, nil, nil, nil, nil
	row, cut := p.Frames*p.Variables, frames*p.Variables
	for e, n := range lengths {
		if n < p.Begin+2 {
			continue
		}
		of.Lengths, of.Left = append(of.Lengths, n), append(of.Left, p.Left[e*p.Frames:][:frames]...)
		of.Truth = append(of.Truth, p.Truth[e*row:][:cut]...)
		for j := range p.Members {
			of.Pred = append(of.Pred, p.Pred[(e*p.Members+j)*row:][:cut]...)
		}
	}
	return &of
}

// Closures is Task.Encode: it writes ẑ of every frame of trajectory e, the mean over the views. It stays NaN in a frame
// that the encoder does not take. The program of the page does not contain it.
func Closures(g *Given, e int, coder *model.Coder, t *system.Trajectory) {
	m, c := g.model, &g.model.Config
	v, n := c.States(), c.Sets()*c.ZDim()
	states := make([]float32, c.Data.Views*v)
	var f system.Frame
	m.System.Frame(&f, t, 0, c.Dim())
	coder.Follow(&f)
	defer coder.Follow(nil)
	for k := range g.lengths[e] {
		if m.System.Frame(&f, t, k, c.Dim()); m.Takes(&f) != nil {
			continue
		}
		coder.States(states, &f, t.Until(k, c.Variables))
		for i := range n {
			sum := float32(0)
			for view := range c.Data.Views {
				sum += states[view*v+c.Variables+i]
			}
			g.closures[(e*g.frames+k)*n+i] = sum / float32(c.Data.Views)
		}
	}
}
