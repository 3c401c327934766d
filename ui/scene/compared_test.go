package scene

import (
	"testing"

	"macroscope/ui/chart"
	"macroscope/ui/panel"
)

// TestTwoModels checks that every plot of predictions draws and names the predictions of both
// models, and that a plot of their errors is shown.
func TestTwoModels(t *testing.T) {
	for lab, all := range pictures {
		for _, state := range [...]string{"compared", "A learns"} {
			r, ok := all[state]
			if !ok {
				continue
			}
			s, _ := open(t, lab, r)
			predicts, errors := false, false
			for _, p := range s.Panels {
				v, ok := p.(*chart.Chart)
				if !ok {
					continue
				}
				of := map[panel.Model]int{}
				for _, c := range v.Curves {
					of[c.Model]++
					if c.Model == panel.NoModel {
						continue
					}
					if c.Key == nil && c.Figure.Row == "" {
						t.Errorf("%s: the curve %s of %v has no name", lab, c.Row, v.Titles)
					}
					predicts = predicts || c.Role == chart.Predicted
					errors = errors || shown(p) && (c.Less != "" || c.Row == "errorB")
				}
				if of[panel.ModelA] != of[panel.ModelB] {
					t.Errorf("%s: %v %s has %d curves of model A and %d of B", lab, v.Titles, v.Title, of[panel.ModelA], of[panel.ModelB])
				}
			}
			if predicts && !errors {
				t.Errorf("%s, %s: no plot of what the models are off by", lab, state)
			}
		}
	}
}

// TestCurvesAreNamed checks that every curve that shares a plot with others is named in the
// plot.
func TestCurvesAreNamed(t *testing.T) {
	for lab, all := range pictures {
		var r rows
		for _, r = range all {
			break
		}
		s, _ := open(t, lab, r)
		for _, p := range s.Panels {
			v, ok := p.(*chart.Chart)
			if !ok || len(v.Curves) < 2 {
				continue
			}
			drawn := 0
			for _, c := range v.Curves {
				if c.Role != chart.TipOnly && c.Model != panel.ModelB {
					drawn++
				}
			}
			for _, c := range v.Curves {
				if drawn > 1 && c.Role != chart.TipOnly && len(c.Key) == 0 {
					t.Errorf("%s: the curve %s beside others of %v has no name", lab, c.Row, v.Titles)
				}
			}
		}
	}
}
