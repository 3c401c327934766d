package polymer

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/polymer"
	"macroscope/sim/polymer/video"
)

// kinds are the systems of labelled beads and of pictures.
var kinds = []*system.System{System(), FromVideo()}

const few = 8 // beads in a chain that is cheap to simulate

// read returns all trajectories of a source.
func read(t testing.TB, src system.Source, workers int) []*system.Trajectory {
	t.Helper()
	var mu sync.Mutex
	all := make([]*system.Trajectory, src.Shape().Trajectories)
	err := system.Each(work.Until(context.Background()), src, len(all), workers, func(i int, t *system.Trajectory) error {
		mu.Lock()
		defer mu.Unlock()
		all[i] = t.Clone()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func same(a, b *system.Trajectory) bool {
	return slices.Equal(a.Points, b.Points) && slices.Equal(a.Species, b.Species) && slices.Equal(a.Macro, b.Macro)
}

// TestChain checks that shorter chains have the same ε̇N² and the same strain per frame as the
// paper's chain.
func TestChain(t *testing.T) {
	if chain(300) != polymer.Default() {
		t.Error("the paper's chain is another")
	}
	p := polymer.Default()
	for _, n := range []int{20, 50, 100, 200} {
		c := chain(n)
		if err := c.Validate(); err != nil {
			t.Error(err)
		}
		if got, want := c.Rate*float64(n*n), p.Rate*300*300; math.Abs(got-want) > 1e-9*want {
			t.Errorf("%d beads: ε̇N² = %g, want %g", n, got, want)
		}
		strain := func(c polymer.Config) float64 { return c.Rate * c.Dt * float64(c.Every) }
		if got, want := strain(c), strain(p); math.Abs(got-want) > 0.05*want {
			t.Errorf("%d beads: %g Hencky units a frame, want %g", n, got, want)
		}
	}
}

// TestSimulated checks that one worker, several workers and a reader give the same trajectories.
// Another purpose, seed or index must give other trajectories.
func TestSimulated(t *testing.T) {
	for _, s := range kinds {
		choice := system.Choice{Purpose: system.Train, Seed: 3, Count: 3, Particles: few}
		src := s.Simulated(choice)
		all := read(t, src, 1)
		for i, other := range read(t, src, 3) {
			if !same(all[i], other) {
				t.Errorf("trajectory %d depends on the number of workers", i)
			}
		}
		for _, i := range []int{2, 0} {
			var made system.Trajectory
			if err := src.Make(&made, i, work.Until(t.Context())); err != nil {
				t.Fatal(err)
			}
			if !same(&made, all[i]) {
				t.Errorf("a reader makes another trajectory %d", i)
			}
		}
		if err := src.Make(new(system.Trajectory), 3, work.Until(t.Context())); err == nil {
			t.Error("there is a trajectory 3 of 3")
		}
		for _, change := range []func(c *system.Choice){
			func(c *system.Choice) { c.Seed++ }, func(c *system.Choice) { c.Purpose = system.Validate },
			func(c *system.Choice) { c.Purpose = system.Encode }, func(c *system.Choice) { c.Purpose = system.Show },
		} {
			other := choice
			change(&other)
			from := s.Simulated(other).(*simulated)
			x := make([]float32, few*dim)
			for i := range all {
				from.start(from.first+i, x)
				if slices.Equal(x, all[i].Points[:few*dim]) {
					t.Errorf("%+v begins as %+v", other, choice)
				}
			}
		}
	}
	if n := System().Simulated(system.Choice{Count: 1}).Shape().Particles; n != 300 {
		t.Errorf("%d beads unless they are chosen", n)
	}
}

// TestFrame compares sets with their definitions.
func TestFrame(t *testing.T) {
	beads := []float32{-1, 0.5, 2, 0, 0, 1, 1.5, 0.25, -3}
	tr := &system.Trajectory{Points: append(make([]float32, 9), beads...), Species: slices.Repeat([]uint8{1}, 3)}
	var f system.Frame
	System().Frame(&f, tr, 1, dim)
	if want := []float32{-1, 0.5, 0, 0, 0, 0.5, 1.5, 0.25, 1}; !slices.Equal(f.Points, want) || !slices.Equal(f.Ends, []int{3}) {
		t.Errorf("labelled beads are %v to %v, want %v", f.Points, f.Ends, want)
	}
	if got := extension(beads); got != 2.5 {
		t.Errorf("the extension is %g", got)
	}
	picture := make([]uint8, video.Width*video.Height)
	video.Draw(video.NewRenderer(), picture, beads)
	want := video.Pixels(nil, picture)
	FromVideo().Frame(&f, tr, 1, dim)
	if !slices.Equal(f.Points, want) || !slices.Equal(f.Ends, []int{len(want) / dim}) {
		t.Errorf("there are %d pixels to %v, want %d", len(f.Points)/dim, f.Ends, len(want)/dim)
	}
	if got := span(beads); got != float64(video.Span(picture)) {
		t.Errorf("the span is %g", got)
	}
	for _, s := range kinds {
		var packed, g system.Frame
		s.Frame(&f, tr, 1, dim)
		s.Pack(&packed, tr, 1)
		s.Unpack(&g, packed.Points)
		if !slices.Equal(f.Points, g.Points) || !slices.Equal(f.Ends, g.Ends) {
			t.Error("a packed frame is another")
		}
		if n := testing.AllocsPerRun(10, func() { s.Unpack(&g, packed.Points) }); n != 0 {
			t.Errorf("%v allocations a frame", n)
		}
	}
}

// TestThin checks that thinning keeps every k-th point, and at most the requested number.
func TestThin(t *testing.T) {
	for _, tc := range []struct{ n, most, want int }{{5, 10, 5}, {10, 10, 10}, {11, 10, 6}, {25, 10, 9}, {0, 10, 0}} {
		points := make([]float32, tc.n*dim)
		for i := range points {
			points[i] = float32(i)
		}
		got := thin(points, tc.most)
		if len(got) != tc.want*dim {
			t.Errorf("%d of %d points are left, want %d", len(got)/dim, tc.n, tc.want)
		}
		for i := 0; i+dim < len(got); i += dim {
			if step := got[i+dim] - got[i]; step != got[dim]-got[0] || got[i+1] != got[i]+1 {
				t.Errorf("%d points: %v", tc.n, got)
			}
		}
	}
}

// TestStarts checks that a third of the starts are folded, in both directions. Folded chains
// must usually be longer along x than chains at rest.
func TestStarts(t *testing.T) {
	c := chain(40)
	x := make([]float32, c.N*dim)
	const count = 180
	var mean [2]float64
	left := 0
	for i := range count {
		writeStart(x, c, false, 1, i)
		folded := 0
		if i%foldEvery == 0 {
			folded = 1
			if x[dim*3] < x[0] {
				left++
			}
		}
		mean[folded] += extension(x)
	}
	folds := count / foldEvery
	coil, fold := mean[0]/float64(count-folds), mean[1]/float64(folds)
	// At rest, extensions have the mean 5.2 and a standard deviation below 2. When folded, they
	// have the mean 13.8 and a standard deviation below 6. The bounds are ten and five standard
	// errors away.
	if coil > 7 || fold < 9.5 {
		t.Errorf("extensions are %.1f at rest and %.1f folded", coil, fold)
	}
	if left < folds/6 || left > folds*5/6 { // five standard errors from a half
		t.Errorf("%d of %d folds begin to the left", left, folds)
	}
}

// TestHairpins checks that every fourth start of the wide range is a hairpin. The turn must lie near the
// middle, on either side. The other starts must be those of the usual range, but for the random numbers.
func TestHairpins(t *testing.T) {
	c := chain(40)
	x := make([]float32, c.N*dim)
	const count = 240
	left, short := 0, 0
	for i := range count {
		writeStart(x, c, true, 1, i)
		if i%hairpinEvery != 0 {
			continue
		}
		ends, turn := (x[0]+x[dim*(c.N-1)])/2, x[dim*(c.N/2)]
		if ends < turn {
			left++
		}
		// Even with the least tension, the mean of the two strands is 4.6 with a standard deviation
		// of 1.7, so at most one hairpin in 70 is too short.
		if (ends-turn)*(ends-turn) < 1 {
			short++
		}
	}
	hairpins := count / hairpinEvery
	if left < hairpins/6 || left > hairpins*5/6 { // five standard errors from a half
		t.Errorf("%d of %d hairpins begin on the left", left, hairpins)
	}
	if short > hairpins/10 { // by chance with a probability below 1e-4
		t.Errorf("%d of %d hairpins have ends beside their turn", short, hairpins)
	}
	for beads := 2; beads < 20; beads++ { // short chains must not fail
		c.N = beads
		for i := range 40 {
			writeStart(x[:beads*dim], c, true, 1, i)
		}
	}
}

// TestOpen reads back simulated trajectories of both systems, and checks that files that are
// not chains are rejected.
func TestOpen(t *testing.T) {
	all := read(t, System().Simulated(system.Choice{Seed: 1, Count: 2, Particles: few}), 1)
	frames := len(all[0].Macro)
	points := slices.Concat(all[0].Points, all[1].Points)
	file := func(shape []int, points []float32) system.File {
		var b bytes.Buffer
		if err := data.WriteNPZ(&b, map[string]*data.Array{"trajectories": data.NewArray(shape, points)}); err != nil {
			t.Fatal(err)
		}
		return system.File{Name: "x.npz", Bytes: bytes.NewReader(b.Bytes()), Size: int64(b.Len())}
	}
	for which, s := range kinds {
		src, err := s.Open(file([]int{2, frames, few, dim}, points), "")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		got := read(t, src, 2)
		for i, g := range got {
			if !slices.Equal(g.Points, all[i].Points) || !slices.Equal(g.Species, slices.Repeat([]uint8{1}, few)) {
				t.Errorf("trajectory %d is read otherwise", i)
			}
			for k, v := range g.Macro {
				if want := []float64{extension(beadsOf(g, k)), span(beadsOf(g, k))}[which]; v != want {
					t.Fatalf("frame %d has %g, want %g", k, v, want)
				}
			}
			var made system.Trajectory
			if err := src.Make(&made, i, work.Until(t.Context())); err != nil {
				t.Fatal(err)
			}
			if !same(&made, g) {
				t.Errorf("a reader has another trajectory %d", i)
			}
			var raw system.Trajectory
			if err := src.Raw(&raw, i); err != nil || len(raw.Macro) != 0 {
				t.Errorf("raw: %v, %d values", err, len(raw.Macro))
			}
			if err := s.Finish(&raw, dim, ""); err != nil || !same(&raw, g) {
				t.Errorf("finished: %v", err)
			}
		}
		if err := src.Make(new(system.Trajectory), 2, work.Until(t.Context())); err == nil {
			t.Error("there is a trajectory 2 of 2")
		}
	}
	for says, f := range map[string]system.File{
		"save three":            file([]int{2, frames, few * dim, 1}, points),
		"four are needed":       file([]int{2 * frames, few, dim}, points),
		"fewer than two frames": file([]int{2 * frames, 1, few, dim}, points),
		"number of beads is 1;": file([]int{2, frames * few, 1, dim}, points),
		"which is read alone":   {Name: "x.npz", Bytes: file([]int{2, frames, few, dim}, points).Bytes, Size: 1, More: []string{"y.npz"}},
	} {
		if _, err := System().Open(f, ""); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
	if _, err := System().Open(file([]int{2, frames, few, dim}, points), "energy"); err == nil || !strings.Contains(err.Error(), `no observable "energy"`) {
		t.Errorf("another observable: %v", err)
	}
	points[7] = float32(math.NaN())
	if _, err := System().Open(file([]int{2, frames, few, dim}, points), ""); err == nil || !strings.Contains(err.Error(), "trajectory 0: coordinate 1 of particle 2 in frame 0 is NaN") {
		t.Errorf("not a number: %v", err)
	}
	if err := System().Finish(&system.Trajectory{Points: make([]float32, 7), Species: slices.Repeat([]uint8{1}, 2)}, dim, ""); err == nil {
		t.Error("a part of a frame is finished")
	}
}

// TestTests checks that the trajectories of a test have the same start and different noise. The
// start must be a coil in the test "medium", and a fold in the others.
func TestTests(t *testing.T) {
	for _, s := range kinds {
		tests := s.Tests(100)
		var names []string
		var seen [][]float32
		for _, test := range tests {
			names = append(names, test.Name)
			src := test.Source(system.Choice{Seed: 5, Count: 3}).(*simulated)
			a, b := make([]float32, 300), make([]float32, 300)
			src.start(src.first, a)
			src.start(src.first+1, b)
			if !slices.Equal(a, b) || len(src.from) != 300 {
				t.Errorf("%s begins at several places", test.Name)
			}
			for _, other := range seen {
				if slices.Equal(a, other) {
					t.Errorf("%s begins as another", test.Name)
				}
			}
			seen = append(seen, a)
			if e := extension(a); (e < 18) != (test.Name == medium) {
				t.Errorf("%s has the extension %.1f", test.Name, e)
			}
			for i := 0; i+dim < len(a); i += dim {
				d := math.Hypot(math.Hypot(float64(a[i]-a[i+3]), float64(a[i+1]-a[i+4])), float64(a[i+2]-a[i+5]))
				if math.Abs(d-1) > 1e-4 {
					t.Fatalf("%s: a bond of length %g", test.Name, d)
				}
			}
			src.config.Frames = 2
			all := read(t, src, 1)
			if slices.Equal(all[0].Points[300:], all[1].Points[300:]) {
				t.Errorf("%s: runs are the same", test.Name)
			}
		}
		if !slices.Equal(names, testNames) {
			t.Errorf("the tests are %v", names)
		}
		if other := s.Tests(few); len(other) != 1 || other[0].Name != "in-dst" {
			t.Errorf("%d tests of chains without starts", len(other))
		}
		if _, known := s.Passed(few); known {
			t.Error("the plateau of any chain is known")
		}
	}
	// The extension of stretched chains has the mean 79.06 and the standard deviation 2.14. Their
	// span in pixels is greater by about five.
	level, known := System().Passed(100)
	pixels, _ := FromVideo().Passed(100)
	if !known || math.Abs(level-76.92) > 0.2 || pixels < level+4 || pixels > level+8 {
		t.Errorf("a chain has unfolded above %.2f, %.2f pixels", level, pixels)
	}
}

// TestQuantities compares the Rouse modes of two chains with integrals solved by hand.
func TestQuantities(t *testing.T) {
	if names := System().Quantities; !slices.Equal(names, []string{"X_1", "X_2"}) {
		t.Errorf("%v", names)
	}
	const n = 1000
	straight, hairpin := &system.Trajectory{Points: make([]float32, n*dim), Species: slices.Repeat([]uint8{1}, n)}, &system.Trajectory{Points: make([]float32, n*dim), Species: slices.Repeat([]uint8{1}, n)}
	for i := range n {
		s := (float64(i) + 0.5) / n
		straight.Points[dim*i], hairpin.Points[dim*i] = float32(s), float32(math.Abs(s-0.5))
	}
	var x [2]float64
	System().Quantify(x[:], straight, 0) // the modes are ∫ s cos πs ds = -2/π² and ∫ s cos 2πs ds = 0
	if math.Abs(x[0]+2/(math.Pi*math.Pi)) > 1e-5 || math.Abs(x[1]) > 1e-5 {
		t.Errorf("a straight chain has the modes %v", x)
	}
	System().Quantify(x[:], hairpin, 0)
	if math.Abs(x[0]) > 1e-5 || math.Abs(x[1]-1/(math.Pi*math.Pi)) > 1e-5 {
		t.Errorf("a hairpin has the modes %v", x)
	}
}

// TestMirror checks that every mirroring moves each bead to the right place, keeps the predicted
// variable, and is its own inverse. MirrorFrame must agree with Mirror.
func TestMirror(t *testing.T) {
	tr := read(t, System().Simulated(system.Choice{Seed: 1, Count: 1, Particles: few}), 1)[0]
	for ways := range uint(8) {
		got := tr.Clone()
		System().Mirror(got.Points, few, ways)
		if (ways == 0) != slices.Equal(got.Points, tr.Points) {
			t.Errorf("ways %b: the same points", ways)
		}
		for k := range 3 {
			var was, is system.Frame
			System().Frame(&was, tr, k, dim)
			System().Frame(&is, got, k, dim)
			for i := range few {
				j := i
				if ways&4 != 0 {
					j = few - 1 - i
				}
				want := [3]float32{was.Points[dim*j], was.Points[dim*j+1], is.Points[dim*i+2]}
				for axis := range 2 {
					if ways>>axis&1 == 1 {
						want[axis] = -want[axis]
					}
				}
				if [3]float32(is.Points[dim*i:]) != want {
					t.Fatalf("ways %b, frame %d: bead %d is at %v, want %v", ways, k, i, is.Points[dim*i:dim*i+3], want)
				}
			}
			if a, b := extension(beadsOf(got, k)), extension(beadsOf(tr, k)); a != b {
				t.Errorf("ways %b: the extension becomes %g, was %g", ways, a, b)
			}
		}
		for _, s := range []*system.System{System(), FromVideo()} {
			var of, want system.Frame
			s.Frame(&of, tr, 1, dim)
			s.Frame(&want, got, 1, dim)
			s.MirrorFrame(&of, ways)
			near := func(a, b [dim]float32) bool { // compares the third coordinates up to rounding
				return a[0] == b[0] && a[1] == b[1] && math.Abs(float64(a[2]-b[2])) < 1e-6
			}
			if !slices.EqualFunc(sorted(of.Points), sorted(want.Points), near) {
				t.Errorf("ways %b, %s: a frame that is mirrored is not that of mirrored beads", ways, s.Traits.Name)
			}
		}
		System().Mirror(got.Points, few, ways)
		if !slices.Equal(got.Points, tr.Points) {
			t.Errorf("ways %b twice make other points", ways)
		}
	}
}

// sorted returns the points of a set in a unique order.
func sorted(points []float32) (rows [][dim]float32) {
	for p := range slices.Chunk(points, dim) {
		rows = append(rows, [dim]float32(p))
	}
	slices.SortFunc(rows, func(a, b [dim]float32) int { return slices.Compare(a[:], b[:]) })
	return rows
}
