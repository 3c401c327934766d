package cmd

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/work"
)

// TestCalibrate fits the support of the particles' shipped model to short runs. The weights
// must not change.
func TestCalibrate(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const shipped = "../../assets/models/particles-laptop.safetensors"
	var said bytes.Buffer
	do := func(args ...string) error { return run(context.Background(), args, &said, &said) }
	for _, args := range [][]string{
		{"simulate", "-experiment", "particles", "-n", "3", "-steps", "20", "-out", at("runs.npz")},
		{"encode", "-model", shipped, "-data", at("runs.npz"), "-n", "3", "-validation", "1", "-out", at("z.npz")},
		{"calibrate", "-model", shipped, "-codes", at("z.npz"), "-out", at("m.safetensors")},
		{"eval", "-model", at("m.safetensors"), "-data", at("runs.npz")},
		{"eval", "-model", at("m.safetensors"), "-data", at("runs.npz"), "-trajectories", "2", "-json"},
	} {
		if err := do(args...); err != nil {
			t.Fatal(args, err)
		}
	}
	was, err := load(io.Discard, shipped)
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(io.Discard, at("m.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Params, was.Params) || !slices.Equal(m.DynamicsParams, was.DynamicsParams) || m.Stretch != 1 {
		t.Errorf("other weights, or bands stretched by %g", m.Stretch)
	}
	if s := m.Support; s == nil || len(s.Periods) < 1 || len(s.Periods[0].Mean) != m.Config.States() || !(s.Periods[0].Reach > 1 && s.Periods[0].Reach < 10) {
		t.Errorf("support %+v", s)
	}
	if !strings.Contains(said.String(), "frames left") || !strings.Contains(said.String(), `"trajectories":2,`) {
		t.Errorf("said %q", said.String())
	}
	for says, args := range map[string][]string{
		"needs -model": {"calibrate"},
		"no dynamics":  {"calibrate", "-model", "../../assets/models/demo-eps0.1-z8.safetensors", "-codes", at("z.npz"), "-out", at("x")},
		"variables":    {"calibrate", "-model", "../../assets/models/mixing-laptop.safetensors", "-codes", at("z.npz"), "-out", at("x")},
	} {
		if err := do(args...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want an error that says %q", args, err, says)
		}
	}
}

// TestCalibrateTunable calibrates the bands of a tunable model on short chains. Each ẑ dim must get a
// factor of its own, which a file of the model has, as do the ordinary models that it is at each ẑ dim. The
// bands must then hold nine tenths of the truth of these same chains.
func TestCalibrateTunable(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	const shipped = "../../assets/models/polymer-flow-tunable.safetensors"
	mustRun(t, "simulate", "-experiment", "polymer", "-n", "12", "-particles", "20", "-out", at("runs.npz"))
	mustRun(t, "encode", "-model", shipped, "-data", at("runs.npz"), "-n", "12", "-validation", "1", "-out", at("z.npz"))
	mustRun(t, "calibrate", "-model", shipped, "-codes", at("z.npz"), "-out", at("m.safetensors"))
	was, err := load(io.Discard, shipped)
	if err != nil {
		t.Fatal(err)
	}
	m, err := load(io.Discard, at("m.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, zdims := m.Config.Range()
	if len(m.Stretches) != len(zdims) || m.Stretch != 1 || slices.Equal(m.Stretches, was.Stretches) || len(slices.Compact(slices.Sorted(slices.Values(m.Stretches)))) != len(zdims) {
		t.Fatalf("bands of ẑ dim %v are stretched by %v, and by %v before", zdims, m.Stretches, was.Stretches)
	}
	codes, err := model.ReadCodes([]byte(bytesOf(t, at("z.npz"))))
	if err != nil {
		t.Fatal(err)
	}
	for i, d := range zdims {
		one := at("one.safetensors")
		mustRun(t, "export", "-model", at("m.safetensors"), "-zdim", fmt.Sprint(d), "-out", one)
		ordinary, err := load(io.Discard, one)
		if err != nil {
			t.Fatal(err)
		}
		if ordinary.Stretch != m.Stretches[i] {
			t.Errorf("ẑ dim %d: bands are stretched by %g, want %g", d, ordinary.Stretch, m.Stretches[i])
		}
		p, err := measure.GivenCodes(ordinary, m.CodesAt(codes, ordinary), 0, codes.Trajectories).Predict(work.Until(t.Context()), ordinary.DynamicsParams, calibrationMembers, method.Side, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if share, _, _ := p.Coverage(); share < measure.BandShare {
			t.Errorf("ẑ dim %d: calibrated bands hold %.3f of the truth that calibrated them", d, share)
		}
	}
	f := m.Checkpoint()
	f.Tensor("band.stretch").F64 = []float64{1.1}
	if _, err := model.Open(systems, f); err == nil || !strings.Contains(err.Error(), "4 numbers") {
		t.Errorf("a tunable model with one factor: %v", err)
	}
	if err := run(context.Background(), []string{"calibrate", "-model", "../../assets/models/particles-flow-tunable.safetensors", "-codes", at("z.npz"), "-out", at("x")}, io.Discard, io.Discard); err == nil {
		t.Error("bands of a model without bands are calibrated")
	}
}

// TestPeriodsOf checks at which frames the periods of short runs begin. It also checks the
// number of periods of a long run, and the length of the last.
func TestPeriodsOf(t *testing.T) {
	for _, tc := range []struct {
		frames, shortest int
		want             []int
	}{
		{1, 1, []int{0}}, {21, 30, []int{0}}, {21, 5, []int{0, 5, 10, 15}}, {9, 1, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}},
	} {
		if got := periodsOf(tc.frames, tc.shortest); !slices.Equal(got, tc.want) {
			t.Errorf("%d frames: %d, want %d", tc.frames, got, tc.want)
		}
	}
	long := periodsOf(1001, 1)
	if n := len(long); n < 25 || n > mostPeriods || 1001-long[n-1] < 100 {
		t.Errorf("of 1001 frames: %d", long)
	}
}

// TestPeriodOf checks a period's covariance. It must be the covariance of the sample, plus blur² on
// the diagonal. Because of blur², the support has a nonzero width even if two variables are equal.
func TestPeriodOf(t *testing.T) {
	x := mat.NewDense(5, 2, []float64{1, 1, 2, 2, 4, 4, 0, 0, 3, 3})
	p, err := periodOf(x)
	if err != nil {
		t.Fatal(err)
	}
	f := p.Factor // the sample has mean 2 and variance 2.5
	for i, want := range [][2]float64{{p.Mean[0], 2}, {p.Mean[1], 2}, {f[0]*f[0] - 2.5, blur * blur}, {f[2] * f[0], 2.5}, {f[2]*f[2] + f[3]*f[3] - 2.5, blur * blur}} {
		if math.Abs(want[0]-want[1]) > 1e-12 {
			t.Errorf("value %d is %g, want %g", i, want[0], want[1])
		}
	}
}

// TestSupportOfStill checks that runs in one and the same state are rejected.
func TestSupportOfStill(t *testing.T) {
	still := &model.Codes{Trajectories: 3, Frames: 40, Variables: 2, Z: make([]float32, 3*40*2)}
	if s, err := supportOf(still); err == nil || !strings.Contains(err.Error(), "all in one state") {
		t.Errorf("the support is %v, %v", s, err)
	}
}

// TestSupportOf draws runs that move away from 0. The share of similar runs that leave the support
// must be about the nominal share. Most runs that start at 0.2 must leave the support.
//
// The support is fitted to 400 runs. The probability that a run leaves has the distribution Beta(8,
// 393), so the probability that more than 50 of 500 runs leave is below 1e-6.
func TestSupportOf(t *testing.T) {
	const runs, frames, v = 400, 50, 2
	r := rand.New(rand.NewPCG(1, 2))
	walk := func(n int, from float64) *model.Codes {
		c := &model.Codes{Trajectories: n, Frames: frames, Variables: v}
		for range n {
			z := [v]float64{from, from}
			for range frames {
				for i := range z {
					z[i] += 0.02 * r.NormFloat64()
					c.Z = append(c.Z, float32(z[i]))
				}
			}
		}
		return c
	}
	own := walk(runs, 0)
	s, err := supportOf(own)
	if err != nil {
		t.Fatal(err)
	}
	left := func(c *model.Codes) (n int) {
		for e := range c.Trajectories {
			for t := range c.Frames {
				if p := s.At(t); p.Distance(c.Of(e)[t*v:(t+1)*v]) > p.Reach {
					n++
					break
				}
			}
		}
		return n
	}
	const rank = 393 // number of the runs inside the support: ⌈(runs + 1) · 0.98⌉, as in supportOf
	for i := range s.Periods {
		s.Periods[i].Reach *= 1 + 1e-9 // run 393 lies on the limit; rounding must not put it outside
	}
	if n := left(own); n != runs-rank {
		t.Errorf("%d of its own %d runs have left, want %d", n, runs, runs-rank)
	}
	if n := left(walk(500, 0)); n > 50 {
		t.Errorf("%d of 500 runs like them have left", n)
	}
	if n := left(walk(500, 0.2)); n < 450 {
		t.Errorf("%d of 500 runs that start elsewhere have left", n)
	}
}
