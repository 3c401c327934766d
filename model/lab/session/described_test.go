package session_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"macroscope/assets"
	"macroscope/model/file/data"
	"macroscope/model/wire"
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
				if got := len(f.Numbers("p")); tc.dim > 1 && got != 56*56 {
					t.Errorf("the learned density has %d values", got)
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
