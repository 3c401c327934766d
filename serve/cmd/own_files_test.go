package cmd

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"macroscope/model/file/bundle"
	"macroscope/model/file/data"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/work"
)

// ownRun is a run of particles in the plane that circle about the origin, with their mean distance from it.
type ownRun struct {
	points [][]float32 // (T) of (N, 2)
	radius []float64   // (T)
}

// ownRuns returns runs of different lengths and sizes.
func ownRuns() (runs []ownRun) {
	for e, size := range [][2]int{{9, 6}, {7, 4}, {8, 5}, {9, 4}, {7, 6}} {
		var r ownRun
		for k := range size[0] {
			var frame []float32
			for i := range size[1] {
				angle, far := float64(i+2*e)+0.1*float64(k), 1+0.25*float64(i)
				frame = append(frame, float32(math.Round(64*far*math.Cos(angle))/64), float32(math.Round(64*far*math.Sin(angle))/64))
			}
			r.points, r.radius = append(r.points, frame), append(r.radius, 1+0.5*float64(e)+0.125*float64(k))
		}
		runs = append(runs, r)
	}
	return runs
}

// writeText writes a text to a file in a folder.
func writeText(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// dumps writes runs as LAMMPS dumps in a folder, with a table of their observables. The particles of odd ids are of
// type 3.
func dumps(t *testing.T, runs []ownRun) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "dumps")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	table := "run,frame,radius\n"
	for e, r := range runs {
		var b strings.Builder
		for k, frame := range r.points {
			fmt.Fprintf(&b, "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS pp ff pp\n-4 4\n-9 9\n-1 1\nITEM: ATOMS id type x y\n", 50*k, len(frame)/2)
			for i := range len(frame) / 2 {
				fmt.Fprintf(&b, "%d %d %g %g\n", i, 2+i%2, frame[2*i], frame[2*i+1])
			}
			table += fmt.Sprintf("%d,%d,%g\n", e+1, 50*k, r.radius[k])
		}
		writeText(t, folder, fmt.Sprintf("run%d.dump", e), b.String())
	}
	writeText(t, folder, "observables.csv", table)
	return folder
}

// padded writes runs as one NumPy archive, in which NaN fills what is not there.
func padded(t *testing.T, runs []ownRun, change func(map[string]*data.Array)) string {
	t.Helper()
	const frames, particles = 9, 6
	x, radius, types := slices.Repeat([]float32{float32(math.NaN())}, len(runs)*frames*particles*2), slices.Repeat([]float64{math.NaN()}, len(runs)*frames), slices.Repeat([]float64{math.NaN()}, len(runs)*particles)
	for e, r := range runs {
		copy(radius[e*frames:], r.radius)
		for k, frame := range r.points {
			copy(x[(e*frames+k)*particles*2:], frame)
			for i := range len(frame) / 2 {
				types[e*particles+i] = float64(2 + i%2)
			}
		}
	}
	arrays := map[string]*data.Array{
		"trajectories": data.NewArray([]int{len(runs), frames, particles, 2}, x), "radius": data.NewArray([]int{len(runs), frames}, radius),
		"types": data.NewArray([]int{len(runs), particles}, types), "box": data.NewArray([]int{2}, []float64{8, 0}),
	}
	if change != nil {
		change(arrays)
	}
	return writeOwn(t, arrays)
}

// numpys writes each run as a NumPy archive of its own in a folder. The even ones have no dimension for runs.
func numpys(t *testing.T, runs []ownRun) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "numpys")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for e, r := range runs {
		frames, particles := len(r.points), len(r.points[0])/2
		types := make([]float64, particles)
		for i := range types {
			types[i] = float64(2 + i%2)
		}
		one := []int{}
		if e%2 == 1 {
			one = []int{1}
		}
		var b bytes.Buffer
		if err := data.WriteNPZ(&b, map[string]*data.Array{
			"trajectories": data.NewArray(slices.Concat(one, []int{frames, particles, 2}), slices.Concat(r.points...)), "radius": data.NewArray(slices.Concat(one, []int{frames}), r.radius),
			"types": data.NewArray([]int{particles}, types), "box": data.NewArray([]int{2}, []float64{8, 0}), "heat": data.NewArray(one, []float64{float64(e)}),
		}); err != nil {
			t.Fatal(err)
		}
		writeText(t, folder, fmt.Sprintf("run%d.npz", e), b.String())
	}
	return folder
}

// openOwn opens trajectories of a system of their own with flags of describe, and returns the line about them.
func openOwn(t *testing.T, path string, lines ...string) (sys *system.System, src system.Recorded, said string) {
	t.Helper()
	var b bytes.Buffer
	s := settings{subcommand: subcommand{stderr: &b, workers: 1}, reading: reading{outliers: "refuse"}}
	for _, line := range lines {
		if err := s.set("system." + line); err != nil {
			t.Fatal(err)
		}
	}
	d, err := s.describe(path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	sys = d.System()
	if src, err = s.reading.open(&b, sys, path, "", nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return sys, src, b.String()
}

// onPage returns a bundle with the files of a folder, as the page saves them.
func onPage(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	var files [][]byte
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		names, files = append(names, e.Name()), append(files, b)
	}
	path := filepath.Join(t.TempDir(), "page.macroscope")
	if err := os.WriteFile(path, encoded(t, &bundle.Bundle{Session: []byte("s"), Data: system.Join(names, files), DataName: "runs"}), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOwnFiles reads the same runs, of different lengths and sizes, from three kinds of files. Particle 1 of run 0
// is not there in frames 2 and 3 of the NumPy files.
func TestOwnFiles(t *testing.T) {
	runs := ownRuns()
	folder := dumps(t, runs)
	gone := slices.Clone(runs[0].points)
	for _, k := range []int{2, 3} {
		gone[k] = slices.Clone(gone[k])
		gone[k][2], gone[k][3] = float32(math.NaN()), float32(math.NaN())
	}
	runs[0].points = gone
	const numpySays = "5 runs of 7 to 9 frames, 4 to 6 particles of 2 species, 2 coordinates; observables radius; the box repeats in x"
	numpyFolder := numpys(t, runs)
	for path, says := range map[string]string{
		folder:               "5 runs of 7 to 9 frames, 50 steps apart, 4 to 6 particles of 2 species, x y; observables radius from observables.csv, with frames by their step and runs by their numbers from 1; the box repeats in x",
		padded(t, runs, nil): numpySays, numpyFolder: numpySays,
	} {
		sys, src, said := openOwn(t, path)
		if !strings.Contains(said, says) {
			t.Errorf("%s is\n%s\nwant\n%s", path, said, says)
		}
		if periods := sys.Traits.Periods; !slices.Equal(periods, []float64{8, 0}) || !slices.Equal(sys.Sets, []string{"2", "3"}) {
			t.Errorf("%s: periods %v, sets %q", path, periods, sys.Sets)
		}
		err := system.Each(work.Until(t.Context()), src, src.Shape().Trajectories, 1, func(e int, run *system.Trajectory) error {
			if !slices.Equal(run.Macro, runs[e].radius) {
				t.Errorf("%s, run %d: radius %v, want %v", path, e, run.Macro, runs[e].radius)
			}
			if want := float64(e); path != folder && run.Params != nil && run.Params[0] != want {
				t.Errorf("%s, run %d: parameters %v, want %g", path, e, run.Params, want)
			}
			var f system.Frame
			for k := range runs[e].points {
				sys.Frame(&f, run, k, 2)
				var want []float32
				for kind := range 2 {
					for i := kind; i < len(runs[e].points[k])/2; i += 2 {
						if p := runs[e].points[k][2*i:][:2]; p[0] == p[0] {
							want = append(want, p...)
						} else if path == folder {
							want = append(want, ownRuns()[e].points[k][2*i:][:2]...)
						}
					}
				}
				if !slices.Equal(f.Points, want) || f.Ends[1] != len(want)/2 {
					t.Errorf("%s, run %d, frame %d: %v, %v, want %v", path, e, k, f.Points, f.Ends, want)
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, of := range []string{folder, numpyFolder} {
		_, _, want := openOwn(t, of)
		if _, _, said := openOwn(t, onPage(t, of)); strings.SplitAfterN(said, ": ", 2)[1] != strings.SplitAfterN(want, ": ", 2)[1] {
			t.Errorf("from the page %s is\n%s\nwant\n%s", of, said, want)
		}
	}
	_, src, said := openOwn(t, folder, "frames=8")
	if s := src.Shape(); s.Trajectories != 5 || s.Frames != 8 || !strings.Contains(said, "5 runs of 7 to 8 frames") || !strings.Contains(said, "runs are cut to 8 frames, so 2 frames are not used") {
		t.Errorf("frames = 8: %+v\n%s", s, said)
	}
	var last system.Trajectory
	if err := src.Make(&last, 3, work.Until(t.Context())); err != nil || !slices.Equal(last.Macro, runs[3].radius[:8]) {
		t.Errorf("the last of the long runs: %v, %v", last.Macro, err)
	}
	_, src, _ = openOwn(t, numpys(t, runs), "frames=9")
	if err := src.Make(&last, 3, work.Until(t.Context())); err != nil || !slices.Equal(last.Macro, runs[3].radius) || last.Params[0] != 3 {
		t.Errorf("the last of the longest runs: %v, %v, %v", last.Macro, last.Params, err)
	}
}

// TestOwnFilesTrain trains models of runs of different sizes, and measures them.
func TestOwnFilesTrain(t *testing.T) {
	runs, model := ownRuns(), filepath.Join(t.TempDir(), "m.safetensors")
	small := []string{"train", "-preset", "quick", "-set", "steps=4", "-set", "law.fit.steps=4", "-set", "law.roll.steps=2", "-workers", "1", "-out", model}
	for _, path := range []string{dumps(t, runs), padded(t, runs, nil), numpys(t, runs)} {
		mustRun(t, append(small, "-data", path)...)
		if table := mustRun(t, "eval", "-model", model, "-data", path, "-workers", "1"); !strings.Contains(table, "which trained it") {
			t.Errorf("%s: the table is\n%s", path, table)
		}
		mustRun(t, "train", "-resume", model, "-data", path, "-workers", "1", "-out", model)
	}
	for method, says := range map[string]string{"ae-aug": "takes exactly 6", "ae-inve": "is trained on exactly 6"} {
		if _, err := command(t, t.Context(), append(small, "-experiment", "own/"+method, "-data", padded(t, runs, func(a map[string]*data.Array) { delete(a, "types") }))...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", method, err, says)
		}
	}
}

// TestOwnTable reads a table of one run, with columns that the user chooses, species of names, and observables in a
// table beside it or computed.
func TestOwnTable(t *testing.T) {
	folder := t.TempDir()
	rows, table := "frame,time,id,species,x,y,vx,vy\n", "frame,order\n"
	for k := range 12 {
		for i := range 6 {
			rows += fmt.Sprintf("%d,%g,%d,%s,%g,%g,%g,%g\n", k, 0.25*float64(k), i, []string{"ox", "cat"}[i%2], float64(i)+0.1*float64(k), math.Sin(float64(i+k)), 0.4, 0.1*float64(i))
		}
		table += fmt.Sprintf("%d,%g\n", k+1, 0.5*float64(k))
	}
	file := filepath.Join(folder, "one.csv")
	writeText(t, folder, "one.csv", rows)
	if _, err := command(t, t.Context(), "describe", file); err == nil || !strings.Contains(err.Error(), "there is no observable to predict; write a table with the columns run, frame and one for each observable (observables.csv in a folder, NAME.observables.csv beside a file), or let one be computed") {
		t.Errorf("without observables: %v", err)
	}
	said := mustRun(t, "describe", "-cost=false", "-set", "observables=speed = speed", "-columns", "x,y,vx,vy", file)
	for _, line := range []string{"axes = x, y, vx velocity, vy velocity", "species = cat, ox", "observables = speed = speed", "dt = 0.25"} {
		if !strings.Contains(said, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, said)
		}
	}
	writeText(t, folder, "one.observables.csv", table)
	writeText(t, folder, "one.system", "observables = order, size = extent x\n")
	said = mustRun(t, "describe", "-cost=false", file)
	for _, line := range []string{"axes = x, y", "observables = order, size = extent x"} {
		if !strings.Contains(said, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, said)
		}
	}
	if !strings.Contains(said, "# 1 run of 12 frames, 0.25 apart, 6 particles of 2 species (cat, ox), x y; observables order from one.observables.csv, with frames by their number from 1; not used: vx, vy") {
		t.Errorf("it says\n%s", said)
	}
	writeText(t, folder, "one.observables.csv", strings.Replace(table, "\n3,", "\n4,", 1))
	if _, err := command(t, t.Context(), "describe", file); err == nil || !strings.Contains(err.Error(), "one.observables.csv: line 5: frame 4 of one.csv is in line 4 already; keep one of them") {
		t.Errorf("a frame that is there twice: %v", err)
	}
}

// TestOwnFilesMistakes checks the sentences about runs of different sizes that cannot be learned from.
func TestOwnFilesMistakes(t *testing.T) {
	nan := float32(math.NaN())
	for says, change := range map[string]func(points []float32){
		"trajectory 1: particle 2 in frame 3 has 1 coordinates that are NaN, of 2; a particle that is not there has NaN in all": func(x []float32) { x[((9+3)*6+2)*2] = nan },
		"trajectory 2: it has 1 frame with particles, so nothing moves; leave it out": func(x []float32) {
			for i := range 8 * 12 {
				x[(2*9+1)*12+i] = nan
			}
		},
	} {
		file := padded(t, ownRuns(), func(a map[string]*data.Array) { change(a["trajectories"].Float32s()) })
		if _, err := command(t, t.Context(), "describe", file); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
	file := padded(t, ownRuns(), func(a map[string]*data.Array) { a["trajectories"].Float32s()[((9+3)*6+2)*2] = nan })
	if said := mustRun(t, "describe", "-cost=false", "-outliers", "leave-out", "-set", "turns=true", file); !strings.Contains(said, "# 4 runs of 7 to 9 frames") ||
		!strings.Contains(said, "left out: trajectory 1 (particle 2 in frame 3") || !strings.Contains(said, "\naxes = x period 8, y centre 0.") {
		t.Errorf("without the wrong run:\n%s", said)
	}
	folder := numpys(t, ownRuns())
	for name, says := range map[string]string{"a.csv": "it is a NumPy file among text files", "z.csv": "it is text among NumPy files"} {
		writeText(t, folder, name, "frame,x\n0,1\n1,2\n")
		if _, err := command(t, t.Context(), "describe", folder); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want %q", name, err, says)
		}
		os.Remove(filepath.Join(folder, name))
	}
	if _, err := command(t, t.Context(), "describe", "-set", "frames=20", folder); err == nil || !strings.Contains(err.Error(), "the line frames says 20, and the longest run has 9; give a lower number") {
		t.Errorf("too many frames: %v", err)
	}
}

// TestOwnEmptyFrames trains and predicts with a frame without particles and with one without a species, from an archive and
// from dumps. Encoders that cannot say anything of an empty set refuse it, and so does the lab.
func TestOwnEmptyFrames(t *testing.T) {
	runs := ownRuns()
	runs[0].points[4] = nil
	runs[3].points[5] = runs[3].points[5][:2]
	dir := t.TempDir()
	files := []string{padded(t, runs, nil), dumps(t, runs)}
	for _, file := range files {
		sys, src, said := openOwn(t, file)
		if want := "; frames without particles: 1, for the dynamics alone\n"; !strings.Contains(said, want) || !strings.Contains(said, " 1 to 6 particles of 2 species") {
			t.Errorf("%s: %s and not %q", file, said, want)
		}
		names, _, err := filesAt(file)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := openFiles(sys, file, names, "", system.Reading{}); err == nil || !strings.Contains(err.Error(), "has no particle") {
			t.Errorf("%s: the lab says %v", file, err)
		}
		var tr system.Trajectory
		var f system.Frame
		for _, tc := range []struct{ run, frame, one, both int }{{0, 4, 0, 0}, {3, 5, 1, 1}, {0, 3, 3, 6}} {
			if err := src.Make(&tr, tc.run, func(float64) error { return nil }); err != nil {
				t.Fatal(err)
			}
			if sys.Frame(&f, &tr, tc.frame, 2); f.Ends[0] != tc.one || f.Ends[1] != tc.both || len(f.Points) != 2*tc.both {
				t.Errorf("%s: frame %d of run %d has sets to %v", file, tc.frame, tc.run, f.Ends)
			}
		}
		model, out := filepath.Join(dir, "m.safetensors"), filepath.Join(dir, "p.npz")
		for _, method := range []string{"flow", "flow noise", "flow-matching", "flow-tunable", "inve", "ae-inve-cd"} { // noise: with neighbours and a one-step loss
			method, noise := strings.CutSuffix(method, " noise")
			mustRun(t, "train", "-experiment", "own/"+method+"@quick", "-set", fmt.Sprint("system.noise=", noise), "-data", file, "-steps", "4", "-law-steps", "4", "-workers", "1", "-out", model)
			mustRun(t, "eval", "-data", file, "-workers", "1", "-predictions", out, model)
			z := arraysIn(t, out)["z"]
			for k, v := range z.Float64s()[:9*z.Shape[2]] {
				if v-v != 0 {
					t.Fatalf("%s: ẑ of frame %d is %v", method, k/z.Shape[2], v)
				}
			}
		}
		for _, method := range []string{"flow-st", "ae-aug"} {
			if _, err := command(t, t.Context(), "train", "-experiment", "own/"+method+"@quick", "-data", file, "-steps", "4", "-law-steps", "4", "-workers", "1", "-out", model); err == nil || !strings.Contains(err.Error(), "particles") || !strings.Contains(err.Error(), "trajectory 0") {
				t.Errorf("%s: %v", method, err)
			}
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
	}
	nan := float32(math.NaN())
	file := padded(t, runs, func(a map[string]*data.Array) {
		a["radius"] = data.NewArray([]int{5, 9}, slices.Repeat([]float32{nan}, 45))
	})
	if _, err := command(t, t.Context(), "describe", "-set", "observables=width = extent y", file); err == nil || !strings.Contains(err.Error(), "frame 4 of trajectory 0 has no particle, and not all observables can be computed of it") {
		t.Errorf("an observable of a frame without particles: %v", err)
	}
}

// TestNamesControlNothing trains on a folder with files whose names control a terminal, or turn the direction of
// writing.
func TestNamesControlNothing(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f\x1b[2J\u202e.npz")
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-out", file)
	for _, name := range []string{"\x1b]0;owned\a", "\u202etxt.exe", "\x9b31m"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Skip(err)
		}
	}
	for _, args := range [][]string{few(dir, filepath.Join(t.TempDir(), "m")), few(file, filepath.Join(t.TempDir(), "m\x1b[1m"))} {
		var said bytes.Buffer
		if err := run(t.Context(), args, &said, &said); err != nil {
			said.WriteString(setting.Plain(err.Error()))
		}
		if !strings.Contains(said.String(), `\u001b`) || !utf8.Valid(said.Bytes()) || strings.ContainsAny(said.String(), "\x1b\u202e\a") {
			t.Errorf("%q prints %q", args, &said)
		}
	}
}
