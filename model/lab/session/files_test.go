package session_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// labOf returns a lab by its name in links.
func labOf(t testing.TB, name string) lab.Lab {
	for _, l := range catalogue.All() {
		if l.Link() == name {
			return l
		}
	}
	t.Fatalf("there is no lab %s", name)
	return lab.Lab{}
}

// systemsOf returns a lab's systems, for opening checkpoints.
func systemsOf(t testing.TB, name string) method.Systems {
	t.Helper()
	l := labOf(t, name)
	return l.Systems()
}

// npy returns an array of the given shape with small values, all different.
func npy(t testing.TB, shape ...int) []byte {
	t.Helper()
	n := 1
	for _, s := range shape {
		n *= s
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i%97)/97 - float32(i%13)/26
	}
	var b bytes.Buffer
	if err := data.WriteNPY(&b, data.NewArray(shape, v)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// nan replaces the last number of an array by NaN.
func nan(b []byte) []byte { return append(slices.Clone(b[:len(b)-4]), 0, 0, 0xc0, 0x7f) }

// trajectories returns an archive of simulated trajectories in the format of the lab's export.
// The archive also has an array "speed" with one value per frame.
func trajectories(t testing.TB, lab string, count int) []byte {
	t.Helper()
	v := newcomer(t, lab)
	v.apply(wire.Link, "", map[string]string{"particles": "n=12&steps=60", "mixing": "height=12&frames=12", "polymer": "n=12&frames=60"}[lab])
	var frames []float32
	var macro []float64
	var types []int64
	var n, steps, variables int
	for k := range count {
		if k > 0 {
			v.press("another")
		}
		v.prepare()
		v.seek(int(v.number("horizon")))
		v.settle()
		f, m, ty := exported(t, v)
		frames, macro, types = append(frames, f.values...), append(macro, m.values...), append(types, ty...)
		steps, n, variables = f.shape[1], f.shape[2], m.shape[2]
	}
	own := make([]float64, count*steps)
	for i := range own {
		own[i] = float64(i%7) / 7
	}
	arrays := map[string]*data.Array{
		"trajectories": data.NewArray([]int{count, steps, n, len(frames) / (count * steps * n)}, frames),
		"macro":        data.NewArray([]int{count, steps, variables}, macro),
		"speed":        data.NewArray([]int{count, steps}, own),
	}
	if lab == "mixing" {
		arrays["types"] = data.NewArray([]int{count, n}, types)
	}
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, arrays); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type array[T any] struct {
	shape  []int
	values []T
}

// exported returns the content of a run's export.
func exported(t testing.TB, v *visitor) (frames array[float32], macro array[float64], types []int64) {
	t.Helper()
	_, b, err := v.Save("npz")
	if err != nil {
		t.Fatal(err)
	}
	sys := labOf(t, v.lab).System
	src, err := sys.Open(system.File{Name: "run.npz", Bytes: bytes.NewReader(b), Size: int64(len(b))}, "")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	shape := src.Shape()
	tr := new(system.Trajectory)
	if err := src.Make(tr, 0, work.Until(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, s := range tr.Species {
		types = append(types, int64(s))
	}
	frames = array[float32]{[]int{1, shape.Frames, shape.Particles, shape.Dim}, slices.Clone(tr.Points)}
	macro = array[float64]{[]int{1, shape.Frames, len(tr.Macro) / shape.Frames}, slices.Clone(tr.Macro)}
	return frames, macro, types
}

// TestExports saves a run and its model. The command line's readers must read the same run
// and the same model.
func TestExports(t *testing.T) {
	timed(t, func(t *testing.T, v *visitor) {
		v.seek(8)
		v.settle()
		known := int(v.number("known"))
		frames, macro, types := exported(t, v)
		n, d := len(v.row("x"))/2, frames.shape[3]
		if frames.shape[1] != known+1 || frames.shape[2] != n || !slices.Equal(view.Flat(nil, frames.values[d*n*known:], d, [2]int{0, 1}), v.row("x")) {
			t.Errorf("%v was saved of %d frames", frames.shape, known+1)
		}
		values := v.row(map[string]string{"particles": "energy", "mixing": "ratios", "polymer": "extension"}[v.lab])
		if v.lab == "mixing" {
			for i, k := range v.row("kind") {
				if float32(types[i]) != k {
					t.Fatalf("atom %d is of kind %g and was saved as %d", i, k, types[i])
				}
			}
		}
		for i, m := range macro.values {
			if float32(m) != values[i] {
				t.Fatalf("variable %d is %g and was saved as %g", i, values[i], m)
			}
		}
		_, csv, err := v.Save("csv")
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(csv)), "\n")
		if len(lines) != known+2 || !strings.HasPrefix(lines[0], "frame,time,") || !strings.Contains(lines[0], ",z") {
			t.Errorf("%d lines, the first %q", len(lines), lines[0])
		}
		for _, l := range lines {
			if strings.Count(l, ",") != strings.Count(lines[0], ",") {
				t.Fatalf("the row %q is not as long as the head", l)
			}
		}
		if said := opened(v, "curves.csv", csv); !strings.Contains(said, "a table of curves is for other programs") {
			t.Errorf("the curves were dropped on the page: %q", said)
		}
		if _, _, err := v.Save("gif"); err == nil {
			t.Error("an unknown file was made")
		}

		// Opening the export gives the same run and the same prediction.
		name, npz, _ := v.Save("npz")
		mean, pred, x := v.row("mean"), v.row("pred"), v.row("x")
		v.drop(name, npz)
		v.seek(known)
		v.settle()
		if !slices.Equal(v.row("x"), x) {
			t.Error("the run that was saved is another one")
		}
		for i, p := range v.row("pred") {
			if p != pred[i] {
				t.Fatalf("frame %d is predicted another way", i)
			}
		}
		if got := v.row("mean"); len(got) > 0 && v.lab == "mixing" && math.Abs(float64(got[3]-mean[3])) > 0.01 {
			t.Errorf("frame 1 is predicted as %g and %g", got[2:4], mean[2:4])
		}
		if _, again, err := v.Save("npz"); err != nil || !bytes.Equal(again, npz) {
			t.Errorf("saved again it is another file: %v", err)
		}
	})
	each(t, func(t *testing.T, v *visitor) {
		name, b, err := v.Save(wire.Model)
		if err != nil || !strings.HasSuffix(name, ".safetensors") {
			t.Fatal(name, err)
		}
		f, err := ckpt.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Open(systemsOf(t, v.lab), f)
		if err != nil || m.Config.ZDim() < 1 {
			t.Fatal(err)
		}
		says := v.drop(name, b)
		if st := v.State(); len(runsHere(st)) != 2 || runsHere(st)[1].Shown != "a" || !strings.Contains(st.Model, "macroscope-") || !strings.Contains(says, "macroscope-") {
			t.Errorf("notice %q, runs %+v of %s", says, st.Runs, st.Model)
		}
		if !v.sampler() {
			return
		}
		v.set("eps", "0.03")
		v.fetch()
		_, csv, err := v.Save("csv")
		q, p, x := v.row("q"), v.row("p"), slices.Clone(v.row("x"))
		lines := strings.Split(strings.TrimSpace(string(csv)), "\n")
		if want := fmt.Sprintf(",%g,%g,", q[3], p[3]); err != nil || len(lines) != len(q)+1 || lines[0] != "position,target,learned,mixture" || !strings.Contains(lines[4], want) {
			t.Errorf("%v: a table of %d rows for %d places: %q, %q; want %q", err, len(lines), len(q), lines[0], lines[4], want)
		}
		if said := opened(v, "curves.csv", csv); !strings.Contains(said, "a table of curves is for other programs") {
			t.Errorf("the curves were dropped on the page: %q", said)
		}
		if name, b, err = v.Save("npz"); err != nil {
			t.Fatal(err)
		}
		v.press("newseed")
		if v.drop(name, b); !slices.Equal(v.row("x"), x) {
			t.Errorf("opened again, %v became %v", x[:3], v.row("x")[:3])
		}
	})
}

// TestAPredictionThatIsNoNumber opens a file on which the dynamics diverge at once. The
// headline must say so without a number.
func TestAPredictionThatIsNoNumber(t *testing.T) {
	timed(t, func(t *testing.T, v *visitor) {
		_, b, err := v.Save(wire.Model)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ckpt.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		blown := 0
		for _, tensor := range f.Tensors {
			if strings.HasPrefix(tensor.Name, "law.param.") {
				for i := range tensor.F32 {
					tensor.F32[i] = 3e38
				}
				blown += len(tensor.F32)
			}
		}
		if blown == 0 {
			t.Fatal("the file has no dynamics")
		}
		var file bytes.Buffer
		if err := ckpt.Encode(&file, f); err != nil {
			t.Fatal(err)
		}
		v.drop("blown.safetensors", file.Bytes())
		v.apply("seek", "", "3")
		v.settle()
		if st := v.State(); !strings.Contains(st.Summary, "it is no longer a number") || !finite(st) {
			t.Errorf("summary %q, figures %+v, up to %v", st.Summary, st.Figures, st.Max)
		}
	})
}

// TestOwnTrajectories checks that a user's trajectories are shown unchanged, and that the
// model is measured on them.
func TestOwnTrajectories(t *testing.T) {
	timed(t, func(t *testing.T, v *visitor) {
		file := trajectories(t, v.lab, 3)
		link := v.Fragment()
		if says := v.drop("mine.npz", file); !strings.Contains(says, "mine.npz") || !strings.Contains(says, "3 traj") {
			t.Errorf("notice %q", says)
		}
		v.settle()
		if said := strings.Join(v.said, " "); !strings.Contains(said, "3 trajectories") || figure(v.State(), "own") == "–" {
			t.Errorf("said %q", v.said)
		}
		f := v.picture()
		if f.Number("known") != f.Number("horizon") || len(f.Text("note")) == 0 || v.State().Max["trajectory"] != 3 || v.State().Values["preset"] != "own" {
			t.Errorf("horizon %g, known %g, note %q", f.Number("horizon"), f.Number("known"), f.Text("note"))
		}
		first := v.row("x")
		v.set("trajectory", "3")
		v.settle()
		if slices.Equal(v.row("x"), first) || v.State().Values["trajectory"] != "3" {
			t.Error("the third trajectory is the first")
		}
		v.whole()
		for _, value := range []string{"0", "4", "x"} {
			v.refuses("", wire.Set, "trajectory", value)
		}
		if strings.Contains(v.Fragment(), "mine") || strings.Contains(v.Fragment(), "NaN") {
			t.Errorf("the link is %s", v.Fragment())
		}
		if v.lab == "particles" {
			v.set("observable", "array")
			v.settle()
			if f := v.picture(); string(f.Text("macro")) != "speed" || f.Numbers("pred") != nil || f.Numbers("z") == nil || f.Numbers("energy")[1] != float32((2*61+1)%7)/7 {
				t.Errorf("observable %q, of which the model of the energy predicts %d frames", f.Text("macro"), len(f.Numbers("pred")))
			}
			if w := v.State().Warning; !strings.Contains(w, "another observable") {
				t.Errorf("warning %q", w)
			}
			v.set("observable", "gyration")
			v.settle()
			v.whole()
			v.set("observable", "energy")
			v.seek(10)
			v.apply("drag", "", "0 1 1")
			if f := v.picture(); f.Number("known") != 0 || f.Numbers("x")[0] != 1 {
				t.Error("the edited frame is not the first of a simulation")
			}
			v.settle()
			v.whole()
			v.drop("mine.npz", file)
		}
		v.press("simulate")
		v.prepare()
		v.turns(2)
		if v.picture().Text("note") != nil || v.State().Off["trajectory"] == "" {
			t.Error("the simulation does not come back")
		}
		v.refuses("open a file first", wire.Press, "simulate", "")
		if a, b, _ := strings.Cut(link, "&frame"); v.lab == "mixing" && !strings.HasPrefix(v.Fragment(), a) {
			t.Errorf("the link was %s%s and is %s", a, b, v.Fragment())
		}
	})
}

// TestRefusesFiles checks that files that do not belong to the lab are rejected.
func TestRefusesFiles(t *testing.T) {
	model := func(name string, change func(c *method.Config)) []byte {
		lab := labOf(t, name)
		c, err := lab.Systems().Preset(lab.System.Traits.Name)
		if err != nil {
			t.Fatal(err)
		}
		change(&c)
		var b bytes.Buffer
		if err := ckpt.Encode(&b, model.New(c, lab.System).Checkpoint()); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	files := map[string]map[string]struct {
		b    []byte
		says string
	}{
		wire.Demo: {
			"cut.safetensors": {[]byte("12345678{"), ""},
			"words.csv":       {[]byte("one,two\nthree"), ""},
			"array.npy":       {[]byte("\x93NUMPY\x01\x00\xff\xff"), ""},
			"empty.csv":       {nil, ""},
			"nan.npy":         {nan(npy(t, 8)), "NaN"},
			"crowd.npy":       {npy(t, 500_000), ""},
		},
		"particles": {
			"cut.safetensors":   {[]byte("12345678{"), ""},
			"solid.safetensors": {model("particles", func(c *method.Config) { c.Shape.Dim, c.Data.Turn, c.Data.Views = 3, false, 1 }), "coordinates"},
			"solid.npy":         {npy(t, 2, 3, 20, 3), "in the plane"},
			"crowd.npy":         {npy(t, 1, 2, 5001, 2), "room for 5000"},
			"short.npy":         {npy(t, 2, 1, 20, 2), "two frames"},
			"empty.npz":         {nil, ""},
			"trajectories.npz":  {[]byte("PK\x03\x04 and no archive"), ""},
			"positions.csv":     {[]byte("1,2\n3,4"), ""},
			"flat.npy":          {npy(t, 2, 3, 20), "dimensions"},
			"nan.npy":           {nan(npy(t, 1, 2, 20, 2)), "NaN"},
			"wide.npy":          {npy(t, 1, 2, 3, 4), "coordinates"},
		},
		"mixing": {
			"no.dump":    {[]byte("nonsense\n"), "line"},
			"cut.dump":   {[]byte(dump[:len(dump)-8]), "fewer than two frames"},
			"words.dump": {[]byte(strings.Replace(dump, "2 1 2 1\n", "2 1 two 1\n", 1)), "line 11"},
			"one.dump":   {[]byte(strings.ReplaceAll(strings.ReplaceAll(dump, "3 2 3", "3 1 3"), "4 2 3.5", "4 1 3.5")), "no particle is of"},
			"three.dump": {[]byte(strings.ReplaceAll(dump, "4 2 3.5", "4 3 3.5")), "of species 3"},
			"frame.dump": {[]byte(dump[:strings.LastIndex(dump, "ITEM: TIMESTEP")]), "fewer than two frames"},
			"alone.npy":  {npy(t, 1, 2, 20, 2), ""},
			"run.npz":    {[]byte("PK\x03\x04"), ""},
		},
		"polymer": {
			"plane.npy": {npy(t, 2, 3, 20, 2), "save three"},
			"crowd.npy": {npy(t, 1, 2, 1001, 3), "beads"},
			"short.npy": {npy(t, 2, 1, 20, 3), "two frames"},
			"nan.npy":   {nan(npy(t, 1, 2, 20, 3)), "NaN"},
			"run.npz":   {[]byte("PK\x03\x04"), ""},
		},
	}
	demand(t, "files", files, names)
	each(t, func(t *testing.T, v *visitor) {
		if !v.sampler() {
			v.seek(2)
		}
		v.settle()
		x := v.row("x")
		for name, tc := range files[v.lab] {
			v.refusesAll(tc.says, wire.Command{Kind: wire.File, Name: name, Data: tc.b})
			if !slices.Equal(x, v.row("x")) {
				t.Fatalf("%s: the run on show is gone", name)
			}
		}
		v.whole()
	})
}

// dump is a LAMMPS dump of two frames of four atoms.
const dump = `ITEM: TIMESTEP
0
ITEM: NUMBER OF ATOMS
4
ITEM: BOX BOUNDS ff ff pp
0 32
0 32
-0.5 0.5
ITEM: ATOMS id type x y
1 1 1 1
2 1 2 1
3 2 3 1
4 2 3.5 2
ITEM: TIMESTEP
200
ITEM: NUMBER OF ATOMS
4
ITEM: BOX BOUNDS ff ff pp
0 32
0 32
-0.5 0.5
ITEM: ATOMS id type x y
4 2 3.5 2.5
1 1 1 1.5
2 1 2 1
3 2 3 1
`

// TestOpensDumps reads a trajectory in a LAMMPS dump.
func TestOpensDumps(t *testing.T) {
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.drop("run.dump", []byte(dump))
		v.settle()
		f := v.picture()
		if got := f.Numbers("kind"); !slices.Equal(got, []float32{1, 1, 2, 2}) || f.Number("known") != 1 || !slices.Equal(f.Numbers("x")[6:], []float32{3.5, 2.5}) {
			t.Errorf("kinds %v, %g frames, positions %v", got, f.Number("known"), f.Numbers("x"))
		}
		if z := f.Numbers("z"); len(z) != 2 || math.IsNaN(float64(z[0])) {
			t.Errorf("ẑ %v", z)
		}
		v.whole()
		v.set("trajectory", "1")
		v.refuses("", wire.Set, "trajectory", "2")
	})
}

// TestDumpsWithoutWalls checks that the box of a dump has no effect in the particles' lab.
func TestDumpsWithoutWalls(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		want := []float32{1, 1.5, 2, 1, 3, 1, 3.5, 2.5}
		for _, bounds := range []string{"0 32\n", "-16 16\n"} {
			v.drop("run.dump", []byte(strings.ReplaceAll(dump, "0 32\n", bounds)))
			v.settle()
			if got := v.picture().Numbers("x"); !slices.Equal(got, want) {
				t.Errorf("a box of %q: positions %v, want %v", bounds, got, want)
			}
			v.whole()
		}
	})
}

// TestOwnArrays opens files that contain a single array.
func TestOwnArrays(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.drop("a.npy", npy(t, 2, 5, 20, 2))
		v.settle()
		if f := v.picture(); f.Number("horizon") != 4 || len(f.Numbers("x")) != 40 {
			t.Errorf("horizon %g", f.Number("horizon"))
		}
		v.whole()
	})
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		for name, b := range map[string][]byte{"a.npy": npy(t, 30), "a.csv": []byte("0.1,0.2,0.3,0.5"), "a.txt": []byte("1 2 3")} {
			v.drop(name, b)
			if !v.picture().On("ownData") {
				t.Errorf("%s is not shown", name)
			}
			v.whole()
		}
		v.drop("one.csv", []byte("0.5"))
		v.drop("same.csv", []byte("7 7 7"))
		v.turns(3)
		if !finite(v.State()) || math.IsNaN(v.number("kl")) {
			t.Errorf("of three particles in one place: %+v", v.State())
		}
		v.whole()
	})
}

// TestRuns keeps, compares and deletes models.
func TestRuns(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		if !v.sampler() {
			v.seek(6)
		}
		v.settle()
		path := map[string]string{wire.Demo: "p", "particles": "pred", "mixing": "mean", "polymer": "mean"}[v.lab]
		shipped, was := v.row(path), map[string]string{"eps": v.State().Values["eps"], "zdim": v.State().Values["zdim"]}
		night := labOf(t, v.lab)
		c, err := night.Systems().Preset(night.System.Traits.Name)
		if err != nil {
			t.Fatal(err)
		}
		if c, err = c.With("encoder.zdim=3", "eps=0.2"); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := ckpt.Encode(&b, model.New(c, night.System).Checkpoint()); err != nil {
			t.Fatal(err)
		}
		v.drop("night.safetensors", b.Bytes())
		st := v.State()
		if st.Values["eps"] != "0.2" || st.Values["zdim"] != "3" || !strings.Contains(st.Model, "night.safetensors") {
			t.Errorf("state %+v", st)
		}
		v.settle()
		if f := v.picture(); f.Numbers(path+"B") != nil || slices.Equal(f.Numbers(path), shipped) {
			t.Error("the dropped model is not on show")
		}
		v.set("runA", "shipped")
		for name, value := range was { // without this, the shipped model would have the ε and ẑ dim of the dropped model
			v.set(name, value)
		}
		v.set("runB", "night")
		v.settle()
		f := v.picture()
		if string(f.Text("nameA")) != "shipped" || string(f.Text("nameB")) != "night" || len(f.Numbers(path+"B")) != len(shipped) {
			t.Errorf("%s is compared with %s, %d numbers", f.Text("nameA"), f.Text("nameB"), len(f.Numbers(path+"B")))
		}
		if !v.sampler() && !slices.Equal(f.Numbers(path), shipped) {
			t.Error("the comparison changes A's prediction")
		}
		v.whole()
		shown := map[string]string{}
		for _, r := range v.runs() {
			shown[r.Name] = r.Shown
			if r.Detail == "" {
				t.Errorf("the run %s has no detail", r.Name)
			}
		}
		if shown["shipped"] != "a" || shown["night"] != "b" {
			t.Errorf("runs %+v", v.runs())
		}
		v.set("name", "  mine ")
		v.press("keep")
		if st := v.State(); runsHere(st)[len(runsHere(st))-1].Name != "mine" || st.Values["name"] != "" {
			t.Errorf("kept as %+v", st.Runs)
		}
		v.refuses("on show", wire.Set, "dropRun", "shipped")
		v.set("dropRun", "night")
		if f := v.picture(); f.Numbers(path+"B") != nil {
			t.Error("a run that is gone is still compared with")
		}
		v.set("runB", "mine")
		v.set("runB", "")
		if v.picture().Text("nameB") != nil {
			t.Error("the comparison does not end")
		}
		v.whole()
		var full *wire.Notice
		for range 24 {
			full = v.try(wire.Press, "keep", "")
		}
		if n := len(v.runs()); n != 12 || full == nil || !strings.Contains(full.Text, "room for no more") {
			t.Errorf("%d runs are kept, notice %+v", n, full)
		}
		seen := map[string]bool{}
		for _, r := range v.runs() {
			if seen[r.Name] {
				t.Errorf("two runs are called %s", r.Name)
			}
			seen[r.Name] = true
		}
	})
}
