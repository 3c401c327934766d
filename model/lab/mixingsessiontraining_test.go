package lab

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/data"
	"macroscope/model/wire"
)

var (
	codesOnce    sync.Once
	trainedCodes []byte
)

// codesOfTrained returns what the encoder of trainedMixing makes of a few short
// runs.
func codesOfTrained(t *testing.T) []byte {
	t.Helper()
	codesOnce.Do(func() {
		m := readTrained(t, true)
		src := m.Config.CodesSource(1, 5)
		src.System.Steps = 200 * 20
		c, err := m.Codes(t.Context(), src, 5, 2, 2, nothing)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := c.Write(&b); err != nil {
			t.Fatal(err)
		}
		trainedCodes = b.Bytes()
	})
	return trainedCodes
}

// trainBox returns a session that has begun to train, and plays no more.
func trainBox(t *testing.T) *box {
	t.Helper()
	b := playBox(t)
	b.apply(wire.Set, "frames", "10")
	b.settle()
	b.apply(wire.Press, "train", "")
	if b.Wants() != MixingCodesShipped || b.state().Task == "" {
		t.Fatalf("training wants %q and says %q", b.Wants(), b.state().Task)
	}
	if n := b.Fetched(b.Wants(), codesOfTrained(t), nil); n != nil {
		t.Fatal(n.Text)
	}
	return b
}

func (b *box) trainTo(step int) {
	b.t.Helper()
	for range 100_000 {
		if b.training.trainer.Step() >= step {
			return
		}
		b.turns(1)
	}
	b.t.Fatalf("training never gets to step %d", step)
}

// TestMixingTrains trains a law beside the shipped one, stops, keeps it, goes on
// to the end and compares.
func TestMixingTrains(t *testing.T) {
	b := trainBox(t)
	if b.status != wire.Training || b.b == nil || b.b.name != trainingRun {
		t.Fatalf("status %v, beside the shipped law is %v", b.status, b.b)
	}
	b.trainTo(5)
	b.apply(wire.Press, "train", "")
	at := b.training.trainer.Step()
	b.turns(3)
	if b.status != wire.Paused || b.training.trainer.Step() != at || b.state().Labels["train"] != "Go on" {
		t.Errorf("status %v at step %d, stopped at %d", b.status, b.training.trainer.Step(), at)
	}
	b.apply(wire.Set, "name", "early")
	b.apply(wire.Press, "keep", "")
	b.apply(wire.Press, "train", "")
	b.trainTo(at + 3)
	if kept := b.kept[b.kept.find("early")].model; slices.Equal(kept.LawParams, b.training.model.LawParams) {
		t.Error("what is kept goes on training")
	}

	// To the end of a shorter one.
	c := b.kept[0].model.tabLaw(false, 1, b.codes)
	c.Law.Steps = 12
	short, err := newMixingLawTraining(c, b.kept[0].model, nil, b.codes, b.now)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.takeTraining(short, "trained here"); err != nil {
		t.Fatal(err)
	}
	b.settle()
	if b.status != wire.Done || len(short.coverage.step) != lawMeasurements || !b.b.usable {
		t.Errorf("status %v, measured %d times", b.status, len(short.coverage.step))
	}
	if v := short.coverage.last(); !(v >= 0 && v <= 1) {
		t.Errorf("coverage %g", v)
	}
	f := b.picture()
	if len(f.Numbers("meanB")) != 22 || len(f.Numbers("loss")) != 12 || string(f.Text("nameB")) != trainingRun {
		t.Errorf("the picture has %d means and %d losses beside %q", len(f.Numbers("meanB")), len(f.Numbers("loss")), f.Text("nameB"))
	}
	st := b.state()
	var names []string
	for _, r := range st.Runs {
		names = append(names, r.Name+r.Shown)
	}
	if want := []string{"shippeda", "early", "joint law", "in trainingb"}; !slices.Equal(names, want) {
		t.Errorf("runs %v, want %v", names, want)
	}
	b.apply(wire.Set, "runA", "joint law")
	b.apply(wire.Set, "runB", "shipped")
	b.apply(wire.Set, "dropRun", "early")
	for name, says := range map[string]string{"joint law": "on show", "shipped": "stays", "in training": "cannot be deleted", "nobody": "no run"} {
		if n := b.try(wire.Set, "dropRun", name); n == nil || !strings.Contains(n.Text, says) {
			t.Errorf("deleting %s: %v", name, n)
		}
	}
}

// TestMixingTrainingIsTheCommandLines: pieces of work give the bits of a plain
// training on the same data.
func TestMixingTrainingIsTheCommandLines(t *testing.T) {
	m := readTrained(t, true)
	codes, err := ReadMixingCodes(codesOfTrained(t))
	if err != nil {
		t.Fatal(err)
	}
	c := m.tabLaw(true, 3, codes)
	c.Law.Steps = 9
	params := func(pieces bool) []float32 {
		tr, err := newMixingLawTraining(c, m, nil, codes, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		for !tr.finished() {
			if pieces {
				err = tr.Work(time.Nanosecond)
			} else if err = tr.trainer.Advance(); tr.trainer.Step() == tr.trainer.Steps() {
				tr.held.at = tr.trainer.Step()
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return tr.model.LawParams
	}
	if !slices.Equal(params(true), params(false)) {
		t.Error("the weights differ")
	}
}

// TestMixingIsRestored saves a session in training and goes on in another.
func TestMixingIsRestored(t *testing.T) {
	b := trainBox(t)
	b.trainTo(4)
	b.apply(wire.Set, "name", "mine")
	b.apply(wire.Press, "keep", "")
	b.apply(seekCommand, "", "7")
	saved := b.Saved()
	step := b.training.trainer.Step()
	b.trainTo(step + 3)
	want := slices.Clone(b.training.model.LawParams)
	wantStep := b.training.trainer.Step()

	again := openBox(t)
	if n := again.try(wire.Restore, "", ""); n == nil || !again.play.begun() {
		t.Errorf("restoring nothing: %v", n)
	}
	if n := again.Apply(wire.Command{Kind: wire.Restore, Data: saved}); n != nil {
		t.Fatal(n.Text)
	}
	again.relaxed()
	again.deliver()
	if n := again.Fetched(again.Wants(), codesOfTrained(t), nil); n != nil {
		t.Fatal(n.Text)
	}
	if again.play.now != 7 && again.play.goal != 7 || again.kept.find("mine") < 0 || again.status != wire.Training || again.training.trainer.Step() != step {
		t.Fatalf("frame %d, status %v, step %d; want 7, training, %d", again.play.now, again.status, again.training.trainer.Step(), step)
	}
	for again.training.trainer.Step() < wantStep {
		if err := again.training.Work(time.Nanosecond); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.Equal(again.training.model.LawParams, want) {
		t.Error("the training that goes on has other weights")
	}
	if len(again.training.loss.step) != wantStep {
		t.Errorf("%d losses after %d steps", len(again.training.loss.step), wantStep)
	}
	for _, cut := range []int{0, 3, 10, 200, len(saved) / 2, len(saved) - 1} {
		if err := again.restore(saved[:cut]); err == nil {
			t.Errorf("%d of %d bytes were restored", cut, len(saved))
		}
	}
}

func FuzzReadSavedMixing(f *testing.F) {
	s := newMixingSession(time.Now)
	for s.relax.under() {
		s.Work(time.Second)
	}
	f.Add(s.Saved())
	f.Add([]byte(mixingSavedMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := readSavedMixing(b); err == nil && r.settings.checkSystem() != nil {
			t.Error("settings that cannot be used")
		}
	})
}

// TestMixingFiles saves what can be saved and opens it again.
func TestMixingFiles(t *testing.T) {
	b := playBox(t)
	b.apply(wire.Set, "frames", "10")
	b.apply(wire.Set, "boundary", "12")
	b.settle()
	name, csv, err := b.Save("csv")
	if err != nil || !strings.HasSuffix(name, ".csv") {
		t.Fatal(name, err)
	}
	lines := strings.Split(strings.TrimSpace(string(csv)), "\n")
	if len(lines) != 12 || strings.Count(lines[0], ",") != strings.Count(lines[11], ",") || !strings.HasPrefix(lines[0], "frame,time,R_AB,R_BA,temperature") {
		t.Errorf("%d lines, the first %s", len(lines), lines[0])
	}
	name, npz, err := b.Save("npz")
	if err != nil {
		t.Fatal(err)
	}
	last := slices.Clone(b.play.x)
	mean := slices.Clone(b.a.ahead.mean)
	if n := b.Apply(wire.Command{Kind: wire.File, Name: name, Data: npz}); n == nil || n.Error {
		t.Fatalf("opening the run: %v", n)
	}
	b.settle()
	if !slices.Equal(b.play.x, last) || !slices.Equal(b.a.ahead.mean, mean) {
		t.Error("the run that was saved is another one, or foretold another way")
	}
	if f := b.picture(); f.Numbers("temperature") != nil || f.Number("known") != 10 {
		t.Errorf("a recording has temperatures %v and %g frames", f.Numbers("temperature"), f.Number("known"))
	}
	if _, again, err := b.Save("npz"); err != nil || !bytes.Equal(again, npz) {
		t.Errorf("saved again it is another file: %v", err)
	}
	b.apply(wire.Press, "simulate", "")
	b.relaxed()
	if b.data != nil || b.play.sim == nil {
		t.Error("the simulation does not go on")
	}
	name, model, err := b.Save(wire.Model)
	if err != nil {
		t.Fatal(err)
	}
	if n := b.Apply(wire.Command{Kind: wire.File, Name: name, Data: model}); n == nil || n.Error || len(b.kept) != 2 {
		t.Errorf("opening the model: %v", n)
	}
	if _, _, err := b.Save("nothing"); err == nil {
		t.Error("the lab saves what it does not know")
	}
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

// TestMixingOpensDumps reads a trajectory of LAMMPS, and refuses damaged ones
// while the last good run stays.
func TestMixingOpensDumps(t *testing.T) {
	b := playBox(t)
	b.apply(wire.Set, "frames", "10")
	b.settle()
	x := slices.Clone(b.play.x)
	for says, text := range map[string]string{
		"where an atom should be": dump[:len(dump)-8],
		"line 11":                 strings.Replace(dump, "2 1 2 1\n", "2 1 two 1\n", 1),
		"no particle is of":       strings.ReplaceAll(strings.ReplaceAll(dump, "3 2 3", "3 1 3"), "4 2 3.5", "4 1 3.5"),
		"of type 3":               strings.ReplaceAll(dump, "4 2 3.5", "4 3 3.5"),
		"needs two":               dump[:strings.LastIndex(dump, "ITEM: TIMESTEP")],
		"was not opened: line":    "nonsense\n",
		"array “types”":           positionsAlone(t),
	} {
		n := b.Apply(wire.Command{Kind: wire.File, Name: "run.dump", Data: []byte(text)})
		if n == nil || !n.Error || !strings.Contains(n.Text, says) {
			t.Errorf("notice %v, want one that says %q", n, says)
		}
		if !slices.Equal(b.play.x, x) || b.data != nil {
			t.Fatal("the run on show is gone")
		}
	}
	if n := b.Apply(wire.Command{Kind: wire.File, Name: "run.dump", Data: []byte(dump)}); n == nil || n.Error {
		t.Fatalf("notice %v", n)
	}
	b.settle()
	f := b.picture()
	if got := f.Numbers("kind"); !slices.Equal(got, []float32{1, 1, 2, 2}) || f.Number("known") != 1 || !slices.Equal(f.Numbers("x")[6:], []float32{3.5, 2.5}) {
		t.Errorf("kinds %v, %g frames, positions %v", got, f.Number("known"), f.Numbers("x"))
	}
	if z := f.Numbers("z"); len(z) != 2 || math.IsNaN(float64(z[0])) {
		t.Errorf("ẑ %v", z)
	}
	b.apply(wire.Set, "trajectory", "1")
	if n := b.try(wire.Set, "trajectory", "2"); n == nil || !n.Error {
		t.Error("there is no second trajectory")
	}
}

// positionsAlone is an archive without species.
func positionsAlone(t *testing.T) string {
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, map[string]*data.Array{"trajectories": data.NewArray([]int{1, 2, 3, 2}, make([]float32, 12))}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestMixingTrainingRefuses has no data, or those of another model.
func TestMixingTrainingRefuses(t *testing.T) {
	b := playBox(t)
	b.apply(wire.Set, "frames", "10")
	b.settle()
	b.apply(wire.Press, "train", "")
	if n := b.Fetched(b.Wants(), nil, errors.New("no network")); n == nil || !strings.Contains(n.Text, "no law can be trained here") || b.eager {
		t.Errorf("notice %v", n)
	}
	other := readTrained(t, true)
	other.Scale.Low[2]--
	var file bytes.Buffer
	if err := ckpt.Encode(&file, other.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	b = openBox(t)
	if n := b.Fetched(b.Wants(), file.Bytes(), nil); n != nil {
		t.Fatal(n.Text)
	}
	b.apply(wire.Press, "train", "")
	if n := b.Fetched(b.Wants(), codesOfTrained(t), nil); n == nil || !strings.Contains(n.Text, "another encoder") {
		t.Errorf("notice %v", n)
	}
	if b.status != wire.Idle || b.training != nil {
		t.Errorf("status %v", b.status)
	}
}

// TestMixingLinkTrains follows a link to a law that was trained here.
func TestMixingLinkTrains(t *testing.T) {
	b := openBox(t)
	b.apply(wire.Link, "", "lab=mixing&frames=10&model=scratch&step=3")
	b.deliver()
	if n := b.Fetched(b.Wants(), codesOfTrained(t), nil); n != nil {
		t.Fatal(n.Text)
	}
	b.settle()
	if b.status != wire.Paused || b.training.trainer.Step() < 3 || b.training.trainer.Step() > 6 {
		t.Errorf("status %v at step %d", b.status, b.training.trainer.Step())
	}
	if f := b.Fragment(); !strings.Contains(f, "model=scratch") || !strings.Contains(f, "step=") {
		t.Errorf("fragment %s", f)
	}
}
