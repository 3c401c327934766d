package session_test

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// tunable returns an untrained tunable model of a lab, and its file. The model's scales
// leave the particles' coordinates unchanged.
func tunable(t testing.TB, name string) (*model.Model, []byte) {
	t.Helper()
	of := labOf(t, name)
	c, err := of.Systems().Preset(of.System.Traits.Name + "/flow-tunable@browser")
	if err != nil {
		t.Fatal(err)
	}
	m := model.New(c, of.System)
	for i := range m.Weights.Params { // without this change the untrained density would hardly depend on z
		m.Weights.Params[i] += 0.05 * float32(math.Sin(float64(i)))
	}
	var b bytes.Buffer
	if err := ckpt.Encode(&b, m.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	return m, b.Bytes()
}

// TestTurn opens a tunable model. A change of ε or of the length of ẑ must change ẑ, the density
// and KL at once: the session must fetch nothing, train nothing and show no notice. The ordinary
// model for the new ε and length must give the same picture.
func TestTurn(t *testing.T) {
	each(t, func(t *testing.T, v *visitor) {
		m, file := tunable(t, v.lab)
		if !v.sampler() {
			v.set("all", "on")
		}
		v.drop("every.safetensors", file)
		v.settle()
		before := v.is()
		measured := map[string]string{"mixing": "klA"}[v.lab] // KL of the first set
		measured = cmp.Or(measured, "kl")
		for _, place := range []struct {
			eps  string
			zdim int
		}{{"0.02", 2}, {"0.05", 2}, {"0.05", 1}} {
			for name, value := range map[string]string{"eps": place.eps, "zdim": strconv.Itoa(place.zdim)} {
				if n := v.try(wire.Set, name, value); n != nil {
					t.Errorf("%s=%s: %+v", name, value, n)
				}
			}
			if v.Wants() != "" || v.Training() {
				t.Errorf("at %+v %q is fetched, or a model is trained", place, v.Wants())
			}
			v.settle()
			f := v.picture()
			z, kl := slices.Clone(f.Numbers("z")), slices.Clone(f.Numbers(measured))
			if st := v.is(); st == before {
				t.Errorf("at %+v nothing has changed", place)
			} else {
				before = st
			}

			eps, _ := strconv.ParseFloat(place.eps, 64)
			at, err := m.At(eps, place.zdim)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := ckpt.Encode(&b, at.Checkpoint()); err != nil {
				t.Fatal(err)
			}
			v.drop("one.safetensors", b.Bytes())
			v.settle()
			f = v.picture()
			if want := f.Numbers("z"); !slices.Equal(z, want) || len(z) == 0 {
				t.Errorf("at %+v ẑ is %v, and of the ordinary model %v", place, z, want)
			}
			if want := f.Numbers(measured); !slices.Equal(kl, want) || len(kl) == 0 {
				t.Errorf("at %+v KL is %v, and of the ordinary model %v", place, kl, want)
			}
			v.set("runA", "every")
			v.settle()
		}
		again := v.reload()
		again.settle()
		for _, row := range []string{"z", measured} {
			if was, is := v.row(row), again.row(row); !slices.Equal(was, is) {
				t.Errorf("after a reload the row %s is %v, and was %v", row, is, was)
			}
		}
		if was, is := v.State().Model, again.State().Model; is != was {
			t.Errorf("after a reload %s is on show, and was %s", is, was)
		}
	})
}

// TestTurnFromScratch opens a link to untrained weights. It changes ε before the shipped model is
// fetched. The session must then fetch the shipped model and display it.
func TestTurnFromScratch(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, _ *visitor) {
		v := newcomer(t, wire.Demo)
		v.apply(wire.Link, "", "v=1&lab=demo&n=60&model=scratch&step=0")
		v.set("eps", "0.03")
		if v.fetch(); !strings.HasPrefix(v.State().Model, "shipped with the lab. ") || v.shown().Eps() != 0.03 {
			t.Errorf("on show is a model for ε = %g, %s", v.shown().Eps(), v.State().Model)
		}
	})
}

// TestTurnInTraining turns ε and ẑ dim while a tunable model is being trained: the model in
// training must follow, and the training must go on.
func TestTurnInTraining(t *testing.T) {
	in(t, wire.Demo, func(t *testing.T, v *visitor) {
		v.set("method", "flow-tunable")
		v.press("train")
		v.train(2)
		for _, zdim := range []string{"3", "8", "1"} {
			before := v.row("p")
			v.set("eps", "0.2")
			v.set("zdim", zdim)
			v.set("eps", "0.05")
			if st := v.State(); len(v.row("z")) != int(zdim[0]-'0') || slices.Equal(v.row("p"), before) || st.Status != "training" || st.Warning != "" || v.Wants() != "" || len(runsHere(st)) != 2 {
				t.Errorf("ẑ dim %s: ẑ of %d, %s, warning %q, runs %+v", zdim, len(v.row("z")), st.Status, st.Warning, runsHere(st))
			}
			was := v.number("step")
			v.train(2)
			if v.number("step") <= was {
				t.Errorf("the training stands at step %g", was)
			}
		}
		v.press("train")
		v.set("zdim", "2")
		v.press("train")
		if n := v.number("total"); v.Status() != wire.Training || n < 4000 || len(v.row("z")) != 2 {
			t.Errorf("it goes on as another training of %g steps, ẑ of %d", n, len(v.row("z")))
		}
	})
}

// BenchmarkTurn measures the time from a change of ε or ẑ dim to the frame that shows the change,
// with the shipped models at their usual sizes. One op changes ε and ẑ dim once.
func BenchmarkTurn(b *testing.B) {
	for _, lab := range names {
		b.Run(lab, func(b *testing.B) {
			v := newcomer(b, lab)
			v.apply(wire.Link, "", "lab="+lab)
			for began := time.Now(); time.Since(began) < time.Second; {
				v.fetch()
				v.Work(10 * time.Millisecond)
				v.AppendFrame(nil)
			}
			if !v.sampler() {
				v.set("all", "on")
			}
			v.AppendFrame(nil)
			for i := 0; b.Loop(); i++ {
				v.try(wire.Set, "eps", strconv.FormatFloat(0.02+0.002*float64(i%10), 'g', -1, 64))
				v.try(wire.Set, "zdim", strconv.Itoa(1+i%3))
				v.State()
				v.sent = v.AppendFrame(v.sent[:0])
			}
		})
	}
}
