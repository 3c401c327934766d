package model

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"macroscope/model/learn/method"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// sameInterval is by how much the time between two frames may differ from the model's, as a share.
const sameInterval = 0.01

// Apart says that the frames of trajectories are not as far apart as those that a model has learned.
type Apart struct{ Data, Model float64 }

// Error implements error.
func (e *Apart) Error() string {
	return fmt.Sprintf("the frames are %.4g apart in time, and the model has learned steps of %.4g; give frames %.4g apart, with the time in the model’s unit", e.Data, e.Model, e.Model)
}

// Agrees returns an error unless the facts about trajectories agree with the model: the number of
// coordinates, the points from which they count, and the time between two frames, if it is known.
func (m *Model) Agrees(own system.Recorded) error {
	c, s, facts := &m.Config, own.Shape(), own.Facts()
	if s.Dim != c.Dim() {
		return fmt.Errorf("the particles have %s, and the model’s have %d; give data of its kind, or train a model on these", setting.Count(s.Dim, "coordinate", "coordinates"), c.Dim())
	}
	if !c.HasDynamics() {
		return nil
	}
	for d := range s.Dim {
		if of, trained := at(facts.Offset, d), at(c.Data.Origin.Offset, d); c.Data.Recorded && of != trained {
			return fmt.Errorf("%g is subtracted from %s of these data, and %g from that of the data which trained the model; subtract the same from both", of, facts.Axis(d), trained)
		}
	}
	if of, trained := facts.Time(), c.Data.Interval(c.Traits.Interval); of > 0 && trained > 0 && math.Abs(of-trained) > sameInterval*trained {
		return &Apart{of, trained}
	}
	return nil
}

// at returns element d of an offset, which is nil if all are 0.
func at(offset []float64, d int) float64 {
	if d < len(offset) {
		return offset[d]
	}
	return 0
}

// Fits returns an error unless the model can predict the user's trajectories: they need its number of
// coordinates, its sets and their sizes, its number of macroscopic variables, and frames as far apart
// as those that it was trained on. If they are only starts of what is predicted, their last frame can be the first of a
// prediction. The remarks say what differs from the training besides.
func (m *Model) Fits(own system.Recorded, starts bool) (remarks []string, err error) {
	if err := m.Agrees(own); err != nil {
		return nil, err
	}
	c, s := &m.Config, own.Shape()
	names, of := m.System.Variables(own.Observable()), m.System.Variables(c.Data.Observable)
	if len(names) != len(of) {
		return nil, fmt.Errorf("the trajectories have the observables %s, and the model predicts %s", strings.Join(names, ", "), strings.Join(of, ", "))
	}
	if !slices.Equal(names, of) {
		remarks = append(remarks, fmt.Sprintf("the model predicts the %s, and its predictions are compared with the %s", strings.Join(of, " and the "), strings.Join(names, " and the ")))
	}
	if begin := c.Dynamics.Begin; s.Frames < begin+1 || s.Frames < begin+2 && !starts {
		return nil, fmt.Errorf("the trajectories have %d frames, and the model predicts from frame %d on; give longer ones", s.Frames, begin)
	}
	var t system.Trajectory
	if err := own.Raw(&t, 0); err != nil {
		return nil, err
	}
	var f system.Frame
	m.System.Frame(&f, &t, 0, s.Dim)
	if err := m.Takes(&f); err != nil {
		return nil, err
	}
	if of := own.Facts().Force; of != c.Force {
		remarks = append(remarks, fmt.Sprintf("the data are of particles with %s, and the model was trained on %s", system.InWords(of), system.InWords(c.Force)))
	}
	return append(remarks, unknown(c, t.Params)...), nil
}

// unknown returns remarks on the parameters (P) of trajectories that the model does not know; nil: the
// data say nothing of them.
func unknown(c *method.Config, params []float64) (remarks []string) {
	if params == nil && len(c.Dynamics.Params) > 0 {
		remarks = append(remarks, c.Traits.Parameters.Assumed())
	}
	for k, p := range c.Traits.Parameters {
		if k >= len(params) {
			break
		}
		trained := fmt.Sprintf("at %g", p.Usual)
		i := slices.IndexFunc(c.Dynamics.Params, func(r system.Range) bool { return r.Name == p.Name })
		switch {
		case i < 0 && params[k] == p.Usual:
			continue
		case i >= 0:
			r := c.Dynamics.Params[i]
			if rounded := 0.01 * (r.High - r.Low); r.Low-rounded <= params[k] && params[k] <= r.High+rounded {
				continue
			}
			trained = fmt.Sprintf("from %g to %g", r.Low, r.High)
		}
		remarks = append(remarks, fmt.Sprintf("the data have %s = %g in their first trajectory, and the model was trained %s", p.Name, params[k], trained))
	}
	return remarks
}
