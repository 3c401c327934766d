package session_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macroscope/model/file/bundle"
	"macroscope/model/file/ckpt"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/sweep"
	"macroscope/model/wire"
)

// swept returns the user's sweep as the page receives it.
func (v *visitor) swept() (f sweep.File) {
	v.t.Helper()
	if text := v.State().Sweep; text != "" {
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			v.t.Fatal(err)
		}
	}
	return f
}

// measured returns the number of measured trainings of a sweep.
func measured(f sweep.File) (n int) {
	for _, p := range f.Points {
		n += len(p.Values)
	}
	return n
}

// TestSweep runs a sweep, reloads the page meanwhile, stops and continues the sweep, displays the
// model of a point, and saves the file. The user's own training must take precedence.
func TestSweep(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.refuses("wings", wire.Set, "sweeppoint", "wings")
		v.refuses("ε", wire.Set, "sweepeps", "0.05, x")
		for name, value := range map[string]string{"sweepeps": "0.05, 0.2", "sweepzdim": "2", "sweepsteps": "3", "sweepmore": "batch=4"} {
			v.set(name, value)
		}
		was := v.State().Model
		v.press("sweeprun")
		v.reach(func() bool { return measured(v.swept()) == 1 })
		if st := v.State(); st.Labels["sweeprun"] != "Stop the sweep" || st.Tasks["sweeprun"] != wire.Running || st.Swept || !strings.Contains(st.Task, "2 of 2") || st.Model != was {
			t.Errorf("the button says %q, the task %q, and %s is on show", st.Labels["sweeprun"], st.Task, st.Model)
		}
		half := v.swept()
		v = v.reload()
		if got := v.swept(); measured(got) != 1 || !slices.Equal(got.Points[0].Values, half.Points[0].Values) || !v.Training() {
			t.Fatalf("after a reload: %+v", got)
		}
		v.press("sweeprun")
		if v.turns(2); v.Training() || v.State().Tasks["sweeprun"] == wire.Running || v.State().Labels["sweeprun"] != "" && v.State().Labels["sweeprun"] != "Go on with the sweep" {
			t.Errorf("it goes on after it was stopped: %q", v.State().Labels["sweeprun"])
		}
		v.press("sweeprun")
		v.press("train")
		if task := v.State().Task; strings.HasPrefix(task, "Sweep") || !strings.HasSuffix(task, "the sweep begins when the training stops") {
			t.Errorf("the visitor's training waits for the sweep, or the task does not say that the sweep waits: %q", task)
		}
		v.press("train")
		v.reach(func() bool { return !v.Training() })
		f := v.swept()
		if measured(f) != 2 || f.Experiment != "line/flow@browser" || f.Points[1].At["eps"] != 0.2 || f.Points[1].At["batch"] != 4 {
			t.Errorf("in the end: %+v", f)
		}
		v.set("sweeppoint", "1")
		if st := v.State(); st.Model != "trained here in a sweep" || !st.Swept || st.Values["eps"] != "0.2" || st.Values["zdim"] != "2" {
			t.Errorf("on show is %q with ε = %s, ẑ dim %s", st.Model, st.Values["eps"], st.Values["zdim"])
		}
		runs := len(v.State().Runs)
		v.set("sweeppoint", "1")
		if got := len(v.State().Runs); got != runs {
			t.Errorf("%d runs, and %d after the point was chosen again", runs, got)
		}
		name, b, err := v.Save("sweep")
		if err != nil || name != "macroscope-demo-sweep.json" || string(b) != v.State().Sweep {
			t.Errorf("%s, %v", name, err)
		}

		// A bundle contains the sweep. A new sweep replaces the present sweep only if the user
		// agrees.
		name, b = bundleOf(t, v)
		v.set("sweepeps", "0.07")
		if v.press("sweeprun"); v.State().Ask.Accept == "" || v.Training() || measured(v.swept()) != 2 {
			t.Errorf("another sweep: asks %+v", v.State().Ask)
		}
		v.press(wire.Accept)
		if got := v.swept(); measured(got) != 0 || len(got.Points) != 1 || !v.Training() {
			t.Errorf("the other sweep: %+v", got)
		}
		_, underWay := bundleOf(t, v)
		for _, tc := range []struct {
			file []byte
			want sweep.File
		}{{b, f}, {underWay, v.swept()}} {
			other := newcomer(t, wire.Demo)
			other.prepare()
			other.fetch()
			other.set("sweepeps", "0.3")
			other.press("sweeprun")
			other.Apply(wire.Command{Kind: wire.File, Name: name, Data: tc.file})
			if ask := preview(other.State().Ask); !strings.Contains(ask, "points so far") || !strings.Contains(ask, "The sweep that you have goes") {
				t.Errorf("asks %s", ask)
			}
			other.press(wire.Accept)
			if got := other.swept(); measured(got) != measured(tc.want) || got.Command != tc.want.Command || other.Training() {
				t.Errorf("opened: %+v, want %+v", got, tc.want)
			}
			if measured(tc.want) > 0 {
				other.set("sweeppoint", "1")
			} else {
				other.press("sweeprun")
				other.reach(func() bool { return !other.Training() })
			}
			if other.State(); measured(other.swept()) == 0 {
				t.Error("the sweep does not go on")
			}
		}
	})
	in(t, "particles", func(t *testing.T, v *visitor) {
		// A stopped sweep continues only if the user requests the same sweep.
		v.refuses("than a tab has room for", wire.Set, "sweepmore", "particles=100000")
		v.set("method", "inve")
		v.refuses(`"inve" has no ε`, wire.Set, "sweepeps", "0.1")
		v.set("method", "flow")
		v.set("sweepsteps", "1")
		for range 2 {
			v.press("sweeprun")
		}
		for _, s := range [][3]string{{"force", "1/r - r", ""}, {"method", "flow-st", "flow"}, {"sweepzdim", "3", "1, 2, 4, 8"}} {
			v.set(s[0], s[1])
			if label := v.State().Labels["sweeprun"]; label != "" {
				t.Errorf("%s is %s, and the button says %q", s[0], s[1], label)
			}
			v.set(s[0], s[2])
			if label := v.State().Labels["sweeprun"]; label != "Go on with the sweep" {
				t.Errorf("%s is %q again, and the button says %q", s[0], s[2], label)
			}
		}
		if v = v.reload(); v.State().Labels["sweeprun"] != "Go on with the sweep" {
			t.Errorf("after a reload the button says %q", v.State().Labels["sweeprun"])
		}
		v.prepare()
		v.fetch()
		v.Cores(3)
		v.set("sweepsteps", "4")
		v.set("sweepzdim", "1")
		v.press("sweeprun")
		list, jobs := helpersOf(v, 2), 0
		for turn := range 60 {
			v.work(0)
			jobs += v.helped(list)
			if turn == 30 {
				v.press("train") // helpers now work for this training
			}
		}
		v.press("train")
		for jobs = 0; jobs == 0; jobs = v.helped(list) {
			v.work(0)
		}
		if !v.Training() || !strings.Contains(v.State().Task, "weep: training 1 of 1") {
			t.Errorf("the sweep does not go on: %q", v.State().Task)
		}
		files, err := saved.Split(v.Saved())
		if err != nil {
			t.Fatal(err)
		}
		files.Sweep = files.Sweep[:9] // as if the file came from a version with other presets
		again := newcomer(t, v.lab)
		n := again.Apply(wire.Command{Kind: wire.Restore, Data: wire.Whole(files.Parts())})
		if n == nil || n.Error || !strings.Contains(n.Text, "goes on without the sweep") || !sentence(n.Text) || again.Status() != wire.Paused {
			t.Errorf("a sweep that cannot go on: %v, %s", again.Status(), sentenceOf(n))
		}
	})
}

// TestHostileSweeps opens bundles with sweeps that no page would write. The session must reject
// each bundle with a sentence, or open a sweep that can be displayed. A saved file of sweep results
// is not a bundle, and must be rejected.
func TestHostileSweeps(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		for name, value := range map[string]string{"sweepeps": "0.05, 0.2", "sweepzdim": "2", "sweepsteps": "1", "sweepmore": "batch=4"} {
			v.set(name, value)
		}
		v.press("sweeprun")
		v.reach(func() bool { return measured(v.swept()) == 1 })
		name, file := bundleOf(t, v)
		table := v.State().Sweep
		for _, tc := range []struct {
			of      string
			refused bool
			change  func(f *ckpt.File, b *bundle.Bundle)
		}{
			{"infinite and huge values", false, func(f *ckpt.File, _ *bundle.Bundle) { f.Metadata["sweep.values"] = "-Inf 1e308" }},
			{"an infinity in words", false, func(f *ckpt.File, _ *bundle.Bundle) { f.Metadata["sweep.values"] = "0x1p-3 infinity" }},
			{"values without a number", true, func(f *ckpt.File, _ *bundle.Bundle) { f.Metadata["sweep.values"] = "0.1 x" }},
			{"a value too many", true, func(f *ckpt.File, _ *bundle.Bundle) { f.Metadata["sweep.values"] += " 1" }},
			{"ten thousand million configurations", true, func(f *ckpt.File, _ *bundle.Bundle) {
				f.Metadata["sweep.over"] = "eps=0.1" + strings.Repeat(",0.1", 1e5) + " encoder.zdim=1" + strings.Repeat(",2", 1e5)
			}},
			{"no configurations", true, func(f *ckpt.File, _ *bundle.Bundle) { f.Metadata["sweep.over"] = "eps" }},
			{"another system", true, func(f *ckpt.File, _ *bundle.Bundle) { f.Metadata["sweep.experiment"] = "mixing/flow@browser" }},
			{"an unknown change", true, func(f *ckpt.File, _ *bundle.Bundle) { f.Metadata["sweep.set"] = "wings=2" }},
			{"endless seconds", true, func(f *ckpt.File, _ *bundle.Bundle) { f.Metadata["sweep.spent"] = "Inf" }},
			{"seconds before it began", true, func(f *ckpt.File, _ *bundle.Bundle) { f.Metadata["sweep.spent"] = "-1e308" }},
			{"a training that is none", true, func(f *ckpt.File, _ *bundle.Bundle) {
				*f = ckpt.File{Metadata: f.Metadata}
				f.Metadata["sweep.trains"] = "on"
			}},
			{"a point out of range", true, func(_ *ckpt.File, b *bundle.Bundle) { b.Points[0] = edited(t, b.Points[0], "sweep.point", "9") }},
			{"a point that is no model", true, func(_ *ckpt.File, b *bundle.Bundle) { b.Points[0] = []byte("12345678{") }},
			{"a model of another system", false, func(_ *ckpt.File, b *bundle.Bundle) {
				b.Points[0] = edited(t, asset(t, "models/particles-laptop.safetensors"), "sweep.point", "0")
			}},
			{"no models", false, func(_ *ckpt.File, b *bundle.Bundle) { b.Points = nil }},
		} {
			all, err := bundle.Decode(file)
			if err != nil {
				t.Fatal(err)
			}
			f, err := ckpt.Decode(bytes.NewReader(all.Sweep))
			if err != nil {
				t.Fatal(err)
			}
			tc.change(f, all)
			var b, out bytes.Buffer
			if err := ckpt.Encode(&b, f); err != nil {
				t.Fatal(err)
			}
			all.Sweep = b.Bytes()
			if err := all.Encode(&out); err != nil {
				t.Fatal(err)
			}
			w := newcomer(t, wire.Demo)
			w.prepare()
			w.fetch()
			said := opened(w, name, out.Bytes())
			if without := strings.Contains(said, "The lab goes on without the sweep that it had: "); without != tc.refused || !sentence(said) || strings.Contains(said, "strconv") {
				t.Errorf("%s: %q", tc.of, said)
			}
			w.set("n", "77")
			if w.State().Labels["sweeprun"] == "Go on with the sweep" {
				w.press("sweeprun")
				w.reach(func() bool { return !w.Training() })
			}
			if text := w.State().Sweep; text != "" && !json.Valid([]byte(text)) {
				t.Errorf("%s: the page cannot read %s", tc.of, text)
			}
			for i := range 3 {
				if n := w.try(wire.Set, "sweeppoint", strconv.Itoa(i-1)); n != nil && !sentence(n.Text) {
					t.Errorf("%s, point %d: %q", tc.of, i-1, n.Text)
				}
			}
		}
		for _, text := range []string{table, table[:len(table)/2], strings.Repeat("[", 1e6), "        {"} {
			if said := opened(v, "macroscope-demo-sweep.json", []byte(text)); !strings.Contains(said, "is for other programs") {
				t.Errorf("%.20s: %q", text, said)
			}
		}
	})
}

// opened opens a file, answers yes if the session asks, and returns the texts for the user.
func opened(v *visitor, name string, b []byte) string {
	said := []string{sentenceOf(v.Apply(wire.Command{Kind: wire.File, Name: name, Data: b}))}
	if v.State().Ask.Accept != "" {
		said = append(said, sentenceOf(v.try(wire.Press, wire.Accept, "")))
	}
	for range 3 {
		_, n := v.Work(0)
		said = append(said, sentenceOf(n))
	}
	return strings.TrimSpace(strings.Join(said, " "))
}

// edited returns a checkpoint with another value in its metadata.
func edited(t *testing.T, file []byte, name, value string) []byte {
	t.Helper()
	f, err := ckpt.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	f.Metadata[name] = value
	var b bytes.Buffer
	if err := ckpt.Encode(&b, f); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
