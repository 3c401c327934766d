package session_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/assets"
	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
	"macroscope/model/lab/view/portrait/linalg"
	"macroscope/model/learn/describe"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/measure"
	learnmethod "macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/own"
	"macroscope/model/wire"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// cloud returns runs of a cloud of particles with d coordinates that contracts, in a NumPy archive: two species of
// particles if several is set, and two observables, which move by noise if noise is set.
func cloud(t testing.TB, d int, several, noise bool) []byte {
	t.Helper()
	const runs, frames, n = 12, 24, 20
	src := rng.New(1, "cloud")
	var points, spread, first []float32
	var types []int64
	for range runs {
		x, rate := make([]float64, n*d), 0.02+0.1*src.Float64()
		for i := range x {
			x[i] = src.NormFloat64()
		}
		for range frames {
			sum := 0.0
			for i := range x {
				points = append(points, float32(x[i]))
				sum += x[i] * x[i]
				if x[i] *= 1 - rate; noise {
					x[i] += 0.1 * src.NormFloat64()
				}
			}
			spread, first = append(spread, float32(math.Sqrt(sum/n))), append(first, float32(x[0]))
		}
		for i := range n {
			types = append(types, int64(3+4*(i%2)))
		}
	}
	arrays := map[string]*data.Array{
		"trajectories": data.NewArray([]int{runs, frames, n, d}, points),
		"spread":       data.NewArray([]int{runs, frames}, spread), "first": data.NewArray([]int{runs, frames}, first),
	}
	if several {
		arrays["types"] = data.NewArray([]int{runs, n}, types)
	}
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, arrays); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// learned trains a model of a method on a file for some steps, and returns its checkpoint.
func learned(t *testing.T, file []byte, method string) []byte {
	t.Helper()
	d, src, err := describe.File(work.Until(t.Context()), system.File{Name: "own.npz", Bytes: bytes.NewReader(file), Size: int64(len(file))}, nil, func(*own.Spec) {}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	sys := d.System()
	c, err := learnmethod.Systems{sys}.Preset("own/" + method + "@quick")
	if err == nil && c.Traits.Stochastic {
		c, err = c.With("law.steps=20")
	} else if err == nil {
		c, err = c.With("law.fit.steps=20", "law.roll.steps=2")
	}
	if err == nil {
		c, err = c.With("steps=10")
	}
	if err != nil {
		t.Fatal(err)
	}
	r, err := fit.New(c.ForData(src, len(d.Observables)), sys, src, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for ; r.Stage() != fit.Done; r.Next() {
		err := r.Prepare(work.Until(t.Context()))
		if err == nil {
			err = r.Train(work.Until(t.Context()), nil)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := ckpt.Encode(&b, r.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestOwnModelIsAnalysed shows the latent portrait and the panel on ε and ẑ dim for models of systems of the user's own,
// and restores the session with both.
func TestOwnModelIsAnalysed(t *testing.T) { synctest.Test(t, ownModelIsAnalysed) }

func ownModelIsAnalysed(t *testing.T) {
	if testing.Short() {
		t.Skip("sessions are tested with SIMD")
	}
	for _, noise := range []bool{false, true} {
		list := catalogue.All()
		for i := range list {
			list[i].Algebra = linalg.Gonum{}
		}
		v := visiting(t, list.Open("own").(wire.Pooled), "own")
		v.set("survey", "on")
		if of := v.survey(); !strings.Contains(of.Why, "no model yet") {
			t.Errorf("the panel without a model says %+v", of)
		}
		v.set("portrait", "on")
		file := cloud(t, 3, false, noise)
		v.drop("mine.npz", file)
		v.drop("model.safetensors", learned(t, file, "flow-tunable"))
		v.set("survey", "on")
		v.set("portrait", "on")
		v.seek(5)
		v.settle()
		if of := v.survey(); !whole(of.KL) || !whole(of.At) || of.Why != "" || len(of.ZDim) < 2 || !near(&of.Here[2], v.kl(), 1e-5) {
			t.Errorf("noise %v: the panel is %+v, and the KL in the picture %g", noise, of, v.kl())
		}
		f := v.picture()
		if arrows := f.Numbers("portraitArrows"); len(arrows) != 4*13*9 || len(f.Numbers("portraitRun")) < 2 || len(f.Numbers("portraitNoise")) > 0 != noise {
			t.Errorf("noise %v: the portrait has %d numbers of arrows, %q", noise, len(arrows), f.Text("portraitNote"))
		}
		before := v.is()
		again := visiting(t, list.Open("own").(wire.Pooled), "own")
		if n := again.Apply(wire.Command{Kind: wire.Restore, Data: v.Saved()}); n != nil && n.Error {
			t.Fatal(n.Text)
		}
		again.settle()
		if got := again.is(); got != before {
			t.Errorf("restored it is\n%s\nand it was\n%s", got, before)
		}
	}
}

// TestOwnBox opens particles in a box that repeats, at whose corners most of them are. The whole target density is in one
// period, and the KL is measured over its sides.
func TestOwnBox(t *testing.T) { synctest.Test(t, ownBox) }

func ownBox(t *testing.T) {
	for dim := 1; dim <= 3; dim++ {
		file := inBox(cloud(t, dim, false, true), dim)
		v := newcomer(t, "own")
		v.drop("mine.npz", file)
		v.drop("model.safetensors", learned(t, file, "flow"))
		v.seek(5)
		v.settle()
		if kl := v.kl(); !(kl > 0 && kl < 20) {
			t.Errorf("%d coordinates: KL %g", dim, kl)
		}
		if dim > 1 {
			if of, widths := v.row("repeats"), v.row("widths"); !slices.Equal(of, []float32{1, 1}) || len(widths) != 2 || !(min(widths[0], widths[1]) > 0) {
				t.Errorf("%d coordinates: kernels are %v wide, and repeat %v", dim, widths, of)
			}
			continue
		}
		q, w := v.row("q"), v.row("window")
		sum := -float64(q[0]+q[len(q)-1]) / 2 // the first and the last value are half of a cell
		for _, x := range q {
			sum += float64(x)
		}
		if sum *= float64(w[1]-w[0]) / float64(len(q)-1); math.Abs(sum-1) > 1e-3 {
			t.Errorf("the target density in one period is %g", sum)
		}
	}
}

// TestOwnParameters opens runs that differ in two numbers, which are inputs of the dynamics unless the user leaves them out.
func TestOwnParameters(t *testing.T) { synctest.Test(t, ownParameters) }

func ownParameters(t *testing.T) {
	file := changed(cloud(t, 2, false, false), func(arrays map[string]*data.Array) {
		var mass, charge []float64
		for e := range 12 {
			mass, charge = append(mass, 1+float64(e)/4), append(charge, float64(e%3))
		}
		arrays["mass"], arrays["charge"] = data.NewArray([]int{12}, mass), data.NewArray([]int{12}, charge)
	})
	v := newcomer(t, "own")
	v.apply(wire.Link, "", "v=1&lab=own&params=none")
	v.Apply(wire.Command{Kind: wire.File, Name: "mine.npz", Data: file})
	v.settle()
	if said := fmt.Sprint(v.State().Ask); !strings.Contains(said, "mass  1 in the first trajectory") {
		t.Errorf("it asks %s", said)
	}
	v.press(wire.Accept)
	v.set("size", "quick")
	for _, want := range []string{"charge,mass", ""} {
		if want == "" {
			v.set("params", "none")
		}
		v.apply(wire.Train, "", "")
		v.train(2)
		v.try(wire.Pause, "", "")
		v.settle()
		if got := v.shown().Dynamics.Params.Names(); got != want {
			t.Errorf("the dynamics have the inputs %q, want %q", got, want)
		}
	}
	v.comesBack()
	name, run, err := v.Save("npz")
	if err != nil {
		t.Fatal(err)
	}
	if v.drop(name, run); len(v.State().Runs) == 0 {
		t.Error("the run that was saved is of another system")
	}

	// Whoever has a model without these inputs can open the file all the same.
	plain := newcomer(t, "own")
	plain.drop("model.safetensors", learned(t, cloud(t, 2, false, false), "flow"))
	plain.drop("mine.npz", file)
	if st := plain.State(); len(st.Runs) != 1 || st.Values["params"] != "" {
		t.Errorf("after the file there are %v, with the inputs %q", st.Runs, st.Values["params"])
	}
}

// heights returns two runs as text, with their table of observables.
func heights() (runs [2]string, table string) {
	src := rng.New(1, "text")
	table = "run,frame,height\n"
	for k := range runs {
		text := "frame,id,x,y\n"
		for frame := range 30 {
			sum := 0.0
			for id := range 8 {
				x, y := float64(id)+0.1*src.NormFloat64(), math.Exp(-float64(frame)/20)*float64(id%3)
				text += fmt.Sprintf("%d,%d,%g,%g\n", frame, id, x, y)
				sum += y
			}
			table += fmt.Sprintf("%d,%d,%g\n", k, frame, sum)
		}
		runs[k] = text
	}
	return runs, table
}

// TestOwnFolder opens a folder of text files with a table and lines. The saved session and the bundle have all of them.
func TestOwnFolder(t *testing.T) { synctest.Test(t, ownFolder) }

func ownFolder(t *testing.T) {
	v := newcomer(t, "own")
	runs, table := heights()
	folder := func(table string) []byte {
		return system.Join([]string{"b.csv", "observables.csv", "system", "log.txt", "a.csv"}, [][]byte{[]byte(runs[1]), []byte(table), []byte("dt = 0.5\ntime = s\n"), {}, []byte(runs[0])})
	}
	v.refusesAll("was not opened: it is a table of observables; choose or drop it together", wire.Command{Kind: wire.File, Name: "observables.csv", Data: []byte(table)})
	if n := v.Apply(wire.Command{Kind: wire.File, Name: "runs", Data: folder("frame,height\n0,x\n")}); n == nil || !n.Error || !strings.Contains(n.Text, "observables.csv: ") {
		t.Errorf("a wrong table: notice %+v", n)
	}
	v.Apply(wire.Command{Kind: wire.File, Name: "runs", Data: folder(table)})
	v.settle()
	said := fmt.Sprint(v.State().Ask)
	for _, want := range []string{"height  from ", "Trajectories  2}", "Log.txt in the folder is not read.", `"runs", `} {
		if !strings.Contains(said, want) {
			t.Errorf("it asks %s, without %q", said, want)
		}
	}
	v.press(wire.Accept)
	v.set("trajectory", "2")
	v.seek(3)
	v.settle()
	if got := string(v.picture().Text("title0")); got != "height" || len(v.row("macro")) != 30 || v.number("time") != 1.5 {
		t.Errorf("the observable is %q with %d values, and frame 3 at %g", got, len(v.row("macro")), v.number("time"))
	}
	_, b, err := v.Save(wire.Bundle)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []wire.Command{{Kind: wire.Restore, Data: v.Saved()}, {Kind: wire.File, Name: "all.macroscope", Data: b}} {
		again := newcomer(t, "own")
		if n := again.Apply(c); n != nil && n.Error {
			t.Fatal(n.Text)
		}
		again.settle()
		if c.Kind == wire.File {
			again.press(wire.Accept)
			again.settle()
		}
		if !slices.Equal(again.row("macro"), v.row("macro")) {
			t.Errorf("%s: the observables are not restored", c.Kind)
		}
	}
	if n := v.try(wire.File, "run.csv", ""); n == nil || !n.Error {
		t.Errorf("a file without a table: %+v", n)
	}
}

// TestOwnGaps opens runs in which particles appear and vanish. They are shown where they are, and a model trains on them.
func TestOwnGaps(t *testing.T) { synctest.Test(t, ownGaps) }

func ownGaps(t *testing.T) {
	for _, several := range []bool{false, true} {
		const frames, n = 24, 20
		file := changed(cloud(t, 3, several, false), func(arrays map[string]*data.Array) {
			x := arrays["trajectories"].Float64s()
			for i := range x {
				run, frame, particle := i/(3*n*frames), i/(3*n)%frames, i/3%n
				if particle >= 16 && frame >= 10+run%3 || particle < 2 && frame < 3 {
					x[i] = math.NaN()
				}
			}
			arrays["trajectories"] = data.NewArray(arrays["trajectories"].Shape, x)
			lines := []int64{}
			for _, c := range []byte("axes = east, north, height\n") {
				lines = append(lines, int64(c))
			}
			arrays["system"] = data.NewArray([]int{len(lines)}, lines)
		})
		v := newcomer(t, "own")
		v.Apply(wire.Command{Kind: wire.File, Name: "mine.npz", Data: file})
		v.settle()
		if said := fmt.Sprint(v.State().Ask); !strings.Contains(said, "east from ") || strings.Contains(said, "NaN") || strings.Contains(said, "Inf") {
			t.Errorf("it asks %s", said)
		}
		v.press(wire.Accept)
		for frame, want := range map[int]int{0: 18, 5: 20, 20: 16} {
			v.seek(frame)
			v.settle()
			there := 0
			for i, x := range v.row("x") {
				if x == x && i%2 == 0 {
					there++
				}
			}
			if said := v.State().Summary; there != want || !strings.Contains(said, fmt.Sprintf("of %d particles", want)) {
				t.Errorf("in frame %d are %d particles, want %d; it says %q", frame, there, want, said)
			}
		}
		v.set("size", "quick")
		v.apply(wire.Train, "", "")
		v.train(3)
		v.try(wire.Pause, "", "")
		v.apply("turn", "", "20 30")
		v.press("shuffle")
		v.settle()
		f := v.picture()
		if w, p, q := f.Numbers("window"), f.Numbers("p"), f.Numbers("widths"); len(p)%(56*56) != 0 || len(p) == 0 || len(q) != 2 || w[0] != w[0] || slices.ContainsFunc(slices.Concat(p, q), func(x float32) bool { return x != x }) {
			t.Errorf("the window is %v, with a density of %d values and kernels of %v", w, len(p), q)
		}
		if kl := f.Number("kl"); !(kl > 0) {
			t.Errorf("KL %g", kl)
		}
		v.comesBack()
		name, run, err := v.Save("npz")
		if err != nil {
			t.Fatal(err)
		}
		v.drop(name, run)
		if v.settle(); len(v.State().Runs) == 0 {
			t.Error("the run that was saved is of another system")
		}
	}
}

// inBox adds a box of side 8 to an archive of particles with d coordinates, which are wrapped.
func inBox(archive []byte, d int) []byte {
	return changed(archive, func(arrays map[string]*data.Array) {
		var box []float64
		for range d {
			box = append(box, 8)
		}
		var wrapped []float32
		for _, x := range arrays["trajectories"].Float64s() {
			wrapped = append(wrapped, float32(x-8*math.Floor(x/8)))
		}
		arrays["trajectories"] = data.NewArray(arrays["trajectories"].Shape, wrapped)
		arrays["box"] = data.NewArray([]int{d}, box)
	})
}

// changed returns an archive with other arrays.
func changed(archive []byte, change func(arrays map[string]*data.Array)) []byte {
	file := system.File{Name: "own.npz", Bytes: bytes.NewReader(archive), Size: int64(len(archive))}
	arrays := make(map[string]*data.Array)
	names, _ := data.Names(file.Bytes, file.Size)
	for _, name := range names {
		arrays[name], _ = data.ReadArray(file.Bytes, file.Size, name, func([]int) error { return nil })
	}
	change(arrays)
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, arrays); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// TestOwnTurns turns a set in space. The targets along two axes equal the targets of the set seen from the side. The data
// stay, and the view is saved.
func TestOwnTurns(t *testing.T) { synctest.Test(t, ownTurns) }

func ownTurns(t *testing.T) {
	v := newcomer(t, "own")
	file := cloud(t, 3, false, false)
	v.drop("mine.npz", file)
	v.drop("model.safetensors", learned(t, file, "flow"))
	v.set("across", "3") // z across, y up, x as depth
	v.seek(5)
	v.settle()
	side := v.row("x")
	v.set("across", "1")
	if v.row("box") != nil || len(v.row("turn")) != 2 {
		t.Errorf("at first turned by %v, with %d numbers of the box", v.row("turn"), len(v.row("box")))
	}
	front, z, kl := v.row("x"), v.row("z"), v.number("kl")
	v.apply("turn", "", "90 0")
	v.settle()
	turned, w := v.row("x"), v.row("window")
	if len(v.row("box")) != 38 || slices.Equal(turned, front) {
		t.Error("it does not turn")
	}
	shift := turned[0] - side[0]
	for i := range turned {
		of := side[i]
		if i%2 == 0 {
			of += shift
		}
		if math.Abs(float64(turned[i]-of)) > 1e-4 {
			t.Fatalf("coordinate %d is %g, and from the side %g", i, turned[i], of)
		}
	}
	if of := v.row("widths"); len(of) != 2 || !(min(of[0], of[1]) > 0) || !slices.Equal(v.row("z"), z) || v.number("kl") != kl {
		t.Errorf("turned, the kernels are %v wide in the picture, KL %g instead of %g", of, v.number("kl"), kl)
	}
	for i, x := range v.row("box") {
		if x < w[i%2*2]-1e-3 || x > w[i%2*2+1]+1e-3 {
			t.Errorf("a corner at %g, outside %v", x, w)
		}
	}
	v.apply("turn", "", "-30.5 45")
	if st := v.State().Values; st["turn"] != "-30.5" || st["tilt"] != "45" || !strings.Contains(v.State().Fragment, "turn=-30.5&tilt=45") {
		t.Errorf("the state has %q and %q, and the link is %s", st["turn"], st["tilt"], v.State().Fragment)
	}
	for _, bad := range []string{"", "1", "x 2", "1 2 3", "200 0", "0 91", "NaN 0"} {
		if n := v.try("turn", "", bad); n == nil || !n.Error {
			t.Errorf("turned to %q", bad)
		}
	}
	again := newcomer(t, "own")
	if n := again.Apply(wire.Command{Kind: wire.Restore, Data: v.Saved()}); n != nil && n.Error {
		t.Fatal(n.Text)
	}
	again.settle()
	if !slices.Equal(again.row("x"), v.row("x")) {
		t.Error("another view is restored")
	}
	if v.State().Hidden["turn"] {
		t.Error("the controls are hidden")
	}
	v.set("depth", "0")
	if n := v.try("turn", "", "1 2"); n == nil || !n.Error || v.row("turn") != nil || !v.State().Hidden["tilt"] {
		t.Error("a picture without a depth turns")
	}
}

// TestOwnSystem opens runs of systems of many kinds, chooses axes, trains, and restores the session.
func TestOwnSystem(t *testing.T) {
	for _, tc := range []struct {
		name           string
		dim            int
		several, noise bool
	}{
		{"line", 1, false, false}, {"plane", 2, true, true}, {"space", 3, false, false}, {"many", 6, true, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := newcomer(t, "own")
				if text := v.State().Summary; !strings.Contains(text, "trajectories") {
					t.Errorf("without a file it says %q", text)
				}
				v.refuses("no runs to learn from", wire.Train, "", "")
				file := cloud(t, tc.dim, tc.several, tc.noise)
				said := v.drop("mine.npz", file)
				for _, part := range []string{"12 runs", "24 frames", "20 particles", "first and spread", map[bool]string{false: "no noise", true: "have noise"}[tc.noise]} {
					if !strings.Contains(said, part) {
						t.Errorf("it says %q, without %q", said, part)
					}
				}
				v.seek(3)
				v.settle()
				f := v.picture()
				if got := string(f.Text("title0")) + " " + string(f.Text("title1")); got != "first spread" {
					t.Errorf("the observables are %q", got)
				}
				if n := len(f.Numbers("macro")); n != 2*24 || len(f.Numbers("x")) != 40 {
					t.Errorf("%d values of observables, %d coordinates", n, len(f.Numbers("x")))
				}
				if got := len(f.Numbers("kind")) > 0; got != tc.several {
					t.Errorf("species are drawn: %v", got)
				}
				if got := len(f.Numbers("depth")) > 0; got != (tc.dim == 3) {
					t.Errorf("a depth is drawn: %v", got)
				}
				if tc.dim > 2 {
					x := v.row("x")
					v.set("across", "3")
					if y := v.row("x"); y[0] == x[0] || y[1] != x[1] {
						t.Errorf("another axis moves the first particle from %v to %v", x[:2], y[:2])
					}
					v.set("up", "3")
					if st := v.State().Values; st["across"] != "2" || st["up"] != "3" {
						t.Errorf("the axes are %s and %s", st["across"], st["up"])
					}
					v.set("depth", "0")
					v.set("depth", "2")
					if st := v.State().Values; st["across"] != "1" || st["up"] != "3" || st["depth"] != "2" {
						t.Errorf("the axes are %s, %s and %s", st["across"], st["up"], st["depth"])
					}
				}
				v.set("trajectory", "5")
				v.settle()
				v.set("size", "quick")
				v.apply(wire.Train, "", "")
				v.train(3)
				v.try(wire.Pause, "", "")
				v.seek(3)
				v.settle()
				f = v.picture()
				if got, want := len(f.Numbers("p")), map[bool]int{true: 512, false: 56 * 56}[tc.dim == 1]; got != want {
					t.Errorf("the learned density has %d values, want %d", got, want)
				}
				if got := len(f.Numbers("line")); got > 0 != (tc.dim == 1) {
					t.Errorf("%d particles are on a line", got)
				}
				v.whole()
				before := v.is()
				parts := v.Saved()
				name, run, err := v.Save("npz")
				if err != nil {
					t.Fatal(err)
				}
				if v.drop(name, run); len(v.State().Runs) == 0 {
					t.Error("the run that was saved is of another system")
				}
				v.seek(3)
				v.settle()

				again := newcomer(t, "own")
				if n := again.Apply(wire.Command{Kind: wire.Restore, Data: parts}); n != nil && n.Error {
					t.Fatal(n.Text)
				}
				again.settle()
				if got := again.is(); got != before {
					t.Errorf("restored it is\n%s\nand it was\n%s", got, before)
				}
				if !slices.Equal(again.row("x"), v.row("x")) || !slices.Equal(again.row("kind"), v.row("kind")) {
					t.Error("another frame is restored")
				}
			})
		})
	}
}

// TestDropOwnElsewhere drops runs of an unknown system in another lab, which offers to open them as a system of the
// user's own.
func TestDropOwnElsewhere(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		if n := v.Apply(wire.Command{Kind: wire.File, Name: "mine.npz", Data: cloud(t, 6, false, false)}); n != nil {
			t.Fatalf("notice %+v", n)
		}
		v.settle()
		if ask := v.State().Ask; ask.Lab != "own" || !strings.Contains(ask.Text, "6 coordinates") {
			t.Errorf("it asks %+v", ask)
		}
	})
}

// TestOwnModel drops a checkpoint and a saved lab of a system of the user's own where no system is known, and where
// another one is.
func TestOwnModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := newcomer(t, "own")
		v.drop("mine.npz", cloud(t, 3, true, false))
		v.set("size", "quick")
		v.apply(wire.Train, "", "")
		v.train(2)
		v.try(wire.Pause, "", "")
		v.seek(5)
		v.settle()
		_, model, err := v.Save(wire.Model)
		if err != nil {
			t.Fatal(err)
		}
		name, all, err := v.Save(wire.Bundle)
		if err != nil {
			t.Fatal(err)
		}
		reader := newcomer(t, "own")
		reader.apply(wire.Link, "", v.Fragment()) // whoever has the link, and not the file
		if n := reader.try(wire.Link, "", "v=1&lab=own&across=9&up=9"); n == nil || !n.Error {
			t.Errorf("a link to one axis twice: notice %+v", n)
		}
		p := newcomer(t, "particles")
		p.Apply(wire.Command{Kind: wire.File, Name: "mine.safetensors", Data: model})
		if ask := p.State().Ask; ask.Lab != "own" || !strings.Contains(ask.Text, "Your system") {
			t.Errorf("the lab of the particles asks %+v", ask)
		}

		w := newcomer(t, "own")
		w.Pooled.(wire.Renewing).Renewed()
		w.drop("mine.safetensors", model)
		w.settle()
		if !w.Pooled.(wire.Renewing).Renewed() || !strings.Contains(w.State().Summary, "first, spread") || len(w.State().Runs) != 1 {
			t.Errorf("after a checkpoint it says %q", w.State().Summary)
		}
		w.drop("mine.npz", cloud(t, 3, true, false))
		w.seek(5)
		w.settle()
		if len(w.State().Runs) != 1 || len(w.row("p")) == 0 {
			t.Error("the model is gone, or shows no density of the runs")
		}
		for _, other := range []struct {
			name string
			b    []byte
		}{{"flat.npz", cloud(t, 2, false, true)}, {"mine.safetensors", model}} {
			if n := w.Apply(wire.Command{Kind: wire.File, Name: other.name, Data: other.b}); n != nil && n.Error {
				t.Fatal(n.Text)
			}
			w.settle()
			if ask := w.State().Ask; other.name == "flat.npz" && !strings.Contains(strings.Join(ask.Points, " "), "1 model.") {
				t.Errorf("%s: it asks %+v", other.name, ask)
			}
			w.try(wire.Press, wire.Accept, "")
			w.settle()
		}
		if st := w.State(); len(st.Runs) != 1 || !strings.Contains(st.Summary, "first, spread") {
			t.Errorf("after another system and back there are %v, and it says %q", st.Runs, st.Summary)
		}

		again := newcomer(t, "own")
		again.drop(name, all)
		again.settle()
		if got, want := again.State(), v.State(); got.Fragment != want.Fragment || got.Labels["train"] != "Go on" || !slices.Equal(again.row("x"), v.row("x")) {
			t.Errorf("the saved lab is %s, and it was %s; the training can %q", got.Fragment, want.Fragment, got.Labels["train"])
		}
		again.apply(wire.Train, "", "")
		again.train(2)
	})
}

// TestExample opens an example that comes with the page.
func TestExample(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func(was string) { assets.Own = was }(assets.Own)
		assets.Own = strings.Replace(assets.Own, "option none \"choose one\"\n", "option none \"choose one\"\noption own/cloud.npz \"A cloud\"\n", 1)
		v := newcomer(t, "own")
		v.refuses("no example", wire.Set, "example", "own/other.npz")
		v.set("example", "own/cloud.npz")
		if v.Wants() != "own/cloud.npz" {
			t.Fatalf("it wants %q", v.Wants())
		}
		if n := v.Fetched("own/cloud.npz", cloud(t, 2, false, false), nil); n != nil {
			t.Fatalf("notice %+v", n)
		}
		v.settle()
		v.press(wire.Accept)
		v.settle()
		if note := string(v.picture().Text("note")); note != "cloud.npz, trajectory 1 of 12" || v.Wants() != "" {
			t.Errorf("it shows %q", note)
		}
	})
}

// comesBack restores what the visitor has saved in a new lab, which must then be the same.
func (v *visitor) comesBack() {
	v.t.Helper()
	before, again := v.is(), newcomer(v.t, "own")
	if n := again.Apply(wire.Command{Kind: wire.Restore, Data: v.Saved()}); n != nil && n.Error {
		v.t.Fatal(n.Text)
	}
	again.settle()
	if got := again.is(); got != before {
		v.t.Errorf("restored it is\n%s\nand it was\n%s", got, before)
	}
}

// TestOwnErrors compares the errors that the page shows of a model with those of a measurement of its own.
func TestOwnErrors(t *testing.T) { synctest.Test(t, ownErrors) }

func ownErrors(t *testing.T) {
	v := newcomer(t, "own")
	file := cloud(t, 2, false, false)
	b := learned(t, file, "flow")
	v.drop("mine.npz", file)
	v.drop("model.safetensors", b)
	v.settle()
	d, src, err := describe.File(work.Until(t.Context()), system.File{Name: "own.npz", Bytes: bytes.NewReader(file), Size: int64(len(file))}, nil, func(*own.Spec) {}, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(learnmethod.Systems{d.System()}, f)
	if err != nil {
		t.Fatal(err)
	}
	of, err := measure.Task{Model: m, Source: src, Count: src.Shape().Trajectories, Members: measure.TestMembers, Seed: measure.TestSeed, Workers: 1}.RunOwn(src, work.Until(t.Context()))
	if err != nil {
		t.Fatalf("%+v, %v", of, err)
	}
	var want []string
	for k, name := range d.System().Macro {
		e := of.ErrorsIn(m, k)
		want = append(want, fmt.Sprintf("%s %.3g (%.3g, %.3g)", name, e.Model, e.First, e.Mean))
	}
	figures := v.State().Figures
	i := slices.IndexFunc(figures, func(f wire.Figure) bool { return f.ID == "errors" })
	if got := figures[i].Text; got != strings.Join(want, "; ") || strings.Contains(got, "NaN") {
		t.Errorf("the errors are %q, want %q", got, strings.Join(want, "; "))
	}
}

// TestOwnRestoredInPieces restores a session of the user's own system whose file takes several pieces of work to read, in a
// lab that has no system yet. The session begins anew for the system, and must still know what the file is for.
func TestOwnRestoredInPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("sessions are tested with SIMD")
	}
	list := catalogue.All()
	v := visiting(t, list.Open("own").(wire.Pooled), "own")
	v.drop("mine.npz", cloud(t, 3, false, false))
	v.settle()
	own := list[slices.IndexFunc(list, func(l lab.Lab) bool { return l.Link() == "own" })]
	at := time.Now()
	again := visiting(t, session.NewAt(own, func() time.Time { at = at.Add(40 * time.Millisecond); return at }), "own")
	if n := again.Apply(wire.Command{Kind: wire.Restore, Data: v.Saved()}); n != nil {
		t.Fatal(n.Text)
	}
	if task := again.State().Task; !strings.HasPrefix(task, "Reading") {
		t.Fatalf("the file is read at once; the task is %q", task)
	}
	for range 10_000 {
		if again.Work(time.Millisecond); !strings.HasPrefix(again.State().Task, "Reading") {
			break
		}
	}
	if leaves := strings.Join(again.State().Leaves, "; "); !strings.Contains(leaves, "mine.npz") || again.Panel().Title != v.Panel().Title {
		t.Errorf("a link leaves out %q of %s", leaves, again.Panel().Title)
	}
}
