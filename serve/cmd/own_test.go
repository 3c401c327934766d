package cmd

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
)

// swirl returns the arrays of runs of particles in space that circle about the z-axis while they come closer to
// it, with the mean distance from it as one observable and the mean height and its half as two more.
func swirl(runs, frames, particles int) map[string]*data.Array {
	var x, types, radius, heights []float64
	for e := range runs {
		for k := range frames {
			r, h := 0.0, 0.0
			for i := range particles {
				angle := float64(i+3*e) + 0.02*float64(k)
				distance := (1 + 0.1*float64((i*7+e*5)%11)) * math.Exp(-0.02*float64(k))
				z := 0.1*float64((i*3+e)%5) + 0.01*float64(k)
				x = append(x, distance*math.Cos(angle), distance*math.Sin(angle), z)
				r, h = r+distance/float64(particles), h+z/float64(particles)
			}
			radius, heights = append(radius, r), append(heights, h, h/2)
		}
		for i := range particles {
			types = append(types, float64(4+i%2))
		}
	}
	single := make([]float32, len(x))
	for i, v := range x {
		single[i] = float32(v)
	}
	return map[string]*data.Array{
		"trajectories": data.NewArray([]int{runs, frames, particles, 3}, single),
		"radius":       data.NewArray([]int{runs, frames}, radius),
		"heights":      data.NewArray([]int{runs, frames, 2}, heights),
		"types":        data.NewArray([]int{runs, particles}, types),
	}
}

// writeOwn writes arrays to a file and returns its path.
func writeOwn(t *testing.T, arrays map[string]*data.Array) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "own.npz")
	f, err := os.Create(path)
	if err == nil {
		err = data.WriteNPZ(f, arrays)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// smallOwn writes a few short runs.
func smallOwn(t *testing.T) string { return writeOwn(t, swirl(4, 6, 8)) }

// TestOwnSystem goes the whole way from a file of a system that the program does not know: the training finds out
// what it is, and its checkpoint is enough to measure the model on another file.
func TestOwnSystem(t *testing.T) {
	file, model := writeOwn(t, swirl(12, 30, 16)), filepath.Join(t.TempDir(), "m.safetensors")
	var stdout, stderr bytes.Buffer
	if err := run(t.Context(), strings.Fields("train -preset quick -set steps=40 -set law.fit.steps=60 -set law.roll.steps=10 -workers 1 -data "+file+" -out "+model), &stdout, &stderr); err != nil {
		t.Fatal(err)
	}
	said := stderr.String()
	for _, words := range []string{
		"correlation of successive changes is 1.00 at least, near that of smooth motion, so the dynamics have no noise",
		"12 runs of 30 frames, 16 particles of 2 species, 3 coordinates; observables heights 1, heights 2 and radius",
		"training own/flow: deep set and flow",
	} {
		if !strings.Contains(said, words) {
			t.Errorf("the training says\n%s\nand not %q", said, words)
		}
	}
	other := writeOwn(t, swirl(5, 30, 16))
	table := mustRun(t, "eval", "-model", model, "-data", other, "-workers", "1")
	for _, row := range []string{"heights 1 ", "heights 2 ", "radius ", "RMSE of heights 1 in its own units: ", "RMSE of radius in its own units: "} {
		if !strings.Contains(table, "\n"+row) {
			t.Errorf("the table has no row %q:\n%s", row, table)
		}
	}
	if out := mustRun(t, "eval", "-json", "-model", model, "-data", other, "-workers", "1"); !strings.Contains(out, `"observables":[{`) || !strings.Contains(out, `"set":"radius"`) || !strings.Contains(out, `"rmse_first":`) {
		t.Errorf("no figures of single observables: %s", out)
	}
	again := filepath.Join(t.TempDir(), "again.safetensors")
	mustRun(t, "train", "-resume", model, "-data", file, "-workers", "1", "-out", again)
}

// TestDescribe checks that lines in the archive, beside it and on the command line describe a system, later ones
// more, that describe says them, and that a training takes them.
func TestDescribe(t *testing.T) {
	arrays := swirl(6, 8, 6)
	letters := []float64{}
	for _, c := range "title = In the archive\nturns = true\nobservables = size [m] = gyration, radius" {
		letters = append(letters, float64(c))
	}
	arrays["system"] = data.NewArray([]int{len(letters)}, letters)
	file := writeOwn(t, arrays)
	beside := "axes = x [m], y [m], z [m]  # lengths\nspecies = red, blue\ntitle = Beside it\n"
	if err := os.WriteFile(strings.TrimSuffix(file, ".npz")+".system", []byte(beside), 0o600); err != nil {
		t.Fatal(err)
	}
	said := mustRun(t, "describe", "-cost=false", "-set", "dt=0.5", file)
	for _, line := range []string{"title = Beside it", "axes = x [m], y [m], z [m]", "species = red = 4, blue = 5", "observables = size [m] = gyration, radius", "dt = 0.5", "noise = false", "turns = true"} {
		if !strings.Contains(said, "\n"+line+"\n") {
			t.Errorf("no line %q in\n%s", line, said)
		}
	}
	model := filepath.Join(t.TempDir(), "m.safetensors")
	mustRun(t, "train", "-data", file, "-preset", "quick", "-set", "steps=4", "-set", "law.fit.steps=4", "-set", "law.roll.steps=2", "-set", "system.title=A swirl", "-workers", "1", "-out", model)
	b, err := os.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	m, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"system.title": "A swirl", "system.species": "red = 4, blue = 5", "config.rotate": "true"} {
		if got := m.Metadata[name]; got != want {
			t.Errorf("the checkpoint has %s = %q, want %q", name, got, want)
		}
	}
	table := mustRun(t, "eval", "-model", model, "-data", file, "-workers", "1")
	for _, row := range []string{`size `, `RMSE of size: [0-9.e+-]+ m; its first value repeated has [0-9.e+-]+ m, the mean of these runs in each frame [0-9.e+-]+ m$`, `RMSE of radius in its own units: [0-9.e+-]+; its`} {
		if !regexp.MustCompile("(?m)^" + row).MatchString(table) {
			t.Errorf("the table has no row %q:\n%s", row, table)
		}
	}
	if said := mustRun(t, "eval", "-json", "-model", model, "-data", file, "-workers", "1"); strings.Count(said, `"unit":"m"`) != 1 {
		t.Errorf("one observable has a unit, and eval says %s", said)
	}
	if _, err := command(t, t.Context(), "train", "-experiment", "line/flow", "-set", "system.title=A line"); err == nil || !strings.Contains(err.Error(), "describes a system of your own") {
		t.Errorf("lines for a known system: %v", err)
	}
}

// TestOwnParameters checks that arrays of a number for each run are inputs of the dynamics, that -params chooses
// among them, and that a checkpoint asks other data for them.
func TestOwnParameters(t *testing.T) {
	arrays := swirl(4, 6, 8)
	arrays["size"] = data.NewArray([]int{4}, []float64{1, 2.00001, 3, 4.567891234})
	arrays["mass"] = data.NewArray([]int{4}, []float64{1, 2, 2, 1})
	arrays["heat"] = data.NewArray([]int{4}, []float64{7, 7, 7, 7})
	file, without, model := writeOwn(t, arrays), smallOwn(t), filepath.Join(t.TempDir(), "m.safetensors")
	small := []string{"train", "-data", file, "-preset", "quick", "-set", "steps=4", "-set", "law.fit.steps=4", "-set", "law.roll.steps=2", "-workers", "1", "-out", model}
	for _, tc := range []struct {
		flags       []string
		params, of  string
		says, lacks string
	}{
		{nil, "mass:1:2,size:1:4.57", "mass 1 to 2, size 1 to 4.57", "heat is 7 in all runs, so it is no input of the dynamics", `no array "mass" of a number for each run`},
		{[]string{"-params", "size:0:9"}, "size:0:9", "size 1 to 4.57", "not used: heat, mass", `no array "size" of a number for each run`},
		{[]string{"-params", "none"}, "", "", "not used: heat, mass, size", ""},
		{[]string{"-set", "system.parameters=mass [kg]"}, "mass:1:2", "mass [kg] 1 to 2", "not used: heat, size", `no array "mass"`},
	} {
		var said bytes.Buffer
		if err := run(t.Context(), append(small, tc.flags...), &said, &said); err != nil {
			t.Fatalf("%v: %v", tc.flags, err)
		}
		b, err := os.ReadFile(model)
		if err != nil {
			t.Fatal(err)
		}
		m, err := ckpt.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if got, of := m.Metadata["config.dynamics.params"], m.Metadata["system.parameters"]; got != tc.params || of != tc.of || !strings.Contains(said.String(), tc.says) {
			t.Errorf("%v: parameters %q of %q, want %q of %q; and a line %q in\n%s", tc.flags, got, of, tc.params, tc.of, tc.says, &said)
		}
		mustRun(t, "eval", "-model", model, "-data", file, "-workers", "1")
		_, err = command(t, t.Context(), "eval", "-model", model, "-data", without, "-workers", "1")
		if tc.lacks == "" && err != nil || tc.lacks != "" && (err == nil || !strings.Contains(err.Error(), tc.lacks)) {
			t.Errorf("%v: data without parameters: %v", tc.flags, err)
		}
	}
	mustRun(t, small...)
	arrays["size"] = data.NewArray([]int{4}, []float64{9, 2, 3, 4})
	var said bytes.Buffer
	err := run(t.Context(), []string{"eval", "-model", model, "-data", writeOwn(t, arrays), "-workers", "1"}, &said, &said)
	if text := said.String(); err != nil || !strings.Contains(text, "the data have size = 9 in their first trajectory, and the model was trained from 1 to 4.57") || strings.Contains(text, "mass =") {
		t.Errorf("of a parameter outside of the training, eval says\n%s, %v", text, err)
	}
	if _, err := command(t, t.Context(), append(small, "-params", "heat")...); err == nil || !strings.Contains(err.Error(), `there is no parameter "heat"; use mass, size`) {
		t.Errorf("a parameter that is the same in all runs: %v", err)
	}
}

// TestLearningCurve trains on four and on eight runs, and checks the table and the refusals.
func TestLearningCurve(t *testing.T) {
	file := writeOwn(t, swirl(12, 12, 8))
	args := []string{"sweep", "-data", file, "-preset", "quick", "-seeds", "2", "-set", "steps=6", "-set", "law.fit.steps=6", "-set", "law.roll.steps=2"}
	said := mustRun(t, append(args, "-over", "data.runs=4,8")...)
	if lines := strings.Split(strings.TrimSpace(said), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[0], "runs  MRE") || !strings.HasPrefix(lines[1], "4 ") || !strings.HasPrefix(lines[2], "8 ") || !strings.Contains(lines[3], "ore runs would") {
		t.Errorf("the curve is\n%s", said)
	}
	for over, says := range map[string]string{
		"data.runs=4,50": "11 runs can train, and 1 are held out", "data.runs=8,4": "give growing numbers of runs", "eps=0.1,0.2": "-data is for a learning curve",
	} {
		if _, err := command(t, t.Context(), append(args, "-over", over)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("-over %s: error %v, want one that says %q", over, err, says)
		}
	}
}

// TestExamples describes the examples that come with the page, and checks that they take at most 1.5 MB.
func TestExamples(t *testing.T) {
	folder := filepath.Join("..", "..", "assets", "examples")
	bytes := int64(0)
	for name, lines := range map[string][]string{
		"swarm":   {"title = A swarm in space", "observables = energy, gyration", "dt = 0.06", "noise = false", "turns = true"},
		"flock":   {"axes = x period 3, y period 3, vx velocity, vy velocity", "observables = clustering, polarisation", "noise = true"},
		"mixture": {"axes = x period 3.5, y period 3.5, z period 3.5", "species = 1, 2", "observables = unlike_a, unlike_b", "noise = true"},
	} {
		file := filepath.Join(folder, name+".npz")
		said := mustRun(t, "describe", "-cost=false", file)
		for _, line := range lines {
			if !strings.Contains(said, "\n"+line+"\n") {
				t.Errorf("%s: no line %q in\n%s", name, line, said)
			}
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		bytes += info.Size()
	}
	if bytes > 1_500_000 {
		t.Errorf("the examples take %d bytes", bytes)
	}
}

// TestOwnMistakes checks the sentences about files that cannot be learned from.
func TestOwnMistakes(t *testing.T) {
	for says, change := range map[string]func(map[string]*data.Array){
		"has no observable to predict: an array of the shape [4 6], a number for each frame of each run; add one, or let one be computed with a line such as observables = size = gyration; it has speed [4]": func(a map[string]*data.Array) {
			delete(a, "radius")
			delete(a, "heights")
			a["speed"] = data.NewArray([]int{4}, make([]float64, 4))
		},
		"different species; use 8 species at most": func(a map[string]*data.Array) {
			many := make([]float64, 32)
			for i := range many {
				many[i] = float64(i)
			}
			a["types"] = data.NewArray([]int{4, 8}, many)
		},
		`the observable "radius" is NaN in frame 1 of run 0`: func(a map[string]*data.Array) {
			bad := make([]float64, 24)
			bad[1] = math.NaN()
			a["radius"] = data.NewArray([]int{4, 6}, bad)
		},
		"no array \"trajectories\"": func(a map[string]*data.Array) { delete(a, "trajectories") },
		`the array "size" is NaN for run 2; use numbers`: func(a map[string]*data.Array) {
			a["size"] = data.NewArray([]int{4}, []float64{1, 2, math.NaN(), 3})
		},
	} {
		arrays := swirl(4, 6, 8)
		change(arrays)
		_, err := command(t, t.Context(), "train", "-data", writeOwn(t, arrays), "-out", filepath.Join(t.TempDir(), "m.safetensors"))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want one that says %q", err, says)
		}
	}
	if _, err := command(t, t.Context(), "train", "-experiment", "own/flow", "-out", filepath.Join(t.TempDir(), "m.safetensors")); err == nil || !strings.Contains(err.Error(), "give them with -data") {
		t.Errorf("without data: %v", err)
	}
}

// TestTurnsWithoutAxes checks that a line can say that a system turns if only the data tell its velocities.
func TestTurnsWithoutAxes(t *testing.T) {
	const runs, frames, particles = 4, 6, 8
	var points, order []float32
	for e := range runs {
		for k := range frames {
			order = append(order, float32(e*k))
			for i := range particles {
				vx, vy := math.Sincos(float64(e*particles + i))
				points = append(points, float32(float64(k)*vx), float32(float64(i)+float64(k)*vy), float32(vx), float32(vy))
			}
		}
	}
	file := writeOwn(t, map[string]*data.Array{
		"trajectories": data.NewArray([]int{runs, frames, particles, 4}, points), "order": data.NewArray([]int{runs, frames}, order),
	})
	said := mustRun(t, "describe", "-cost=false", "-set", "turns=true", file)
	for _, words := range []string{"vx velocity, vy velocity\n", "\nturns = true\n"} {
		if !strings.Contains(said, words) {
			t.Errorf("no %q in\n%s", words, said)
		}
	}
}
