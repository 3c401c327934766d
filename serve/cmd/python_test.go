package cmd

import (
	"cmp"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/net/decoder/matching"
	"macroscope/model/system"
	"macroscope/model/system/mixing"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// python runs Python with NumPy and the modules of a folder. Without NumPy, the test is
// skipped, or fails if CI is set.
func python(t *testing.T, folder string, env []string, args ...string) string {
	t.Helper()
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() != nil {
			continue
		}
		c := exec.Command(name, args...)
		c.Env = slices.Concat(os.Environ(), env, []string{"PYTHONPATH=" + folder, "PYTHONDONTWRITEBYTECODE=1", "OPENBLAS_NUM_THREADS=1"})
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return string(out)
	}
	if os.Getenv("CI") != "" {
		t.Fatal("no python3 has NumPy; install python3-numpy")
	}
	t.Skip("no python3 has NumPy")
	return ""
}

// TestPythonKnowsParameters compares the defaults of macroscope.py with the parameters of all systems.
func TestPythonKnowsParameters(t *testing.T) {
	text, err := os.ReadFile("../../assets/python/macroscope.py")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\nUSUAL = {")
	list, _, _ := strings.Cut(rest, "}")
	known := make(map[string]float64)
	for _, m := range regexp.MustCompile(`"(\w+)": ([\d.]+)`).FindAllStringSubmatch(list, -1) {
		known[m[1]], _ = strconv.ParseFloat(m[2], 64)
	}
	for _, s := range systems {
		for _, p := range s.Parameters {
			if v, there := known[p.Name]; !there || v != p.Usual {
				t.Errorf("USUAL of assets/python/macroscope.py has %s = %v, and the default of %s is %g", p.Name, v, s.Name, p.Usual)
			}
		}
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Sizes of the comparison with Python.
const (
	pythonFrames  = 20
	pythonMembers = 9 // members of an ensemble; a stochastic model has fewer views, so some members share a view
	pythonPoints  = 200
	pythonSeed    = 5
)

// changed writes a model to another file after a change.
func changed(t *testing.T, path, to string, change func(*model.Model)) {
	t.Helper()
	m, err := load(io.Discard, path)
	if err != nil {
		t.Fatal(err)
	}
	change(m)
	f, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(ckpt.Encode(f, m.Checkpoint()), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// flock returns the arrays of runs of particles of two species in the plane, whose x and y repeat with the period 5.
// Each has a heading of its own, which wanders.
func flock(runs, frames, particles int) map[string]*data.Array {
	const side, speed = 5.0, 0.3
	var points, order, height []float64
	var types []int64
	r := rng.New(pythonSeed, "flock").Rand
	for range runs {
		x, heading, common := make([]float64, 2*particles), make([]float64, particles), 2*math.Pi*r.Float64()
		for i := range particles {
			x[2*i], x[2*i+1], heading[i] = side*r.Float64(), side*r.Float64(), common+3*r.Float64()
			types = append(types, int64(4+3*(i%2)))
		}
		for range frames {
			vx, vy, y := 0.0, 0.0, 0.0
			for i, a := range heading {
				sin, cos := math.Sincos(a)
				points = append(points, x[2*i], x[2*i+1], speed*cos, speed*sin)
				vx, vy, y = vx+cos/float64(particles), vy+sin/float64(particles), y+x[2*i+1]/float64(particles)
				x[2*i], x[2*i+1] = math.Mod(x[2*i]+speed*cos+side, side), math.Mod(x[2*i+1]+speed*sin+side, side)
				heading[i] += 0.3 * r.NormFloat64()
			}
			order, height = append(order, math.Hypot(vx, vy)), append(height, y)
		}
	}
	return map[string]*data.Array{
		"trajectories": data.NewArray([]int{runs, frames, particles, 4}, points),
		"order":        data.NewArray([]int{runs, frames}, order), "height": data.NewArray([]int{runs, frames}, height),
		"types": data.NewArray([]int{runs, particles}, types), "box": data.NewArray([]int{4}, []float64{side, side, 0, 0}),
	}
}

// pythonOwn trains models of systems of the user's own for a few steps, and writes them to a folder. Random changes of
// the weights then give what the training did not have the time for: densities that are far from uniform. It returns
// the models' paths, and the file of trajectories of each.
func pythonOwn(t *testing.T, dir string) (models []string, files map[string]string) {
	flock, swirl := writeOwn(t, flock(6, 30, 24)), writeOwn(t, swirl(6, 30, 24))
	files = make(map[string]string)
	const boxed = "system.axes=x|period|5,y|period|5,vx|velocity,vy|velocity "
	for _, of := range []struct{ name, method, file, settings string }{
		{"own-box", "flow", flock, boxed + "system.turns=true system.noise=true"},
		{"own-matching", "flow-matching", flock, boxed + "system.noise=false near=3"},
		{"own-centred", "flow", flock, boxed + "system.turns=true system.noise=false centred=true"},
		{"own-plane", "flow-st", flock, "system.turns=true system.noise=true near=5 system.axes=x|centre|2,y|centre|1,vx|velocity,vy|velocity"},
		{"own-corridor", "flow", flock, "system.noise=true centred=true unseen=2 flow.condbase=true flow.basehidden=8 system.axes=x|[m]|period|5,y,vx|velocity,vy|mark"},
		{"own-tunable", "flow-tunable", flock, "system.noise=false system.axes=x|period|5,y,vx|mark,vy|mark"},
		{"own-space", "flow", swirl, "system.turns=true system.noise=false near=4"},
		{"own-cube", "flow", swirl, "system.turns=true system.noise=false near=2 system.axes=x|period|4,y|period|4,z|period|4"},
		{"own-aug", "ae-aug", flock, boxed + "system.turns=true system.noise=false"},
	} {
		path := filepath.Join(dir, of.name+".safetensors")
		args := []string{"train", "-experiment", "own/" + of.method + "@quick", "-data", of.file, "-workers", "1", "-out", path, "-set", "steps=3"}
		more := "law.steps=2"
		if strings.Contains(of.settings, "noise=false") {
			more = "law.fit.steps=2 law.roll.steps=1"
		}
		for _, text := range strings.Fields(of.settings + " " + more) {
			args = append(args, "-set", strings.ReplaceAll(text, "|", " "))
		}
		mustRun(t, args...)
		changed(t, path, path, func(m *model.Model) {
			_, decoder := m.Weights.Split(m.Weights.Params)
			for i, v := range normal(rng.New(pythonSeed, of.name).Rand, len(decoder)) {
				decoder[i] += 0.1 * v
			}
		})
		models, files[path] = append(models, path), of.file
	}
	return models, files
}

// TestPython compares assets/python/macroscope.py with the program on every shipped model, on one whose
// encoder does not see a coordinate, and on models of the user's own systems. It writes the program's
// results and the random numbers that the program draws; test_macroscope.py compares. The notebook
// there runs with a training of a few steps.
func TestPython(t *testing.T) {
	models, err := filepath.Glob("../../assets/models/*.safetensors")
	if err != nil || len(models) == 0 {
		t.Fatalf("no models: %v", err)
	}
	dir := t.TempDir()
	unseen := filepath.Join(dir, "unseen.safetensors")
	changed(t, "../../assets/models/polymer-flow.safetensors", unseen, func(m *model.Model) { m.Config.Data.Unseen = 2 })
	own, files := pythonOwn(t, dir)
	models = slices.Concat(models, []string{unseen}, own)
	runs := make(map[string]*system.Trajectory)
	for _, path := range models {
		m, err := load(io.Discard, path)
		if err != nil {
			t.Fatal(err)
		}
		name := cmp.Or(files[path], m.System.Traits.Name)
		if runs[name] == nil {
			runs[name] = pythonRun(t, m, files[path])
		}
		low, high, zdims := m.Config.Tuning().Range()
		places := [][2]float64{{m.Config.Eps(), float64(m.Config.Tuning().Usual())}}
		if m.Config.Tunable() {
			places = append(places, [2]float64{low, float64(zdims[0])}, [2]float64{high, float64(zdims[len(zdims)/2])})
		}
		for i, place := range places {
			at, err := m.At(place[0], int(place[1]))
			if err != nil {
				t.Fatal(err)
			}
			arrays := pythonCase(t, at, runs[name])
			if m.Config.Tunable() {
				arrays["eps"], arrays["zdim"] = data.NewArray([]int{}, place[:1]), data.NewArray([]int{}, []int64{int64(place[1])})
			}
			writeArrays(t, filepath.Join(dir, strings.TrimSuffix(filepath.Base(path), ".safetensors")+"@"+strconv.Itoa(i)+".npz"), arrays)
		}
	}
	codes := &model.Codes{Trajectories: 3, Frames: 2, Variables: 2, Validation: 1, Z: []float32{0, 0.5, -1, 1, 0.25, 0, 0, 0, 1, 0.1, 0.2, 0.3}, Low: []float64{1, 2}, High: []float64{3, 4}}
	run, coded := filepath.Join(dir, "run"), filepath.Join(dir, "codes")
	f, err := os.Create(coded + ".npz")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(codes.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	path, err := os.ReadFile("../../assets/models/line-ae-aug.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	if f, err = os.Create(filepath.Join(dir, "line.macroscope")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join((&bundle.Bundle{Model: path}).Encode(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "simulate", "-n", "2", "-steps", "3", "-particles", "20", "-params", "a:6", "-out", run+".npz")

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{
		"MACROSCOPE_MODELS=" + absolute(t, "../../assets/models"), "MACROSCOPE_CASES=" + dir,
		"MACROSCOPE_PROGRAM=" + self, asProgram + "=" + itsOwn, "MACROSCOPE_CHANGES=steps=3 law.steps=2", // of the notebook
	}
	t.Log(python(t, absolute(t, "../../assets/python"), env, "-m", "unittest", "-v", "test_macroscope"))

	compareArrays(t, run+".npz", run+"-python.npz")
	b, err := os.ReadFile(coded + "-python.npz")
	if err != nil {
		t.Fatal(err)
	}
	again, err := model.ReadCodes(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range codes.Z {
		if math.Abs(float64(v-again.Z[i])) > 2e-5 {
			t.Errorf("code %d is %g after Python, and was %g", i, again.Z[i], v)
		}
	}
	if again.Validation != 1 || again.Low[1] != 2 || again.High[0] != 3 {
		t.Errorf("codes after Python: %+v", again)
	}
}

// compareArrays checks that the program reads the same trajectories from two files.
func compareArrays(t *testing.T, a, b string) {
	t.Helper()
	sys, err := systems.Find("particles")
	if err != nil {
		t.Fatal(err)
	}
	var points, params [2][]float64
	for i, path := range []string{a, b} {
		src, err := readData(sys, path, "energy")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		if err := system.Each(work.Until(t.Context()), src, 2, 1, func(_ int, run *system.Trajectory) error {
			for _, x := range run.Points {
				points[i] = append(points[i], float64(x))
			}
			points[i], params[i] = append(points[i], run.Macro...), append(params[i], run.Params...)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(points[0]) != 2*4*(20*2+1) || !slices.Equal(points[0], points[1]) || !slices.Equal(params[0], params[1]) || params[0][0] != 6 {
		t.Errorf("%s differs from %s: %d and %d numbers, parameters %v and %v", b, a, len(points[1]), len(points[0]), params[1], params[0])
	}
}

// pythonRun returns a short run of a model's system, or the first of a file.
func pythonRun(t *testing.T, m *model.Model, file string) (run *system.Trajectory) {
	t.Helper()
	if file != "" {
		src, err := readData(m.System, file, "")
		if err != nil {
			t.Fatal(err)
		}
		defer src.Close()
		return firstOf(t, src)
	}
	if m.System.Draw != nil {
		run = &system.Trajectory{Points: make([]float32, m.Config.Particles*m.Config.Dim())}
		m.System.Draw(run.Points, rng.New(pythonSeed, "python"))
		return run
	}
	src := m.System.Simulated(system.Choice{Seed: pythonSeed, Count: 1, Particles: m.Config.Particles})
	if m.System.Name == "mixing" {
		s := mixing.NewSimulated(pythonSeed, 1)
		s.Fixed, s.Box.Steps, s.Box.Relaxation = true, s.Box.Every, s.Box.Every
		src = s
	}
	run = firstOf(t, src)
	if m.System.Pictures != nil {
		run.Points, run.Macro = run.Points[:151*len(run.Species)*3], run.Macro[:151]
	}
	return run
}

// firstOf returns the first run of a source.
func firstOf(t *testing.T, src system.Source) (run *system.Trajectory) {
	t.Helper()
	if err := system.Each(work.Until(t.Context()), src, 1, 1, func(_ int, of *system.Trajectory) error {
		run = of.Clone()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return run
}

// pythonCase returns the program's results for a run and a model.
func pythonCase(t *testing.T, m *model.Model, run *system.Trajectory) map[string]*data.Array {
	c, s := &m.Config, &m.Scale
	arrays := make(map[string]*data.Array)
	add := func(name string, values []float32, shape ...int) {
		arrays[name] = data.NewArray(shape, values)
	}
	dim, begin := c.Dim(), c.Dynamics.Begin
	*run = *run.Clone()
	run.Params = nil
	if len(c.Dynamics.Params) > 0 {
		for i, p := range c.Traits.Parameters {
			run.Params = append(run.Params, p.Usual+0.1*float64(i+1))
			if slices.ContainsFunc(c.Dynamics.Params, func(r system.Range) bool { return r.Name == p.Name }) {
				arrays[p.Name] = data.NewArray([]int{}, run.Params[i:])
			}
		}
	}
	var f system.Frame
	m.System.Frame(&f, run, begin, dim)
	size := len(run.Points)
	if c.HasDynamics() {
		size = len(run.Species) * dim
	}
	add("points", run.Points[begin*size:(begin+1)*size], size/dim, dim)
	if of := m.System.Pictures; of != nil && c.Traits.MaxParticles > 0 {
		add("points", f.Points, len(f.Points)/dim, dim)
		if err := of.Draw(&system.Trajectory{Points: run.Points[begin*size:], Species: run.Species, Macro: run.Macro[begin : begin+1]}, func(picture []uint8) error {
			var grey []int64
			for _, v := range picture {
				grey = append(grey, int64(v))
			}
			arrays["picture"] = data.NewArray([]int{of.Height, of.Width}, grey)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if c.Sets() > 1 {
		var types []int64
		for _, v := range run.Species {
			number := int64(v)
			if kinds := m.System.Files.Kinds; kinds != nil {
				var err error
				if number, err = strconv.ParseInt(kinds[v-1], 10, 64); err != nil {
					t.Fatal(err)
				}
			}
			types = append(types, number)
		}
		arrays["types"] = data.NewArray([]int{len(types)}, types)
	}
	z := make([]float32, c.Sets()*c.ZDim())
	m.NewCoder().Encode(z, &f)
	add("z", z, c.Sets(), c.ZDim())
	_, dec := m.Weights.Split(m.Weights.Params)
	unscaled := func(x []float32) (to []float64) {
		for i, v := range x {
			to = append(to, float64(v)*s.Std[i%dim]+s.Mean[i%dim])
		}
		return to
	}
	if p := m.Points(); p != nil {
		x := p.Restore(dec, z)
		arrays["restored"] = data.NewArray([]int{len(x) / dim, dim}, unscaled(x))
	}
	if d := m.Density(pythonPoints); d != nil {
		x, logp := make([]float32, pythonPoints*dim), make([]float32, pythonPoints)
		noise, r := make([]float32, len(x)), rng.New(pythonSeed, "noise").Rand
		for i := range noise {
			noise[i] = matching.Noise[float32](&matching.Config{Circles: c.Circles}, i%dim, r)
		}
		add("noise", noise, pythonPoints, dim)
		d.Sample(x, dec, z[:c.ZDim()], rng.New(pythonSeed, "noise").Rand)
		arrays["sample"] = data.NewArray([]int{pythonPoints, dim}, unscaled(x))
		s.Points(x[:len(x)/2], f.Points[:min(len(x)/2, len(f.Points))]) // half of the points are from the set
		d.LogProb(logp, dec, x, z[:c.ZDim()])
		arrays["x"] = data.NewArray([]int{pythonPoints, dim}, unscaled(x))
		density := make([]float64, pythonPoints)
		for i, v := range logp {
			density[i] = float64(v)
			for _, std := range s.Std {
				density[i] -= math.Log(std)
			}
		}
		arrays["density"] = data.NewArray([]int{pythonPoints}, density)
	}
	if !c.HasDynamics() {
		return arrays
	}
	vars, v, frames := c.Variables, c.States(), pythonFrames+1
	macro := run.Until(begin, vars)
	arrays["macro"] = data.NewArray([]int{begin + 1, vars}, macro)
	states := make([]float32, c.Data.Views*v)
	m.NewCoder().States(states, &f, macro)
	add("states", states, c.Data.Views, v)
	members := 1
	if c.Traits.Stochastic {
		members = pythonMembers
		src := rng.New(pythonSeed, c.Traits.Streams.Rollouts, 0)
		var kicks []float32
		for range members {
			kicks = append(kicks, normal(rand.New(rand.NewPCG(src.Uint64(), src.Uint64())), pythonFrames*v)...)
		}
		add("kicks", kicks, members, pythonFrames, v)
	}
	path := make([]float32, members*frames*vars)
	measure.Predict(m, path, &f, macro, members, frames, pythonSeed)
	if !c.Traits.Stochastic {
		for i, x := range path {
			path[i] = float32(s.Value(i%vars, float64(x)))
		}
	}
	add("path", path, members, frames, vars)
	return arrays
}

// normal draws standard normal numbers.
func normal(r *rand.Rand, n int) (x []float32) {
	for range n {
		x = append(x, float32(r.NormFloat64()))
	}
	return x
}

func writeArrays(t *testing.T, path string, arrays map[string]*data.Array) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := data.WriteNPZ(f, arrays); err != nil {
		t.Fatal(err)
	}
}

// simulate stands for the reader's own simulation in the guide's Python.
const simulate = `
import numpy as np
from types import SimpleNamespace

def simulate(seed):
    x = np.random.default_rng(seed).random((6, 8, 3))
    return SimpleNamespace(positions=x, energy=x.mean((1, 2)), gyration=x.std((1, 2)), species=np.arange(8) % 2)
`

// TestGuidePython runs the Python code of the guide as written, in a folder with the assets and
// with the files that the page's other commands write.
func TestGuidePython(t *testing.T) {
	assets := absolute(t, "../../assets")
	pages, err := filepath.Glob(filepath.Join(assets, "guide", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(assets, filepath.Join(dir, "assets")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	count := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^    import .*\n(?:    .*\n|\n)*`).FindAllString(string(text), -1) {
			code := strings.ReplaceAll("\n"+m, "\n    ", "\n")
			for _, line := range guideCommands(t, page) {
				args := shellWords(line)
				if i := slices.Index(args, "-out"); i > 0 && strings.Contains(code, strconv.Quote(args[i+1])) {
					mustRun(t, args[1:]...)
				}
			}
			t.Log(python(t, filepath.Join(assets, "python"), nil, "-c", simulate+code))
			count++
		}
	}
	if count == 0 {
		t.Error("the guide has no Python")
	}
}
