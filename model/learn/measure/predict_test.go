package measure

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/net/dynamics"
	"macroscope/model/system"
	"macroscope/model/system/excerpt"
	polymersystem "macroscope/model/system/polymer"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// TestForecastIsRun advances a Forecast frame by frame, like a page. The Forecast must
// give the same bits as Task.Run and Predict, with any number of workers, and also when it is
// used again.
func TestForecastIsRun(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c method.Config) {
		m := build(t, c)
		const count, frames = 11, 6 // one full block and part of a second block
		src := record(&c, 3, count, frames, 9)
		members := 1
		if c.Traits.Stochastic {
			members = 5
		}
		want, err := Task{Model: m, Source: src, Count: count, Members: members, Seed: 7, Workers: 1}.Run(work.Until(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		if want.Trajectories() != count || want.Members != members || len(want.Pred) != count*members*frames*c.Variables {
			t.Fatalf("%d trajectories of %d members, %d numbers", want.Trajectories(), want.Members, len(want.Pred))
		}
		again, err := Task{Model: m, Source: src, Count: 99, Members: members, Seed: 7, Workers: 3}.Run(work.Until(context.Background()))
		if err != nil || !slices.Equal(again.Pred, want.Pred) || !slices.Equal(again.Truth, want.Truth) || !slices.Equal(again.Left, want.Left) {
			t.Errorf("three workers predict otherwise than one, %v", err)
		}
		if slices.ContainsFunc(want.Pred, func(v float32) bool { return v-v != 0 }) {
			t.Fatal("predictions that are not finite")
		}

		// Advance a Forecast for each block of trajectories. A Task has the same blocks.
		v, vars := c.Data.Views*c.States(), c.Variables
		for first := 0; first < count; first += method.PredictedTogether {
			n := min(method.PredictedTogether, count-first)
			z := make([]float32, n*v)
			coder := m.NewCoder()
			for e := range n {
				coder.States(z[e*v:(e+1)*v], src.frame(m, first+e), src.of[first+e].Macro[:vars])
			}
			f := m.NewForecast(n, members)
			for range 2 {
				f.Begin(z, 7, uint64(first/method.PredictedTogether))
				got := make([]float32, n*members*frames*vars)
				for k := range frames {
					if f.Frame() != k {
						t.Fatalf("frame %d, want %d", f.Frame(), k)
					}
					want.read(got, make([]float32, members), f, n, k)
					f.Step(m.Weights.DynamicsParams)
				}
				if row := members * frames * vars; !slices.Equal(got, want.Pred[first*row:(first+n)*row]) {
					t.Fatalf("block from %d: other predictions", first)
				}
			}
		}

		// Predict computes one trajectory, and a Task several together. With one equation, the
		// first trajectory has the same noise in both. Sums may have another order, so the results
		// agree up to rounding. With several equations, the noise differs: each equation draws the
		// noise of all trajectories before the next equation draws any.
		got, alone := make([]float32, members*frames*vars), make([]float32, members*frames*vars)
		Predict(m, got, src.frame(m, 0), src.of[0].Macro[:vars], members, frames, 7)
		z, f := make([]float32, v), m.NewForecast(1, members)
		m.NewCoder().States(z, src.frame(m, 0), src.of[0].Macro[:vars])
		f.Begin(z, 7, 0)
		for k := range frames {
			want.read(alone, make([]float32, members), f, 1, k)
			f.Step(m.Weights.DynamicsParams)
		}
		if !slices.Equal(got, alone) {
			t.Errorf("Predict says %v, want %v", got, alone)
		}
		if len(c.Networks().Equations) == 1 && far(got, want.Pred) > 1e-5 {
			t.Errorf("Predict says %v, Run %v", got, want.Pred[:len(got)])
		}
		if c.Traits.Stochastic {
			Predict(m, got, src.frame(m, 0), src.of[0].Macro[:vars], members, frames, 8)
			if slices.Equal(got, want.Pred[:len(got)]) {
				t.Error("another seed predicts the same")
			}
		}
	})
}

// TestBlocksHaveTheirOwnNoise starts several paths from the same state. With another block or
// another seed the paths must differ; with the same block and seed they must be equal.
func TestBlocksHaveTheirOwnNoise(t *testing.T) {
	m := build(t, tiny(t, "mixing/flow"))
	const members = 5
	f := m.NewForecast(1, members)
	run := func(seed, block uint64) []float32 {
		f.Begin(make([]float32, m.Config.States()*m.Config.Data.Views), seed, block)
		f.Step(m.Weights.DynamicsParams)
		values := make([]float32, members)
		f.Variable(values, 0, 0)
		return values
	}
	first := run(1, 0)
	for _, of := range [][2]uint64{{1, 1}, {1, 2}, {2, 0}} {
		for i, v := range run(of[0], of[1]) {
			if slices.Contains(first, v) {
				t.Errorf("member %d of seed %d, block %d is a member of seed 1, block 0", i, of[0], of[1])
			}
		}
	}
	if again := run(1, 0); !slices.Equal(again, first) {
		t.Errorf("again %v, want %v", again, first)
	}
}

// TestStarts cuts trajectories after their first frames. The predictions must equal the
// predictions from whole trajectories.
func TestStarts(t *testing.T) {
	for _, pair := range []string{"mixing/flow", "particles/flow", "polymer-video/flow-memory"} {
		c := tiny(t, pair)
		c.Dynamics.Begin = min(c.Dynamics.Begin, 2)
		m := build(t, c)
		src := record(&c, 6, 6, 5, 9)
		starts, err := excerpt.Collect(work.Until(context.Background()), src, c.Dynamics.Begin, 4, 2)
		if err != nil {
			t.Fatal(err)
		}
		want, err := Task{Model: m, Source: src, Count: 4, Members: 3, Seed: 1, Workers: 1}.Run(work.Until(context.Background()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Task{Model: m, Source: starts, Count: 4, Members: 3, Seed: 1, Workers: 1}.Run(work.Until(context.Background()))
		if err != nil || !slices.Equal(got.Pred, want.Pred) || !slices.Equal(got.Truth, want.Truth) {
			t.Errorf("%s: starts give other predictions (%v)", pair, err)
		}
	}
}

func TestTaskRefuses(t *testing.T) {
	c := tiny(t, "particles/ae-aug")
	m := build(t, c)
	if _, err := (Task{Model: m, Source: record(&c, 1, 2, 3, 8), Count: 2, Members: 1, Seed: 1, Workers: 1}).Run(work.Until(context.Background())); err == nil || !strings.Contains(err.Error(), "takes exactly 9") || !strings.Contains(err.Error(), "trajectory ") {
		t.Errorf("sets of another size: %v", err)
	}
	space := withDim(c, 3)
	if _, err := (Task{Model: m, Source: record(&space, 1, 2, 3, 9), Count: 2, Members: 1, Seed: 1, Workers: 1}).Run(work.Until(context.Background())); err == nil || !strings.Contains(err.Error(), "have 3 coordinates, and the model was trained on 2") {
		t.Errorf("particles in space: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Task{Model: m, Source: record(&c, 1, 2, 3, 9), Count: 2, Members: 1, Seed: 1, Workers: 1}).Run(work.Until(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
	mix := tiny(t, "mixing/flow")
	src := record(&mix, 1, 2, 3, 9)
	for i := range src.of[1].Species {
		src.of[1].Species[i] = 2
	}
	if _, err := (Task{Model: build(t, mix), Source: src, Count: 2, Members: 2, Seed: 1, Workers: 1}).Run(work.Until(context.Background())); err == nil || !strings.Contains(err.Error(), "no particles") {
		t.Errorf("a species without particles: %v", err)
	}
}

func TestMeasures(t *testing.T) {
	p := &Prediction{Frames: 3, Members: 1, Variables: 1, Pred: []float32{1, 2, 3, 1, 1, 1}, Truth: []float32{1, 2, 3, 1, 1, 2}}
	e := p.MRE()
	if len(e) != 2 || e[0] != 0 || !(e[1] > 0) {
		t.Errorf("MRE %v", e)
	}
	mean, median, largest := Summary([]float64{3, 1, 2, 6})
	if mean != 3 || median != 2.5 || largest != 6 {
		t.Errorf("mean %g, median %g, largest %g", mean, median, largest)
	}
	if mean, median, largest = Summary([]float64{1, math.NaN(), 2}); !math.IsInf(mean, 1) || median != 2 || !math.IsInf(largest, 1) {
		t.Errorf("mean %g, median %g, largest %g", mean, median, largest)
	}
	errors := []float64{2, 1}
	if Summary(errors); errors[0] != 2 {
		t.Error("the errors are sorted in place")
	}

	// Four trajectories of two frames and two variables, with ensembles of three members.
	// The band contains the truth for 3 of the 8 values after frame 0.
	ens := &Prediction{Frames: 2, Members: 3, Variables: 2, Stretch: 1, Unit: 1}
	for e := range 4 {
		ens.Truth = append(ens.Truth, 0, 0, float32(2*e), 10)
		for k := range 3 {
			ens.Pred = append(ens.Pred, 9, 9, float32(e+k), 1)
		}
	}
	if share, _, nominal := ens.Coverage(); share != 3./8 || nominal != 0.5 {
		t.Errorf("coverage %g, nominally %g", share, nominal)
	}
	own := &Prediction{Frames: 2, Members: 1, Variables: 2, Unit: 1, Pred: ens.Truth, Truth: ens.Truth}
	if got := value(own.MMD(t.Context())); !(math.Abs(got) < 1e-6) {
		t.Errorf("the truth is %g from itself", got)
	}
	if got := value(ens.MMD(t.Context())); !(got > 0.1) {
		t.Errorf("predictions far from the truth are %g from it", got)
	}
	doubled := &Prediction{Frames: 2, Members: 3, Variables: 2, Unit: 2}
	for _, v := range ens.Truth {
		doubled.Truth = append(doubled.Truth, 2*v)
	}
	for _, v := range ens.Pred {
		doubled.Pred = append(doubled.Pred, 2*v)
	}
	truth := slices.Clone(doubled.Truth)
	if a, b := value(ens.MMD(t.Context())), value(doubled.MMD(t.Context())); a != b || !slices.Equal(truth, doubled.Truth) {
		t.Errorf("in units twice as large, twice as large values are %g apart, want %g", b, a)
	}
	perfect := func(p *Prediction) [2]float64 {
		mean, sd, err := p.PerfectMMD(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return [2]float64{mean, sd}
	}
	if a, b := perfect(ens), perfect(doubled); a != b || !slices.Equal(truth, doubled.Truth) {
		t.Errorf("in units twice as large, a perfect model has %g, want %g", b, a)
	}
	// The distances of frame 0 are 0, and those of frame 1 are beyond the kernels.
	far := &Prediction{Frames: 2, Members: 1, Variables: 1, Unit: 1, Pred: make([]float32, 8), Truth: []float32{0, 10, 0, 20, 0, 30, 0, 40}}
	if got := perfect(far); math.Abs(got[0]-0.25) > 1e-9 || got[1] > 1e-9 {
		t.Errorf("of four trajectories that are alike in one of two frames, a perfect model has %g", got)
	}
	ens.Pred[0] = float32(math.NaN())
	if !math.IsInf(value(ens.MMD(t.Context())), 1) {
		t.Errorf("what has left all bounds is %g away", value(ens.MMD(t.Context())))
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("one trajectory has a spread")
			}
		}()
		(&Prediction{Frames: 2, Members: 1, Variables: 1, Truth: []float32{1, 2}}).PerfectMMD(t.Context())
	}()

	band, sd := Band([]float32{1, 5, 3, 5}, 2)
	if !slices.Equal(band, []float64{2, 5}) || !slices.Equal(sd, []float64{1, 0}) {
		t.Errorf("mean %v, deviation %v", band, sd)
	}
}

func TestBandNominal(t *testing.T) {
	for _, members := range []int{19, 39, 99, 199, 399} {
		if got := BandNominal(members); math.Abs(got-BandShare) > 1e-12 {
			t.Errorf("%d members: %g, want %g", members, got, BandShare)
		}
	}
	for _, members := range []int{1, 2, 5} { // even for so few members the nominal coverage is at least 0 and less than 1
		if got := BandNominal(members); !(got >= 0 && got < 1) {
			t.Errorf("%d members: %g", members, got)
		}
	}
	values := []float32{5, 3, 1, 2, 4}
	if low, high := Bounds(values, 1); low != 1 || high != 5 {
		t.Errorf("from %g to %g", low, high)
	}
	var many []float32
	for i := range 39 {
		many = append(many, float32((i*7)%39))
	}
	if low, high := Bounds(many, 1); low != 1 || high != 37 {
		t.Errorf("from %g to %g, want 1 to 37", low, high)
	}
}

// TestBandCoversItsShare draws members and truths from one distribution and counts how many
// truths lie in the bands.
func TestBandCoversItsShare(t *testing.T) {
	const trials, members = 20_000, 39
	r := rng.New(1, "test of bands")
	inside := 0
	values := make([]float32, members)
	for range trials {
		for i := range values {
			values[i] = float32(r.NormFloat64())
		}
		low, high := Bounds(values, 1)
		if v := float32(r.NormFloat64()); low <= v && v <= high {
			inside++
		}
	}
	// The tolerance is three standard errors of a share in 20 000 trials.
	if share := float64(inside) / trials; math.Abs(share-BandShare) > 3*math.Sqrt(BandShare*(1-BandShare)/trials) {
		t.Errorf("share %g, want %g", share, BandShare)
	}
}

// TestShippedPredict checks that the shipped models predict new trajectories as accurately as
// measured before. The limits are three times the mean errors over 1000 trajectories of each
// kind, because a mean over a few trajectories scatters.
func TestShippedPredict(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds without SIMD")
	}
	for name, most := range map[string]map[string]float64{
		"particles-laptop.safetensors": {"in-dst": 5e-5, "diff-init": 1e-3, "diff-N": 5e-5},
		"particles-ae-aug.safetensors": {"in-dst": 3e-3, "diff-init": 3e-3},
	} {
		m, _ := shipped(t, name)
		for _, test := range m.System.Tests(0) {
			ordered := m.Config.Encoder.Ordered()
			if ordered && !test.Fixed {
				if _, ok := most[test.Name]; ok {
					t.Errorf("%s: there are no sets of a fixed size", test.Name)
				}
				continue
			}
			p, err := Task{Model: m, Source: test.Source(system.Choice{Seed: 7, Count: 10, Fixed: ordered}), Count: 10, Members: 1, Seed: 1, Workers: 2}.Run(work.Until(context.Background()))
			if err != nil {
				t.Fatal(err)
			}
			mean, _, _ := Summary(p.MRE())
			t.Logf("%s, %s: MRE %.2e", name, test.Name, mean)
			if !(mean <= most[test.Name]) || m.Config.Encoder.Ordered() && mean < 1e-4 {
				t.Errorf("%s, %s: MRE %.2e, want at most %.1e", name, test.Name, mean, most[test.Name])
			}
		}
	}
}

// TestShippedDemoKL checks the KL of a shipped model on the same sets as the command eval. If
// kernels sum in another order, the KL changes by a hundredth of the tolerance.
func TestShippedDemoKL(t *testing.T) {
	m, _ := shipped(t, "demo-eps0.1-z8.safetensors")
	const want, tolerance = 0.0066228829, 1e-4
	if got := value(KL(work.Until(t.Context()), m, 0.1, 300, 512, 20_260)); !(math.Abs(got-want) <= tolerance*want) {
		t.Errorf("KL %.10f, want %.10f to %g of it", got, want, tolerance)
	}
}

// TestKL checks that the validation sets depend only on the seed, and that the first sets do
// not depend on the number of sets.
func TestKL(t *testing.T) {
	m := build(t, tiny(t, "line/flow"))
	a := value(KL(work.Until(t.Context()), m, 0.1, 5, 100, 3))
	if b := value(KL(work.Until(t.Context()), m, 0.1, 5, 100, 3)); a != b || !(a > 0) {
		t.Errorf("KL %g, then %g", a, b)
	}
	if b := value(KL(work.Until(t.Context()), m, 0.1, 5, 100, 4)); a == b {
		t.Error("another seed has the same sets")
	}
	one, two := value(KL(work.Until(t.Context()), m, 0.1, 1, 100, 3)), value(KL(work.Until(t.Context()), m, 0.1, 2, 100, 3))
	if one == two {
		t.Error("two sets are the same")
	}
	v := newComparison(m, 100)
	src, z := rng.New(1, "test of KL"), make([]float32, 2)
	sum := 0.0
	f := system.Frame{Points: make([]float32, 9), Ends: []int{9}}
	for i := range 2 {
		m.System.Validation(f.Points, src, 3, i)
		m.NewCoder().Encode(z, &f)
		sum += v.KL(f.Points, z, 0.1, src)
	}
	if sum/2 != two {
		t.Errorf("KL %g, by hand %g", two, sum/2)
	}
	if n := testing.AllocsPerRun(5, func() { v.KL(f.Points, z, 0.1, src) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestEnsemblesBeginWithViews checks that the members of an ensemble start in turn from the
// mirror images of frame 0. Each image must be encoded like a frame with mirrored beads.
func TestEnsemblesBeginWithViews(t *testing.T) {
	const beads, members, states = 8, 19, 2
	sys := polymersystem.System()
	c, err := systems().Preset("polymer/flow@quick")
	if err != nil {
		t.Fatal(err)
	}
	c.Particles = beads
	if c.Data.Views != 8 {
		t.Fatalf("%d views of a chain, which can be mirrored in three ways", c.Data.Views)
	}
	m := model.New(c, sys)
	coder := m.NewCoder()
	var z0, want []float32
	err = system.Each(work.Until(t.Context()), sys.Simulated(c.Choice(system.Train, 1, states)), states, 1, func(e int, tr *system.Trajectory) error {
		var f system.Frame
		z := make([]float32, c.Data.Views*c.States())
		sys.Frame(&f, tr, 0, c.Dim())
		coder.States(z, &f, tr.At(0, 1))
		z0 = append(z0, z...)
		for ways := range c.Data.Views {
			mirrored := tr.Clone()
			sys.Mirror(mirrored.Points, beads, uint(ways))
			sys.Frame(&f, mirrored, 0, c.Dim())
			coder.State(z[:c.States()], coder.Canonical(&f), tr.At(0, 1), 0)
			want = append(want, z[:c.States()]...)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	f := m.NewForecast(states, members)
	f.Begin(z0, 1, 0)
	got := make([]float32, members)
	for e := range states {
		for k := range c.States() {
			f.Variable(got, e, k)
			for j, v := range got {
				view := (e*members + j) % c.Data.Views
				if w := want[(e*c.Data.Views+view)*c.States()+k]; !(math.Abs(float64(v-w)) <= 1e-4) {
					t.Fatalf("state %d, member %d, variable %d begins at %g, want %g of view %d", e, j, k, v, w, view)
				}
			}
		}
	}
}

// dynamic returns named configurations that together have all forms of the dynamics.
func dynamic(t testing.TB) map[string]method.Config {
	mix := tiny(t, "mixing/flow")
	full := mix
	full.Dynamics.Noise.Form = dynamics.NoiseFull
	onsager := tiny(t, "particles/flow")
	onsager.Dynamics.Drift.Form, onsager.Dynamics.Drift.Confined = dynamics.FormOnsager, false
	onsager.Dynamics.Drift.Onsager = dynamics.DefaultOnsager()
	onsager.Dynamics.Drift.Onsager.Hidden, onsager.Dynamics.Drift.Onsager.Features = 6, 4
	one := tiny(t, "particles/flow")
	one.Data.Views, one.Data.Turn = 1, false
	return map[string]method.Config{
		"particles given a and b": give(t, tiny(t, "particles/flow"), "a,b"), "particles given b, AE-Aug": give(t, tiny(t, "particles/ae-aug"), "b:-1:1"),
		"mixing given T": give(t, with(t, mix, "law.share=false"), "temperature"), "mixing given T and ε, full noise": give(t, full, "temperature,e12"),
		"mixing by species given T and ε": give(t, with(t, mix, "law.joint=false"), "temperature,e12"),
		"particles":                       tiny(t, "particles/flow"), "particles, one view": one, "particles, OnsagerNet": onsager, "particles, AE-Aug": tiny(t, "particles/ae-aug"),
		"mixing": mix, "mixing, full noise": full, "mixing by species": with(t, mix, "law.joint=false"), "mixing without share": with(t, mix, "law.share=false"),
		"mixing by species without share": with(t, mix, "law.share=false", "law.joint=false"), "mixing, AE-Aug": tiny(t, "mixing/ae-aug"),
	}
}

// give returns the configuration with the named parameters of the physics as inputs of the
// dynamics.
func give(t testing.TB, c method.Config, params string) method.Config {
	t.Helper()
	return with(t, c, "dynamics.params="+params)
}

func forEachDynamic(t *testing.T, do func(t *testing.T, c method.Config)) {
	for name, c := range dynamic(t) {
		t.Run(name, func(t *testing.T) {
			if err := c.Validate(); err != nil {
				t.Fatal(err)
			}
			do(t, c)
		})
	}
}

// TestOrder shuffles the particles of a frame. The prediction must have the same bits if the
// encoder does not depend on the order, and other bits if it does.
func TestOrder(t *testing.T) {
	forEachDynamic(t, func(t *testing.T, c method.Config) {
		m := build(t, c)
		src := record(&c, 4, 1, 2, 9)
		f, macro := src.frame(m, 0), src.of[0].Macro[:c.Variables]
		const members, frames = 3, 8
		want, got := make([]float32, members*frames*c.Variables), make([]float32, members*frames*c.Variables)
		Predict(m, want, f, macro, members, frames, 1)
		r := rng.New(4, "test of orders")
		for range 10 {
			Predict(m, got, shuffled(f, c.Dim(), r), macro, members, frames, 1)
			if same := slices.Equal(got, want); same == c.Encoder.Ordered() {
				t.Fatalf("another order of the particles predicts the same: %v", same)
			}
		}
	})
}

// TestViews turns a frame by an angle that only permutes its views. The prediction must
// agree up to rounding; untrained dynamics hardly amplify the rounding errors.
func TestViews(t *testing.T) {
	c := tiny(t, "particles/flow")
	m := build(t, c)
	m.Scale = model.NewScale(2, c.States()) // turning requires the same scale for both coordinates
	src := record(&c, 5, 1, 2, 9)
	f, macro := src.frame(m, 0), src.of[0].Macro[:1]
	const frames = 50
	want, got := make([]float32, frames), make([]float32, frames)
	Predict(m, want, f, macro, 1, frames, 0)
	turned := &system.Frame{Points: make([]float32, len(f.Points)), Ends: f.Ends}
	for _, mirrored := range []bool{false, true} {
		angle := 4 * math.Pi / float64(c.Data.Views)
		if mirrored {
			angle /= 2
		}
		turn := model.PlaneTurn(angle, mirrored)
		turn.Apply(turned.Points, f.Points, &c.Traits)
		Predict(m, got, turned, macro, 1, frames, 0)
		if most := far(got, want); most > 5e-6 {
			t.Errorf("mirrored %v: off by %g", mirrored, most)
		}
	}
	m.Config.Data.Views = 1
	Predict(m, want, f, macro, 1, frames, 0)
	Predict(m, got, turned, macro, 1, frames, 0)
	if most := far(got, want); most < 2e-5 {
		t.Errorf("one view of a turned frame differs by %g alone, so the test above shows nothing", most)
	}
}

// TestNoiseOfAForecast checks that the members of an ensemble diverge independently: one step
// from a common state gives a standard deviation of √Δt Σ.
func TestNoiseOfAForecast(t *testing.T) {
	c := tiny(t, "mixing/flow")
	m := build(t, c)
	const members = 4000
	v := c.States()
	z := make([]float32, v)
	for i := range z {
		z[i] = 0.1 * float32(i)
	}
	noise := c.Networks().Equations[0].NewDiffusion(1, 0)
	sigma := make([]float32, noise.Width())
	noise.Forward(sigma, m.Weights.DynamicsParams, z, 1)
	f := m.NewForecast(1, members)
	f.Begin(z, 1, 0)
	f.Step(m.Weights.DynamicsParams)
	values := make([]float32, members)
	for i := range v {
		f.Variable(values, 0, i)
		_, sd := Band(values, 1)
		// The standard error of sd is 1.1 %.
		if want := math.Sqrt(c.Dynamics.Dt) * float64(sigma[i]); math.Abs(sd[0]-want) > 0.05*want+1e-7 {
			t.Errorf("variable %d spreads by %g, want %g", i, sd[0], want)
		}
	}
}

// value returns a function's result. The function fails only if its context is cancelled.
func value(v float64, err error) float64 {
	if err != nil {
		panic(err)
	}
	return v
}
