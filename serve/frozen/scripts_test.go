//go:build amd64

package frozen

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"macroscope/model/file/data"
)

// short scripts of each lab, in the form of crossings. Every script has a session of its own. It begins
// after the command "link" with the settings in beginnings and the arrival of the first model.
var shortScripts = map[string][]string{
	"demo": {
		"set eps 0.3",
		"set zdim 2; set eps 0.05",
		"set method flow-st; fetch; turns 1",
		"press shuffle; fetch; turns 2",
		"press another; set n 30; press undo",
		"set drift on; turns 20; set drift off",
		"hold - 0.1 0.2; turns 1; press release",
		"set survey on; fetch; turns 4",
		"press train; pieces 3; pause - -; reload; fetch; turns 1",
		"drop own.csv 0.1,0.2,0.5,-0.4,0.3,0.7,0.8,-0.9; turns 1",
	},
	"particles": {
		"set eps 0.1; turns 4",
		"set zdim 3; fetch; turns 4",
		"set method ae-inve; fetch; turns 4",
		"press shuffle; fetch; turns 4",
		"press play; turns 5; press play; seek - 7; turns 4",
		"hold - 0.1 0.2; turns 4; press release; turns 4",
		"set force 1/r - r; turns 4",
		"set survey on; fetch; turns 4",
		"drop own.npz {spirals}; turns 4; set trajectory 1; turns 4",
		"set size quick; press train; pieces 12; pause - -; press undo; reload; fetch; turns 4",
	},
	"mixing": {
		"set eps 0.1; turns 4",
		"set method ae-aug; fetch; turns 4",
		"boundary - 9; turns 4",
		"press shuffle; fetch; turns 4",
		"press play; turns 4; press play; seek - 3; turns 4",
		"hold - 0.2 0.1; turns 4; press release",
		"set temperature 2; turns 4; press undo; turns 4",
		"set portrait on; fetch; turns 4",
		"drop own.npz {mixing}; turns 4; set trajectory 2; turns 4",
		"press train; fetch; pieces 6; pause - -; reload; fetch; fetch; turns 4",
	},
	"polymer": {
		"set eps 0.1; turns 4",
		"set zdim 2; fetch; turns 4",
		"set start hairpin; turns 4",
		"press shuffle; fetch; turns 4",
		"press play; turns 4; press play; seek - 5; turns 4",
		"hold - 0.2 0.1; turns 4; press release",
		"set film flow; fetch; fetch; turns 4",
		"set portrait on; fetch; turns 4",
		"set rate 1000; turns 4; press undo; turns 4",
		"fresh - v=1&lab=polymer&n=20&frames=20&members=39&seed=3&eps=0.2&all=off&frame=6; fetch; turns 4; take",
	},
}

// beginnings are the links with which the scripts begin. Their runs are small.
var beginnings = map[string]string{
	"demo":      "v=1&lab=demo&n=60&seed=2&set=1",
	"particles": "v=1&lab=particles&n=30&steps=20&seed=2&frame=5",
	"mixing":    "v=1&lab=mixing&height=12&frames=8&members=39&seed=2&frame=2",
	"polymer":   "v=1&lab=polymer&n=20&frames=20&members=39&seed=2&frame=3",
}

// TestScripts carries out the short scripts and compares the state and the frame at the end of each.
func TestScripts(t *testing.T) {
	t.Parallel()
	files := dropped(t)
	files["{spirals}"] = spirals(t)
	var out strings.Builder
	for _, lab := range slices.Sorted(maps.Keys(shortScripts)) {
		for _, script := range shortScripts[lab] {
			synctest.Test(t, func(t *testing.T) {
				a := newActor(t, lab, files)
				for _, line := range []string{"pieces 3", "link - " + beginnings[lab], "set play off", "turns 1", "fetch", "turns 2"} {
					a.do(line)
				}
				for line := range strings.SplitSeq(script, "; ") {
					a.do(line)
				}
				fmt.Fprintf(&out, "[%s] %s\n%s", lab, script, a.digest())
			})
		}
	}
	golden(t, "scripts.txt", out.String())
}

// digest returns the main rows of the last state, and the length, the mean and the last number of every
// row of a whole frame.
func (a *actor) digest() string {
	var out strings.Builder
	add := func(name, text string) { fmt.Fprintf(&out, "  %s: %s\n", name, text) }
	st := a.session.State()
	add("link", st.Short)
	add("status", fmt.Sprintf("%s, playing %t, training %t, wants %q, asks %q, task %q", st.Status, st.Playing, a.session.Training(), a.session.Wants(), st.Ask.Title, st.Task))
	add("summary", st.Summary)
	add("warning", st.Warning)
	add("model", st.Model)
	var figures, runs, off []string
	for _, f := range st.Figures {
		if f.Text != "" {
			figures = append(figures, f.ID+"="+f.Text)
		}
	}
	for _, r := range st.Runs {
		if r.Shown != "" || !r.Fixed {
			runs = append(runs, strings.TrimSpace(r.Name+" "+r.Shown))
		}
	}
	off = append(off, slices.Sorted(maps.Keys(st.Off))...)
	add("figures", strings.Join(figures, ", "))
	add("runs", strings.Join(runs, ", "))
	add("off", strings.Join(off, " "))
	a.session.Forget()
	f := &a.shown
	if err := f.Decode(a.session.AppendFrame(nil)); err != nil {
		a.t.Fatal(err)
	}
	var rows []string
	for name := range f.Names() {
		if v := f.Numbers(name); len(v) > 0 && f.Text(name) == nil {
			sum := 0.0
			for _, x := range v {
				sum += float64(x)
			}
			rows = append(rows, fmt.Sprintf("%s %d: %.3g %.3g", name, len(v), sum/float64(len(v)), v[len(v)-1]))
		}
	}
	slices.Sort(rows)
	for row := range slices.Chunk(rows, 6) {
		add("frame", strings.Join(row, "; "))
	}
	return out.String()
}

// spirals returns a small file of a visitor's own particles, which turn and shrink.
func spirals(t *testing.T) []byte {
	t.Helper()
	const runs, frames, particles = 3, 15, 12
	var points []float32
	for run := range runs {
		for k := range frames {
			for i := range particles {
				radius, angle := math.Exp(-float64(k)/20)*(1+float64(i%3)+float64(run)/5), float64(i)+float64(k)/10
				points = append(points, float32(radius*math.Cos(angle)), float32(radius*math.Sin(angle)))
			}
		}
	}
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, map[string]*data.Array{"trajectories": data.NewArray([]int{runs, frames, particles, 2}, points)}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
