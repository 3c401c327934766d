package model

import (
	"bytes"
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/learn/method"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// TestCoder compares the results of Encode and States, and the results of Trajectory and FrameOf.
func TestCoder(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c method.Config) {
		m := build(t, c)
		src := record(&c, 2, 1, 3, 9)
		f, macro := src.frame(m, 0), src.of[0].Macro[:c.Variables]
		coder := m.NewCoder()
		n := c.Sets() * c.ZDim()
		z, scaled, back := make([]float32, n), make([]float32, n), make([]float32, n)
		coder.Encode(z, f)
		m.Scaled(scaled, z)
		m.Unscaled(back, scaled)
		if far(back, z) > 1e-5 || far(scaled, z) == 0 {
			t.Errorf("ẑ %v became %v and %v", z, scaled, back)
		}
		v := c.States()
		states := make([]float32, c.Data.Views*v)
		coder.States(states, f, macro)
		canonical := &system.Frame{Points: slices.Clone(coder.Canonical(f).Points), Ends: f.Ends}
		coder.Encode(z, canonical)
		m.Scaled(scaled, z)
		// View 0 is turned by the angle 0, which leaves every bit as it is.
		if first := c.Variables; !slices.Equal(states[first:first+n], scaled) {
			t.Errorf("z has ẑ %v, want %v", states[first:first+n], scaled)
		}
		for i, x := range macro {
			if want := float32(m.Scale.State(i, x)); states[i] != want {
				t.Errorf("macroscopic variable %d is %g, want %g", i, states[i], want)
			}
		}
		at := c.Moving()
		if c.Dynamics.Share {
			if want := float32(m.Scale.State(at, float64(f.Ends[0])/9)); states[at] != want {
				t.Errorf("share %g, want %g", states[at], want)
			}
			at++
		}
		for i, r := range c.Dynamics.Params { // f has no parameters yet, so the defaults apply
			p := c.Traits.Parameters
			coder.States(states, f, macro)
			if want := float32(m.Scale.State(at+i, p[p.Find(r.Name)].Usual)); states[at+i] != want {
				t.Errorf("parameter %s is %g, want %g", r.Name, states[at+i], want)
			}
			f.Params = make([]float64, len(p))
			f.Params[p.Find(r.Name)] = r.High
			coder.States(states, f, macro)
			if want := float32(m.Scale.State(at+i, r.High)); states[at+i] != want || states[(c.Data.Views-1)*v+at+i] != want {
				t.Errorf("parameter %s is %g and %g, want %g", r.Name, states[at+i], states[(c.Data.Views-1)*v+at+i], want)
			}
			f.Params = nil
		}
		for k := 1; k < c.Data.Views; k++ {
			turned := &system.Frame{Points: slices.Clone(canonical.Points), Ends: f.Ends}
			turn := PlaneTurn(2*math.Pi*float64(k)/float64(c.Data.Views), k%2 == 1)
			turn.Apply(turned.Points, turned.Points, &c.Traits)
			coder.Encode(z, turned)
			m.Scaled(scaled, z)
			if got := states[k*v+c.Variables : k*v+c.Variables+n]; !slices.Equal(got, scaled) || slices.Equal(got, states[c.Variables:c.Variables+n]) {
				t.Errorf("view %d has ẑ %v, want %v", k, got, scaled)
			}
		}
		if n := testing.AllocsPerRun(5, func() {
			coder.Encode(z, f)
			coder.States(states, f, macro)
		}); n != 0 {
			t.Errorf("%v allocations", n)
		}

		// Trajectory must give the same result as FrameOf for single frames. All frames must be
		// turned by the same angle. If the encoder depends on the order of particles, all frames
		// must have the same order. ẑ must be unscaled.
		whole := make([]float32, 3*v)
		tr := src.of[0]
		tr.Points = slices.Clone(tr.Points)
		if err := coder.Trajectory(whole, &tr, 5); err != nil {
			t.Fatal(err)
		}
		other := m.NewCoder()
		tr.Points = slices.Clone(src.of[0].Points)
		other.Prepare(&tr, 5)
		row := make([]float32, v)
		for _, k := range []int{2, 0, 1} {
			if err := other.FrameOf(row, &tr, 5, k); err != nil || !slices.Equal(row, whole[k*v:(k+1)*v]) {
				t.Errorf("frame %d is %v alone and %v in its trajectory, %v", k, row, whole[k*v:(k+1)*v], err)
			}
		}
		if same := slices.Equal(tr.Points, src.of[0].Points); same == c.Data.Turn {
			t.Errorf("turned: %v, want %v", !same, c.Data.Turn)
		}
		again := make([]float32, 3*v)
		tr.Points = slices.Clone(src.of[0].Points)
		if err := coder.Trajectory(again, &tr, 6); err != nil {
			t.Fatal(err)
		}
		if same := slices.Equal(again, whole); same == (c.Data.Turn || c.Encoder.Ordered()) {
			t.Errorf("as another trajectory it is the same: %v", same)
		}
		if first, end := c.Variables, c.Variables+n; c.Data.Turn || c.Encoder.Ordered() {
			if far(again[first:end], whole[first:end]) < 1e-4 {
				t.Error("turning and another order change nothing")
			}
		} else {
			coder.Encode(z, f)
			if !slices.Equal(whole[first:end], z) {
				t.Errorf("ẑ %v, want %v", whole[first:end], z)
			}
		}
	})
}

// TestCanonicalOrder checks that every order of a set's particles gives the same canonical
// order. The coordinates of a particle must stay together, and sets must stay separate.
func TestCanonicalOrder(t *testing.T) {
	for _, dim := range []int{1, 2, 3} {
		c := withDim(tiny(t, "particles/flow"), dim)
		coder := build(t, c).NewCoder()
		r := rng.New(1, "test of orders")
		f := &system.Frame{Ends: []int{40, 101}}
		for range 101 * dim {
			f.Points = append(f.Points, float32(r.IntN(4))) // many particles share a coordinate
		}
		want := slices.Clone(coder.Canonical(f).Points)
		for s := range 2 {
			set := (&system.Frame{Points: want, Ends: f.Ends}).Set(s, dim)
			for i := dim; i < len(set); i += dim {
				if slices.Compare(set[i-dim:i], set[i:i+dim]) > 0 {
					t.Fatalf("%d coordinates: %v comes before %v", dim, set[i-dim:i], set[i:i+dim])
				}
			}
			count := func(points []float32) map[[3]float32]int {
				n := map[[3]float32]int{}
				for i := 0; i < len(points); i += dim {
					var p [3]float32
					copy(p[:], points[i:i+dim])
					n[p]++
				}
				return n
			}
			was, is := count(f.Set(s, dim)), count(set)
			for p, n := range was {
				if is[p] != n {
					t.Fatalf("%d coordinates: %d particles are at %v, want %d", dim, is[p], p, n)
				}
			}
		}
		for range 5 {
			if got := coder.Canonical(shuffled(f, dim, r)).Points; !slices.Equal(got, want) {
				t.Errorf("%d coordinates: another order gives %v", dim, got)
			}
		}
		if n := testing.AllocsPerRun(5, func() { coder.Canonical(f) }); n != 0 && dim < 3 {
			t.Errorf("%d coordinates: %v allocations", dim, n)
		}
	}
}

func TestShuffle(t *testing.T) {
	r := rng.New(1, "test of shuffles")
	first := map[float32]int{}
	for range 1000 {
		f := &system.Frame{Points: []float32{1, 10, 2, 20, 3, 30, 4, 40, 5, 50}, Ends: []int{4, 5}}
		Shuffle(f, 2, r)
		seen := map[float32]bool{}
		for i := 0; i < 10; i += 2 {
			if f.Points[i+1] != 10*f.Points[i] {
				t.Fatalf("a particle became (%g, %g)", f.Points[i], f.Points[i+1])
			}
			seen[f.Points[i]] = true
		}
		if len(seen) != 5 || f.Points[8] != 5 {
			t.Fatalf("shuffled to %v", f.Points)
		}
		first[f.Points[0]]++
	}
	for p, n := range first { // 250 is expected, and five standard deviations are 68
		if n < 182 || n > 318 {
			t.Errorf("particle %g comes first %d of 1000 times", p, n)
		}
	}
}

func TestScale(t *testing.T) {
	s := NewScale(2, 3)
	p := []float32{1, -2, 3, 4}
	s.Points(p, p)
	if !slices.Equal(p, []float32{1, -2, 3, 4}) || s.State(1, 0.5) != 0.5 || s.Value(2, -0.25) != -0.25 {
		t.Errorf("data that need no scale become %v", p)
	}
	s.Mean, s.Std, s.Low, s.High = []float64{1, 2}, []float64{2, 4}, []float64{0, 10, -3}, []float64{1, 20, 3}
	s.Prepare()
	s.Points(p, p)
	if !slices.Equal(p, []float32{0, -1, 1, 0.5}) {
		t.Errorf("points become %v", p)
	}
	if s.Stretch(p, 1, 2); !slices.Equal(p, []float32{0, -1.5, 1, 1.5}) { // the points (1, -4) and (3, 8)
		t.Errorf("stretched points become %v", p)
	}
	for i, at := range [][2]float64{{0.5, 0}, {20, 1}, {-6, -2}} {
		if got := s.State(i, at[0]); got != at[1] {
			t.Errorf("variable %d at %g becomes %g, want %g", i, at[0], got, at[1])
		}
		if got := s.Value(i, at[1]); got != at[0] {
			t.Errorf("variable %d at %g was %g, want %g", i, at[1], got, at[0])
		}
	}
	c := s.Clone()
	c.Mean[0], c.Low[1] = 9, 9
	c.Prepare()
	q := []float32{1, 2}
	s.Points(q, q)
	if s.Mean[0] != 1 || s.Low[1] != 10 || q[0] != 0 {
		t.Error("a clone shares something")
	}
}

// TestModel checks that a change of a model does not change its clone. It also checks the numbers
// of weights, the initial weights and scales, and the description in words.
func TestModel(t *testing.T) {
	for pair := range pairs() {
		m := build(t, tiny(t, pair))
		c := m.Clone()
		if !slices.Equal(c.Weights.Params, m.Weights.Params) || !slices.Equal(c.Weights.DynamicsParams, m.Weights.DynamicsParams) || !slices.Equal(c.Scale.Std, m.Scale.Std) {
			t.Errorf("%s: a clone has other weights", pair)
		}
		m.Weights.Params[0]++
		m.Scale.Mean[0]++
		if c.Weights.Params[0] == m.Weights.Params[0] || c.Scale.Mean[0] == m.Scale.Mean[0] {
			t.Errorf("%s: a clone shares something", pair)
		}
		enc, dec, dyn := m.Weights.Counts()
		if enc+dec != len(m.Weights.Params) || dyn != len(m.Weights.DynamicsParams) || m.Weights.Len() != enc+dec+dyn || (dyn > 0) != m.Config.HasDynamics() {
			t.Errorf("%s: %d, %d and %d weights", pair, enc, dec, dyn)
		}
		if a, b := m.Weights.Split(m.Weights.Params); len(a) != enc || len(b) != dec || cap(a) != enc {
			t.Errorf("%s: split in %d and %d", pair, len(a), len(b))
		}
		if at := m.Usual(); (at.Density(1) != nil) != m.Config.Decoder.Density() {
			t.Errorf("%s: density %v", pair, m.Density(1))
		}
		if !m.Weights.Finite() {
			t.Errorf("%s: weights that are not finite", pair)
		}
		if m.Weights.Params[1] = float32(math.Inf(1)); m.Weights.Finite() {
			t.Errorf("%s: infinite weights are finite", pair)
		}
		again := New(m.Config, m.System)
		for i, low := range again.Scale.Low {
			want, high := -1.0, 1.0 // these bounds leave a variable unchanged
			if k := i - m.Config.Moving(); k >= 0 {
				want, high = m.Config.Frozen().Ranges()[k].Low, m.Config.Frozen().Ranges()[k].High
			}
			if low != want || again.Scale.High[i] != high {
				t.Errorf("%s: variable %d goes from %g to %g before anything is known of it", pair, i, low, again.Scale.High[i])
			}
		}
		if !slices.Equal(New(m.Config, m.System).Weights.Params, again.Weights.Params) {
			t.Errorf("%s: another model of the same seed begins elsewhere", pair)
		}
		m.Config.Seed++
		if slices.Equal(New(m.Config, m.System).Weights.Params, again.Weights.Params) {
			t.Errorf("%s: another seed begins with the same weights", pair)
		}
	}
	gyration := tiny(t, "particles/flow")
	gyration.Data.Observable = "gyration"
	for _, tc := range []struct {
		cfg  method.Config
		want string
	}{
		{tiny(t, "line/flow"), "deep set and flow, ε = 0.1, ẑ of 2, "},
		{tiny(t, "particles/ae-aug"), "AE-Aug, ẑ of 2, "},
		{tiny(t, "mixing/flow"), "deep set and flow, ε = 0.01, ẑ of 2 a set, "},
		{with(t, tiny(t, "mixing/flow"), "law.joint=false"), "ẑ of 2 a set, an equation for each set, "},
		{gyration, "ẑ of 2, of gyration, "},
	} {
		m := build(t, tc.cfg)
		if got := m.Detail(); !strings.Contains(got, tc.want) || !strings.HasSuffix(got, " parameters") {
			t.Errorf("%q, want %q", got, tc.want)
		}
	}
	m := build(t, tiny(t, "particles/flow"))
	if m.SetEps(0.5); m.Config.Eps() != 0.5 || m.Weights.net.Decoder.Config().Eps != 0.5 {
		t.Errorf("ε %g and %g", m.Config.Eps(), m.Weights.net.Decoder.Config().Eps)
	}
	want := 0
	for pair := range pairs() {
		if strings.HasPrefix(pair, "line/") {
			want++
		}
	}
	if got := len(method.MethodsFor("line")); got != want {
		t.Errorf("%d methods for the line, want %d", got, want)
	}
}

func TestCodesRoundTrip(t *testing.T) {
	for _, pair := range []string{"mixing/flow", "particles/flow", "mixing/ae-aug"} {
		c := tiny(t, pair)
		m := build(t, c)
		src := record(&c, 8, 5, 7, 9)
		codes, err := m.Codes(work.Until(context.Background()), src, 4, 1, 2)
		if err != nil {
			t.Fatal(err)
		}
		if codes.Trajectories != 4 || codes.Frames != 7 || codes.Variables != c.States() || codes.Validation != 1 || codes.Check(m) != nil {
			t.Errorf("%s: %+v, %v", pair, codes.Trajectories, codes.Check(m))
		}
		// The codes must equal z of every frame after ẑ has been scaled.
		z := make([]float32, 7*c.States())
		tr := src.of[2]
		tr.Points = slices.Clone(tr.Points)
		if err := m.NewCoder().Trajectory(z, &tr, 2); err != nil {
			t.Fatal(err)
		}
		for k := range 7 {
			closures := z[k*c.States()+c.Variables : k*c.States()+c.Moving()]
			m.Scaled(closures, closures)
		}
		if !slices.Equal(codes.Of(2), z) {
			t.Errorf("%s: codes %v, want %v", pair, codes.Of(2), z)
		}
		var b bytes.Buffer
		if err := codes.Write(&b); err != nil {
			t.Fatal(err)
		}
		got, err := ReadCodes(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if got.Trajectories != 4 || got.Frames != 7 || got.Variables != c.States() || got.Validation != 1 || got.Check(m) != nil {
			t.Errorf("%s: read %d %d %d %d, %v", pair, got.Trajectories, got.Frames, got.Variables, got.Validation, got.Check(m))
		}
		most := make([]float64, c.States())
		for i, v := range codes.Z {
			most[i%c.States()] = max(most[i%c.States()], math.Abs(float64(v)))
		}
		for i, v := range codes.Z {
			// Rounding to int16 changes a value by at most half a step; the factor 0.51 allows
			// for the rounding of the product.
			if d := math.Abs(float64(got.Z[i] - v)); d > most[i%c.States()]/math.MaxInt16*0.51 {
				t.Fatalf("%s: value %d is %g, want %g", pair, i, got.Z[i], v)
			}
		}
		m.Scale.High[2]++
		if err := got.Check(m); err == nil || !strings.Contains(err.Error(), "another encoder's, which scales variable 2") {
			t.Errorf("codes of another encoder: %v", err)
		}
		if err := codes.Check(m); err == nil {
			t.Error("codes change with the model that made them")
		}
		if err := got.Check(build(t, with(t, c, "encoder.zdim=3"))); err == nil || !strings.Contains(err.Error(), "variables and the model") {
			t.Errorf("codes of another length: %v", err)
		}
		for _, validation := range []int{0, 4, -1} {
			if _, err := m.Codes(work.Until(context.Background()), src, 4, validation, 1); err == nil || !strings.Contains(err.Error(), "for validation") {
				t.Errorf("%d for validation: %v", validation, err)
			}
		}
	}
	c := tiny(t, "mixing/ae-aug")
	ragged := tiny(t, "mixing/flow")
	if _, err := build(t, c).Codes(work.Until(context.Background()), record(&ragged, 8, 5, 7, 9), 4, 1, 1); err == nil || !strings.Contains(err.Error(), "takes exactly") {
		t.Errorf("sets of other sizes: %v", err)
	}
}

// TestShippedCodes checks the size of the shipped file of codes, and that its scales are the
// scales of the shipped model.
func TestShippedCodes(t *testing.T) {
	m, _ := shipped(t, "mixing-laptop.safetensors")
	b, err := os.ReadFile("../../../assets/models/mixing-z.npz")
	if err != nil {
		t.Fatal(err)
	}
	const most = 1_500_000
	if len(b) > most {
		t.Errorf("the codes have %d bytes, more than %d", len(b), most)
	}
	codes, err := ReadCodes(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := codes.Check(m); err != nil {
		t.Error(err)
	}
	if codes.Frames != 501 || codes.Validation != 40 || codes.Trajectories <= 40 {
		t.Errorf("%d codes of %d frames, %d for validation", codes.Trajectories, codes.Frames, codes.Validation)
	}
	low, high := codes.Z[0], codes.Z[0]
	for _, v := range codes.Z {
		low, high = min(low, v), max(high, v)
	}
	if low < -3 || high > 3 {
		t.Errorf("codes from %g to %g", low, high)
	}
}

func TestReadCodesRefuses(t *testing.T) {
	whole := func() map[string]*data.Array {
		return map[string]*data.Array{
			"z": data.NewArray([]int{2, 2, 4}, make([]int16, 16)), "steps": data.NewArray([]int{4}, make([]float64, 4)),
			"low": data.NewArray([]int{4}, make([]float64, 4)), "high": data.NewArray([]int{4}, make([]float64, 4)), "held": data.NewArray([]int{}, []int64{1}),
		}
	}
	read := func(change func(map[string]*data.Array)) error {
		a := whole()
		change(a)
		var b bytes.Buffer
		if err := data.WriteNPZ(&b, a); err != nil {
			t.Fatal(err)
		}
		_, err := ReadCodes(b.Bytes())
		return err
	}
	if err := read(func(map[string]*data.Array) {}); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		says   string
		change func(map[string]*data.Array)
	}{
		{"no array z", func(a map[string]*data.Array) { delete(a, "z") }},
		{"no array low", func(a map[string]*data.Array) { delete(a, "low") }},
		{"no array held", func(a map[string]*data.Array) { delete(a, "held") }},
		{"has the shape [4 4]", func(a map[string]*data.Array) { a["z"] = data.NewArray([]int{4, 4}, make([]int16, 16)) }},
		{"has the shape [1 4 4]", func(a map[string]*data.Array) { a["z"] = data.NewArray([]int{1, 4, 4}, make([]int16, 16)) }},
		{"2 to 64 variables", func(a map[string]*data.Array) { a["z"] = data.NewArray([]int{2, 2, 65}, make([]int16, 260)) }},
		{"array steps has 3", func(a map[string]*data.Array) { a["steps"] = data.NewArray([]int{3}, make([]float64, 3)) }},
		{"for validation is [2]", func(a map[string]*data.Array) { a["held"] = data.NewArray([]int{}, []int64{2}) }},
		{"for validation is [0]", func(a map[string]*data.Array) { a["held"] = data.NewArray([]int{}, []int64{0}) }},
		{"for validation is [1.5]", func(a map[string]*data.Array) { a["held"] = data.NewArray([]int{}, []float64{1.5}) }},
		{"for validation is [1 1]", func(a map[string]*data.Array) { a["held"] = data.NewArray([]int{2}, []int64{1, 1}) }},
		{"far out of the", func(a map[string]*data.Array) {
			a["z"], a["steps"] = data.NewArray([]int{2, 2, 4}, slices.Repeat([]float64{math.NaN()}, 16)), data.NewArray([]int{4}, []float64{1, 1, 1, 1})
		}},
		{"far out of the", func(a map[string]*data.Array) {
			a["z"], a["steps"] = data.NewArray([]int{2, 2, 4}, slices.Repeat([]int16{200}, 16)), data.NewArray([]int{4}, []float64{1, 1, 1, 1})
		}},
	} {
		if err := read(tc.change); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("error %v, want one that says %q", err, tc.says)
		}
	}
	for _, b := range [][]byte{nil, []byte("PK"), []byte("nonsense")} {
		if _, err := ReadCodes(b); err == nil {
			t.Errorf("%q are codes", b)
		}
	}
}

// FuzzReadCodes reads archives of arbitrary arrays. The fuzzer changes the arrays instead
// of the archive's bytes, because an archive has a checksum of each array.
func FuzzReadCodes(f *testing.F) {
	npy := func(a *data.Array) []byte {
		var b bytes.Buffer
		if err := data.WriteNPY(&b, a); err != nil {
			f.Fatal(err)
		}
		return b.Bytes()
	}
	four := npy(data.NewArray([]int{4}, []float64{1, 2, 3, 4}))
	f.Add(npy(data.NewArray([]int{2, 2, 4}, make([]int16, 16))), four, four, npy(data.NewArray([]int{}, []int64{1})))
	f.Add([]byte{}, four, []byte("\x93NUMPY"), []byte{})
	f.Fuzz(func(t *testing.T, z, steps, low, validation []byte) {
		var b bytes.Buffer
		archive := data.NewArchive(&b)
		for name, content := range map[string][]byte{codesArray: z, stepsArray: steps, lowArray: low, highArray: low, validationArray: validation} {
			if err := archive.File(name+".npy", content); err != nil {
				t.Fatal(err)
			}
		}
		if err := archive.Close(); err != nil {
			t.Fatal(err)
		}
		c, err := ReadCodes(b.Bytes())
		if err == nil && len(c.Z) != c.Trajectories*c.Frames*c.Variables {
			t.Errorf("%d values for %d × %d × %d", len(c.Z), c.Trajectories, c.Frames, c.Variables)
		}
	})
}
