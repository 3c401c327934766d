package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/system"
)

// tunables lists the pairs of the tunable method.
func tunables() (all []string) {
	for pair := range pairs() {
		if strings.HasSuffix(pair, "/flow-tunable") {
			all = append(all, pair)
		}
	}
	return all
}

// randomFrame returns a frame of sets of random points.
func randomFrame(c *method.Config) *system.Frame {
	f := &system.Frame{Points: make([]float32, c.Particles*c.Dim())}
	for i := range f.Points {
		f.Points[i] = float32(math.Sin(float64(3 * i)))
	}
	end := 0
	for _, n := range c.Shape.SetSizes() {
		end += n
		f.Ends = append(f.Ends, end)
	}
	return f
}

// TestTunableAt checks At for every length and ε, also for a model from a file. The result
// must be an ordinary model with the codes and the dynamics of its length.
func TestTunableAt(t *testing.T) {
	for _, pair := range tunables() {
		for _, nested := range []string{"false", "true"} {
			c := tiny(t, pair)
			set(t, &c, map[string]string{"encoder.nested": nested, "encoder.orders": "0"})
			m := build(t, c)
			file, _ := through(t, m.Checkpoint())
			opened, err := Open(systems(), file)
			if err != nil {
				t.Fatal(err)
			}
			f := randomFrame(&c)
			all := make([]float32, c.Sets()*c.ZDim())
			m.NewCoder().Encode(all, f)
			low, high, lengths := c.Tuning().Range()
			used := 0
			for i, n := range lengths {
				at, err := m.At(low+(high-low)/3, n)
				if err != nil {
					t.Fatal(err)
				}
				if at.Config.Spec.Method != "flow" || at.Config.ZDim() != n || at.Config.Tunable() || at.Config.Validate() != nil {
					t.Errorf("%s: at ẑ dim %d it is %s, %v", pair, n, at.Detail(), at.Config.Validate())
				}
				z, place := make([]float32, c.Sets()*n), c.Tuning().Codes()[i]
				at.NewCoder().Encode(z, f)
				for s := range c.Sets() {
					want := all[s*c.ZDim()+place.First:][:n]
					for j, v := range z[s*n : (s+1)*n] {
						if math.Abs(float64(v-want[j])) > 1e-5 {
							t.Errorf("%s: code of %d, set %d: %v, want %v", pair, n, s, z, want)
						}
					}
				}
				// A closure variable must have the same scale as in the tunable
				// model.
				if k := c.Variables; at.Scale.Low[k] != m.Scale.Low[c.Variables+place.First] {
					t.Errorf("%s: code of %d is scaled from %g", pair, n, at.Scale.Low[k])
				}
				used += len(at.Weights.DynamicsParams)
				other, err := opened.At(at.Config.Eps(), n)
				if err != nil || !slices.Equal(other.Weights.Params, at.Weights.Params) || !slices.Equal(other.Weights.DynamicsParams, at.Weights.DynamicsParams) || c.HasDynamics() && !slices.Equal(other.Scale.Low, at.Scale.Low) {
					t.Errorf("%s: a file's model at ẑ dim %d is another one: %v", pair, n, err)
				}
				ordinary, _ := through(t, at.Checkpoint())
				if again, err := Open(systems(), ordinary); err != nil || !slices.Equal(again.Weights.Params, at.Weights.Params) {
					t.Errorf("%s: the file of an ordinary model cannot be read: %v", pair, err)
				}
			}
			if used != len(m.Weights.DynamicsParams) {
				t.Errorf("%s: %d parameters of the dynamics are used, and there are %d", pair, used, len(m.Weights.DynamicsParams))
			}
		}
	}
}

// TestCodeOfEps checks the codes of the models that the method At returns. Each code must be the
// right combination of the tunable encoder's outputs for the model's ε.
func TestCodeOfEps(t *testing.T) {
	for _, nested := range []string{"false", "true"} {
		c := tiny(t, "line/flow-tunable")
		set(t, &c, map[string]string{"encoder.nested": nested, "encoder.orders": "2", "encoder.bent": "3"})
		m := build(t, c)
		f := randomFrame(&c)
		all := make([]float32, c.ZDim())
		m.NewCoder().Encode(all, f)
		for i, code := range c.Tuning().Codes() {
			// s is log ε, scaled to [-1, 1]. At these values the Chebyshev polynomial T₂ is 0.
			for _, s := range []float64{-math.Sqrt2 / 2, math.Sqrt2 / 2} {
				at, err := m.At(0.01*math.Pow(50, (s+1)/2), code.Length)
				if err != nil {
					t.Fatal(err)
				}
				z := make([]float32, code.Length)
				at.NewCoder().Encode(z, f)
				for j, v := range z {
					want := all[code.First+j]
					if code.Length <= 3 {
						want += float32(s) * all[code.First+code.Stride+j]
					}
					if math.Abs(float64(v-want)) > 1e-5 {
						t.Errorf("code %d at %g: %g, want %g", i, s, v, want)
					}
				}
			}
		}
	}
}

// TestTune tunes a model in place: first to another ε, then to new weights.
func TestTune(t *testing.T) {
	for _, pair := range tunables() {
		m := build(t, tiny(t, pair))
		low, high, _ := m.Config.Tuning().Range()
		at, err := m.At(low, 2)
		if err != nil {
			t.Fatal(err)
		}
		params := at.Weights.Params
		was := slices.Clone(params)
		if err := m.Tune(at, high); err != nil || &at.Weights.Params[0] != &params[0] || at.Config.Eps() != high || slices.Equal(was, params) {
			t.Errorf("%s: not at another ε: %v", pair, err)
		}
		enc, _ := at.Weights.Split(params)
		if n := len(enc); (m.Config.Tuning().Codes()[1].Orders == 0) != slices.Equal(was[:n], enc) {
			t.Errorf("%s: the encoder depends on ε, or should", pair)
		}
		if err := m.Tune(at, low); err != nil || !slices.Equal(was, params) {
			t.Errorf("%s: not as before: %v", pair, err)
		}
		for i := range m.Weights.Params {
			m.Weights.Params[i] *= 2
		}
		if err := m.Tune(at, low); err != nil || slices.Equal(was, params) {
			t.Errorf("%s: the weights are the old ones: %v", pair, err)
		}
		if ordinary, err := at.At(low, 2); err != nil || ordinary != at || at.Usual() != at {
			t.Errorf("%s: an ordinary model is not itself: %v", pair, err)
		}
	}
}

// TestOutOfRange checks that the errors name the model's range of ε and its lengths of ẑ.
func TestOutOfRange(t *testing.T) {
	m := build(t, tiny(t, "line/flow-tunable"))
	for _, tc := range []struct {
		eps  float64
		zdim int
		says string
	}{
		{0.1, 9, "for ẑ dim [1 2 3 4 5 6 7 8], and not for 9"},
		{0.6, 2, "for ε from 0.01 to 0.5, and not for 0.6"},
		{math.NaN(), 2, "and not for NaN"},
	} {
		if _, err := m.At(tc.eps, tc.zdim); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("ε %g, ẑ dim %d: %v", tc.eps, tc.zdim, err)
		}
	}
	if _, err := m.Usual().At(0.2, 2); err == nil || !strings.Contains(err.Error(), "for ε = 0.1, and not for 0.2") {
		t.Errorf("an ordinary model at another ε: %v", err)
	}
	if d := m.Detail(); !strings.HasPrefix(d, "deep set and flow, for every ε and ẑ dim, ε from 0.01 to 0.5, ẑ of 1, 2, 3, 4, 5, 6, 7, 8, ") {
		t.Error(d)
	}
	for _, tc := range []struct{ name, text, says string }{
		{"encoder.zdim", "9", "use one of these"}, {"encoder.lengths", "2 1", "the shortest first"},
		{"eps", "0.7", "the range is from 0.01 to 0.5"}, {"tunable.low", "0.5", "the range is from 0.5"}, {"step.weight", "1", "has no field"},
	} {
		c := m.Config
		err := c.Set(tc.name, tc.text)
		if err == nil {
			err = c.Validate()
		}
		if err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s=%s: %v, want %q", tc.name, tc.text, err, tc.says)
		}
	}
}

// BenchmarkAt times a change of ε and of ẑ's length.
func BenchmarkAt(b *testing.B) {
	for _, pair := range tunables() {
		c := preset(b, pair+"@browser")
		sys, _ := systems().Find(c.Spec.System)
		m := New(c, sys)
		at := m.Usual()
		low, high, _ := c.Tuning().Range()
		b.Run(fmt.Sprint(pair, " Tune"), func(b *testing.B) {
			for i := range b.N {
				_ = m.Tune(at, low+(high-low)*float64(i%100)/100)
			}
		})
		b.Run(fmt.Sprint(pair, " At"), func(b *testing.B) {
			for range b.N {
				_, _ = m.At(low, 2)
			}
		})
	}
}
