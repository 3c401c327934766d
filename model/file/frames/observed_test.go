package frames

import (
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// observedRuns are two runs of files with steps, and times that are rounded.
func observedRuns() []RunFrames {
	return []RunFrames{
		{[]string{"a/b10.dump.gz"}, "", 3, []float64{0, 100, 200}, []float64{0, 0.333, 0.667}},
		{[]string{"a/b9.dump", "a/b8.dump"}, "", 2, []float64{0, 100}, []float64{0, 0.333}},
	}
}

// TestObserved assigns the rows of tables to frames, and checks what it says of how.
func TestObserved(t *testing.T) {
	want := [][]float64{{1, 2, 3, 4, 5, 6}, {7, 8, 9, 10}}
	for text, says := range map[string]string{
		"run,frame,E,R\nb10,0,1,2\nb10,100,3,4\nb10,200,5,6\nb9,0,7,8\nb8,100,9,10\n":                                               "with frames by their step and runs by their files",
		"run,step,E,R\nb9.dump,100,9,10\nb10.dump,100,3,4\nb10.dump,200,5,6\nb10.dump,0,1,2\nb9.dump,0,7,8\nb9.dump,50,0,0\n":       "with frames by their step and runs by their files (1 row is of no frame)",
		"E [J],time,file,R\n1,0,b10.dump.gz,2\n3,0.3333,b10.dump.gz,4\n5,0.6667,b10.dump.gz,6\n7,0,b9,8\n9,0.3333,b9,10\n0,0,c,0\n": "with frames by their time and runs by their files (1 row is of no frame)",
		"run,frame,E,R\n1,0,1,2\n1,1,3,4\n1,2,5,6\n0,0,7,8\n0,1,9,10\n":                                                             "with frames by their number from 0 and runs by their numbers from 0",
		"# by hand\n\ntrajectory;frame;E;R\n2;1;1;2\n2;2;3;4\n2;3;5;6\n1;1;7;8\n1;2;9;10\n":                                         "with frames by their number from 1 and runs by their numbers from 1",
	} {
		o, err := ReadObserved("a/observables.csv", strings.NewReader(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		values, said, err := o.Match(observedRuns())
		if strings.HasPrefix(text, "E [") && !reflect.DeepEqual(o.Units, []string{"J", ""}) {
			t.Errorf("units %q", o.Units)
		}
		if err != nil || !reflect.DeepEqual(values, want) || said != "observables E and R from observables.csv, "+says {
			t.Errorf("%q: %v, %q, %v", text, values, said, err)
		}
	}
	o, err := ReadObserved("o.csv", strings.NewReader("time,E\n0.667,3\n0,1\n0.333,2\n"))
	if err != nil {
		t.Fatal(err)
	}
	if values, said, err := o.Match(observedRuns()[:1]); err != nil || !reflect.DeepEqual(values, [][]float64{{1, 2, 3}}) || said != "observables E from o.csv, with frames by their time" {
		t.Errorf("a single run: %v, %q, %v", values, said, err)
	}
}

// TestObservedRefuses checks the sentences about tables that cannot be used.
func TestObservedRefuses(t *testing.T) {
	const rest = "b9,0,7\nb9,100,8\n"
	for text, says := range map[string]string{
		"":                                    "o.csv: the file holds no numbers",
		"1,2,3\n":                             "o.csv: line 1: no column tells the frames apart: the columns are none at all",
		"run,E\na,1\n":                        `no column tells the frames apart: the columns are "run", "E"; name them run, frame`,
		"run,frame\na,1\n":                    `the columns are "run", "frame", and none is an observable`,
		"run,frame,E,e\na,1,1,1\n":            `two columns have the name "e"`,
		"run,frame,E\nb10,0,1\nb10,100,x\n":   `o.csv: line 3, column 3: "x" is not a number`,
		"run,frame,E\nb10,0,1\nb10,100,NaN\n": `line 3, column 3: "NaN" is not a finite number`,
		"run,frame,E\nb10,0,1\nb10,100,1\nb10,200,1\nb10,100,2\n" + rest:    "o.csv: line 5: frame 100 of b10.dump.gz is in line 3 already",
		"run,frame,E\nb10,0,1\nb10,200,1\n" + rest:                          "there is no row for the frame with the step 100 of b10.dump.gz; add it",
		"run,frame,E\nb10,0,1\nb10,1,1\nb10,2,1\nb10,3,1\nb9,0,1\nb9,1,1\n": "line 5: b10.dump.gz has no frame with the number from 0 3; take that row out",
		"run,frame,E\nb10,0,1\nb10,100,1\nb10,200,1\n":                      "there is no row for the frame with the step 0 of b9.dump; add it",
		"run,frame,E\na,0,1\n":                                              `line 2: there is no run "a"; use the names of the files, such as b10.dump.gz, or their numbers from 0 or 1`,
		"run,frame,E\n1,0,1\n3,0,1\n":                                       `line 3: there is no run "3"`,
		"frame,E\n0,1\n":                                                    "it has no column run, and there are 2 runs; add one",
	} {
		o, err := ReadObserved("o.csv", strings.NewReader(text))
		if err == nil {
			_, _, err = o.Match(observedRuns())
		}
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want one that says %q", text, err, says)
		}
	}
	o, err := ReadObserved("o.csv", strings.NewReader("run,time,E\na,0,1\na,1,2\n"))
	if err == nil {
		_, _, err = o.Match([]RunFrames{{Names: []string{"a"}, Frames: 2}})
	}
	if err == nil || !strings.Contains(err.Error(), "its frames have a time, and the files tell none; name the column frame") {
		t.Errorf("times of frames without times: %v", err)
	}
}

// FuzzObserved checks that no table makes the reader panic, and that what it reads has a number for each frame.
func FuzzObserved(f *testing.F) {
	for _, text := range []string{"run,frame,E\na,0,1\na,1,2\nb,0,3\nb,1,4\nb,2,5\n", "step,E\n0,1\n10,2\n", "run;time;E;R\n0;0;1;2\n0;.5;3;4\n1;0;5;6\n1;.5;7;8\n1;1;9;9\n"} {
		f.Add(text)
	}
	runs := []RunFrames{{[]string{"a.xyz"}, "", 2, nil, []float64{0, 0.5}}, {[]string{"b.xyz"}, "", 3, []float64{0, 10, 20}, []float64{0, 0.5, 1}}}
	f.Fuzz(func(t *testing.T, text string) {
		o, err := ReadObserved("o.csv", strings.NewReader(text))
		if err != nil {
			return
		}
		for n := 1; n <= len(runs); n++ {
			values, _, err := o.Match(runs[:n])
			if err == nil && len(values) != n {
				t.Errorf("%d runs of %d", len(values), n)
			}
			for e, of := range values {
				if len(of) != runs[e].Frames*len(o.Names) && err == nil {
					t.Errorf("run %d has %d numbers", e, len(of))
				}
				for _, v := range of {
					if math.IsNaN(v) {
						t.Errorf("run %d has a number that is none", e)
					}
				}
			}
		}
	})
}

// TestRagged surveys runs of different lengths and sizes, in a box of one side that repeats and another that changes.
func TestRagged(t *testing.T) {
	const frame = "ITEM: TIMESTEP\n%s\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS pp pp ff\n0 4\n0 %s\n0 1\nITEM: ATOMS id type x y vx\n1 1 0 1 5\n2 1 1 %s 5\n"
	text := func(step, side, y string) string {
		return strings.NewReplacer("%s\nITEM: N", step+"\nITEM: N", "0 %s", "0 "+side, "1 %s 5", "1 "+y+" 5").Replace(frame)
	}
	long := text("0", "5", "1") + text("10", "6", "2") + text("20", "5", "3")
	short := strings.NewReplacer("\n2\nITEM: B", "\n1\nITEM: B", "2 1 1 1 5\n", "", "2 1 1 2 5\n", "").Replace(text("0", "5", "1") + strings.Replace(text("10", "5", "2"), "1 1 0 1 5", "1 1 0 2 5", 1))
	files := Files{[]string{"long", "short"}, func(i int) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader([]string{long, short}[i])), nil
	}}
	if _, err := NewSurvey(files, Wanted{}); err == nil || !strings.Contains(err.Error(), "choose runs of one length and size") {
		t.Errorf("runs of different sizes: %v", err)
	}
	s, err := NewSurvey(files, Wanted{Ragged: true})
	if err != nil {
		t.Fatal(err)
	}
	want := []Run{{RunFrames{[]string{"long"}, "", 3, []float64{0, 10, 20}, nil}, 2, 2, []string{"1", "1"}}, {RunFrames{[]string{"short"}, "", 2, []float64{0, 10}, nil}, 1, 1, []string{"1"}}}
	if !reflect.DeepEqual(s.Of, want) || s.Frames != 2 || s.Particles != 2 || !reflect.DeepEqual(s.Sides, []float64{4, 0}) {
		t.Errorf("runs %+v, %d frames, %d particles, sides %v", s.Of, s.Frames, s.Particles, s.Sides)
	}
}

// surveyed surveys texts in which particles may appear and vanish, and reads all of their runs.
func surveyed(t *testing.T, texts map[string]string, names ...string) (s *Survey, runs [][]float32) {
	t.Helper()
	s, err := NewSurvey(Files{names, func(i int) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(texts[names[i]])), nil
	}}, Wanted{Ragged: true})
	if err != nil {
		t.Fatal(err)
	}
	for e := range s.Runs {
		var points []float32
		r := s.Run(e)
		for now, _, err := r.Next(); err != io.EOF; now, _, err = r.Next() {
			if err != nil {
				t.Fatal(err)
			}
			points = append(points, now...)
		}
		r.Close()
		runs = append(runs, points)
	}
	return s, runs
}

// same reports whether numbers are equal, or both no numbers.
func same(a, b []float32) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return x == y || x != x && y != y })
}

// TestAppear checks the places of particles that appear and vanish. Particle 1 leaves after the second frame, and its
// place is free for particle 4 in the fourth, not in the third.
func TestAppear(t *testing.T) {
	none := float32(math.NaN())
	ids := []float32{1, 2, none, 1, 2, none, none, 2, 3, 4, 2, 3}
	species := []float32{1, 2, none, 1, 2, 3, none, 2, 3, none, 2, none}
	for name, tc := range map[string]struct {
		text string
		want []float32
	}{
		"a.csv":  {"frame,id,x\n0,2,2\n0,1,1\n1,1,1\n1,2,2\n2,3,3\n2,2,2\n3,2,2\n3,3,3\n3,4,4\n", ids},
		"a.xyz":  {"2\nProperties=id:I:1:pos:R:1\n2 2\n1 1\n2\nProperties=id:I:1:pos:R:1\n1 1\n2 2\n2\nProperties=id:I:1:pos:R:1\n2 2\n3 3\n3\nProperties=id:I:1:pos:R:1\n4 4\n3 3\n2 2\n", ids},
		"ab.csv": {"frame,type,x\n0,A,1\n0,B,2\n1,B,2\n1,A,1\n1,B,3\n2,B,2\n2,B,3\n3,B,2\n", species},
	} {
		s, runs := surveyed(t, map[string]string{name: tc.text}, name)
		if of := s.Of[0]; !same(runs[0], tc.want) || of.Particles != 3 || s.Particles != 3 {
			t.Errorf("%s: %v of %+v, want %v", name, runs[0], of, tc.want)
		}
		if fewest := s.Of[0].Fewest; fewest != 2 && name != "ab.csv" || fewest != 1 && name == "ab.csv" {
			t.Errorf("%s: %d particles at least", name, fewest)
		}
	}
	frame := func(step, atoms string) string {
		return "ITEM: TIMESTEP\n" + step + "\nITEM: NUMBER OF ATOMS\n" + strconv.Itoa(strings.Count(atoms, "\n")) + "\nITEM: BOX BOUNDS ff ff\n0 9\n0 9\nITEM: ATOMS id type x y\n" + atoms
	}
	s, runs := surveyed(t, map[string]string{
		"1": frame("0", "2 1 2 2\n1 1 1 1\n") + frame("10", "1 1 1 1\n2 1 2 2\n"),
		"2": frame("10", "2 1 2 2\n1 1 1 1\n") + frame("20", "2 1 2 2\n3 1 3 3\n"),
	}, "1", "2")
	if want := []float32{1, 1, 2, 2, none, none, 1, 1, 2, 2, none, none, none, none, 2, 2, 3, 3}; len(runs) != 1 || !same(runs[0], want) || !reflect.DeepEqual(s.Of[0].species, []string{"1", "1", "1"}) {
		t.Errorf("two dumps of one run: %v of %+v, want %v", runs, s.Of, want)
	}
}

// TestRuns reads the runs of a table, and the rows of their observables.
func TestRuns(t *testing.T) {
	s, runs := surveyed(t, map[string]string{"a.csv": "trial,time [s],cell,x (m)\n5,0,1,1\n5,0.5,1,2\nb,7,2,3\n5,1,1,3\nb,7,9,4\nb,7.5,2,5\n"}, "a.csv")
	none := float32(math.NaN())
	if len(runs) != 2 || !same(runs[0], []float32{1, 2, 3}) || !same(runs[1], []float32{3, 4, 5, none}) {
		t.Errorf("runs %v", runs)
	}
	o, err := ReadObserved("a.observables.csv", strings.NewReader("run,time,E\nb,7,4\nb,7.5,5\n5.0,0,1\n5.0,0.5,2\n5.0,1,3\n"))
	if err != nil {
		t.Fatal(err)
	}
	values, said, err := o.Match([]RunFrames{s.Of[0].RunFrames, s.Of[1].RunFrames})
	if err != nil || !reflect.DeepEqual(values, [][]float64{{1, 2, 3}, {4, 5}}) || !strings.HasSuffix(said, "runs by their names") {
		t.Errorf("%v, %q, %v", values, said, err)
	}
	_, err = NewSurvey(Files{[]string{"a.csv"}, func(int) (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader("run,frame,x\n1,0,1\n1,1,2\n2,0,1\n2,1,2\n2,4,2\n")), nil
	}}, Wanted{})
	if err == nil || err.Error() != "run 2: frame 4 comes 3 after frame 1, and the first two frames are 1 apart; keep frames at equal distances, and end a run before a frame without particles" {
		t.Errorf("an empty frame: %v", err)
	}
}
