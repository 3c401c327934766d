package model

import (
	"fmt"
	"math"
	"testing"
)

// TestField compares the drift with a short step of a forecast, and the Jacobian with finite
// differences of the drift. It tests one equation for all of z, and one equation per set.
func TestField(t *testing.T) {
	for _, pair := range []string{"particles/flow", "mixing/flow"} {
		for _, joint := range []bool{true, false} {
			c := tiny(t, pair)
			if c.Traits.Stochastic {
				c = with(t, c, fmt.Sprint("law.joint=", joint))
			} else if !joint {
				continue
			}
			m := build(t, c)
			f := m.NewField()
			v := c.States()
			z, drift, jacobian, spread := make([]float32, v), make([]float64, v), make([]float64, v*v), make([]float64, v*v)
			for i := range z {
				z[i] = 0.3 * float32(math.Sin(float64(i+1)))
			}
			f.Drift(drift, z)
			f.Jacobian(jacobian, z)
			f.Covariance(spread, z)
			moves := false
			for i := range drift {
				moves = moves || drift[i] != 0
				if (spread[i*v+i] > 0) != (c.Traits.Stochastic && i < c.Moving()) {
					t.Errorf("%s: variance %g of variable %d", pair, spread[i*v+i], i)
				}
				if i >= c.Moving() && drift[i] != 0 {
					t.Errorf("%s: the frozen variable %d moves by %g", pair, i, drift[i])
				}
			}
			if !moves {
				t.Fatalf("%s: nothing moves", pair)
			}
			const h = 1e-2
			up, down := make([]float64, v), make([]float64, v)
			for j := range z {
				was := z[j]
				z[j] = was + h
				f.Drift(up, z)
				z[j] = was - h
				f.Drift(down, z)
				z[j] = was
				for i := range up {
					// A ReLU network has corners, and a finite difference may lie across a
					// corner.
					if want := (up[i] - down[i]) / (2 * h); math.Abs(jacobian[i*v+j]-want) > 0.1*math.Abs(want)+0.02*c.Dynamics.Dt {
						t.Errorf("%s: ∂g%d/∂z%d = %g, by differences %g", pair, i, j, jacobian[i*v+j], want)
					}
				}
			}
			if !c.Traits.Stochastic {
				ahead := m.NewForecast(1, 1)
				z0 := make([]float32, 0, v*c.Data.Views)
				for range c.Data.Views {
					z0 = append(z0, z...)
				}
				ahead.Begin(z0, 1, 0)
				ahead.Step(m.Weights.DynamicsParams)
				after := make([]float32, v)
				ahead.First(after, 0)
				for i := range after {
					if got := float64(after[i] - z[i]); math.Abs(got-drift[i]) > 0.1*math.Abs(drift[i])+1e-5 {
						t.Errorf("%s: a step moves variable %d by %g, its drift by %g", pair, i, got, drift[i])
					}
				}
			}
			if n := testing.AllocsPerRun(20, func() { f.Drift(drift, z); f.Jacobian(jacobian, z); f.Covariance(spread, z) }); n != 0 {
				t.Errorf("%s: %v allocations", pair, n)
			}
		}
	}
}
