package lab

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/data"
	"macroscope/sim/rng"
)

// readTrained returns the model of trainedMixing, joint or with a law for each
// species.
func readTrained(t *testing.T, joint bool) *MixingModel {
	t.Helper()
	m, _, err := ReadMixing(bytes.NewReader(trainedMixing(t)))
	if err != nil {
		t.Fatal(err)
	}
	if joint {
		return m
	}
	two := NewMixingModel(m.Config.WithJoint(false))
	copy(two.Params, m.Params)
	two.Scale = m.Scale.clone()
	return two
}

// TestEnsembleIsWhatIsPredicted compares the pieces of a page with the command
// line's rollouts, for one law and for two.
func TestEnsembleIsWhatIsPredicted(t *testing.T) {
	const members, frames = 39, 12
	src := NewSimulatedMixing(smallBox(), nil, 3, 1)
	for _, joint := range []bool{true, false} {
		m := readTrained(t, joint)
		err := src.Each(t.Context(), 1, 1, func(_ int, x *Mixed) error {
			n := 2 * len(x.Types)
			want := make([]float32, members*frames*2)
			m.Predict(want, x.Frames[:n], x.Types, x.Ratios[:2], members, frames, 7)
			var a mixingAhead
			a.begin(m, x.Frames[:n], x.Types, x.Ratios[:2], frames-1, members, 7)
			for a.step() {
			}
			for p := range mixingPaths {
				if got := a.paths[p*frames*2 : (p+1)*frames*2]; !slices.Equal(got, want[p*frames*2:(p+1)*frames*2]) {
					t.Errorf("joint %v: path %d is %v, want %v", joint, p, got, want[p*frames*2:(p+1)*frames*2])
				}
			}
			for i := range 2 * frames {
				var all []float32
				for p := range members {
					all = append(all, want[p*frames*2+i])
				}
				slices.Sort(all)
				// The second smallest and the second largest of 39 are at 2/40 and 38/40.
				if a.low[i] != all[1] || a.high[i] != all[members-2] {
					t.Errorf("joint %v: band %d from %g to %g, want %g to %g", joint, i, a.low[i], a.high[i], all[1], all[members-2])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestBandNominal(t *testing.T) {
	for _, members := range []int{19, 39, 99, 199, 399} {
		if got := bandNominal(members); math.Abs(got-bandShare) > 1e-12 {
			t.Errorf("%d members: %g, want %g", members, got, bandShare)
		}
	}
	for _, members := range []int{1, 2, 5} { // too few for it, but for something
		if got := bandNominal(members); !(got >= 0 && got < 1) {
			t.Errorf("%d members: %g", members, got)
		}
	}
}

// TestBandCoversItsShare draws members and truths from one law.
func TestBandCoversItsShare(t *testing.T) {
	const trials, members = 20_000, 39
	r := rng.New(1, "test of bands")
	inside := 0
	values := make([]float32, members)
	for range trials {
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
		low, high := quantiles(values)
		if v := float32(r.NormFloat64()); low <= v && v <= high {
			inside++
		}
	}
	// Three standard errors of a share of 20 000 trials.
	if share := float64(inside) / trials; math.Abs(share-bandShare) > 3*math.Sqrt(bandShare*(1-bandShare)/trials) {
		t.Errorf("share %g, want %g", share, bandShare)
	}
}

// TestMeasurementIsEvals compares what the page says of a visitor's file with
// what eval prints of it.
func TestMeasurementIsEvals(t *testing.T) {
	m := readTrained(t, true)
	src := NewSimulatedMixing(smallBox(), []Range{{3, 5}}, 1, 10) // a block and a part of one
	var b bytes.Buffer
	n, frames := 36, 41
	x, types, macro := make([]float32, 10*frames*n*2), make([]int64, 10*n), make([]float64, 10*frames*2)
	err := src.Each(t.Context(), 10, 1, func(e int, t *Mixed) error {
		copy(x[e*frames*n*2:], t.Frames)
		copy(macro[e*frames*2:], t.Ratios)
		for i, k := range t.Types {
			types[e*n+i] = int64(k)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := data.WriteNPZ(&b, map[string]*data.Array{
		"trajectories": data.NewArray([]int{10, frames, n, 2}, x), "types": data.NewArray([]int{10, n}, types), "macro": data.NewArray([]int{10, frames, 2}, macro),
	}); err != nil {
		t.Fatal(err)
	}
	f, err := m.Evaluate(t.Context(), src, 10, measuredMembers, measuredSeed, 2, nothing)
	if err != nil {
		t.Fatal(err)
	}
	share, nominal := f.Coverage()

	s := openBox(t)
	s.deliver()
	if n := s.file("own.npz", b.Bytes()); n == nil || n.Error || !strings.Contains(n.Text, "10 trajectories of 36 atoms and 41 frames") {
		t.Fatalf("notice %v", n)
	}
	s.settle()
	got := s.data.measured
	if !got.done || got.mmd != f.MMD() || got.floor != f.Floor() || got.coverage != share || got.nominal != nominal {
		t.Errorf("measured %v %g %g %g %g, want %g %g %g %g", got.done, got.mmd, got.floor, got.coverage, got.nominal, f.MMD(), f.Floor(), share, nominal)
	}
	if text := figure(s.state(), "mmd"); text == "–" {
		t.Error("the figure is not shown")
	}
}

func TestMixingCodesRoundTrip(t *testing.T) {
	m := readTrained(t, true)
	src := NewSimulatedMixing(smallBox(), []Range{{3, 5}}, 1, 3)
	c, err := m.Codes(t.Context(), src, 3, 1, 1, nothing)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	got, err := ReadMixingCodes(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if got.Trajectories != 3 || got.Frames != 41 || got.Variables != 5 || got.Held != 1 || got.check(m) != nil {
		t.Errorf("read %d %d %d %d, %v", got.Trajectories, got.Frames, got.Variables, got.Held, got.check(m))
	}
	var most float64
	for _, v := range c.Z {
		most = max(most, math.Abs(float64(v)))
	}
	for i, v := range c.Z {
		// Half of the largest step, and the rounding of the product.
		if d := math.Abs(float64(got.Z[i] - v)); d > most/math.MaxInt16*0.51 {
			t.Fatalf("value %d is %g, want %g", i, got.Z[i], v)
		}
	}
	m.Scale.High[2]++
	if err := got.check(m); err == nil || !strings.Contains(err.Error(), "another encoder's") {
		t.Errorf("codes of another encoder: %v", err)
	}
	if _, err := m.Codes(t.Context(), src, 3, 3, 1, nothing); err == nil {
		t.Error("nothing is left to train on, and there is no error")
	}
}

func TestReadMixingCodesRefuses(t *testing.T) {
	whole := func() map[string]*data.Array {
		return map[string]*data.Array{
			"z": data.NewArray([]int{2, 2, 4}, make([]int16, 16)), "steps": data.NewArray([]int{4}, make([]float64, 4)),
			"low": data.NewArray([]int{4}, make([]float64, 4)), "high": data.NewArray([]int{4}, make([]float64, 4)), "held": data.NewArray([]int{}, []int64{1}),
		}
	}
	for says, change := range map[string]func(map[string]*data.Array){
		"no array low":  func(a map[string]*data.Array) { delete(a, "low") },
		"has the shape": func(a map[string]*data.Array) { a["z"] = data.NewArray([]int{4, 4}, make([]int16, 16)) },
		"array steps":   func(a map[string]*data.Array) { a["steps"] = data.NewArray([]int{3}, make([]float64, 3)) },
		"held out is":   func(a map[string]*data.Array) { a["held"] = data.NewArray([]int{}, []int64{2}) },
		"far out of the": func(a map[string]*data.Array) {
			a["z"] = data.NewArray([]int{2, 2, 4}, slices.Repeat([]float64{math.NaN()}, 16))
		},
	} {
		a := whole()
		change(a)
		var b bytes.Buffer
		if err := data.WriteNPZ(&b, a); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadMixingCodes(b.Bytes()); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
}

func FuzzReadMixingCodes(f *testing.F) {
	c := &MixingCodes{Trajectories: 2, Frames: 2, Variables: 4, Held: 1, Z: make([]float32, 16), Low: make([]float64, 4), High: make([]float64, 4)}
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("PK"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := ReadMixingCodes(b)
		if err == nil && len(c.Z) != c.Trajectories*c.Frames*c.Variables {
			t.Errorf("%d values for %d × %d × %d", len(c.Z), c.Trajectories, c.Frames, c.Variables)
		}
	})
}
