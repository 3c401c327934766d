package mixing

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/lj"
)

// small is a source of small trajectories: 4 frames, 36 atoms, a box of 8 × 8.
func small(seed uint64, count int) *Simulated {
	s := NewSimulated(seed, count)
	s.Boundaries = []Interval{{3, 5}}
	shrink(s)
	return s
}

// shrink gives a source a small box, the box of the function `small`. It does not change
// s.Boundaries.
func shrink(s *Simulated) {
	b := &s.Box
	b.Width, b.Height, b.Boundary, b.Relaxation, b.Steps, b.Every = 8, 8, 4, 100, 60, 20
}

func clone(t *system.Trajectory) *system.Trajectory {
	return t.Clone()
}

func equal(a, b *system.Trajectory) bool {
	return slices.Equal(a.Points, b.Points) && slices.Equal(a.Species, b.Species) && slices.Equal(a.Macro, b.Macro) && slices.Equal(a.Params, b.Params)
}

// readAll returns copies of the trajectories that Each passes. It then overwrites the passed
// trajectories, to check that the source does not depend on them.
func readAll(t *testing.T, src system.Source, workers int) []*system.Trajectory {
	t.Helper()
	all := make([]*system.Trajectory, src.Shape().Trajectories)
	err := system.Each(work.Until(context.Background()), src, len(all)+1, workers, func(i int, r *system.Trajectory) error {
		all[i] = clone(r)
		for k := range r.Points {
			r.Points[k] = float32(math.NaN())
		}
		clear(r.Species)
		clear(r.Macro)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		if r == nil {
			t.Fatalf("trajectory %d is missing", i)
		}
	}
	return all
}

// readAlone makes one trajectory, given its index. It also returns the number of pauses.
func readAlone(t *testing.T, src system.Source, index int) (*system.Trajectory, int) {
	t.Helper()
	var of system.Trajectory
	pauses := 0
	err := src.Make(&of, index, func(float64) error {
		pauses++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return &of, pauses
}

// checkAlone checks that Make makes the same trajectories as Each. It first begins a trajectory and gives
// it up. It then makes all trajectories out of order, and overwrites part of each.
func checkAlone(t *testing.T, src system.Source, pauses int) {
	t.Helper()
	want := readAll(t, src, 2)
	p := work.Begin(func(pause work.Pause) error { return src.Make(new(system.Trajectory), 1, pause) })
	if more, err := p.Next(); !more || err != nil {
		t.Fatal(more, err)
	}
	p.Close()
	for _, i := range []int{2, 0, 1, 1} {
		got, n := readAlone(t, src, i)
		if !equal(got, want[i]) {
			t.Errorf("trajectory %d has other bits than Each's", i)
		}
		if n != pauses {
			t.Errorf("trajectory %d comes with %d pauses, want %d", i, n, pauses)
		}
		got.Points[0], got.Species[0], got.Macro[0] = -7, 9, -7
	}
	for _, i := range []int{-1, len(want)} {
		if err := src.Make(new(system.Trajectory), i, work.Until(t.Context())); err == nil {
			t.Errorf("there is a trajectory %d of %d", i, len(want))
		}
	}
}

func TestMake(t *testing.T) {
	t.Run("simulated", func(t *testing.T) { checkAlone(t, small(4, 3), 16) }) // 160 steps with a pause after 10
	fixed := small(4, 3)
	fixed.Fixed = true
	t.Run("fixed", func(t *testing.T) { checkAlone(t, fixed, 16) })
	lattice := small(4, 3)
	lattice.Box.Relaxation = 0
	t.Run("without relaxation", func(t *testing.T) { checkAlone(t, lattice, 6) })
	_, arrays := recorded(t)
	t.Run("recording", func(t *testing.T) { checkAlone(t, opened(t, archive(t, arrays)), 3) })
	delete(arrays, system.MacroArray)
	t.Run("recording without ratios", func(t *testing.T) { checkAlone(t, opened(t, archive(t, arrays)), 3) })
	simulated, _ := recorded(t)
	t.Run("dumps", func(t *testing.T) { checkAlone(t, opened(t, dumpFile(simulated)), 3) })
}

func TestSimulatedIgnoresWorkers(t *testing.T) {
	one, three := readAll(t, small(4, 5), 1), readAll(t, small(4, 5), 3)
	for i := range one {
		if !equal(one[i], three[i]) {
			t.Errorf("trajectory %d depends on the workers", i)
		}
		if i > 0 && slices.Equal(one[i].Points, one[0].Points) {
			t.Errorf("trajectory %d is trajectory 0", i)
		}
	}
}

// TestFixed checks that with Simulated.Fixed, the left half of the atoms is species 1 and the
// right half species 2.
func TestFixed(t *testing.T) {
	for _, side := range []float64{8, 7} { // 36 and 25 atoms
		s := small(2, 4)
		s.Fixed, s.Box.Width, s.Box.Height = true, side, side
		n := s.Shape().Particles
		for i, r := range readAll(t, s, 2) {
			var count [3]int
			for _, k := range r.Species {
				count[k]++
			}
			if count[1] != (n+1)/2 || count[2] != n/2 {
				t.Errorf("trajectory %d has %d and %d of %d atoms", i, count[1], count[2], n)
			}
			// All atoms of species 1 begin left of all atoms of species 2.
			right, left := float32(math.Inf(-1)), float32(math.Inf(1))
			for a, k := range r.Species {
				if x := r.Points[2*a]; k == 1 {
					right = max(right, x)
				} else {
					left = min(left, x)
				}
			}
			if right > left {
				t.Errorf("trajectory %d: an atom of species 1 is at %g and one of species 2 at %g", i, right, left)
			}
		}
	}
}

// TestBoundaries draws 3000 boundaries from two intervals in proportion to their lengths. The
// expected share in the shorter interval is 0.25. The tolerance is 0.04, five standard deviations.
func TestBoundaries(t *testing.T) {
	s := small(1, 3000)
	s.Boundaries = []Interval{{1, 2}, {4, 7}}
	short := 0
	for i := range s.Count {
		switch b := s.Boundary(i); {
		case b >= 1 && b < 2:
			short++
		case !(b >= 4 && b < 7):
			t.Fatalf("boundary %g", b)
		}
	}
	if share := float64(short) / 3000; math.Abs(share-0.25) > 0.04 {
		t.Errorf("%g of the boundaries are in the first interval", share)
	}
	if b := System().Pictured()[0].Source(system.Choice{Seed: 1, Count: 3}).(*Simulated).Boundary(2); b != 12 {
		t.Errorf("boundary %g, want 12", b)
	}
	s.Boundaries = nil
	if b := s.Boundary(5); b != 4 {
		t.Errorf("boundary %g, want the box's 4", b)
	}
	s.Boundaries = []Interval{{3, 5}}
	for i, r := range readAll(t, small(1, 4), 1) {
		for a, k := range r.Species {
			if left := float64(r.Points[2*a]) < s.Boundary(i); left != (k == 1) {
				t.Errorf("trajectory %d: an atom at %g is of species %d, with the boundary at %g", i, r.Points[2*a], k, s.Boundary(i))
			}
		}
	}
}

// TestParameters checks that each trajectory has its own temperature and well depths.
func TestParameters(t *testing.T) {
	s := small(1, 3)
	s.Params = system.Ranges{{Name: "e12", Low: 0.2, High: 0.9}, {Name: "temperature", Low: 2, High: 2}}
	got, usual := readAll(t, s, 2), readAll(t, small(1, 3), 1)
	for i, r := range got {
		if p := r.Params; p[0] != 2 || p[1] < 0.2 || p[1] > 0.9 || p[2] != 0.5 || p[3] != 0.6 {
			t.Errorf("trajectory %d has the parameters %v", i, p)
		}
		if !slices.Equal(r.Species, usual[i].Species) && slices.Equal(r.Points, usual[i].Points) {
			t.Errorf("trajectory %d is as the usual one", i)
		}
		c := s.Box
		s.vary(i, &c)
		sim, err := lj.Start(c, 1, i)
		if err != nil {
			t.Fatal(err)
		}
		want := lj.NewTrajectory(c)
		if err := sim.Record(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if c.Temperature != 2 || c.AB.Epsilon != r.Params[1] || !slices.Equal(want.Frames, r.Points) {
			t.Errorf("trajectory %d is not that of %+v", i, c)
		}
	}
}

// TestPurposesAreDisjoint checks that no two purposes or tests simulate with the same random
// numbers, for up to a million trajectories.
func TestPurposesAreDisjoint(t *testing.T) {
	type user struct {
		name  string
		first int
	}
	var users []user
	add := func(name string, src system.Source) { users = append(users, user{name, src.(*Simulated).first}) }
	for p := system.Show; p <= system.Encode; p++ {
		add(fmt.Sprint("purpose ", p), System().Simulated(system.Choice{Purpose: p, Seed: 1, Count: 1}))
	}
	for _, test := range append(System().Tests(0), System().Pictured()...) {
		add(test.Name, test.Source(system.Choice{Seed: 1, Count: 1}))
	}
	const most = 1_000_000 // largest number of trajectories of one purpose
	for i, a := range users {
		for _, b := range users[:i] {
			if d := a.first - b.first; d < most && -d < most {
				t.Errorf("%s begins with number %d and %s with %d", a.name, a.first, b.name, b.first)
			}
		}
	}
	// These indices must not change, because trajectories and errors of earlier versions depend
	// on them.
	for _, want := range []user{
		{"purpose 0", 0}, {"purpose 1", 1 << 32}, {"purpose 3", 3 << 32},
		{"in-dst", 1<<33 + 32<<20 + 10000<<28}, {"diff-init", 1<<33 + 32<<20 + 8000<<28}, {"diff-N", 1<<33 + 26<<20 + 10000<<28},
		{"boundary 12", 1<<33 + 32<<20 + 12000<<28},
	} {
		if !slices.Contains(users, want) {
			t.Errorf("%s does not begin with number %d", want.name, want.first)
		}
	}
}

// TestPurposesDiffer checks that different purposes and tests have different trajectories.
func TestPurposesDiffer(t *testing.T) {
	seen := make(map[string]string)
	look := func(name string, src system.Source) {
		s := src.(*Simulated)
		shrink(s)
		s.Boundaries, s.Box.Relaxation, s.Box.Steps, s.Box.Every = nil, 1, 1, 1
		for _, r := range readAll(t, s, 1) {
			key := fmt.Sprint(r.Points[72:80])
			if other, ok := seen[key]; ok {
				t.Errorf("%s has a trajectory of %s", name, other)
			}
			seen[key] = name
		}
	}
	for _, seed := range []uint64{1, 2} {
		for p := system.Show; p <= system.Encode; p++ {
			look(fmt.Sprint("purpose ", p), System().Simulated(system.Choice{Purpose: p, Seed: seed, Count: 3}))
		}
		for _, test := range System().Tests(0) {
			look(test.Name, test.Source(system.Choice{Seed: seed, Count: 3}))
		}
	}
}

func TestTests(t *testing.T) {
	for i, want := range []struct {
		name      string
		particles int
		fixed     bool
	}{{"in-dst", 529, true}, {"diff-init", 529, false}, {"diff-N", 437, false}} {
		got := System().Tests(0)[i]
		s := got.Source(system.Choice{Seed: 3, Count: 7}).Shape()
		if got.Name != want.name || s != (system.Shape{Trajectories: 7, Frames: 501, Particles: want.particles, Dim: 2}) {
			t.Errorf("%s has shape %v", got.Name, s)
		}
		if got.Fixed != want.fixed {
			t.Errorf("%s: fixed %v", got.Name, got.Fixed)
		}
	}
	in := System().Tests(0)[0]
	plain, fixed := in.Source(system.Choice{Seed: 3, Count: 2}).(*Simulated), in.Source(system.Choice{Seed: 3, Count: 2, Fixed: true}).(*Simulated)
	if plain.Fixed || !fixed.Fixed || plain.first != fixed.first || plain.Boundary(1) != fixed.Boundary(1) {
		t.Errorf("fixed is %+v, of %+v", fixed, plain)
	}
	if n := System().Pictured()[2]; n.Name != "boundary 20" || n.Fixed {
		t.Errorf("%+v", n)
	}
}

func TestChoice(t *testing.T) {
	for ask, want := range map[int]int{0: 529, 529: 529, 437: 437, 23: 23, 1: 23, 46: 46, 200: 207, 900: 897} {
		s := System().Simulated(system.Choice{Purpose: system.Train, Seed: 1, Count: 5, Particles: ask}).(*Simulated)
		if got := s.Shape().Particles; got != want {
			t.Errorf("%d particles are asked for, there are %d, want %d", ask, got, want)
		}
	}
	src := System().Simulated(system.Choice{Particles: 1_000_000, Count: 1})
	if err := system.Each(work.Until(context.Background()), src, 1, 1, nil); err == nil {
		t.Error("a box of a million atoms is simulated")
	}
	s := System().Simulated(system.Choice{Purpose: system.Validate, Seed: 8, Count: 5, Fixed: true}).(*Simulated)
	if !s.Fixed || s.Seed != 8 || s.Count != 5 || !slices.Equal(s.Boundaries, TrainedBoundaries()) {
		t.Errorf("%+v", s)
	}
	s = System().Simulated(system.Choice{Purpose: system.Train, Seed: 8, Count: 5, Wide: true}).(*Simulated)
	if !slices.Equal(s.Boundaries, []Interval{{8, 24}}) {
		t.Errorf("boundaries %v", s.Boundaries)
	}
}

func TestSystem(t *testing.T) {
	s := System()
	if tr := s.Traits; tr.Name != "mixing" || tr.Dt != 0.01 || !tr.Stochastic || tr.Vectors != nil || len(tr.Sets) != 2 || tr.Streams.Sets != "mixing frames" {
		t.Errorf("%+v", tr)
	}
	if got := s.Variables(""); !slices.Equal(got, []string{"R_AB", "R_BA"}) || s.Variables("energy") != nil {
		t.Errorf("variables %v, %v", got, s.Variables("energy"))
	}
	kept := 0
	for k := range 501 {
		if s.Keep.Has(k) {
			kept++
		}
	}
	if kept != 311 || !s.Keep.Has(299) || s.Keep.Has(301) || !s.Keep.Has(320) {
		t.Errorf("%d frames are kept, want 311", kept)
	}
	var f system.Frame
	s.Frame(&f, &system.Trajectory{
		Points:  []float32{0, 0, 0, 0, 0, 0, 1, 10, 2, 20, 3, 30},
		Species: []uint8{2, 1, 2},
	}, 1, 2)
	if !slices.Equal(f.Points, []float32{2, 20, 1, 10, 3, 30}) || !slices.Equal(f.Ends, []int{1, 3}) {
		t.Errorf("%+v", f)
	}
}

// recorded returns three simulated trajectories and the arrays of their file.
func recorded(t *testing.T) ([]*system.Trajectory, map[string]*data.Array) {
	simulated := readAll(t, small(4, 3), 2)
	var x []float32
	var types []int64
	var macro []float64
	for _, r := range simulated {
		x, macro = append(x, r.Points...), append(macro, r.Macro...)
		for _, k := range r.Species {
			types = append(types, int64(k))
		}
	}
	return simulated, map[string]*data.Array{
		system.TrajectoriesArray: data.NewArray([]int{3, 4, 36, 2}, x), system.TypesArray: data.NewArray([]int{3, 36}, types),
		system.MacroArray: data.NewArray([]int{3, 4, 2}, macro),
	}
}

func fileOf(name string, b []byte) system.File {
	return system.File{Name: name, Bytes: bytes.NewReader(b), Size: int64(len(b))}
}

func archive(t *testing.T, arrays map[string]*data.Array) system.File {
	t.Helper()
	var out bytes.Buffer
	if err := data.WriteNPZ(&out, arrays); err != nil {
		t.Fatal(err)
	}
	return fileOf("own.npz", out.Bytes())
}

func opened(t *testing.T, f system.File) system.Recorded {
	t.Helper()
	src, err := System().Open(f, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}

// dumpOf writes a trajectory as LAMMPS does, with the atoms in reverse order and a box that
// does not begin at the origin.
func dumpOf(m *system.Trajectory) string {
	var b strings.Builder
	n := len(m.Species)
	for f := range m.Frames(2) {
		fmt.Fprintf(&b, "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS ff ff pp\n1 9\n-2 6\n-0.5 0.5\nITEM: ATOMS id type x y\n", 200*f, n)
		for i := n - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "%d %d %.9g %.9g\n", i+1, m.Species[i], m.Points[2*(f*n+i)]+1, m.Points[2*(f*n+i)+1]-2)
		}
	}
	return b.String()
}

// dumpFile is a file of several dumps.
func dumpFile(of []*system.Trajectory, more ...string) system.File {
	f := fileOf("0", []byte(dumpOf(of[0])))
	texts := make(map[string]string)
	for i, m := range of[1:] {
		name := fmt.Sprint(i + 1)
		texts[name] = dumpOf(m)
		f.More = append(f.More, name)
	}
	for i := 0; i < len(more); i += 2 {
		texts[more[i]] = more[i+1]
		f.More = append(f.More, more[i])
	}
	f.Open = func(name string) (io.ReadCloser, error) {
		if text := texts[name]; text != "" {
			return io.NopCloser(strings.NewReader(text)), nil
		}
		return nil, os.ErrNotExist
	}
	return f
}

// near compares trajectories. Ratios depend on counts of pairs. At the cutoff, the counts of
// float32 and float64 may differ by one pair. With 36 atoms of about 5 neighbours, one pair changes
// a ratio by 0.01.
func near(t *testing.T, got, want []*system.Trajectory, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d trajectories, want %d", len(got), len(want))
	}
	for i := range want {
		if len(got[i].Points) != len(want[i].Points) || len(got[i].Macro) != len(want[i].Macro) {
			t.Fatalf("trajectory %d has another shape", i)
		}
		for k, x := range want[i].Points {
			if !(math.Abs(float64(got[i].Points[k]-x)) <= tolerance*1e-4) {
				t.Fatalf("trajectory %d: coordinate %d is %g, want %g", i, k, got[i].Points[k], x)
			}
		}
		if !slices.Equal(got[i].Species, want[i].Species) {
			t.Errorf("trajectory %d has other species", i)
		}
		for k, r := range want[i].Macro {
			if !(math.Abs(got[i].Macro[k]-r) <= tolerance) {
				t.Errorf("trajectory %d: ratio %d is %g, want %g", i, k, got[i].Macro[k], r)
			}
		}
	}
}

// TestRecordedIsWhatWasSimulated reads files of simulated trajectories with Each, and with Raw
// and Finish.
func TestRecordedIsWhatWasSimulated(t *testing.T) {
	simulated, arrays := recorded(t)
	whole := archive(t, arrays)
	delete(arrays, system.MacroArray)
	for _, tc := range []struct {
		name      string
		file      system.File
		given     bool // whether the file has ratios
		tolerance float64
	}{
		{"with ratios", whole, true, 0},
		{"without", archive(t, arrays), false, 0.02},
		{"dumps", dumpFile(simulated), false, 0.02},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := opened(t, tc.file)
			if got, want := src.Shape(), (system.Shape{Trajectories: 3, Frames: 4, Particles: 36, Dim: 2}); got != want || src.Observable() != "" {
				t.Errorf("shape %v of observable %q, want %v", got, src.Observable(), want)
			}
			if got := src.Shape().InWords(); got != "3 trajectories of 36 particles and 4 frames" {
				t.Errorf("in words it is %q", got)
			}
			all := readAll(t, src, 2)
			near(t, all, simulated, tc.tolerance)
			var r system.Trajectory
			for _, i := range []int{2, 0, 1} {
				if err := src.Raw(&r, i); err != nil {
					t.Fatal(err)
				}
				if (len(r.Macro) > 0) != tc.given {
					t.Errorf("%d ratios are in the file", len(r.Macro))
				}
				if err := System().Finish(&r, 2, ""); err != nil {
					t.Fatal(err)
				}
				if !equal(&r, all[i]) {
					t.Errorf("trajectory %d is finished otherwise than by Each", i)
				}
			}
			if err := src.Raw(&r, 3); err == nil {
				t.Error("there is a fourth trajectory")
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if err := system.Each(work.Until(ctx), src, 3, 1, func(int, *system.Trajectory) error { return nil }); err != context.Canceled {
				t.Errorf("a reading that was cancelled: %v", err)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	types := func(change func([]int64)) func(map[string]*data.Array) {
		return func(a map[string]*data.Array) {
			v, _ := a[system.TypesArray].Int64s()
			v = slices.Clone(v)
			change(v)
			a[system.TypesArray] = data.NewArray([]int{3, 36}, v)
		}
	}
	positions := func(shape ...int) func(map[string]*data.Array) {
		n := 1
		for _, s := range shape {
			n *= s
		}
		return func(a map[string]*data.Array) { a[system.TrajectoriesArray] = data.NewArray(shape, make([]float32, n)) }
	}
	for _, tc := range []struct {
		name, says string
		change     func(map[string]*data.Array)
	}{
		{"no positions", "no array \"trajectories\"", func(a map[string]*data.Array) { delete(a, system.TrajectoriesArray) }},
		{"no species", "no array \"types\"", func(a map[string]*data.Array) { delete(a, system.TypesArray) }},
		{"species of another shape", "needs [3 36]", func(a map[string]*data.Array) { a[system.TypesArray] = data.NewArray([]int{36}, make([]int64, 36)) }},
		{"a third species", "trajectory 0: particle 5 is of species 3; use 1 and 2", types(func(v []int64) { v[5] = 3 })},
		{"an empty species", "trajectory 1: no particle is of species 2", types(func(v []int64) {
			for i := range 36 {
				v[36+i] = 1
			}
		})},
		{"space", "3 coordinates", positions(3, 4, 36, 3)},
		{"a plane", "3 dimensions", positions(4, 36, 2)},
		{"one frame", "fewer than two frames", positions(3, 1, 36, 2)},
		{"one particle", "1 particle, and mixing", positions(3, 4, 1, 2)},
		{"nothing", "holds no trajectory", positions(0, 4, 36, 2)},
		{"no particles", "have no particles", positions(3, 4, 0, 2)},
		{"too many", "the limit is 100000", positions(1, 2, 100_001, 2)},
		{"an energy", "needs [3 4 2]", func(a map[string]*data.Array) {
			a[system.MacroArray] = data.NewArray([]int{3, 4, 1}, make([]float64, 12))
		}},
		{"a box that repeats", "the box repeats in coordinate 1, and the system has walls", func(a map[string]*data.Array) {
			a["box"] = data.NewArray([]int{2}, []float64{0, 8})
		}},
		{"a ratio above 1", "the array \"macro\" holds 7 for frame 1 of trajectory 0", func(a map[string]*data.Array) {
			v := make([]float64, 24)
			v[3] = 7
			a[system.MacroArray] = data.NewArray([]int{3, 4, 2}, v)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, arrays := recorded(t)
			tc.change(arrays)
			_, err := System().Open(archive(t, arrays), "")
			refuses(t, err, tc.says)
		})
	}
	var bare bytes.Buffer
	_, arrays := recorded(t)
	if err := data.WriteNPY(&bare, arrays[system.TrajectoriesArray]); err != nil {
		t.Fatal(err)
	}
	_, err := System().Open(fileOf("own", bare.Bytes()), "")
	refuses(t, err, "needs species")
	_, err = System().Open(archive(t, arrays), "energy")
	refuses(t, err, "no observable")
	several := archive(t, arrays)
	several.More = []string{"another"}
	_, err = System().Open(several, "")
	refuses(t, err, "which is read alone")
	_, err = System().Open(fileOf("notes.txt", []byte("Dear diary\n")), "")
	refuses(t, err, "the file holds no numbers")
	_, err = System().Open(fileOf("empty.txt", nil), "")
	refuses(t, err, "the file is empty")
	_, err = System().Open(fileOf("empty.csv", []byte("frame,x,y\n0,1,2\n0,2,2\n1,1,2\n1,2,2\n")), "")
	refuses(t, err, "add a column type of 1 and 2")
	_, err = System().Open(fileOf("deep.csv", []byte("frame,type,x,y,z\n0,1,1,2,3\n0,2,1,2,3\n1,1,1,2,3\n1,2,1,2,4\n")), "")
	refuses(t, err, "the particles have 3 coordinates")
	_, err = System().Open(fileOf("x.npz", []byte("Dear diary\n")), "")
	refuses(t, err, "")
}

func refuses(t *testing.T, err error, says string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), says) {
		t.Errorf("error %v, want one that says %q", err, says)
	}
}

// TestRecordingRefusesPositions checks that invalid coordinates are rejected when a file is opened,
// and that the trajectory that has them can be left out.
func TestRecordingRefusesPositions(t *testing.T) {
	for _, given := range []bool{true, false} {
		_, arrays := recorded(t)
		whole := readAll(t, opened(t, archive(t, arrays)), 3)
		if !given {
			delete(arrays, system.MacroArray)
		}
		x := slices.Clone(arrays[system.TrajectoriesArray].Float32s())
		x[(1*4+2)*72+7] = float32(math.Inf(1))
		arrays[system.TrajectoriesArray] = data.NewArray([]int{3, 4, 36, 2}, x)
		f := archive(t, arrays)
		_, err := System().Open(f, "")
		refuses(t, err, "trajectory 1: coordinate 1 of particle 3 in frame 2 is +Inf; correct it, or leave that trajectory out")
		f.As.Outliers = frames.Keep
		_, err = System().Open(f, "")
		refuses(t, err, "is +Inf")
		f.As.Outliers = frames.LeaveOut
		src := opened(t, f)
		if s := src.Shape(); s.Trajectories != 2 {
			t.Fatalf("shape %+v", s)
		}
		near(t, readAll(t, src, 2), []*system.Trajectory{whole[0], whole[2]}, 0.02)
		m := clone(whole[1])
		m.Points = x[4*72 : 8*72]
		refuses(t, System().Finish(m, 2, ""), "coordinate 1 of particle 3 in frame 2 is +Inf")
	}
}

func TestFinishRefuses(t *testing.T) {
	good := readAll(t, small(4, 1), 1)[0]
	for _, tc := range []struct {
		says   string
		change func(*system.Trajectory)
	}{
		{"particle 2 is of species 0", func(m *system.Trajectory) { m.Species[2] = 0 }},
		{"particle 0 is of species 3", func(m *system.Trajectory) { m.Species[0] = 3 }},
		{"no particle is of species 2", func(m *system.Trajectory) {
			for i := range m.Species {
				m.Species[i] = 1
			}
		}},
		{"no particle is of species 1", func(m *system.Trajectory) { m.Species = nil }},
		{"no frames of", func(m *system.Trajectory) { m.Points = m.Points[1:] }},
		{"no frames of", func(m *system.Trajectory) { m.Macro = m.Macro[1:] }},
	} {
		m := clone(good)
		tc.change(m)
		refuses(t, System().Finish(m, 2, ""), tc.says)
	}
	refuses(t, System().Finish(clone(good), 3, ""), "3 coordinates")
	refuses(t, System().Finish(clone(good), 2, "extent"), "no observable")
	m := clone(good)
	m.Macro = nil
	if err := System().Finish(m, 2, ""); err != nil {
		t.Fatal(err)
	}
	near(t, []*system.Trajectory{m}, []*system.Trajectory{good}, 0.02)
}

func TestDumpsRefuse(t *testing.T) {
	simulated, _ := recorded(t)
	text := dumpOf(simulated[0])
	for _, tc := range []struct{ name, text, says string }{
		{"short", text[:strings.LastIndex(text, "ITEM: TIMESTEP")], "short has 3 frames, and 0 4; choose runs of one length and size"},
		{"long", text + strings.Replace(text[:strings.Index(text[1:], "ITEM: TIMESTEP")+1], "STEP\n0\n", "STEP\n800\n", 1), "long has 5 frames, and 0 4"},
		{"away", "", "file does not exist"},
		{"broken", strings.Replace(text, "\n36 ", "\n36 1 1 1\n99 ", 1), "broken: line "},
		{"far", strings.Replace(text, "\n36 2 ", "\n36 2 2e6", 1), "far: "},
	} {
		_, err := System().Open(dumpFile(simulated[:1], tc.name, tc.text), "")
		refuses(t, err, tc.says)
	}
	for _, tc := range []struct{ name, text, says string }{
		{"one", strings.ReplaceAll(text, " 2 ", " 1 "), "no particle is of species 2"},
		{"third", strings.ReplaceAll(text, " 2 ", " 3 "), "particle 4 is of species 3; use 1 and 2"},
	} {
		src := opened(t, dumpFile(simulated[:1], tc.name, tc.text))
		refuses(t, system.Each(work.Until(context.Background()), src, 2, 1, func(int, *system.Trajectory) error { return nil }), tc.says)
		refuses(t, src.Make(new(system.Trajectory), 1, work.Until(t.Context())), tc.says)
		if got, _ := readAlone(t, src, 0); len(got.Macro) != 8 {
			t.Error("the first file cannot be read after an error")
		}
	}
	moved := clone(simulated[0])
	moved.Points[3*72+4] = 3e6
	_, err := System().Open(fileOf("flown", []byte(dumpOf(moved))), "")
	refuses(t, err, "outside of the walls")
	_, err = System().Open(fileOf("still", []byte(text[:strings.Index(text[1:], "ITEM: TIMESTEP")+1])), "")
	refuses(t, err, "fewer than two frames")
}

// TestWallsOfDumps checks that positions are relative to the lower corner of the box. The sides
// of the box are walls, so a box that changes must be an error.
func TestWallsOfDumps(t *testing.T) {
	simulated, _ := recorded(t)
	text := dumpOf(simulated[0]) // the lower corner of the box is at (1, -2)
	near(t, readAll(t, opened(t, fileOf("elsewhere", []byte(text))), 1), simulated[:1], 0.02)
	last := strings.LastIndex(text, "1 9\n")
	for name, bounds := range map[string]string{"moves": "2 10\n", "shrinks": "1 8\n", "grows": "0 9\n"} {
		_, err := System().Open(fileOf(name, []byte(text[:last]+bounds+text[last+len("1 9\n"):])), "")
		refuses(t, err, "the walls move: ")
	}
	_, err := System().Open(fileOf("tilted", []byte(strings.NewReplacer("ff ff pp", "xy xz yz ff ff pp", "1 9\n", "1 9 0.5\n").Replace(text))), "")
	refuses(t, err, "tilted")
}

// TestTables reads a trajectory from a CSV file with unsorted rows, and from a dump. Both files
// begin with a byte order mark.
func TestTables(t *testing.T) {
	simulated, _ := recorded(t)
	m := simulated[0]
	var b strings.Builder
	b.WriteString("\ufeffstep,id,type,x,y\n")
	n := len(m.Species)
	for i := n - 1; i >= 0; i-- {
		for f := range m.Frames(2) {
			fmt.Fprintf(&b, "%d,%d,%d,%.9g,%.9g\n", 200*f, i, m.Species[i], m.Points[2*(f*n+i)], m.Points[2*(f*n+i)+1])
		}
	}
	for _, text := range []string{b.String(), "\ufeff" + dumpOf(m)} {
		near(t, readAll(t, opened(t, fileOf("run.txt", []byte(text))), 1), []*system.Trajectory{m}, 0.02)
	}
}

// TestSimulatedFails checks that the error of a simulation that stopped names its trajectory.
func TestSimulatedFails(t *testing.T) {
	s := small(1, 2)
	s.Box.Dt, s.Box.Damping = 0.1, 1
	if err := system.Each(work.Until(context.Background()), s, 2, 1, func(int, *system.Trajectory) error { return nil }); err == nil {
		t.Error("a time step of 0.1 is not too long")
	}
	refuses(t, s.Make(new(system.Trajectory), 1, work.Until(t.Context())), "trajectory 1: lj: step")
	s.Box.Height = 1000
	if err := s.Make(new(system.Trajectory), 0, work.Until(t.Context())); err == nil {
		t.Error("a box of 1000 is simulated")
	}
}

// TestOrderOfAtoms checks that ratios do not depend on the order of atoms.
func TestOrderOfAtoms(t *testing.T) {
	m := readAll(t, small(9, 1), 1)[0]
	back := &system.Trajectory{}
	for f := range 4 {
		for i := 35; i >= 0; i-- {
			back.Points = append(back.Points, m.Points[2*(36*f+i):2*(36*f+i)+2]...)
		}
	}
	for i := 35; i >= 0; i-- {
		back.Species = append(back.Species, m.Species[i])
	}
	again := &system.Trajectory{Points: m.Points, Species: m.Species}
	for _, r := range []*system.Trajectory{back, again} {
		if err := System().Finish(r, 2, ""); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(back.Macro, again.Macro) {
		t.Error("the ratios depend on the order of the atoms")
	}
	if got := lj.Ratios(m.Points[:72], m.Species, 2.5); got != [2]float64(again.Macro) {
		t.Errorf("ratios %v, want %v", again.Macro[:2], got)
	}
}
