package session_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// begun returns the checkpoint of a training on a user's trajectories, after its first steps.
// Its networks are so small that the training takes a moment.
func begun(t testing.TB, name, method string, own []byte) []byte {
	t.Helper()
	lab := labOf(t, name)
	live, _ := tiny(t, lab, method, own)
	defer live.Close()
	for live.Step() < 3 {
		if err := live.Work(0); err != nil {
			t.Fatal(err)
		}
	}
	var b bytes.Buffer
	if err := ckpt.Encode(&b, live.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tiny(t testing.TB, lab lab.Lab, method string, own []byte) (*fit.Live, method.Config) {
	t.Helper()
	c, err := lab.Systems().Preset(lab.System.Traits.Name + "/" + method + "@browser")
	if err != nil {
		t.Fatal(err)
	}
	src, err := lab.System.Open(system.File{Name: "own.npz", Bytes: bytes.NewReader(own), Size: int64(len(own))}, "")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.ForData(src, len(lab.System.Variables(src.Observable()))).With("encoder.zdim=2"); err != nil {
		t.Fatal(err)
	}
	c.Batch, c.Shards, c.Steps, c.Data.Initial, c.Decoder.Samples = 4, 2, 8, 0, 8
	for _, name := range []string{"encoder.hidden", "encoder.head", "hidden", "flow.hidden"} {
		if c.Table().Find(name) == nil {
			continue
		}
		if err := c.Set(name, "8"); err != nil {
			t.Fatal(err)
		}
	}
	c.Dynamics.Drift.Hidden = []int{8}
	for _, p := range []*fitting{&c.Dynamics.Velocity, &c.Dynamics.Rollout} {
		if p.Steps > 0 {
			p.Batch, p.Shards, p.Steps, p.Window, p.Stride = 8, 2, 6, min(p.Window, 5), 1
		}
	}
	live, err := fit.NewLive(c, lab.System, src, nil, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return live, c
}

type fitting = method.DynamicsTraining

// TestTrain starts, stops, continues and keeps trainings of every kind, in the labs of the
// line, the particles and mixing.
func TestTrain(t *testing.T) {
	for _, tc := range []struct {
		lab   string
		set   [][2]string
		model string
		task  string
	}{
		{wire.Demo, nil, "trained on here from the shipped model", "autoencoder"},
		{"particles", [][2]string{{"size", "quick"}, {"zdim", "3"}}, "from the shipped model", "step 0 of 300"},
		{"particles", [][2]string{{"size", "quick"}, {"method", "ae-aug"}, {"tseed", "5"}}, "from the shipped model", ""},
		{"particles", [][2]string{{"size", "quick"}, {"from", "scratch"}, {"tseed", "5"}}, "from scratch, seed 5", "step 0 of 900"},
		{wire.Demo, [][2]string{{"method", "flow-tunable"}}, "from scratch", "autoencoder"},
		{"particles", [][2]string{{"size", "quick"}, {"method", "flow-tunable"}}, "from scratch, seed 1", "step 0 of"},
		{"mixing", nil, "shipped", "Stage II"},
		{"mixing", [][2]string{{"law", "separate"}}, "shipped", "Stage II"},
		{"mixing", [][2]string{{"g", "onsager"}}, "shipped", "Stage II"},
		{"particles", [][2]string{{"size", "quick"}, {"g", "onsager-resnet"}}, "from scratch, seed 1", "step 0 of 900"},
		{"mixing", [][2]string{{"method", "ae-aug"}}, "", ""},
		{"mixing", [][2]string{{"scope", "all"}}, "", ""},
	} {
		in(t, tc.lab, func(t *testing.T, v *visitor) {
			if !v.sampler() {
				v.seek(2)
			}
			v.settle()
			for _, s := range tc.set {
				v.set(s[0], s[1])
			}
			v.press("train")
			v.fetch()
			if st := v.State(); st.Status != "training" || st.Labels["train"] != "Stop" || st.Tasks["train"] != wire.Running || st.Task == "" || !strings.Contains(strings.ToLower(st.Task), strings.ToLower(tc.task)) || !strings.Contains(st.Model, tc.model) || !finite(st) {
				t.Errorf("%v: status %s, label %s, task %q, model %q", tc.set, st.Status, st.Labels["train"], st.Task, st.Model)
			}
			if runs := v.runs(); runs[len(runs)-1].Name != "in training" {
				t.Errorf("runs %+v", runs)
			}
			for range 4 {
				v.work(0)
				v.picture()
			}
			v.whole()
			v.press("train")
			step := v.losses()
			v.turns(20)
			if st := v.State(); st.Status != "paused" || v.losses() != step || st.Labels["train"] != "Go on" || st.Tasks["train"] != wire.Stopped || st.Task == "" {
				t.Errorf("%v: %s, label %s, %d losses and then %d", tc.set, st.Status, st.Labels["train"], step, v.losses())
			}
			v.whole()
			v.set("name", "early")
			v.press("keep")
			v.apply(wire.Train, "", "")
			if v.Status() != wire.Training {
				t.Errorf("%v: it does not go on: %v", tc.set, v.Status())
			}
			v.work(0)
			v.apply(wire.Pause, "", "")
			if v.Status() != wire.Paused {
				t.Errorf("%v: it does not stop: %v", tc.set, v.Status())
			}
			v.set("runA", "early")
			v.settle()
			if _, _, err := v.Save(wire.Model); err != nil {
				t.Error(err)
			}
			v.whole()
		})
	}
}

// TestTrainToAStep trains up to a chosen step. After a reset, the same training must give the same
// weights.
func TestTrainToAStep(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.press("reset")
		first := v.row("p")
		v.set("runto", "5")
		v.press("go")
		v.reach(func() bool { return v.Status() == wire.Paused })
		if v.number("step") != 5 {
			t.Errorf("stopped at step %g", v.number("step"))
		}
		v.refuses("at step 5 already", wire.Press, "go", "")
		v.press("step")
		after := v.row("p")
		if v.number("step") != 6 || v.Status() != wire.Paused {
			t.Errorf("a step leads to %g, %v", v.number("step"), v.Status())
		}
		if v.press("reset"); !slices.Equal(v.row("p"), first) {
			t.Error("reset did not bring the first weights back")
		}
		v.set("runto", "6")
		v.press("go")
		v.reach(func() bool { return v.Status() == wire.Paused })
		if !slices.Equal(v.row("p"), after) {
			t.Error("the same seed gave another run")
		}
		v.press("newseed")
		if slices.Equal(v.row("p"), first) || v.State().Values["seed"] == "1" {
			t.Error("a new seed gave the old weights")
		}
		if got := v.State().Model; !strings.Contains(got, "untrained, seed ") {
			t.Errorf("the model is %q", got)
		}
		v.press("step")
		if got := v.State().Model; !strings.Contains(got, "trained here from scratch, seed ") {
			t.Errorf("the model is %q", got)
		}
		if off := v.State().Off["shipped"]; off != "" {
			t.Errorf("the shipped model cannot come back: %s", off)
		}
		v.press("shipped")
		v.fetch()
		if got := v.State().Model; !strings.HasPrefix(got, "shipped with the lab. ") || strings.Contains(v.Fragment(), "scratch") {
			t.Errorf("the model is %q, the link %s", got, v.Fragment())
		}
		v.refuses("displayed already", wire.Press, "shipped", "")
	})
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.drop("own.npz", trajectories(t, "particles", 2))
		v.set("size", "quick")
		v.set("runto", "3")
		v.press("go")
		v.reach(func() bool { return v.Status() == wire.Paused })
		if n := v.losses(); n != 3 {
			t.Errorf("stopped after %d steps", n)
		}
		v.refuses("already", wire.Press, "go", "")
	})
}

// TestTrainUntil trains until a figure has reached a chosen value. The text of the task must name
// the value. In the particles' lab the time axis must be logarithmic at first, and a link must
// contain the change to a linear axis.
func TestTrainUntil(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.press("reset")
		v.set("untilof", "loss")
		v.set("untilat", "1.2")
		v.press("until")
		if task := v.State().Task; !strings.Contains(task, "until the loss is at most 1.2") {
			t.Errorf("it says %q", task)
		}
		v.reach(func() bool { return v.Status() == wire.Paused })
		loss := v.row("loss")
		for i, l := range loss {
			if last := i == len(loss)-1; (l <= 1.2) != last {
				t.Errorf("the loss of step %d is %g of %d steps", i+1, l, len(loss))
			}
		}
		v.refuses("he loss is ", wire.Press, "until", "")
		v.refuses(`cannot be "low"`, wire.Set, "untilat", "low")
		v.set("untilof", "measure")
		v.set("untilat", "0.3")
		v.press("until")
		v.reach(func() bool { return v.Status() == wire.Paused })
		if kl, step := v.row("klVal"), v.number("step"); kl[len(kl)-1] > 0.3 || int(step)%50 > 1 {
			t.Errorf("stopped at step %g with a KL of %g", step, kl[len(kl)-1])
		}
		v.press("train")
		if task := v.State().Task; !strings.HasPrefix(task, "Validation KL ") {
			t.Errorf("it does not say what has been learned: %q", task)
		}
	})
	in(t, "particles", func(t *testing.T, v *visitor) {
		if axis := v.State().Values["axis"]; axis != "log" || v.number("logtime") != 1 {
			t.Errorf("the time axis is %s", axis)
		}
		v.set("axis", "linear")
		if v.number("logtime") != 0 || !strings.Contains(v.Fragment(), "&axis=linear") {
			t.Errorf("a linear time axis is not drawn, or not in the link %s", v.Fragment())
		}
	})
}

// TestLineFollows changes ε and ẑ dim in the lab of single sets. The shipped model must adapt to
// every value inside its range. For a value outside, it must use the end of the range. Nothing may
// train before the button Train is pressed.
func TestLineFollows(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		knows := func(eps, zdim []float64) {
			t.Helper()
			if of := v.State().Knows; !slices.Equal(of["eps"], eps) || !slices.Equal(of["zdim"], zdim) {
				t.Errorf("the sliders show that the model is for %v", of)
			}
		}
		knows([]float64{0.01, 0.5}, []float64{1, 8})
		for _, tc := range []struct{ name, value, says string }{
			{"eps", "0.3", ""}, {"eps", "0.2", ""}, {"zdim", "3", ""},
			{"eps", "0.6", "Showing the shipped model at ε = 0.5, where its range ends, not at your ε = 0.6. [Press Train|press train]"},
			{"zdim", "12", "at ε = 0.5 and 8 closure variables, where its range ends, not at your ε = 0.6 and 12 closure variables"},
			{"eps", "0.3", "at 8 closure variables, where its range ends, not at your 12 closure variables"},
			{"zdim", "4", ""},
		} {
			v.set(tc.name, tc.value)
			if got := v.Wants(); got != "" || v.Status() == wire.Training || v.State().Labels["train"] != "Train" {
				t.Errorf("%s %s: wants %q, status %v, the button says %s", tc.name, tc.value, got, v.Status(), v.State().Labels["train"])
			}
			v.settle()
			if w := v.State().Warning; tc.says == "" && w != "" || !strings.Contains(w, tc.says) {
				t.Errorf("%s %s: warning %q, want %q", tc.name, tc.value, w, tc.says)
			}
			v.whole()
		}
		if kl := v.number("kl"); !(kl < 0.02) {
			t.Errorf("the shipped model at ε = 0.3 is %g nats from its target", kl)
		}
		// A training keeps its settings. The shipped model is displayed again as soon as the training is stopped.
		v.press("train")
		v.train(3)
		knows([]float64{0.3, 0.3}, []float64{4, 4})
		v.set("zdim", "12")
		v.set("eps", "0.04")
		if w, want := v.State().Warning, "The training is for ε = 0.3 and 4 closure variables, not for your ε = 0.04 and 12 closure variables. Press Stop, then Train, to fit a model to your settings."; w != want || v.Status() != wire.Training || float32(v.number("fitEps")) != 0.3 {
			t.Errorf("status %v, fitted at ε = %g, warning %q, want %q", v.Status(), v.number("fitEps"), w, want)
		}
		v.press("train")
		v.set("zdim", "4")
		v.set("eps", "0.031")
		if got := v.State().Model; v.Wants() != "" || !strings.HasPrefix(got, "shipped with the lab. ") || v.State().Warning != "" {
			t.Errorf("wants %q, %s, warning %q", v.Wants(), got, v.State().Warning)
		}
		v.set("n", "30")
		if len(v.row("x")) != 30 {
			t.Errorf("%d particles", len(v.row("x")))
		}
		v.press("train")
		v.train(2)
		if c := v.model().Config; c.Eps() != 0.031 || c.Particles != 30 || !strings.Contains(v.State().Model, "from the shipped model") {
			t.Errorf("Train goes on for ε = %g and %d particles: %s", c.Eps(), c.Particles, v.State().Model)
		}
		v.press("train")
		// A training by another method begins from scratch.
		v.set("method", "flow-st")
		v.fetch()
		v.press("train")
		v.train(2)
		if got := v.model().Config.Spec.Method; got != "flow-st" {
			t.Errorf("Train makes a model of the method %s", got)
		}
		v.whole()
	})
	in(t, wire.Demo, func(t *testing.T, _ *visitor) {
		v := newcomer(t, wire.Demo)
		v.press("train")
		if v.Status() != wire.Idle {
			t.Errorf("status %v while the model is on its way", v.Status())
		}
		v.press("step")
		v.fetch()
		if v.Status() != wire.Training {
			t.Errorf("status %v once it is there", v.Status())
		}
	})
}

// TestStanding changes ε for a model that is not tunable. The warning, the picture and the runs must agree about
// its ε, before and during a training for the new one.
func TestStanding(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.set("method", "flow-st")
		if w := v.State().Warning; w != "Loading the model for method Set Transformer and flow…" {
			t.Errorf("while another shipped model is on its way: warning %q", w)
		}
		v.fetch()
		says := func(warning, run string, fitted float32) {
			t.Helper()
			st, f := v.State(), v.picture()
			last := st.Runs[len(st.Runs)-1]
			if !strings.Contains(st.Warning, warning) || warning == "" && st.Warning != "" || !strings.Contains(last.Detail, run) || float32(f.Number("fitEps")) != fitted {
				t.Errorf("warning %q, the last run is %q, the picture is of ε = %g; want %q, %q, %g", st.Warning, last.Detail, f.Number("fitEps"), warning, run, fitted)
			}
		}
		v.set("eps", "0.05")
		says("Showing the shipped model for ε = 0.1, not for your ε = 0.05.", "", 0.1)
		v.press("train")
		v.train(3)
		says("", "ε = 0.05", 0.05)
		v.set("eps", "0.2")
		says("The training is for ε = 0.05, not for your ε = 0.2. Press Stop, then Train,", "ε = 0.05", 0.05)
	})
}

// TestWarningWhileItTrains asks for a number of closure variables that the shipped model does not
// have. It trains a model with this number. If the shipped model is then displayed, the warning
// must mention this training. It must not recommend the button Train.
func TestWarningWhileItTrains(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.set("size", "quick")
		v.set("zdim", "12")
		v.fetch()
		says := func(want string) {
			t.Helper()
			v.settle()
			if w := v.State().Warning; !strings.HasSuffix(w, want) || want == "" && w != "" {
				t.Errorf("warning %q, want %q at its end", w, want)
			}
		}
		says("not at your 12 closure variables. [Press Train|press train] to fit a model to your settings.")
		v.press("train")
		says("")
		v.set("runA", "shipped")
		v.fetch()
		says("not at your 12 closure variables. The running training fits a model to your settings.")
		v.set("zdim", "11")
		says("not at your 11 closure variables. Press Stop, then Train, to fit a model to your settings.")
		v.set("runA", "in training")
		says("The training is for 12 closure variables, not for your 11 closure variables. Press Stop, then Train, to fit a model to your settings.")
		v.set("method", "ae-aug")
		says("The training is for method deep set and flow and 12 closure variables, not for your method AE-Aug and 11 closure variables. Press Stop, then Train, to fit a model to your settings.")
		v.press("train")
		v.set("method", "flow")
		v.set("zdim", "12")
		v.set("tseed", "2")
		v.press("train")
		if got := v.State().Model; got != "trained on here from an earlier training" {
			t.Errorf("the next training has its weights %s", got)
		}
	})
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.seek(2) // a run that plays on would share the time with the training
		v.settle()
		v.press("train")
		v.fetch()
		v.set("zdim", "2")
		v.settle()
		if w, want := v.State().Warning, "The training is for 1 closure variable, not for your 2 closure variables. Press Stop, then Train, to fit a model to your settings."; w != want {
			t.Errorf("model 2 is in training: warning %q, want %q", w, want)
		}
	})
}

// TestOpensATrainingWhileItTrains opens a training from a file while another one runs. The button
// Train then continues the training of the file, so the page must not describe the stopped one.
func TestOpensATrainingWhileItTrains(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		file := begun(t, v.lab, "flow", trajectories(t, v.lab, 4))
		v.press("train")
		v.turns(2)
		if says := v.drop("night.safetensors", file); !strings.Contains(says, "Stop the present training first.") {
			t.Errorf("while it trains: %q", says)
		}
		v.press("train")
		v.turns(2)
		if st := v.State(); st.Labels["train"] != "Go on" || st.Task != "" {
			t.Errorf("the button says %s, and the page %q", st.Labels["train"], st.Task)
		}
	})
}

// TestTrainingEnds opens a training from a file and continues it to its end.
func TestTrainingEnds(t *testing.T) {
	for _, tc := range []struct{ lab, method string }{{"particles", "flow"}, {"particles", "ae-aug"}, {"mixing", "flow"}} {
		in(t, tc.lab, func(t *testing.T, v *visitor) {
			own := trajectories(t, tc.lab, 4)
			file := begun(t, tc.lab, tc.method, own)
			says := v.drop("night.safetensors", file)
			if !strings.Contains(says, "goes on") || v.State().Labels["train"] != "Go on" {
				t.Fatalf("notice %q, label %s", says, v.State().Labels["train"])
			}
			v.refuses("open them again", wire.Press, "train", "")
			v.drop("own.npz", own)
			v.settle()
			v.press("train")
			v.reach(func() bool { return v.Status() == wire.Done })
			v.settle()
			st := v.State()
			if st.Status != "done" || !strings.Contains(strings.Join(v.said, " "), "Training has ended") || st.Labels["train"] != "Train" || !finite(st) {
				t.Errorf("%s: %s, said %q, label %s", tc.method, st.Status, v.said, st.Labels["train"])
			}
			f := v.picture()
			row := map[string]string{"particles": "mreVal", "mixing": "cover"}[tc.lab]
			if len(f.Numbers(row)) == 0 || string(f.Text("trainStage")) != "trained" {
				t.Errorf("%s: %d measurements, stage %q", tc.method, len(f.Numbers(row)), f.Text("trainStage"))
			}
			v.whole()

			// The same training without helpers must give the same model.
			lab := labOf(t, tc.lab)
			live, _ := tiny(t, lab, tc.method, own)
			defer live.Close()
			for live.Stage() != fit.Done {
				if err := live.Work(0); err != nil {
					t.Fatal(err)
				}
			}
			kept := runsHere(st)[len(runsHere(st))-1] // the list has the model once
			if kept.Name == "in training" || kept.Shown == "" || slices.Contains(st.Leaves, "the model in training") {
				t.Errorf("%s: after the end, the last of the runs is %+v, and a link leaves out %q", tc.method, kept, st.Leaves)
			}
			v.set("runA", kept.Name)
			if !slices.Equal(v.model().Weights.DynamicsParams, live.Model.Weights.DynamicsParams) {
				t.Errorf("%s: a training in the session has other weights (%+v)", tc.method, st.Runs)
			}

			// With another number of closure variables, the button Train begins another training.
			v.drop("again.safetensors", file)
			v.set("zdim", "7")
			if got := v.State().Labels["train"]; got != "Train" {
				t.Errorf("after another dimension was asked for, the button says %s", got)
			}
		})
	}
}

// model returns the displayed model.
func (v *visitor) model() *model.Model {
	v.t.Helper()
	_, b, err := v.Save(wire.Model)
	if err != nil {
		v.t.Fatal(err)
	}
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		v.t.Fatal(err)
	}
	m, err := model.Open(systemsOf(v.t, v.lab), f)
	if err != nil {
		v.t.Fatal(err)
	}
	return m
}

// TestTrainFromTheModelShown begins a training with the weights of the displayed model, which
// is the default. If the weights do not fit, the training must begin from scratch and say so.
func TestTrainFromTheModelShown(t *testing.T) {
	in(t, "particles", func(t *testing.T, _ *visitor) {
		v := newcomer(t, "particles")
		v.set("size", "quick")
		v.press("train") // waits for the model
		v.fetch()
		m := v.model()
		if !strings.Contains(v.State().Model, "from the shipped model") || strings.Contains(v.Fragment(), "scratch&") {
			t.Errorf("the model is %s, the link %s", v.State().Model, v.Fragment())
		}
		v.set("runA", "shipped")
		if !slices.Equal(m.Weights.Params, v.model().Weights.Params) {
			t.Error("training begins with other weights")
		}
		v.press("train")
		v.set("zdim", "2")
		v.press("train")
		if c := v.shown(); c.ZDim() != 2 || !strings.Contains(v.State().Model, "from the shipped model") {
			t.Errorf("Train makes ẑ of %d, %s", c.ZDim(), v.State().Model)
		}
		v.press("train")
		v.set("g", "onsager")
		if n := v.try(wire.Press, "train", ""); n == nil || n.Error || !strings.Contains(n.Text, "begins from scratch") || !strings.Contains(n.Text, "another form") || v.Status() != wire.Training {
			t.Errorf("notice %+v", n)
		}
	})
}

// TestPredictionStays trains from the displayed model. That model must become model B.
func TestPredictionStays(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		own := trajectories(t, v.lab, 4)
		v.drop("night.safetensors", begun(t, v.lab, "flow", own))
		v.drop("own.npz", own)
		v.press("train")
		v.reach(func() bool { return v.Status() == wire.Done })
		v.settle()
		before, a := v.row("pred"), v.State().Values["runA"]
		if len(before) == 0 {
			t.Fatal("nothing is predicted before training")
		}
		v.set("tseed", "2")
		v.set("size", "quick")
		v.set("runB", "")
		v.press("train")
		v.reach(func() bool { return len(v.row("predB")) > 0 })
		if got := v.row("predB"); !slices.Equal(got, before) || len(v.row("pred")) > 0 {
			t.Errorf("in stage I %d of %d predictions of %q stay, and there are %d others", len(got), len(before), a, len(v.row("pred")))
		}
		v.reach(func() bool { return v.Status() == wire.Done })
		v.settle()
		if len(v.row("pred")) == 0 || !slices.Equal(v.row("predB"), before) {
			t.Errorf("at the end there are %d predictions, and %d from before", len(v.row("pred")), len(v.row("predB")))
		}
	})
}

// helped gives the available jobs to helpers and returns the number of jobs.
func (v *visitor) helped(helpers []wire.Helper) (jobs int) {
	v.t.Helper()
	for k := range min(v.Helpers(), len(helpers)) {
		for job := v.Job(k); job != nil; job = v.Job(k) {
			jobs++
			result, err := helpers[k].Do(job, func() {})
			if n := v.Done(k, slices.Clone(result), err); n != nil && n.Error {
				v.t.Fatal(n.Text)
			}
		}
	}
	return jobs
}

// TestHelpers trains with helpers. The losses must have the same bits as with a single worker.
// A training must go on after it has lost its helpers.
func TestHelpers(t *testing.T) {
	in(t, "particles", func(t *testing.T, _ *visitor) {
		train := func(helpers int) (losses []float32, jobs int) {
			v := visit(t, "particles")
			if v.Cores(helpers + 1); v.Helpers() != 0 {
				t.Error("helpers are wanted for nothing")
			}
			v.set("workers", "3")
			v.set("size", "quick")
			v.press("train")
			if got := v.Helpers(); got != helpers {
				t.Errorf("%d helpers are wanted of %d", got, helpers)
			}
			list := helpersOf(v, helpers)
			for v.losses() < 2 && v.Status() == wire.Training {
				v.work(0)
				jobs += v.helped(list)
			}
			return v.row("loss"), jobs
		}
		alone, _ := train(0)
		shared, jobs := train(2)
		if jobs == 0 || !slices.Equal(alone, shared) {
			t.Errorf("losses %v, and %v after %d jobs", alone, shared, jobs)
		}
	})
	for _, tc := range []struct{ lab, method string }{{wire.Demo, ""}, {"particles", "ae-aug"}, {"mixing", "flow"}, {"mixing", "ae-aug"}} {
		in(t, tc.lab, func(t *testing.T, v *visitor) {
			v.Cores(4)
			if tc.method != "" {
				v.set("method", tc.method)
			}
			v.press("train")
			v.fetch()
			list := helpersOf(v, 2)
			for turn := range 3 {
				v.work(0)
				for k := range v.Helpers() {
					job := v.Job(k)
					switch {
					case job == nil:
					case turn == 1 && v.lab == "particles":
						result, err := list[k].Do(job, func() {})
						v.Done(k, slices.Clone(result), err)
					default:
						v.Lost(k)
					}
				}
			}
			if v.Status() != wire.Training {
				t.Errorf("%s: %v", tc.method, v.Status())
			}
		})
	}
}

func helpersOf(v *visitor, n int) (list []wire.Helper) {
	for range n {
		list = append(list, fit.NewHelper(systemsOf(v.t, v.lab)))
	}
	return list
}

// TestWorkers opens labs on machines with different numbers of cores. By default a training
// must leave one core of three or more free for the picture. A link may contain the number of workers only if
// the user has chosen it.
func TestWorkers(t *testing.T) {
	for cores, want := range map[int]string{1: "1", 2: "2", 3: "2", 8: "7"} {
		v := newcomer(t, "particles")
		v.Cores(cores)
		v.apply(wire.Link, "", small["particles"])
		if got := v.State().Values["workers"]; got != want || strings.Contains(v.Fragment(), "workers") {
			t.Errorf("%d cores: %s workers, link %s", cores, got, v.Fragment())
		}
		v.set("workers", "16")
		v.Cores(cores)
		if got := v.State().Values["workers"]; got != "16" || !strings.Contains(v.Fragment(), "workers=16") {
			t.Errorf("%d cores: %s workers after 16 were chosen, link %s", cores, got, v.Fragment())
		}
	}
}

// TestHelpersThatFail trains with helpers that are lost, that answer late or wrongly, or that
// answer for a training that has been closed.
func TestHelpersThatFail(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		systems := systemsOf(t, v.lab)
		v.set("size", "quick")
		v.Cores(5)
		v.press("train")
		good := fit.NewHelper(systems)
		give := func(k int) []byte { return slices.Clone(v.Job(k)) }
		v.Helpers() // makes the session use helpers
		v.work(0)
		a, b, c := give(0), give(1), give(2)
		if a == nil || b == nil || c == nil {
			t.Fatalf("jobs of %d, %d and %d bytes", len(a), len(b), len(c))
		}
		v.Lost(1)
		if n := v.Done(0, nil, bytes.ErrTooLarge); n != nil && !sentence(n.Text) {
			t.Errorf("notice %+v", n)
		}
		v.Done(2, []byte("nonsense"), nil)
		v.turns(5)
		if v.Status() != wire.Training {
			t.Fatalf("a helper that fails stops the training: %v", v.Status())
		}
		job := give(0)
		v.apply(wire.Pause, "", "")
		if result, err := good.Do(job, func() {}); job != nil {
			v.Done(0, slices.Clone(result), err) // an answer while the training is paused
		}
		v.set("zdim", "3")
		v.press("train") // begins another training
		late := give(1)
		v.press("train")
		v.set("zdim", "4")
		v.press("train")
		result, err := fit.NewHelper(systems).Do(late, func() {})
		if late != nil {
			v.Done(1, slices.Clone(result), err) // an answer for a closed training
		}
		for k := range 4 {
			v.Lost(k)
		}
		fresh := []wire.Helper{fit.NewHelper(systems), fit.NewHelper(systems), fit.NewHelper(systems)}
		for range 6 {
			v.work(0)
			v.helped(fresh)
		}
		if v.Status() != wire.Training {
			t.Errorf("status %v", v.Status())
		}
		v.whole()
	})
}

// TestTrainingCannotBegin presses the button Train while the model or its codes cannot be fetched
// or opened. The session must say so and train nothing. A second press must end the attempt.
func TestTrainingCannotBegin(t *testing.T) {
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.press("train")
		if got := v.Wants(); got != "models/mixing-laptop.safetensors" {
			t.Fatalf("wants %q", got)
		}
		if n := v.miss(); n == nil || !n.Error || !strings.Contains(n.Text, "could not be opened") || v.Wants() != "" || v.Status() != wire.Idle {
			t.Errorf("notice %+v, wants %q, %v", n, v.Wants(), v.Status())
		}
		v.press("train")
		v.Fetched(v.Wants(), asset(t, v.Wants()), nil)
		if got := v.Wants(); got != "models/mixing-z.npz" {
			t.Fatalf("wants %q", got)
		}
		if n := v.miss(); n == nil || !n.Error || !strings.Contains(n.Text, "no dynamics can be trained here") || v.Wants() != "" || v.Status() != wire.Idle {
			t.Errorf("notice %+v, wants %q, %v", n, v.Wants(), v.Status())
		}
		v.press("train")
		if n := v.Fetched(v.Wants(), []byte("PK nonsense"), nil); n == nil || !n.Error || !sentence(n.Text) || v.Status() != wire.Idle {
			t.Errorf("notice %+v, %v", n, v.Status())
		}
		v.press("train")
		v.press("train") // stops the training
		if v.Wants() != "" || v.State().Labels["train"] != "Train" {
			t.Errorf("wants %q, the button says %s", v.Wants(), v.State().Labels["train"])
		}
		v.settle()
		v.whole()
	})
}

// TestCodesAreOfOneEncoder chooses a ẑ dim for which there are no codes. The button Train must then
// train the whole model. After a return to the ẑ dim of the codes, the button must train only the
// dynamics.
func TestCodesAreOfOneEncoder(t *testing.T) {
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.set("zdim", "2")
		v.settle()
		if st := v.State(); v.shown().ZDim() != 2 || !strings.Contains(st.Off["scope"], "with ε 0.01 and ẑ dim 1") || st.Off["zdim"] != "" || st.Off["size"] != "" {
			t.Errorf("ẑ dim %d is on show, of what is off %q", v.shown().ZDim(), st.Off)
		}
		v.press("train")
		if v.Wants() != "" || v.Status() != wire.Training || strings.Contains(v.State().Task, "Stage II") {
			t.Errorf("wants %q, status %v, %s", v.Wants(), v.Status(), v.State().Task)
		}
		v.press("train")
		v.set("zdim", "1")
		v.press("train")
		if got := v.Wants(); got != "models/mixing-laptop.safetensors" {
			t.Errorf("wants %q", got)
		}
		v.fetch()
		if c := v.shown(); v.Status() != wire.Training || !strings.Contains(v.State().Task, "Stage II") || c.ZDim() != 1 {
			t.Errorf("status %v, ẑ dim %d, %s", v.Status(), c.ZDim(), v.State().Task)
		}
		v.whole()
	})
}

// TestSetsGoOnWithTheMethodOnShow takes a training step after another method has been chosen,
// before that method's shipped model is fetched. The checkpoint of the displayed model must
// open in another session.
func TestSetsGoOnWithTheMethodOnShow(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		for _, method := range []string{"flow-st", "flow-matching"} {
			v.set("method", method)
			v.press("step")
			v.settle()
			_, b, err := v.Save(wire.Model)
			if err != nil {
				t.Fatal(err)
			}
			visit(t, wire.Demo).drop("m.safetensors", b)
		}
	})
}

// TestAnotherNumberForOrderedSets changes the number of particles for a model that needs a
// fixed number. The button Train must then begin a training of a new model for the new number.
func TestAnotherNumberForOrderedSets(t *testing.T) {
	for _, change := range []func(*visitor){
		func(v *visitor) { v.press("add") },
		func(v *visitor) { v.set("n", "150") },
		func(v *visitor) { v.press("step"); v.set("n", "150") },
	} {
		in(t, wire.Demo, func(t *testing.T, v *visitor) {
			v.set("method", "ae-aug")
			v.fetch()
			v.settle()
			change(v)
			v.press("step")
			v.settle()
			if c := v.shown(); c.Spec.Method != "ae-aug" || c.Particles != len(v.row("x")) {
				t.Errorf("%s of %d particles is trained", c.Spec.Method, c.Particles)
			}
		})
	}
}
