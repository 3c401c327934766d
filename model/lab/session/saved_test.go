package session_test

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/wire"
)

// reload returns a new session, restored from the saved state of v.
func (v *visitor) reload() *visitor {
	v.t.Helper()
	again := newcomer(v.t, v.lab)
	if n := again.Apply(wire.Command{Kind: wire.Restore, Value: v.Fragment(), Data: v.Saved()}); n != nil {
		v.t.Fatalf("restored: %s", n.Text)
	}
	again.prepare()
	again.fetch()
	return again
}

// The method `like` checks that two sessions show the same settings, runs and picture.
func (v *visitor) like(again *visitor, why string) {
	v.t.Helper()
	a, b := v.State(), again.State()
	if a.Fragment != b.Fragment || a.Status != b.Status || a.Values["tool"] != b.Values["tool"] || a.Values["name"] != b.Values["name"] || a.Model != b.Model {
		v.t.Errorf("%s: restored\n%s %s %s %s, of\n%s %s %s %s", why, b.Fragment, b.Status, b.Values["tool"], b.Model, a.Fragment, a.Status, a.Values["tool"], a.Model)
	}
	if x, y := runsOf(a), runsOf(b); x != y && !v.sampler() { // the second session may not have fetched the shipped model
		v.t.Errorf("%s: restored the runs %s of %s", why, y, x)
	}
	for _, row := range []string{"now", "x", "kind", "label", "z", "q", "widths", "p", "pA", "energy", "window", "pred", "low", "meanB", "predB", "zhat", "loss", "lossStep", "mreVal", "cover", "klVal", "fitEps", "step"} {
		if (row == "q" || row == "p" || row == "window") && v.lab == "particles" && v.picture().Text("note") != nil {
			continue // edits do not move the window, but a restored session places the window anew
		}
		if x, y := v.row(row), again.row(row); !slices.Equal(x, y) && !(len(x) > 0 && x[0] != x[0]) {
			v.t.Errorf("%s: row %s of %d numbers became one of %d", why, row, len(x), len(y))
		}
	}
	if x, y := string(v.picture().Text("note")), string(again.picture().Text("note")); x != y {
		v.t.Errorf("%s: the note %q became %q", why, x, y)
	}
}

// items lists the keys of the simulated trajectories in a visitor's saved session.
func items(v *visitor) (keys []string) {
	for _, part := range v.parts() {
		if strings.HasPrefix(part.Key, "item ") {
			keys = append(keys, part.Key)
		}
	}
	return keys
}

// runsOf describes the runs. A shipped model that is not displayed may be loaded or not.
func runsOf(st wire.State) string {
	var list []string
	for _, r := range st.Runs {
		if r.Shown == "" && runs.IsShipped(r.Name) {
			r.Detail = ""
		}
		list = append(list, r.Name+" "+r.Shown+": "+r.Detail)
	}
	slices.Sort(list)
	return strings.Join(list, "; ")
}

// TestRestoreTraining restores sessions in the middle of a training.
func TestRestoreTraining(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.apply(wire.Add, "", "0.3")
		v.set("eps", "0.2")
		v.fetch()
		v.press("train")
		v.train(3)
		again := v.reload()
		v.picture()
		v.like(again, "in a refit")
		if again.Wants() != "" {
			t.Errorf("it still wants %s", again.Wants())
		}
		v.train(2)
		again.train(2)
		v.press("train")
		again.press("train")
		v.like(again, "later")
		v.like(v.reload(), "stopped")
		v.press("reset")
		v.press("step")
		v.like(v.reload(), "from scratch")
	})
	in(t, "particles", func(t *testing.T, v *visitor) {
		own := trajectories(t, v.lab, 4)
		v.drop("night.safetensors", begun(t, v.lab, "flow", own))
		v.drop("own.npz", own)
		v.press("train")
		v.reach(func() bool { return strings.HasPrefix(string(v.picture().Text("trainStage")), "stage II") })
		v.press("keep")
		parts := v.parts()
		again := newcomer(t, v.lab)
		if n := again.Apply(wire.Command{Kind: wire.Restore, Data: wire.Whole(parts[:len(parts)-1])}); n == nil || n.Error || !strings.Contains(n.Text, `"own.npz"`) || !sentence(n.Text) {
			t.Errorf("without the file: %s", sentenceOf(n))
		}
		again.fetch()
		if st := again.State(); st.Status != "idle" || st.Labels["train"] != "Go on" {
			t.Errorf("a training on own data: %s, %s", st.Status, st.Labels["train"])
		}
		again.refuses("open them again", wire.Press, "train", "")
		third := again.reload() // a reload while the training waits for the file
		third.drop("own.npz", own)
		third.press("train")
		fourth := v.reload() // a reload with the file
		fourth.press("train")
		v.reach(func() bool { return v.Status() == wire.Done })
		for _, again := range []*visitor{third, fourth} {
			again.reach(func() bool { return again.Status() == wire.Done })
			if !slices.Equal(v.row("loss"), again.row("loss")) || !slices.Equal(v.row("mreVal"), again.row("mreVal")) || !slices.Equal(v.model().Weights.DynamicsParams, again.model().Weights.DynamicsParams) {
				t.Error("the training went on to other weights")
			}
		}
	})
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.set("size", "quick")
		v.seek(5)
		v.settle()
		v.press("train")
		v.work(0)
		v.press("train")
		v.settle()
		again := v.reload()
		again.settle()
		if v.like(again, "while it simulates"); len(v.row("predB")) == 0 {
			t.Error("the prediction of the model with which the training began is gone")
		}
		v.set("runA", "shipped")
		v.set("runB", "in training")
		v.settle()
		again = v.reload()
		again.settle()
		v.like(again, "beside the shipped model")
		v.press("train")
		v.train(1)
		again = v.reload() // this must not simulate the trajectories again
		if was, is := items(v), items(again); len(was) == 0 || !slices.Equal(was, is) {
			t.Errorf("%d of %d simulated trajectories were restored", len(is), len(was))
		}
	})
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.seek(5)
		v.settle()
		v.press("train")
		v.fetch()
		v.train(1)
		v.set("name", "mine")
		v.press("keep")
		v.press("train")
		again := v.reload()
		again.settle()
		v.settle()
		v.like(again, "stopped")
		again.press("train")
		v.press("train")
		v.train(1)
		again.train(1)
		x, y := v.row("loss"), again.row("loss")
		if n := min(len(x), len(y)); n < 2 || !slices.Equal(x[:n], y[:n]) {
			t.Errorf("the training went on to other weights: losses %v, and %v", x, y)
		}
	})
}

// TestRestoreOwn restores a playing trajectory of a user's file, and a training on a file that is paused.
func TestRestoreOwn(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		own := trajectories(t, v.lab, 4)
		v.drop("night.safetensors", begun(t, v.lab, "flow", own))
		v.drop("own.npz", own)
		v.set("trajectory", "2")
		v.settle()
		v.press("play")
		if again := v.reload(); again.State().Values["trajectory"] != "2" || !again.State().Playing {
			t.Error("it does not play on")
		}
		v.press("train")
		v.reach(func() bool { return strings.HasPrefix(string(v.picture().Text("trainStage")), "stage II") })
		v.press("train")
		again := v.reload()
		again.settle()
		v.like(again, "paused")
		if st := again.State(); st.Status != "paused" || st.Labels["train"] != "Go on" {
			t.Errorf("a paused training on own data: %s, %s", st.Status, st.Labels["train"])
		}
	})
}

// TestRestoreFewOwn opens data with fewer particles than the lab can simulate. The data must be
// displayed, must not become the start of a simulation, and must not prevent restoring the session.
func TestRestoreFewOwn(t *testing.T) {
	few := map[string][]byte{wire.Demo: npy(t, 2), "particles": npy(t, 1, 2, 2, 2), "mixing": []byte(dump), "polymer": npy(t, 1, 2, 2, 3)}
	each(t, func(t *testing.T, v *visitor) {
		v.drop("few.npy", few[v.lab])
		v.settle()
		if v.lab == "particles" || v.lab == "polymer" {
			v.refuses("10 at least", "drag", "", "0 1 1")
		}
		v.try(wire.Add, "", "0.5 0.5")
		v.try(wire.Add, "", "0.5") // for the line, where a particle has one coordinate
		v.try(wire.Remove, "", "0.5 0.5")
		v.settle()
		again := newcomer(t, v.lab)
		if n := again.Apply(wire.Command{Kind: wire.Restore, Data: v.Saved()}); n != nil && n.Error {
			t.Error(n.Text)
		}
	})
}

// TestRestoreSlowlyPlays reloads twice while a file plays, the second time while the file is being
// read. The file must then play.
func TestRestoreSlowlyPlays(t *testing.T) {
	slowly(t, 0, func(v *visitor, _ *int) {
		v.Apply(wire.Command{Kind: wire.File, Name: "own.npy", Data: npy(t, 3, 12, 20, 2)})
		v.reading()
		v.press(wire.Accept)
		v.press("restart")
		if !v.State().Playing {
			t.Fatal("the file does not play")
		}
		for range 2 {
			v.Apply(wire.Command{Kind: wire.Restore, Data: v.Saved()})
			if task := v.State().Task; !strings.HasPrefix(task, "Reading") {
				t.Errorf("task %q", task)
			}
		}
		for range 40 {
			v.work(0)
		}
		if st := v.State(); st.Max["trajectory"] != 3 || !st.Playing && st.Values["at"] == "0" {
			t.Errorf("%g trajectories, at frame %s, playing: %v", st.Max["trajectory"], st.Values["at"], st.Playing)
		}
	})
}

// TestRestoreSlowly reloads while the file of a saved session is being read. The file must be
// kept, and the training must wait for it.
func TestRestoreSlowly(t *testing.T) {
	slowly(t, 0, func(v *visitor, open *int) {
		v.Apply(wire.Command{Kind: wire.File, Name: "own.npy", Data: npy(t, 3, 12, 20, 2)})
		v.reading()
		v.press(wire.Accept)
		v.seek(4)
		v.set("size", "quick")
		v.press("train")
		v.turns(2)
		saved := v.Saved()
		restore := wire.Command{Kind: wire.Restore, Data: saved}
		v.Apply(restore)
		v.try(wire.Train, "", "")
		if !strings.HasPrefix(v.State().Task, "Reading") || v.Status() == wire.Training {
			t.Errorf("task %q, %v", v.State().Task, v.Status())
		}
		restore.Data = v.Saved()
		v.Apply(restore)
		v.try(wire.Train, "", "")
		for range 40 {
			v.work(0)
		}
		if st := v.State(); v.Status() != wire.Training || st.Values["at"] != "4" || *open != 1 {
			t.Errorf("%v at frame %s, %d files are open; %s", v.Status(), st.Values["at"], *open, st.Task)
		}
		// A file that is dropped while the file of the saved session is being read must wait. Later
		// the session must ask about it as usual.
		other := wire.Command{Kind: wire.File, Name: "other.npy", Data: npy(t, 1, 12, 20, 2)}
		v.Apply(restore)
		v.try(wire.Train, "", "")
		if n := v.Apply(other); n == nil || !strings.Contains(n.Text, `as soon as "own.npy" is here again`) || !strings.Contains(v.State().Task, "own.npy") {
			t.Errorf("dropped meanwhile: %+v, %s", n, v.State().Task)
		}
		for range 80 {
			v.work(0)
		}
		if st := v.State(); v.Status() != wire.Training || st.Max["trajectory"] != 3 || !strings.Contains(preview(st.Ask), `They take the place of "own.npy"`) {
			t.Errorf("then: %v, %g trajectories, asks %s", v.Status(), st.Max["trajectory"], preview(st.Ask))
		}
		v.Apply(restore)
		v.try(wire.Train, "", "")
		if n := v.try(wire.Press, wire.Cancel, ""); n == nil || !strings.Contains(n.Text, `without your file "own.npy"`) {
			t.Errorf("cancelled: %+v", n)
		}
		if st := v.State(); st.Task != "" || st.Labels["train"] != "Go on" {
			t.Errorf("cancelled: %q, which waits for what never comes: %q", st.Labels["train"], st.Task)
		}
	})
}

// TestRestoreWithoutTheShippedModel checks that the trained model is kept if the shipped model
// is unavailable.
func TestRestoreWithoutTheShippedModel(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		if v.lab == "mixing" {
			return // training in this lab needs the shipped model
		}
		v.press("train")
		v.turns(2)
		v.press("train")
		again := newcomer(t, v.lab)
		if n := again.Apply(wire.Command{Kind: wire.Restore, Data: v.Saved()}); n != nil {
			t.Fatal(n.Text)
		}
		if again.Wants() != "" {
			again.miss()
		}
		if again.Status() != wire.Paused || !strings.Contains(runsOf(again.State()), "in training a") {
			t.Errorf("%v, runs %s", again.Status(), runsOf(again.State()))
		}
		again.press("train")
		if again.Status() != wire.Training {
			t.Errorf("it does not go on: %v", again.Status())
		}
	})
}

// TestRestoreOfATrainingThatCannotGoOn checks that the session keeps the weights of a training
// that cannot continue, and restores everything else.
func TestRestoreOfATrainingThatCannotGoOn(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.set("name", "mine")
		v.press("keep")
		v.set("size", "quick")
		v.press("train")
		v.train(2)
		v.press("train")
		files, err := saved.Split(v.Saved())
		if err != nil {
			t.Fatal(err)
		}
		f, err := ckpt.Decode(bytes.NewReader(files.Training))
		if err != nil {
			t.Fatal(err)
		}
		f.Metadata["training.peak"] = "-1"
		if files.Training, err = saved.Encoded(f); err != nil {
			t.Fatal(err)
		}
		again := newcomer(t, v.lab)
		n := again.Apply(wire.Command{Kind: wire.Restore, Data: wire.Whole(files.Parts())})
		if n == nil || n.Error || !strings.Contains(n.Text, "cannot go on") || !strings.Contains(n.Text, "is kept among the runs") || !sentence(n.Text) {
			t.Errorf("%+v", n)
		}
		if all := runsOf(again.State()); !strings.Contains(all, "mine") || !strings.Contains(all, "kept automatically") || again.State().Labels["train"] != "Train" {
			t.Errorf("the button says %q, runs %s", again.State().Labels["train"], all)
		}
	})
}

// TestRestoreBroken truncates saved sessions and changes bytes. The session must stay usable.
func TestRestoreBroken(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		v.press("keep")
		saved := v.Saved()
		w := visit(t, v.lab)
		w.settle()
		for _, n := range []int{0, 3, 4, 5, 10, 13, 200, len(saved) / 2, len(saved) - 1} {
			w.refusesAll("could not be opened", wire.Command{Kind: wire.Restore, Data: saved[:n]})
		}
		for at := 0; at < len(saved); at += 1 + at/3 {
			b := slices.Clone(saved)
			b[at] ^= 0x5a
			if n := w.Apply(wire.Command{Kind: wire.Restore, Data: b}); n != nil && !sentence(n.Text) {
				t.Errorf("byte %d: %+v", at, n)
			}
			w.prepare()
			w.turns(1)
			w.picture()
			if !finite(w.State()) {
				t.Errorf("byte %d: %+v", at, w.State())
			}
		}
		other := map[string]string{wire.Demo: "particles", "particles": "mixing", "mixing": "polymer", "polymer": wire.Demo}[v.lab]
		x := visit(t, other)
		x.refusesAll("could not be opened", wire.Command{Kind: wire.Restore, Data: saved})
	})
}

// TestCannotBeSaved gives a run a name that cannot be written to a file. Saved must return the
// reason and no parts. With a valid name, Saved must succeed.
func TestCannotBeSaved(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.set("name", "\xff") // not valid UTF-8, so it cannot be written to a checkpoint
		if parts, err := v.Pooled.Saved(); parts != nil || err == nil || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%d parts, error %v", len(parts), err)
		}
		v.set("name", "mine")
		if v.Saved() == nil {
			t.Error("a session that was mended is not saved")
		}
	})
}

// TestNothingToSave checks that a session saves nothing before there is anything to save.
func TestNothingToSave(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		if b := newcomer(t, v.lab).Saved(); b != nil {
			t.Errorf("%d bytes are saved of a session that is empty", len(b))
		}
	})
}

// kept is a lab's saved session in a form that tests can change: the particles, and the
// metadata of the user's view with one entry per line.
type kept struct {
	lab, metadata string
	positions     []float32
}

// savedOf saves a session of a small system.
func savedOf(t testing.TB, lab string) kept {
	t.Helper()
	v := newcomer(t, lab)
	v.apply(wire.Link, "", small[lab])
	v.prepareReal()
	if at, ok := map[string]string{wire.Demo: "0.3", "particles": "0.3 0.1"}[lab]; ok {
		v.apply(wire.Add, "", at)
	} else {
		v.fetch() // a session is saved only if it has a model or edited particles
	}
	f, rest := partsOf(t, v.Saved())
	if len(rest) > 0 {
		t.Fatalf("%d bytes follow what the visitor saw", len(rest))
	}
	k := kept{lab: lab}
	for _, name := range slices.Sorted(maps.Keys(f.Metadata)) {
		k.metadata += name + "=" + f.Metadata[name] + "\n"
	}
	for _, x := range f.Tensors {
		k.positions = append(k.positions, x.F32...)
	}
	return k
}

// A saved session begins with savedHead. Next comes sessionHead: the length of the first file's
// name, and the name. The first file contains the user's view.
const savedHead, sessionHead = "MSS1", "\x07session"

// partsOf returns the first file of a saved session, and the bytes after this file.
func partsOf(t testing.TB, saved []byte) (f *ckpt.File, rest []byte) {
	t.Helper()
	b, ok := bytes.CutPrefix(saved, []byte(savedHead+sessionHead))
	if !ok {
		t.Fatalf("a saved session begins with %q", saved[:min(len(saved), 20)])
	}
	n := binary.LittleEndian.Uint32(b)
	f, err := ckpt.Decode(bytes.NewReader(b[4 : 4+n]))
	if err != nil {
		t.Fatal(err)
	}
	return f, b[4+n:]
}

// save returns the saved session as bytes, or nil if it cannot be written.
func (k *kept) save() []byte {
	f := &ckpt.File{Metadata: make(map[string]string)}
	for line := range strings.Lines(k.metadata) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		f.Metadata[name] = value
	}
	if k.positions != nil {
		f.Tensors = []ckpt.Tensor{{Name: "session.particles", Shape: []int{len(k.positions)}, F32: k.positions}}
	}
	var b bytes.Buffer
	if ckpt.Encode(&b, f) != nil {
		return nil
	}
	head := binary.LittleEndian.AppendUint32([]byte(savedHead+sessionHead), uint32(b.Len()))
	return append(head, b.Bytes()...)
}

// restorer restores saved sessions one after another. It reuses a lab's session while the
// session is unchanged, since opening a lab takes the most time.
type restorer map[string]*visitor

func (r restorer) restore(t *testing.T, lab string, b []byte) {
	v := r[lab]
	if v == nil {
		v = newcomer(t, lab)
		r[lab] = v
	}
	v.t = t
	n := v.Apply(wire.Command{Kind: wire.Restore, Data: b})
	if n != nil && (!n.Error || !sentence(n.Text)) {
		t.Errorf("%s: %+v", lab, n)
	}
	if n != nil && (strings.Contains(n.Text, "cut short") || strings.Contains(n.Text, "not of this lab")) {
		return // an error must leave the session unchanged
	}
	delete(r, lab)
	v.picture()
	v.Work(0)
	v.picture()
	if !finite(v.State()) {
		t.Errorf("state %+v", v.State())
	}
	again := newcomer(t, lab)
	if saved := v.Saved(); saved != nil {
		if n := again.Apply(wire.Command{Kind: wire.Restore, Data: saved}); n != nil {
			t.Errorf("what was saved again is refused: %s", n.Text)
		}
	}
}

// FuzzRestore restores truncated saved sessions with one changed byte. The sessions have no
// checksum, because a checksum would reject every change. The fuzzer chooses only the byte and the
// length. If the fuzzer could choose the whole file, it would shorten the file byte by byte, and
// each restore takes milliseconds.
func FuzzRestore(f *testing.F) {
	var saved [][]byte
	for i, lab := range names {
		k := savedOf(f, lab)
		b := bytes.Replace(k.save(), []byte(`"crc32.all"`), []byte(`"checksum."`), 1)
		saved = append(saved, b)
		for _, at := range []int{0, 5, len(savedHead + sessionHead), 30, len(b) / 2, len(b) - 1} {
			f.Add(uint8(i), uint16(at), byte('7'), uint16(0))
		}
		f.Add(uint8(i), uint16(0), byte('M'), uint16(3))
	}
	r := make(restorer)
	f.Fuzz(func(t *testing.T, lab uint8, at uint16, to byte, cut uint16) {
		if testing.Short() {
			t.Skip()
		}
		b := slices.Clone(saved[int(lab)%len(saved)])
		b[int(at)%len(b)] = to
		r.restore(t, names[int(lab)%len(names)], b[:len(b)-int(cut)%len(b)])
	})
}

// FuzzVisit restores well-formed saved sessions in which one line of the user's view has
// another value and one particle has another position.
func FuzzVisit(f *testing.F) {
	var base []kept
	for i, lab := range names {
		k := savedOf(f, lab)
		base = append(base, k)
		for line, text := range strings.Split(k.metadata, "\n") {
			_, value, _ := strings.Cut(text, "=")
			f.Add(uint8(i), uint8(line), value[:min(len(value), 30)], uint8(line), float32(0.5))
		}
	}
	r := make(restorer)
	f.Fuzz(func(t *testing.T, lab, line uint8, value string, particle uint8, to float32) {
		if testing.Short() {
			t.Skip()
		}
		k := base[int(lab)%len(base)]
		lines := strings.Split(strings.TrimSuffix(k.metadata, "\n"), "\n")
		name, _, _ := strings.Cut(lines[int(line)%len(lines)], "=")
		lines[int(line)%len(lines)] = name + "=" + value
		k.metadata = strings.Join(lines, "\n") + "\n"
		if n := len(k.positions); n > 0 {
			k.positions = slices.Clone(k.positions)
			k.positions[int(particle)%n] = to
		}
		if b := k.save(); b != nil {
			r.restore(t, k.lab, b)
		}
	})
}

// prepareReal is like prepare, with the real clock.
func (v *visitor) prepareReal() {
	for v.State().Off["play"] != "" {
		v.Work(time.Second)
	}
}
