package own

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// flock is a system with all kinds of facts.
func flock() Spec {
	return Spec{
		Title: "A flock",
		Axes: []Axis{
			{Name: "x", Unit: "m", Period: 5}, {Name: "y", Unit: "m", Period: 5},
			{Name: "vx", Unit: "m/s", Kind: Velocity}, {Name: "vy", Unit: "m/s", Kind: Velocity, Centre: -0.5}, {Name: "body mass", Kind: Mark},
		},
		Species:     []Species{{"birds", "4"}, {"2", "2"}},
		Observables: []Observable{{Name: "order", Of: "polarisation"}, {Name: "noise level", Unit: "dB"}},
		Parameters:  []Parameter{{"wing span", "m", 0.5, 2}, {Name: "size", Low: -1, High: 1e9}},
		Frames:      12, Dt: 0.2, Time: "s", Noise: true, Turns: true, Shifts: true, Preset: "quick", Keep: []Kept{{4, 1}, {0, 2}}, Stride: 3,
	}
}

// TestDescription writes a system to the metadata of a checkpoint and reads it again, and writes it as lines.
func TestDescription(t *testing.T) {
	s := flock()
	read, err := Read(s.description())
	if err != nil {
		t.Fatal(err)
	}
	want := s.System()
	if !reflect.DeepEqual(read.Traits, want.Traits) || !reflect.DeepEqual(read.Macro, want.Macro) {
		t.Errorf("read %+v, written %+v", read.Traits, want.Traits)
	}
	lines, err := ParseLines("# a comment\n"+s.Text(), "flock.system")
	if err != nil {
		t.Fatal(err)
	}
	found := Spec{Axes: axes(5), Species: []Species{{"2", "2"}, {"4", "4"}}, Observables: []Observable{{Name: "noise level"}, {Name: "other"}}, Parameters: []Parameter{{"size", "", -1, 1e9}, {"wing span", "", 0.5, 2}}, Frames: 12}
	if err := found.Apply(lines); err != nil {
		t.Fatal(err)
	}
	s.Species = []Species{{"birds", "2"}, {"2", "4"}} // the file numbers them
	if !reflect.DeepEqual(found, s) {
		t.Errorf("from lines %+v, want %+v", found, s)
	}
	if tr := want.Traits; !reflect.DeepEqual(tr.Vectors, [][]int{{0, 1}, {2, 3}}) || !reflect.DeepEqual(tr.Periods, []float64{5, 5, 0, 0, 0}) || tr.Centre[3] != -0.5 {
		t.Errorf("vectors %v, periods %v, centre %v", tr.Vectors, tr.Periods, tr.Centre)
	}
}

// TestWrongLines checks the sentences about wrong lines.
func TestWrongLines(t *testing.T) {
	for text, says := range map[string]string{
		"axes = x, y\nspeed":                               `a.system:2: "speed" is not NAME = VALUE`,
		"colour = red":                                     "colour",
		"axes = x":                                         "there are 1 axes, and the particles have 2 coordinates",
		"parameters = size":                                "the file has no parameter \"size\" that differs between runs; it has none",
		"parameters = size low to 3":                       "is not NAME LOW to HIGH",
		"species = A, B":                                   "there are 2 species, and the file has 1",
		"axes = x period -2, y":                            `a.system:1: axes cannot be "x period -2, y": the period "-2" of "x" is not a number from 0`,
		"axes = x, x":                                      "there twice",
		"frames = 1":                                       "frames = \"1\"; give a number from 2",
		"observables = pressure":                           `the file has no observable "pressure"; it has energy`,
		"observables = p = 7":                              `the observable "p" cannot be "7": use count, gyration`,
		"observables = p = above y 3":                      "name a number and an axis, such as above 4 y",
		"observables = p = extent z":                       `there is no axis "z"`,
		"observables = p = speed":                          "no axis is a velocity",
		"observables = p = unlike B within 1":              "name one of the species 1",
		"observables = p = pair r^":                        `the observable "p" cannot be "pair r^"`,
		"observables = p =":                                "nothing stands after",
		"noise = perhaps":                                  "give true or false",
		"turns = yes\naxes = x, y velocity":                "turns cannot be",
		"turns = true\naxes = x, y velocity":               "no two or three positions",
		"axes = x [m, y [m]":                               "a comma, a bracket",
		"title = a\ndt = -1":                               "dt cannot be",
		"axes = x period 3, y\nobservables = g = gyration": "it needs positions that do not repeat",
	} {
		s := Spec{Axes: axes(2), Species: one(), Observables: []Observable{{Name: "energy"}}, Frames: 5, runs: 1}
		lines, err := ParseLines(text, "a.system")
		if err == nil {
			err = s.Apply(lines)
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one that says %q", text, err, says)
		}
	}
}

// TestComputed compares computed observables of three particles with their values by hand. The box has the side 10
// along y, so the particles at y = 1 and y = 9 are 2 apart.
func TestComputed(t *testing.T) {
	s := Spec{
		Axes:    []Axis{{Name: "x"}, {Name: "y", Period: 10}, {Name: "vx", Kind: Velocity}, {Name: "vy", Kind: Velocity}},
		Species: []Species{{"A", "1"}, {"B", "2"}}, Frames: 2, runs: 1,
	}
	points := []float32{0, 1, 3, 4, 0, 9, 0, 5, 6, 1, -3, -4}
	species := []uint8{1, 2, 1}
	for of, want := range map[string]float64{
		"count": 3, "above 0.5 x": 1.0 / 3, "above -3 vx": 2.0 / 3, "above -3.5 vy": 2.0 / 3, "extent x": 6, "mean x": 2, "speed": 5, "polarisation": 5.0 / 15, "neighbours 3": 2.0 / 3, "neighbours 7": 2,
		"unlike A within 3": 1, "unlike B within 3": 1, "unlike A within 7": 0.5, "pair r": (2 + 6 + math.Sqrt(40)) / 3,
	} {
		s.Observables = []Observable{{Name: "it", Of: of}}
		observe, err := s.System().Files.Observer("", "", 4)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 1)
		if err := observe(got, points, &system.Trajectory{Species: species}); err != nil || math.Abs(got[0]-want) > 1e-6 {
			t.Errorf("%s is %g, want %g; %v", of, got[0], want, err)
		}
	}
	s.Axes[1].Period = 0
	s.Observables = []Observable{{Name: "size", Of: "gyration"}}
	observe, err := s.System().Files.Observer("", "", 4)
	got := []float64{0}
	if err == nil {
		err = observe(got, points, &system.Trajectory{Species: species})
	}
	if want := math.Sqrt(8 + 128.0/9); err != nil || math.Abs(got[0]-want) > 1e-6 { // variances of x and y
		t.Errorf("gyration %g, want %g; %v", got[0], want, err)
	}
}

// TestNamedTypes reads species that are texts in a NumPy archive, as NumPy saves numpy.array([["ox", "cat", "ox"]]).
func TestNamedTypes(t *testing.T) {
	letters := ""
	for _, name := range []string{"ox\x00", "cat", "ox\x00"} {
		for _, c := range []byte(name) {
			letters += string([]byte{c, 0, 0, 0})
		}
	}
	var b bytes.Buffer
	archive := data.NewArchive(&b)
	header := "{'descr': '<U3', 'fortran_order': False, 'shape': (1, 3), }\n"
	err := errors.Join(
		archive.Array(system.TrajectoriesArray, data.NewArray([]int{1, 2, 3, 1}, []float32{1, 2, 3, 4, 5, 6})), archive.Array("size", data.NewArray([]int{2}, []float64{1, 2})),
		archive.File(system.TypesArray+".npy", []byte("\x93NUMPY\x01\x00"+string([]byte{byte(len(header)), 0})+header+letters)), archive.Close(),
	)
	if err != nil {
		t.Fatal(err)
	}
	f := system.File{Name: "own.npz", Bytes: bytes.NewReader(b.Bytes()), Size: int64(b.Len())}
	s, _, err := Find(f, nil)
	if err != nil || !reflect.DeepEqual(s.Species, []Species{{"cat", "cat"}, {"ox", "ox"}}) {
		t.Fatalf("species %v, %v", s.Species, err)
	}
	src, err := s.System().Open(f, "")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var run system.Trajectory
	if err := src.Raw(&run, 0); err != nil || !reflect.DeepEqual(run.Species, []uint8{2, 1, 2}) || !reflect.DeepEqual(src.Facts().Species, []string{"cat", "ox"}) {
		t.Errorf("species %v of %v, %v", run.Species, src.Facts().Species, err)
	}
	s.Species = []Species{{"cat", "cat"}, {"cow", "cow"}}
	if _, err := s.System().Open(f, ""); err == nil || !strings.Contains(err.Error(), "particle 0 is of species ox; use cat, cow") {
		t.Errorf("another species: %v", err)
	}
}

// FuzzFind checks that no file makes Find or Open panic, and that every run of an opened file can be read.
func FuzzFind(f *testing.F) {
	nan := math.NaN()
	for _, arrays := range []map[string]*data.Array{
		{"trajectories": data.NewArray([]int{2, 2, 2, 1}, []float64{1, 2, 3, 4, 5, nan, 7, nan}), "a": data.NewArray([]int{2, 2}, []float64{1, 2, 3, 4}), "b": data.NewArray([]int{2}, []float64{1, 2}), "types": data.NewArray([]int{2, 2}, []float64{1, 2, 1, nan})},
		{"trajectories": data.NewArray([]int{2, 1, 2}, []float32{1, 2, 3, 4}), "a": data.NewArray([]int{2, 1}, []float64{1, 2}), "box": data.NewArray([]int{2}, []float64{4, 0}), "dt": data.NewArray([]int{}, []float64{0.5})},
	} {
		var b bytes.Buffer
		if err := data.WriteNPZ(&b, arrays); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes(), "")
	}
	f.Add([]byte("frame,id,x,type\n0,1,2,a\n0,2,3,b\n1,1,3,a\n1,2,4,b\n"), "frame,E\n0,1\n1,3\n")
	f.Fuzz(func(t *testing.T, content []byte, table string) {
		file := system.File{Name: "own", Bytes: bytes.NewReader(content), Size: int64(len(content)), BesideName: "own.observables.csv"}
		if table != "" {
			file.Beside = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(table)), nil }
		}
		s, lines, err := Find(file, nil)
		if err == nil {
			err = s.Apply(lines)
		}
		if err != nil {
			return
		}
		src, err := s.System().Open(file, "")
		if err != nil {
			return
		}
		defer src.Close()
		of := src.Shape()
		for e := range min(of.Trajectories, 100) {
			var run system.Trajectory
			if err := src.Make(&run, e, func(float64) error { return nil }); err == nil && len(run.Macro) != of.Frames*len(s.Observables) {
				t.Errorf("run %d of %+v has %d observables", e, of, len(run.Macro))
			}
		}
	})
}

// TestTextAxes reads coordinates that a line names from a text that has more columns, and their units.
func TestTextAxes(t *testing.T) {
	const table = "frame,x (µm),y (µm),z,marker,size\n0,1,2,0,3,4\n0,2,2,0,3,4\n1,1,2,0,5,4\n1,1,2,0,5,4\n"
	file := system.File{Name: "a.csv", Bytes: strings.NewReader(table), Size: int64(len(table))}
	lines, err := ParseLines("axes = x [µm], y [µm], marker mark\nobservables = high = above 4 marker", "a.system")
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := Find(file, lines)
	if err == nil {
		err = s.Apply(lines)
	}
	if err != nil {
		t.Fatal(err)
	}
	src, err := s.System().Open(file, "") // as eval does
	if err != nil {
		t.Fatal(err)
	}
	var of system.Trajectory
	if err := src.Make(&of, 0, work.Until(t.Context())); err != nil || !reflect.DeepEqual(of.Points[:6], []float32{1, 2, 3, 2, 2, 3}) || !reflect.DeepEqual(of.Macro, []float64{0, 1}) {
		t.Errorf("%v, %v, %v", of.Points, of.Macro, err)
	}
	file.As.Columns = []string{"X", "y", "size"}
	s, _, err = Find(file, nil)
	if want := []Axis{{Name: "x", Unit: "µm"}, {Name: "y", Unit: "µm"}, {Name: "size", Kind: Mark}}; err != nil || !reflect.DeepEqual(s.Axes, want) {
		t.Errorf("axes %v, want %v; %v", s.Axes, want, err)
	}
	file.As.Columns = nil
	if s, _, err = Find(file, []Line{{Name: "axes", Value: "east, north"}}); err != nil || len(s.Axes) != 2 {
		t.Errorf("axes %v of other names; %v", s.Axes, err)
	}
	if _, _, err := Find(file, []Line{{Name: "axes", Value: "x, y, mass"}}); err == nil || !strings.Contains(err.Error(), `there is no column "mass"`) {
		t.Errorf("a column that is not there: %v", err)
	}
}

// TestNearerAgainstAllPairs counts neighbours, and those of another species, in boxes that repeat along some axes, against
// all pairs.
func TestNearerAgainstAllPairs(t *testing.T) {
	const n = 200
	src := rng.New(1, "test of neighbours")
	for _, periods := range [][]float64{{0}, {4}, {3, 0}, {5, 5, 5}, {0, 0, 7}, {2, 3, 0, 5}} {
		s := Spec{Species: []Species{{"a", "1"}, {"b", "2"}}}
		for k, p := range periods {
			s.Axes = append(s.Axes, Axis{Name: string(rune('p' + k)), Period: p})
		}
		points, species := make([]float32, n*len(periods)), make([]uint8, n)
		for i := range points {
			points[i] = float32(12*src.Float64() - 3) // also outside of the box
		}
		for i := range species {
			species[i] = uint8(1 + src.IntN(2))
		}
		for _, radius := range []float64{0.3, 1, 1.7, 40} {
			pairs, all, unlike := 0, 0, 0
			d := len(periods)
			for i := range n {
				for j := range n {
					if i == j || s.distance(s.ofKind(Position), points[i*d:(i+1)*d], points[j*d:(j+1)*d]) >= radius*radius {
						continue
					}
					if pairs++; species[i] == 2 {
						if all++; species[j] != 2 {
							unlike++
						}
					}
				}
			}
			s.Observables = []Observable{{Of: fmt.Sprint("neighbours ", radius)}, {Of: fmt.Sprint("unlike b within ", radius)}}
			for i, want := range []float64{float64(pairs) / n, float64(unlike) / float64(max(all, 1))} {
				of, err := s.compute(i)
				if err != nil {
					t.Fatal(err)
				}
				if got := of(points, species); got != want {
					t.Errorf("periods %v: %s is %g, want %g", periods, s.Observables[i].Of, got, want)
				}
			}
		}
	}
}
