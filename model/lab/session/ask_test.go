package session_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"macroscope/model/wire"
)

// ownFiles contains a user's file for every lab, with the expected text of its preview.
var ownFiles = map[string]struct {
	name  string
	b     func(t testing.TB) []byte
	facts []string
}{
	wire.Demo:   {"mine.csv", func(testing.TB) []byte { return []byte("x\n10\n12\n11\n17\n") }, []string{"Particles: 4", "Coordinates: x from 10 to 17", "outside the region"}},
	"particles": {"mine.npy", func(t testing.TB) []byte { return npy(t, 2, 3, 20, 2) }, []string{"Trajectories: 2", "Frames: 3, from 0 to 2", "Particles: 20", "y from", "Time: not in the file; frames count as 0.02 apart", "energy: from"}},
	"mixing":    {"mine.dump", func(testing.TB) []byte { return []byte(dump) }, []string{"Trajectories: 1", "Frames: 2", "Particles: 4: 2 of species A, 2 of species B", "Units: reduced", "Time: frames are 200 steps apart; frames count as 0.4"}},
	"polymer":   {"mine.npy", func(t testing.TB) []byte { return npy(t, 2, 3, 20, 3) }, []string{"Trajectories: 2", "Frames: 3, from 0 to 2", "Particles: 20", "z from", "Units: lengths in diameters", "Time: not in the file", "extension: from"}},
	"flock":     {"mine.npy", func(t testing.TB) []byte { return npy(t, 2, 3, 20, 4) }, []string{"Trajectories: 2", "Frames: 3, from 0 to 2", "Particles: 20", "Time: not in the file; frames count as 1 apart", "polarisation: from", "clustering: from"}},
}

// preview returns the text of a question.
func preview(a wire.Ask) string {
	var b strings.Builder
	if len(a.Dots) == 0 {
		b.WriteString("no picture\n")
	}
	for _, f := range a.Facts {
		b.WriteString(f.Term + ": " + f.Text + "\n")
	}
	return b.String() + strings.Join(a.Points, "\n")
}

// TestRefusedFile drops a file without numbers. The notice must name the file once.
func TestRefusedFile(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		v.settle()
		n := v.Apply(wire.Command{Kind: wire.File, Name: "words.csv", Data: []byte("hello\nthis is no data\n")})
		if n == nil || !n.Error || strings.Count(n.Text, "words.csv") != 1 {
			t.Errorf("notice %+v", n)
		}
	})
}

// TestPreview drops a file and checks its preview. It cancels first, then drops the file
// again and accepts it.
func TestPreview(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		v.settle()
		own := ownFiles[v.lab]
		before, x := v.is(), v.row("x")
		file := wire.Command{Kind: wire.File, Name: own.name, Data: own.b(t)}
		if n := v.Apply(file); n != nil {
			t.Fatal(n.Text)
		}
		ask := v.State().Ask
		said := preview(ask)
		if strings.Contains(said, "no picture") {
			t.Error("the preview has no picture")
		}
		for _, want := range append(own.facts, fmt.Sprintf("File: %q", own.name)) {
			if !strings.Contains(said, want) {
				t.Errorf("the preview lacks %q:\n%s", want, said)
			}
		}
		for _, p := range ask.Points {
			if !sentence(p) {
				t.Errorf("%q is no sentence", p)
			}
		}
		v.settle()
		if v.is() != before || !slices.Equal(v.row("x"), x) {
			t.Error("the file has been taken unasked")
		}
		v.press(wire.Cancel)
		if v.State().Ask.Title != "" || v.is() != before {
			t.Error("cancelled, the question or the file stays")
		}
		if n := v.try(wire.Press, wire.Accept, ""); n == nil || !n.Error {
			t.Error("a file that was cancelled is taken")
		}
		v.Apply(file)
		if n := v.try(wire.Press, wire.Accept, ""); n == nil || n.Error || !strings.Contains(n.Text, own.name) {
			t.Errorf("taken: %+v", n)
		}
		v.settle()
		if slices.Equal(v.row("x"), x) || v.State().Ask.Title != "" {
			t.Error("the file has not been taken")
		}
		// The question about a second file must say that the second file replaces the first.
		v.Apply(file)
		if said := preview(v.State().Ask); !strings.Contains(said, "take the place of \""+own.name) {
			t.Errorf("a second file:\n%s", said)
		}
		// Opening a link withdraws the question.
		v.try(wire.Link, "", small[v.lab])
		if v.State().Ask.Title != "" {
			t.Error("a link leaves the question")
		}
		v.whole()
	})
}

// TestHidden checks that a recording hides the controls of the simulation, and that the
// controls return afterwards.
func TestHidden(t *testing.T) {
	controls := map[string]struct {
		away, stay []string
		back       string
	}{
		wire.Demo:   {[]string{"n"}, []string{"seed", "drift", "another", "eps"}, "another"},
		"particles": {[]string{"preset", "a", "b", "n", "dt", "steps", "components", "seed", "another"}, []string{"tool", "clear", "trajectory", "simulate"}, "simulate"},
		"mixing":    {[]string{"preset", "tool", "boundary", "height", "dt", "frames", "seed", "temperature", "e12", "another"}, []string{"trajectory", "simulate"}, "simulate"},
		"polymer":   {[]string{"preset", "start", "n", "rate", "temperature", "repulsion", "bonds", "frames", "seed", "another"}, []string{"trajectory", "simulate"}, "simulate"},
		"flock":     {[]string{"preset", "eta", "n", "spread", "steps", "seed", "another"}, []string{"trajectory", "simulate"}, "simulate"},
	}
	demand(t, "controls", controls, labs)
	for lab, tc := range controls {
		in(t, lab, func(t *testing.T, v *visitor) {
			check := func(when string, want bool) {
				t.Helper()
				hidden := v.State().Hidden
				for _, id := range tc.away {
					if hidden[id] != want {
						t.Errorf("%s: %s hidden %v", when, id, hidden[id])
					}
				}
				for _, id := range tc.stay {
					if hidden[id] {
						t.Errorf("%s: %s is hidden", when, id)
					}
				}
			}
			check("simulated", false)
			v.drop(ownFiles[lab].name, ownFiles[lab].b(t))
			check("recorded", true)
			if lab == "mixing" {
				v.settle()
				if b := v.row("boundary"); len(b) > 0 {
					t.Errorf("a recording has the boundary %v", b)
				}
			}
			v.press(tc.back)
			v.prepare()
			check("simulated again", false)
		})
	}
}

// TestOtherLab drops a model of another lab. The session must offer to open that lab and
// must change nothing.
func TestOtherLab(t *testing.T) {
	models := map[string]string{wire.Demo: "models/line-flow-tunable.safetensors", "particles": "models/particles-flow-tunable.safetensors", "mixing": "models/mixing-flow-tunable.safetensors", "polymer": "models/polymer-flow-tunable.safetensors"}
	demand(t, "models", models, names)
	each(t, func(t *testing.T, v *visitor) {
		v.settle()
		before := v.is()
		for lab, name := range models {
			if lab == v.lab {
				continue
			}
			if n := v.Apply(wire.Command{Kind: wire.File, Name: name, Data: asset(t, name)}); n != nil {
				t.Errorf("%s: %+v", name, n)
			}
			if ask := v.State().Ask; ask.Lab != lab || ask.Accept == "" || !strings.Contains(ask.Text, lab) {
				t.Errorf("%s: asks %+v", name, ask)
			}
			v.press(wire.Cancel)
			if v.is() != before {
				t.Errorf("%s changed something", name)
			}
		}
	})
}
