package lab

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/wire"
)

// trainingGround returns a session that trains models so small that it takes a
// moment.
func trainingGround(t *testing.T) *playground {
	p := playParticles(t)
	p.small()
	p.apply(wire.Press, "play", "")
	p.apply(wire.Set, "n", "20")
	p.apply(wire.Press, "play", "")
	return p
}

func (p *playground) small() {
	p.preset = func(string) (ParticlesConfig, error) { return tinyParticles(), nil }
}

// reach trains up to a place.
func (p *playground) reach(to place) {
	p.t.Helper()
	for range 100_000 {
		if to.reached(p.training) || p.status != wire.Training {
			return
		}
		if _, n := p.Work(10 * time.Millisecond); n != nil && n.Error {
			p.t.Fatal(n.Text)
		}
	}
	p.t.Fatalf("training never reaches %+v", to)
}

func TestParticlesTrain(t *testing.T) {
	p := trainingGround(t)
	p.apply(wire.Set, "zdim", "3")
	p.apply(wire.Press, "train", "")
	if st := p.state(); st.Status != "training" || st.Labels["train"] != "Stop" || st.Task == "" || !strings.Contains(st.Model, "from scratch, seed 1") {
		t.Errorf("state %+v", st)
	}
	p.reach(place{StageFit, 12})
	f := p.picture()
	if len(f.Numbers("z")) != 3 || len(f.Numbers("loss")) < 10 || len(f.Numbers("lossStep")) != len(f.Numbers("loss")) || f.Text("trainStage") == nil || f.Numbers("pred") != nil {
		t.Errorf("in stage I: ẑ of %d, %d losses, %d predicted", len(f.Numbers("z")), len(f.Numbers("loss")), len(f.Numbers("pred")))
	}
	p.apply(wire.Press, "train", "")
	step := p.training.Progress().Step
	p.turns(20)
	if st := p.state(); st.Status != "paused" || p.training.Progress().Step != step || st.Labels["train"] != "Go on" {
		t.Errorf("paused at step %d, now %d, %s", step, p.training.Progress().Step, st.Status)
	}
	p.apply(wire.Press, "train", "")
	p.reach(place{StageRoll, 4})
	for range 20 { // the picture takes the weights a few times a second
		p.clock.t = p.clock.t.Add(lawPace)
		p.Work(10 * time.Millisecond)
	}
	if f = p.picture(); p.a.live && (len(f.Numbers("pred")) != 301 || len(f.Numbers("mreVal")) == 0 || figure(p.state(), "val") == "–") {
		t.Errorf("in stage II: %d predicted, %d measured", len(f.Numbers("pred")), len(f.Numbers("mreVal")))
	}
	p.reach(place{StageDone, 0})
	st := p.state()
	if st.Status != "done" || p.a.live || p.a.name != "ε 0.01, ẑ 3" || len(st.Runs) != 3 {
		t.Errorf("%s, %s is on show, runs %+v", st.Status, p.a.name, st.Runs)
	}
	p.settle()
	if f := p.picture(); len(f.Numbers("pred")) != 301 {
		t.Error("the model that was trained predicts nothing")
	}

	// The same training, done by itself.
	c := tinyParticles().WithZDim(3)
	own, err := newParticlesTraining(c, nil, nil, p.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	finish(t, own)
	if !slices.Equal(own.Model().LawParams, p.a.model.LawParams) || !slices.Equal(own.Model().Params, p.a.model.Params) {
		t.Error("a training in the session has other weights")
	}
}

// TestParticlesTrainWithHelpers shares a training among workers, changes it for
// another one while answers are on their way, and loses a helper.
func TestParticlesTrainWithHelpers(t *testing.T) {
	p := trainingGround(t)
	p.Cores(4)
	if p.Hands() != 0 {
		t.Error("helpers are wanted for nothing")
	}
	p.apply(wire.Set, "workers", "3")
	p.apply(wire.Press, "train", "")
	if got := p.Hands(); got != 2 {
		t.Fatalf("%d helpers are wanted for three workers", got)
	}
	helpers := [2]wire.Helper{newParticlesHelper(), newParticlesHelper()}
	var waiting [2][][]byte
	give := func() {
		for k := range helpers {
			for len(waiting[k]) < 2 {
				job := p.Job(k)
				if job == nil {
					break
				}
				waiting[k] = append(waiting[k], bytes.Clone(job))
			}
		}
	}
	answer := func(k int) {
		if len(waiting[k]) == 0 {
			return
		}
		result, err := helpers[k].Do(waiting[k][0])
		waiting[k] = waiting[k][1:]
		if n := p.Done(k, bytes.Clone(result), err); n != nil && n.Error {
			t.Fatal(n.Text)
		}
	}
	for range 4 {
		give()
		p.Work(time.Millisecond)
		answer(0)
		answer(1)
	}
	give()
	if len(waiting[0])+len(waiting[1]) == 0 {
		t.Fatal("the helpers have nothing to do")
	}
	p.apply(wire.Press, "train", "")
	p.apply(wire.Set, "zdim", "5")
	p.apply(wire.Press, "train", "")
	lost := false
	for turn := 0; p.status == wire.Training && turn < 100_000; turn++ {
		give()
		p.Work(time.Millisecond)
		answer(turn % 2)
		if turn == 40 {
			p.Lost(1)
			helpers[1], waiting[1], lost = newParticlesHelper(), nil, true
		}
	}
	if p.status != wire.Done || !lost {
		t.Fatalf("status %v", p.status)
	}
	own, err := newParticlesTraining(tinyParticles().WithZDim(5), nil, nil, p.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	finish(t, own)
	if !slices.Equal(own.Model().LawParams, p.training.Model().LawParams) {
		t.Error("with helpers a training has other weights")
	}
}

func TestParticlesTrainFromTheModelShown(t *testing.T) {
	p := openParticles(t)
	p.small()
	p.apply(wire.Set, "from", "model")
	if n := p.Apply(wire.Command{Kind: wire.Press, Name: "train"}); n == nil || !n.Error {
		t.Error("training began with a model that is not there")
	}
	p.deliver()
	p.apply(wire.Press, "train", "")
	if !slices.Equal(p.training.Model().Params, p.kept[0].model.Params) || !strings.Contains(p.a.origin, `from "shipped"`) {
		t.Errorf("training begins with other weights, %s", p.a.origin)
	}
	p.apply(wire.Set, "zdim", "2")
	p.apply(wire.Press, "train", "") // stops
	if n := p.Apply(wire.Command{Kind: wire.Press, Name: "train"}); n == nil || !strings.Contains(n.Text, "closure variables") {
		t.Errorf("notice %+v", n)
	}
}

func TestParticlesTrainOnOwnData(t *testing.T) {
	p := trainingGround(t)
	p.drop("mine.npz", recordedFile(t, 4, 12, 60))
	p.apply(wire.Set, "observable", "array")
	p.apply(wire.Press, "train", "")
	if c := p.training.Model().Config; c.Macro != "speed" || !c.Recorded || c.Particles != 12 || !strings.Contains(p.a.origin, "mine.npz") {
		t.Errorf("trains on %+v", c)
	}
	if strings.Contains(p.Fragment(), "scratch&") {
		t.Errorf("a link says that own data can be had from it: %s", p.Fragment())
	}
	p.reach(place{StageDone, 0})
	p.settle()
	if f := p.picture(); len(f.Numbers("pred")) != 61 || p.data.measured == nil || !p.data.measured.done() {
		t.Error("the model that was trained on own data does not predict them")
	}
	if w := p.state().Warning; w != "" && !strings.Contains(w, "training covered") {
		t.Errorf("warning %q about the data that it was trained on", w)
	}
	p.apply(wire.Press, "simulate", "")
	if w := p.state().Warning; !strings.Contains(w, "another observable") {
		t.Errorf("warning %q about a model of another observable", w)
	}
}

func TestParticlesTrainingDiverges(t *testing.T) {
	p := trainingGround(t)
	p.apply(wire.Press, "train", "")
	p.reach(place{StageFit, 3})
	p.training.Model().Params[0] = float32(math.NaN())
	var said *wire.Notice
	for range 1000 {
		if _, n := p.Work(10 * time.Millisecond); n != nil {
			said = n
		}
	}
	if said == nil || !strings.Contains(said.Text, "diverged") || p.state().Status != "diverged" || p.state().Labels["train"] != "Train" {
		t.Errorf("notice %+v, status %s", said, p.state().Status)
	}
	p.apply(wire.Press, "train", "")
	p.reach(place{StageFit, 3})
	if p.state().Status != "training" {
		t.Error("no other training can be begun")
	}
}

// TestParticlesTrainingLink opens the link of a training that was stopped.
func TestParticlesTrainingLink(t *testing.T) {
	p := trainingGround(t)
	p.apply(wire.Set, "tseed", "5")
	p.apply(wire.Press, "train", "")
	p.reach(place{StageLaw, 5})
	p.apply(wire.Press, "train", "")
	other := openParticles(t)
	other.small()
	other.apply(wire.Link, "", p.Fragment())
	for range 100_000 {
		if other.Work(10 * time.Millisecond); other.status != wire.Training {
			break
		}
	}
	if other.Fragment() != p.Fragment() || other.status != wire.Paused {
		t.Errorf("%s became %s", p.Fragment(), other.Fragment())
	}
	if !slices.Equal(other.training.Model().LawParams, p.training.Model().LawParams) {
		t.Error("the link's training has other weights")
	}
	if p.apply(wire.Set, "runA", shippedRun); strings.Contains(p.Fragment(), "scratch") {
		t.Errorf("a link to the shipped model is %s", p.Fragment())
	}
}

// TestParticlesRestore goes on in mid-training, in every stage.
func TestParticlesRestore(t *testing.T) {
	for _, at := range []place{{StageFit, 7}, {StageLaw, 3}, {StageRoll, 2}} {
		p := trainingGround(t)
		p.apply(wire.Press, "keep", "")
		p.apply(wire.Press, "train", "")
		p.reach(at)
		p.apply(wire.Press, "play", "")
		p.apply(seekCommand, "", "12")
		p.settled()
		p.apply(dragCommand, "", "3 0.5 0.5")
		p.apply(wire.Set, "runB", "shipped")
		saved := p.Saved()

		again := openParticles(t)
		again.small()
		if n := again.Apply(wire.Command{Kind: wire.Restore, Data: saved}); n != nil {
			t.Fatal(n.Text)
		}
		again.deliver()
		a, b := p.state(), again.state()
		if b.Status != "training" || b.Fragment != a.Fragment || len(b.Runs) != len(a.Runs) || again.b == nil || !again.a.live || again.note != "edited by hand" {
			t.Errorf("%+v: state %+v, want %+v", at, b, a)
		}
		if !slices.Equal(again.play.frame(0), p.play.frame(0)) {
			t.Errorf("%+v: the edited set is lost", at)
		}
		if x, y := p.picture().Numbers("loss"), again.picture().Numbers("loss"); !slices.Equal(x, y) || len(x) == 0 {
			t.Errorf("%+v: %d losses became %d", at, len(x), len(y))
		}
		p.reach(place{StageDone, 0})
		again.reach(place{StageDone, 0})
		if !slices.Equal(p.training.Model().LawParams, again.training.Model().LawParams) {
			t.Errorf("%+v: the restored session trained to other weights", at)
		}
	}
}

// settled works until the frame that was asked for is there.
func (p *playground) settled() {
	for p.play.goal >= 0 {
		p.Work(10 * time.Millisecond)
	}
}

func TestParticlesRestoreAQuietSession(t *testing.T) {
	p := playParticles(t)
	p.apply(wire.Set, "preset", "eye")
	p.apply(wire.Press, "play", "")
	p.apply(seekCommand, "", "33")
	p.settle()
	again := openParticles(t)
	if n := again.Apply(wire.Command{Kind: wire.Restore, Data: p.Saved()}); n != nil {
		t.Fatal(n.Text)
	}
	again.deliver()
	again.settle()
	if again.Fragment() != p.Fragment() || !slices.Equal(again.picture().Numbers("pred"), p.picture().Numbers("pred")) {
		t.Errorf("%s became %s", p.Fragment(), again.Fragment())
	}
}

// TestParticlesCheckpointOfATraining opens one that the command line left, and
// goes on with it.
func TestParticlesCheckpointOfATraining(t *testing.T) {
	c := tinyParticles()
	tr, err := newParticlesTraining(c, nil, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	for !(place{StageLaw, 2}).reached(tr) {
		if err := tr.Work(0); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := ckpt.Encode(&b, tr.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	p := playParticles(t)
	if says := p.drop("night.safetensors", b.Bytes()); !strings.Contains(says, "goes on") || p.state().Labels["train"] != "Go on" {
		t.Errorf("notice %q", says)
	}
	p.apply(wire.Press, "train", "")
	if p.training.Progress().Step != 2 || p.training.run.stage != StageLaw {
		t.Errorf("goes on at %+v", p.training.Progress())
	}
	p.reach(place{StageDone, 0})
	finish(t, tr)
	if !slices.Equal(tr.Model().LawParams, p.training.Model().LawParams) {
		t.Error("it became another model")
	}
	p.drop("again.safetensors", b.Bytes())
	p.apply(wire.Set, "zdim", "7")
	if got := p.state().Labels["train"]; got != "Train" {
		t.Errorf("after another dimension was asked for, the button says %s", got)
	}
}

func FuzzParticlesRestore(f *testing.F) {
	clock := &clock{t: time.Unix(0, 0)}
	small := func() *ParticlesSession {
		s := newParticlesSession(clock.now)
		s.preset = func(string) (ParticlesConfig, error) { return tinyParticles(), nil }
		return s
	}
	s := small()
	s.Apply(wire.Command{Kind: wire.Set, Name: "n", Value: "12"})
	s.Apply(wire.Command{Kind: wire.Press, Name: "train"})
	s.Work(time.Millisecond)
	f.Add(s.Saved())
	f.Add([]byte(particlesSavedMagic))
	f.Add([]byte(particlesSavedMagic + "\x07session\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		s := small()
		before, wants := s.state(), s.Wants()
		if n := s.Apply(wire.Command{Kind: wire.Restore, Data: b}); n != nil {
			after := s.state()
			if !n.Error || after.Fragment != before.Fragment || after.Status != before.Status || s.Wants() != wants || len(after.Runs) != len(before.Runs) {
				t.Errorf("refused with %q, and changed %+v to %+v", n.Text, before, after)
			}
			return
		}
		var again wire.Frame
		s.frameStale = true
		if err := again.Decode(s.AppendFrame(nil)); err != nil {
			t.Errorf("what was restored cannot be drawn: %v", err)
		}
	})
}

// TestParticlesRestoreATrainingOnOwnData waits for the file, which is not saved.
func TestParticlesRestoreATrainingOnOwnData(t *testing.T) {
	file := recordedFile(t, 4, 12, 60)
	p := trainingGround(t)
	p.drop("mine.npz", file)
	p.apply(wire.Press, "train", "")
	p.reach(place{StageLaw, 2})
	again := openParticles(t)
	again.small()
	if n := again.Apply(wire.Command{Kind: wire.Restore, Data: p.Saved()}); n != nil {
		t.Fatal(n.Text)
	}
	again.deliver()
	if st := again.state(); st.Status != "idle" || st.Labels["train"] != "Go on" {
		t.Errorf("state %+v", st)
	}
	if n := again.Apply(wire.Command{Kind: wire.Press, Name: "train"}); n == nil || !strings.Contains(n.Text, "open them again") {
		t.Errorf("notice %+v", n)
	}
	again.drop("mine.npz", file)
	again.apply(wire.Press, "train", "")
	p.reach(place{StageDone, 0})
	again.reach(place{StageDone, 0})
	if !slices.Equal(p.training.Model().LawParams, again.training.Model().LawParams) {
		t.Error("the training went on to other weights")
	}
}
