package measure

import (
	"context"
	"fmt"
	"math"

	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/work"
)

// Figure is one figure of a model.
type Figure struct {
	Name   string // name in JSON
	Title  string // title in tables for people
	Format string
	Value  any // nil: it is not defined
}

// InWords returns the value as it is printed in tables.
func (f *Figure) InWords() string {
	switch v := f.Value.(type) {
	case nil:
		return "–"
	case float64:
		return setting.Figure(f.Format, v)
	}
	return fmt.Sprintf(f.Format, f.Value)
}

// Figures are the figures of a set of trajectories, or of a model without dynamics.
type Figures []Figure

// Number returns the value of the figure with this name, or NaN if there is none.
func (l Figures) Number(name string) float64 {
	for _, f := range l {
		if v, ok := f.Value.(float64); ok && f.Name == name {
			return v
		}
	}
	return math.NaN()
}

// Text returns the figure with this name as text, or "" if there is none.
func (l Figures) Text(name string) string {
	for _, f := range l {
		if f.Name == name {
			return fmt.Sprint(f.Value)
		}
	}
	return ""
}

// Figures returns the figures of the predictions of a set. The error is the error of ctx.
func (p *Prediction) Figures(ctx context.Context, set string) (Figures, error) {
	l := Figures{{"set", "set", "%s", set}}
	if p.Stochastic {
		mmd, err := p.MMD(ctx)
		if err != nil {
			return nil, err
		}
		perfect, sd, err := p.PerfectMMD(ctx)
		if err != nil {
			return nil, err
		}
		share, se, nominal := p.Coverage()
		l = append(l, Figure{"mmd", "MMD", "%.3g", mmd}, Figure{"perfect", "if perfect", "%.3g", perfect}, Figure{"perfect_sd", "±", "%.1g", sd},
			Figure{"coverage", "coverage", "%.3f", share}, Figure{"coverage_se", "±", "%.3f", se}, Figure{"nominal", "nominal", "%.3f", nominal})
		if p.Stretch != 1 {
			l = append(l, Figure{"stretch", "bands ×", "%.3f", p.Stretch})
		}
	} else {
		mean, median, largest := Summary(p.MRE())
		l = append(l, Figure{"mre", "MRE", "%.3g", mean}, Figure{"median", "median", "%.3g", median}, Figure{"max", "max", "%.3g", largest})
	}
	leaving := p.Leaving()
	l = append(l, Figure{"left", "left", "%.3f", leaving.Trajectories}, Figure{"left_frames", "frames left", "%.4f", leaving.Frames})
	for _, f := range []Figure{{"rmse_inside", "RMSE inside", "%.3g", leaving.Inside}, {"rmse_outside", "outside", "%.3g", leaving.Outside}} {
		if math.IsNaN(f.Value.(float64)) {
			f.Value = nil
		}
		l = append(l, f)
	}
	return append(l, Figure{"trajectories", "trajectories", "%d", p.Trajectories()}), nil
}

// KLFigures returns the figures of a model without dynamics at its own ε, see KL.
func KLFigures(pause work.Pause, m *model.Model, sets, samples int, seed uint64) (Figures, error) {
	c := &m.Config
	kl, err := KL(pause, m, c.Eps(), sets, samples, seed)
	return Figures{
		{"kl", "KL(q_X || p_θ)", "%.5f nats", kl}, {"eps", "ε", "%g", c.Eps()}, {"zdim", "ẑ dim", "%d", c.ZDim()},
		{"sets", "validation sets", "%d", sets}, {"samples", "samples each", "%d", samples},
	}, err
}
