package particles

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/model/system/excerpt"
	"macroscope/model/work"
	"macroscope/sim/particle"
)

// Ten simulated trajectories of fifty particles.
func ExampleSystem() {
	src := System().Simulated(system.Choice{Seed: 1, Count: 10, Particles: 50})
	fmt.Println(src.Shape())
	err := system.Each(work.Until(context.Background()), src, 1, 1, func(i int, t *system.Trajectory) error {
		fmt.Println(i, len(t.Points), t.At(0, 1)[0] > t.At(300, 1)[0])
		return nil
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// {10 301 50 2}
	// 0 30100 true
}

// shown returns trajectories for the user, with the flags of the command simulate.
func shown(s *system.System, seed uint64, count, particles, components, steps int, params ...system.Range) (*Simulated, error) {
	table, begin := s.Flags(&system.Choice{Seed: seed, Count: count, Params: params})
	for name, n := range map[string]int{"particles": particles, "components": components, "steps": steps} {
		*table.Find(name).Value.(*int) = n
	}
	src, err := begin()
	return src.(*Simulated), err
}

// small returns a few short trajectories of few particles.
func small(t testing.TB, seed uint64, count int) *Simulated {
	t.Helper()
	src, err := shown(System(), seed, count, 20, 2, 12)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func clone(t *system.Trajectory) *system.Trajectory {
	return t.Clone()
}

// The function `all` returns every trajectory of a source. It reads the trajectories with the
// method Each.
func all(t testing.TB, src system.Source) []*system.Trajectory {
	t.Helper()
	list := make([]*system.Trajectory, src.Shape().Trajectories)
	if err := system.Each(work.Until(context.Background()), src, len(list), 3, func(i int, r *system.Trajectory) error {
		list[i] = clone(r)
		clear(r.Points) // a callback of the method Each may change r
		clear(r.Macro)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return list
}

// madeAlone checks that Make gives the same bits as Each: in any order, in more than one piece, and after
// a trajectory that was given up in the middle.
func madeAlone(t *testing.T, src system.Source, want []*system.Trajectory) {
	t.Helper()
	var got system.Trajectory
	for _, index := range []int{2, 0, 1, 1} {
		p := work.Begin(func(pause work.Pause) error { return src.Make(&got, 3, pause) })
		if more, err := p.Next(); !more || err != nil {
			t.Fatalf("whole after one piece (%v)", err)
		}
		p.Close()
		pieces, share := 0, 0.0
		err := src.Make(&got, index, func(now float64) error {
			if pieces++; now < share || now > 1 {
				t.Errorf("the share goes from %g to %g", share, now)
			}
			share = now
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if pieces < len(got.Macro)-1 || !slices.Equal(got.Points, want[index].Points) || !slices.Equal(got.Macro, want[index].Macro) {
			t.Errorf("trajectory %d is another after %d pieces", index, pieces)
		}
		clear(got.Points)
	}
	for _, index := range []int{-1, src.Shape().Trajectories} {
		if src.Make(&got, index, work.Until(t.Context())) == nil {
			t.Errorf("there is a trajectory %d", index)
		}
	}
}

// TestSimulatedIsTheSimulator checks that the trajectories have the same bits as the
// trajectories of package particle.
func TestSimulatedIsTheSimulator(t *testing.T) {
	src := small(t, 4, 5)
	c := particle.Default()
	c.N, c.Steps = 20, 12
	got := all(t, src)
	for i, tr := range got {
		want := particle.NewTrajectory(c)
		sim, err := particle.New(t.Context(), c, particle.InitialPositions(c, 4, i))
		if err == nil {
			err = sim.Record(t.Context(), want)
		}
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(tr.Points, want.Frames) || !slices.Equal(tr.Macro, want.Energy) {
			t.Errorf("trajectory %d is another", i)
		}
	}
	madeAlone(t, src, got)
	if _, err := shown(System(), 1, 1, 1, 2, 3); err == nil {
		t.Error("one particle is simulated")
	}
}

// TestParameters checks that trajectories with other forces start from the same positions, and
// that Finish computes energies with these forces.
func TestParameters(t *testing.T) {
	src, err := shown(System(), 4, 5, 20, 2, 12, system.Range{Name: "b", Low: 0.2, High: 0.4}, system.Range{Name: "a", Low: 6, High: 6})
	if err != nil {
		t.Fatal(err)
	}
	got, usual := all(t, src), all(t, small(t, 4, 5))
	madeAlone(t, src, got)
	for i, tr := range got {
		if tr.Params[0] != 6 || tr.Params[1] < 0.2 || tr.Params[1] > 0.4 || i > 0 && tr.Params[1] == got[0].Params[1] {
			t.Errorf("trajectory %d has the parameters %v", i, tr.Params)
		}
		if size := len(tr.Points) / 13; !slices.Equal(tr.Points[:size], usual[i].Points[:size]) || slices.Equal(tr.Points, usual[i].Points) {
			t.Errorf("trajectory %d does not begin as the usual one, or goes on as it does", i)
		}
		again := system.Trajectory{Points: tr.Points, Species: tr.Species, Params: tr.Params}
		if err := System().Finish(&again, 2, ""); err != nil {
			t.Fatal(err)
		}
		for k, want := range tr.Macro {
			if math.Abs(again.Macro[k]-want) > 1e-12 {
				t.Errorf("trajectory %d, frame %d: energy %g, want %g", i, k, again.Macro[k], want)
			}
		}
		if again.Params = []float64{1}; System().Finish(&again, 2, "") == nil {
			t.Error("one parameter of two is taken")
		}
	}
}

// TestPurposes checks the first trajectory index of each purpose and test, as in the shipped
// trainings. Trajectories of different purposes and tests must have different starts.
func TestPurposes(t *testing.T) {
	if got := System().Simulated(system.Choice{Count: 3}).Shape(); got != (system.Shape{Trajectories: 3, Frames: 301, Particles: 300, Dim: 2}) {
		t.Errorf("shape %+v", got)
	}
	const count = 20
	sources := map[string]*Simulated{}
	for name, purpose := range map[string]system.Purpose{"show": system.Show, "train": system.Train, "validate": system.Validate, "encode": system.Encode} {
		sources[name] = System().Simulated(system.Choice{Purpose: purpose, Seed: 1, Count: count, Particles: 300}).(*Simulated)
	}
	for _, test := range System().Tests(0) {
		sources[test.Name] = test.Source(system.Choice{Seed: 1, Count: count}).(*Simulated)
		if !test.Fixed {
			if test.Name != "diff-N" {
				t.Errorf("%s has no set of a fixed size", test.Name)
			}
		} else if got := test.Source(system.Choice{Seed: 1, Count: count, Fixed: true}).(*Simulated); !reflect.DeepEqual(got, sources[test.Name]) {
			t.Errorf("%s of a fixed size is another", test.Name)
		}
	}
	for name, want := range map[string][3]int{
		"show": {0, 300, 2}, "train": {1 << 32, 300, 2}, "validate": {3 << 32, 300, 2},
		"in-dst": {1<<33 + 300<<8 + 2<<20, 300, 2}, "diff-init": {1<<33 + 300<<8 + 3<<20, 300, 3}, "diff-N": {1<<33 + 400<<8 + 2<<20, 400, 2},
	} {
		if s := sources[name]; s.first != want[0] || s.config.N != want[1] || s.config.Components != want[2] {
			t.Errorf("%s begins with trajectory %d of %d particles", name, s.first, s.config.N)
		}
	}
	var mu sync.Mutex
	seen := map[[2]float32]string{}
	for name, s := range sources {
		s.config.N, s.config.Steps = 2, 1
		err := system.Each(work.Until(context.Background()), s, count, 2, func(i int, r *system.Trajectory) error {
			mu.Lock()
			defer mu.Unlock()
			start := [2]float32{r.Points[0], r.Points[1]}
			if other, ok := seen[start]; ok {
				t.Errorf("%s repeats %s", name, other)
			}
			seen[start] = name
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestWide reads trajectories of the wider range. The number of clusters at the start must cycle
// through 1, 2, 3, 4 and 2. Trajectories with two clusters must equal trajectories of the usual range.
// A reader must give the same trajectories as Each.
func TestWide(t *testing.T) {
	choice := system.Choice{Purpose: system.Train, Seed: 3, Count: 8, Particles: 20}
	usual := System().Simulated(choice).(*Simulated)
	choice.Wide = true
	wide := System().Simulated(choice).(*Simulated)
	usual.config.Steps, wide.config.Steps = 2, 2
	got, two := all(t, wide), all(t, usual)
	var made system.Trajectory
	for i, tr := range got {
		c := wide.config
		c.Components = []int{1, 2, 3, 4, 2}[(first[system.Train]+i)%5]
		if want := particle.InitialPositions(c, 3, first[system.Train]+i); !slices.Equal(tr.Points[:40], want) {
			t.Errorf("trajectory %d does not start from %d clusters", i, c.Components)
		}
		if same := slices.Equal(tr.Points, two[i].Points); same != (c.Components == 2) {
			t.Errorf("trajectory %d of %d clusters is as without the wider range: %v", i, c.Components, same)
		}
		if err := wide.Make(&made, i, work.Until(t.Context())); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(made.Points, tr.Points) {
			t.Errorf("trajectory %d is another if it is made alone", i)
		}
	}
}

func TestKeep(t *testing.T) {
	kept := 0
	for k := range 301 {
		if System().Keep.Has(k) {
			kept++
		}
	}
	if kept != 101+25+10+10 {
		t.Errorf("%d frames of 301 are kept", kept)
	}
}

// TestFrame reads a frame of a whole trajectory, of a trajectory without species, and of a
// trajectory with only frame 0.
func TestFrame(t *testing.T) {
	tr := all(t, small(t, 1, 1))[0]
	var f system.Frame
	if System().Frame(&f, tr, 5, 2); !slices.Equal(f.Points, tr.Points[5*40:6*40]) || !slices.Equal(f.Ends, []int{20}) {
		t.Error("another frame")
	}
	bare := &system.Trajectory{Points: tr.Points, Macro: tr.Macro}
	if err := System().Finish(bare, 2, ""); err != nil {
		t.Fatal(err)
	}
	if System().Frame(&f, bare, 5, 2); !slices.Equal(f.Points, tr.Points[5*40:6*40]) {
		t.Error("without species it is another frame")
	}
	start := &system.Trajectory{Points: tr.Points[:40], Species: tr.Species, Macro: tr.Macro}
	if System().Frame(&f, start, 0, 2); !slices.Equal(f.Points, tr.Points[:40]) {
		t.Error("the first frame alone is another")
	}
}

// TestStarts checks that Starts contains frame 0 and the macroscopic variables of every
// trajectory.
func TestStarts(t *testing.T) {
	src := small(t, 1, 3)
	starts, err := excerpt.Collect(work.Until(context.Background()), src, 0, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	want := all(t, src)
	err = system.Each(work.Until(context.Background()), starts, 3, 1, func(i int, tr *system.Trajectory) error {
		var f system.Frame
		if System().Frame(&f, tr, 0, 2); !slices.Equal(f.Points, want[i].Points[:40]) || !slices.Equal(tr.Macro, want[i].Macro) {
			t.Errorf("trajectory %d starts elsewhere", i)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func archive(t testing.TB, arrays map[string]*data.Array) system.File {
	t.Helper()
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, arrays); err != nil {
		t.Fatal(err)
	}
	return file("mine.npz", b.Bytes())
}

func file(name string, b []byte) system.File {
	return system.File{Name: name, Bytes: bytes.NewReader(b), Size: int64(len(b))}
}

// TestRecordingIsWhatWasSimulated writes simulated trajectories in float32 and float64, with
// and without the energy, and reads them.
func TestRecordingIsWhatWasSimulated(t *testing.T) {
	src := small(t, 4, 5)
	s := src.Shape()
	simulated := all(t, src)
	shape := []int{5, s.Frames, s.Particles, 2}
	var x []float32
	var x64, macro []float64
	for _, r := range simulated {
		x, macro = append(x, r.Points...), append(macro, r.Macro...)
	}
	for _, v := range x {
		x64 = append(x64, float64(v))
	}
	var bare bytes.Buffer
	if err := data.WriteNPY(&bare, data.NewArray(shape, x)); err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]system.File{
		"float32":     archive(t, map[string]*data.Array{"trajectories": data.NewArray(shape, x)}),
		"float64":     archive(t, map[string]*data.Array{"trajectories": data.NewArray(shape, x64), "types": data.NewArray([]int{5, 20}, make([]int64, 5*20))}),
		"with energy": archive(t, map[string]*data.Array{"trajectories": data.NewArray(shape, x), "macro": data.NewArray([]int{5, s.Frames, 1}, macro)}),
		"an NPY file": file("a.npy", bare.Bytes()),
	} {
		for _, observable := range []string{"", Energy} {
			t.Run(name+observable, func(t *testing.T) {
				rec, err := System().Open(f, observable)
				if err != nil {
					t.Fatal(err)
				}
				defer rec.Close()
				if rec.Shape() != s || rec.Observable() != Energy {
					t.Errorf("%s of %+v", rec.Observable(), rec.Shape())
				}
				for i, r := range all(t, rec) {
					if !slices.Equal(r.Points, simulated[i].Points) {
						t.Errorf("trajectory %d has other positions", i)
					}
					if !slices.Equal(r.Macro, simulated[i].Macro) { // computed by the same code from the same positions
						t.Errorf("trajectory %d has energies %v, want %v", i, r.Macro, simulated[i].Macro)
					}
				}
				madeAlone(t, rec, simulated)
				for _, i := range []int{3, 0, 4} { // Finish must complete trajectories that Raw has read
					var r system.Trajectory
					if err := rec.Raw(&r, i); err != nil {
						t.Fatal(err)
					}
					if given := len(r.Macro) > 0; given != (name == "with energy") {
						t.Errorf("energy given: %v", given)
					}
					if err := System().Finish(&r, 2, rec.Observable()); err != nil || !slices.Equal(r.Points, simulated[i].Points) || !slices.Equal(r.Macro, simulated[i].Macro) {
						t.Errorf("finished, trajectory %d is another: %v", i, err)
					}
				}
				if rec.Raw(new(system.Trajectory), 5) == nil {
					t.Error("there is a sixth trajectory")
				}
			})
		}
	}
}

// TestTexts opens trajectories as LAMMPS dumps and as tables. Every file begins with a byte order mark.
func TestTexts(t *testing.T) {
	simulated := all(t, small(t, 2, 4))
	dump, table := make([]string, 4), make([]string, 4)
	for e, r := range simulated {
		dump[e], table[e] = "\ufeff", "\ufeffframe,x,y\n"
		for k := range r.Macro {
			dump[e] += fmt.Sprintf("ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n20\nITEM: BOX BOUNDS ff ff pp\n0 9\n0 9\n0 1\nITEM: ATOMS id type x y\n", k)
			for i := range 20 {
				x, y := r.Points[40*k+2*i], r.Points[40*k+2*i+1]
				dump[e] += fmt.Sprintf("%d 7 %.9g %.9g\n", i, x, y)
				table[e] += fmt.Sprintf("%d,%.9g,%.9g\n", k, x, y)
			}
		}
	}
	for _, text := range [][]string{dump, table} {
		f := file("mine.txt", []byte(text[0]))
		f.More, f.Open = []string{"1", "2", "3"}, func(name string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(text[name[0]-'0'])), nil
		}
		for observable, stored := range map[string]string{"": Energy, Gyration: Gyration} {
			rec, err := System().Open(f, observable)
			if err != nil {
				t.Fatal(err)
			}
			if rec.Observable() != stored || rec.Shape() != (system.Shape{Trajectories: 4, Frames: 13, Particles: 20, Dim: 2}) {
				t.Errorf("%s of %+v", rec.Observable(), rec.Shape())
			}
			list := all(t, rec)
			madeAlone(t, rec, list)
			for i, r := range list {
				if !slices.Equal(r.Points, simulated[i].Points) || stored == Energy && !slices.Equal(r.Macro, simulated[i].Macro) || r.Macro[1] == 0 {
					t.Errorf("trajectory %d is another", i)
				}
			}
		}
	}
	for text, says := range map[string]string{
		"x,y\n1,2\n3,4\n":                               "no column tells the frames apart",
		"frame,x,y,z\n0,1,2,3\n1,1,2,4\n":               "that of particles in the plane, and these have 3 coordinates",
		"frame,x,y\n0,1,2\n1,nan,3\n":                   "line 3, column 2",
		"1.5e,2,3\n0,1,2\n1,2,3\n":                      "line 1: the table has no header",
		dump[0][:strings.Index(dump[0], "ITEM: ATOMS")]: "the file ends within its first frame",
	} {
		if _, err := System().Open(file("mine.csv", []byte(text)), ""); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.20q: error %v, want one that says %q", text, err, says)
		}
	}
}

// TestDumpsOfAnyBox checks that the box of a dump changes neither positions nor energies,
// because the particles have no walls. It tries all notations of positions.
func TestDumpsOfAnyBox(t *testing.T) {
	want := all(t, small(t, 2, 1))[0]
	type box struct{ low, high float64 }
	for name, of := range map[string]func(frame int) box{
		"at the origin": func(int) box { return box{0, 32} },
		"elsewhere":     func(int) box { return box{-16, 16} },
		"moving":        func(k int) box { return box{float64(k) - 16, float64(k) + 16} },
		"shrinking":     func(k int) box { return box{float64(k) - 20, 20 - float64(k)/2} },
	} {
		for columns, scaled := range map[string]bool{"x y": false, "xu yu": false, "xs ys": true, "xsu ysu": true} {
			var text strings.Builder
			for k := range want.Macro {
				b := of(k)
				fmt.Fprintf(&text, "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n20\nITEM: BOX BOUNDS ss ss pp\n%g %g\n%g %g\n-1 1\nITEM: ATOMS id type %s\n", k, b.low, b.high, b.low, b.high, columns)
				for i := range 20 {
					x := [2]float64{float64(want.Points[40*k+2*i]), float64(want.Points[40*k+2*i+1])}
					for d := range x {
						if scaled {
							x[d] = (x[d] - b.low) / (b.high - b.low)
						}
					}
					fmt.Fprintf(&text, "%d 1 %.17g %.17g\n", i, x[0], x[1])
				}
			}
			rec, err := System().Open(file("mine.dump", []byte(text.String())), "")
			if err != nil {
				t.Fatal(err)
			}
			got := all(t, rec)[0]
			for i, v := range got.Points {
				if math.Abs(float64(v-want.Points[i])) > 1e-6 {
					t.Fatalf("box %s, %s: coordinate %d is %g, want %g", name, columns, i, v, want.Points[i])
				}
			}
			for k, v := range got.Macro {
				if math.Abs(v-want.Macro[k]) > 1e-4*math.Abs(want.Macro[k]) {
					t.Errorf("box %s, %s: the energy of frame %d is %g, want %g", name, columns, k, v, want.Macro[k])
				}
			}
		}
	}
}

// TestObservablesOfAFile opens one file with every observable.
func TestObservablesOfAFile(t *testing.T) {
	src := small(t, 2, 4)
	s := src.Shape()
	var x []float32
	speed := make([]float64, 4*s.Frames)
	simulated := all(t, src)
	for _, r := range simulated {
		x = append(x, r.Points...)
	}
	for i := range speed {
		speed[i] = float64(i%7) / 7
	}
	f := archive(t, map[string]*data.Array{"trajectories": data.NewArray([]int{4, s.Frames, 20, 2}, x), "speed": data.NewArray([]int{4, s.Frames}, speed)})
	for observable, stored := range map[string]string{Energy: Energy, Gyration: Gyration, Extent: Extent, "speed": "speed", system.OwnArray: "speed"} {
		rec, err := System().Open(f, observable)
		if err != nil {
			t.Fatalf("%s: %v", observable, err)
		}
		if rec.Observable() != stored || !slices.Equal(System().Variables(rec.Observable()), []string{stored}) {
			t.Errorf("%s is stored as %s", observable, rec.Observable())
		}
		facts := rec.Facts()
		want := []string{`the array "speed" can be the observable too`}
		if stored == "speed" {
			want = nil
		}
		if !slices.Equal(facts.Remarks, want) || (facts.Observed == "speed from the array speed") != (stored == "speed") {
			t.Errorf("%s: remarks %q, observed %q", observable, facts.Remarks, facts.Observed)
		}
		list := all(t, rec)
		madeAlone(t, rec, list)
		for i, r := range list {
			o := (&observer{name: stored, dim: 2})
			for k := range r.Macro {
				want, err := o.observe(r.Points[k*40:(k+1)*40], nil)
				if stored == "speed" {
					want = speed[i*s.Frames+k]
				}
				if err != nil || r.Macro[k] != want {
					t.Fatalf("%s of frame %d is %g, want %g (%v)", observable, k, r.Macro[k], want, err)
				}
			}
		}
	}
	for _, o := range System().Observables {
		if _, err := System().Open(f, o.Value); err != nil || o.Label == "" {
			t.Errorf("%s: %v", o.Value, err)
		}
	}
	if got := System().Variables(""); !slices.Equal(got, []string{"energy"}) {
		t.Errorf("the system's own variables are %v", got)
	}
}

// TestDimensions opens particles with other than 2 coordinates.
func TestDimensions(t *testing.T) {
	for _, d := range []int{1, 3, 16} {
		x := make([]float32, 2*3*4*d)
		for i := range x {
			x[i] = float32(i % 11)
		}
		f := archive(t, map[string]*data.Array{"trajectories": data.NewArray([]int{2, 3, 4, d}, x)})
		rec, err := System().Open(f, Gyration)
		if err != nil {
			t.Fatal(err)
		}
		list := all(t, rec)
		var r system.Trajectory
		if err := rec.Raw(&r, 1); err != nil {
			t.Fatal(err)
		}
		if err := System().Finish(&r, d, Gyration); err != nil || !slices.Equal(r.Macro, list[1].Macro) || len(r.Macro) != 3 {
			t.Errorf("in %d dimensions the gyration is %v, want %v (%v)", d, r.Macro, list[1].Macro, err)
		}
		if err := newLive().Playable(rec.Shape()); err == nil || !strings.Contains(err.Error(), "in the plane") {
			t.Errorf("the page shows %d dimensions: %v", d, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	zeros := func(shape ...int) *data.Array {
		n := 1
		for _, s := range shape {
			n *= s
		}
		return data.NewArray(shape, make([]float32, n))
	}
	for _, tc := range []struct {
		name       string
		arrays     map[string]*data.Array
		observable string
		says       string
	}{
		{"no trajectories", map[string]*data.Array{"x": zeros(2, 3, 4, 2)}, Energy, "no array \"trajectories\""},
		{"wrong rank", map[string]*data.Array{"trajectories": zeros(3, 4, 2)}, Energy, "3 dimensions"},
		{"none", map[string]*data.Array{"trajectories": zeros(0, 3, 4, 2)}, Energy, "no trajectory"},
		{"one frame", map[string]*data.Array{"trajectories": zeros(2, 1, 4, 2)}, Energy, "fewer than two frames"},
		{"no particles", map[string]*data.Array{"trajectories": zeros(2, 3, 0, 2)}, Energy, "no particles"},
		{"too many particles", map[string]*data.Array{"trajectories": zeros(1, 2, 100_001, 1)}, Extent, "the limit is 100000"},
		{"no coordinates", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 0)}, Energy, "0 coordinates"},
		{"many coordinates", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 17)}, Extent, "17 coordinates; 1 to 16"},
		{"energy in space", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 3)}, Energy, "plane"},
		{"unknown observable", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 2)}, "colour", "no observable \"colour\""},
		{"no array of its own", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 2), "macro": zeros(2, 3)}, system.OwnArray, "no array beside"},
		{"macro of another shape", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 2), "macro": zeros(2, 4)}, Energy, "shape [2 4]"},
		{"macro not a number", map[string]*data.Array{"trajectories": zeros(1, 2, 4, 2), "macro": data.NewArray([]int{1, 2}, []float64{1, math.NaN()})}, Energy, "frame 1 of trajectory 0"},
		{"times that contradict dt", map[string]*data.Array{"trajectories": zeros(1, 3, 2, 2), "dt": data.NewArray([]int{1}, []float64{0.1}), "time": data.NewArray([]int{3}, []float64{0, 5, 10})}, Extent, "the array time has a frame every 5, and dt is 0.1"},
		{"whole numbers", map[string]*data.Array{"trajectories": data.NewArray([]int{1, 2, 2, 2}, make([]int64, 8))}, Energy, "float32"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := System().Open(archive(t, tc.arrays), tc.observable)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
		})
	}
	for _, b := range []string{"", "no numbers", "PK\x03\x04 and no more"} {
		if _, err := System().Open(file("a.npz", []byte(b)), Energy); err == nil {
			t.Errorf("%q was opened", b)
		}
	}
	two := file("a.npz", []byte("PK\x03\x04"))
	if two.More = []string{"b.npz"}; true {
		if _, err := System().Open(two, Energy); err == nil || !strings.Contains(err.Error(), "2 files") {
			t.Errorf("error %v", err)
		}
	}
}

// TestDamagedFiles checks that damaged files are rejected when they are opened: a file with
// altered bytes, a file that claims more than it contains, and a file with a byte too many.
func TestDamagedFiles(t *testing.T) {
	x := make([]float32, 5*3*4*2)
	for i := range x {
		x[i] = float32(i)
	}
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, map[string]*data.Array{"trajectories": data.NewArray([]int{5, 3, 4, 2}, x)}); err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(b.Bytes())
	for at := 300; at < 600; at++ {
		flipped[at] ^= 1
	}
	var npy bytes.Buffer
	if err := data.WriteNPY(&npy, data.NewArray([]int{5, 3, 4, 2}, x)); err != nil {
		t.Fatal(err)
	}
	claims := bytes.Replace(npy.Bytes(), []byte("(5, 3, 4, 2), }         "), []byte("(1000000000, 3, 4, 2), }"), 1)
	for name, f := range map[string]system.File{"flipped": file("a.npz", flipped), "claims": file("a.npy", claims), "longer": file("a.npy", append(npy.Bytes(), 0))} {
		if rec, err := System().Open(f, Gyration); err == nil {
			t.Errorf("%s: opened as %v", name, rec.Shape())
		}
	}
}

// TestBadPositions checks that errors name the place of a position that is not a number.
func TestBadPositions(t *testing.T) {
	x := make([]float32, 2*3*4*2)
	x[2*2*4*2+5] = float32(math.NaN())
	check := func(who string, err error, want string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one that says %q", who, err, want)
		}
	}
	const where = "coordinate 1 of particle 2 in frame 1"
	_, err := System().Open(archive(t, map[string]*data.Array{"trajectories": data.NewArray([]int{2, 3, 4, 2}, x)}), Gyration)
	check("Open", err, "trajectory 1: "+where+" is NaN")
	raw := system.Trajectory{Points: x[24:], Species: slices.Repeat([]uint8{1}, 4)}
	check("Finish", System().Finish(&raw, 2, Gyration), where+" is NaN")

	far := &system.Trajectory{Points: []float32{0, 0, 1e5, 0}, Species: []uint8{1, 1}}
	check("Finish", System().Finish(far, 2, Energy), "frame 0: particle: coordinate 0 of particle 1")
	check("Finish", System().Finish(&system.Trajectory{Points: []float32{0, 0, 1}, Species: []uint8{1}}, 2, Energy), "no frames")
	check("Finish", System().Finish(&system.Trajectory{Points: []float32{0, 0}}, 2, Energy), "no frames")
	check("Finish", System().Finish(&system.Trajectory{Points: []float32{0, 0}, Species: []uint8{1}}, 2, "speed"), "no observable")
	check("Finish", System().Finish(&system.Trajectory{Points: []float32{0, 0, 0}, Species: []uint8{1}}, 3, Energy), "plane")
}

func TestObservables(t *testing.T) {
	frame := []float32{0, 0, 4, 0, 0, 3, 4, 3}
	for name, want := range map[string]float64{Gyration: 2.5, Extent: 4} {
		if got, err := (&observer{name: name, dim: 2}).observe(frame, nil); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g (%v), want %g", name, got, err, want)
		}
	}
}

// TestTimesOfFiles checks that a recording plays in the time of its file.
func TestTimesOfFiles(t *testing.T) {
	for text, want := range map[string]float64{"time,x,y\n0,1,2\n0,2,2\n0.5,1,2\n0.5,2,3\n": 0.5, "frame,x,y\n0,1,2\n0,2,2\n1,1,2\n1,2,3\n": 0.02} {
		rec, err := System().Open(file("a.csv", []byte(text)), Energy)
		if err != nil {
			t.Fatal(err)
		}
		l := System().Live()
		l.Record(all(t, rec)[0].Clone(), "")
		if got := l.Run().Dt; got != want {
			t.Errorf("frames are %g apart, want %g", got, want)
		}
	}
}

// TestBoxOfFiles checks that the array box says along which coordinates the box repeats.
func TestBoxOfFiles(t *testing.T) {
	rec, err := System().Open(archive(t, map[string]*data.Array{
		"trajectories": data.NewArray([]int{1, 2, 2, 2}, []float32{1, 2, 3, 4, 5, 6, 7, 8}), "box": data.NewArray([]int{2}, []float64{0, 9}),
	}), Extent)
	if err != nil {
		t.Fatal(err)
	}
	if f := rec.Facts(); !slices.Equal(f.Repeats, []string{"coordinate 1"}) || !f.Wrapped {
		t.Errorf("the box repeats in %v; wrapped: %t", f.Repeats, f.Wrapped)
	}
}
