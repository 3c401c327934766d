package lab

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"macroscope/model/ckpt"
	"macroscope/model/data"
	"macroscope/model/wire"
)

// checkpoint returns the file of an untrained model.
func checkpoint(t testing.TB, change func(c *ParticlesConfig)) []byte {
	t.Helper()
	c, err := ParticlesPreset("browser")
	if err != nil {
		t.Fatal(err)
	}
	change(&c)
	m := NewParticlesModel(c)
	var b bytes.Buffer
	if err := ckpt.Encode(&b, m.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func (p *playground) drop(name string, b []byte) string {
	p.t.Helper()
	n := p.Apply(wire.Command{Kind: wire.File, Name: name, Data: b})
	if n == nil || n.Error {
		p.t.Fatalf("%s: notice %+v", name, n)
	}
	return n.Text
}

func TestParticlesCompare(t *testing.T) {
	p := playParticles(t)
	p.apply(seekCommand, "", "30")
	p.settle()
	shipped := p.picture()
	p.drop("night.safetensors", checkpoint(t, func(c *ParticlesConfig) { *c = c.WithZDim(3); c.Eps = 0.1 }))
	st := p.state()
	if st.Values["eps"] != "0.1" || st.Values["zdim"] != "3" || !strings.Contains(st.Model, "night.safetensors") {
		t.Errorf("state %+v", st)
	}
	p.settle()
	if f := p.picture(); len(f.Numbers("z")) != 3 || slices.Equal(f.Numbers("pred"), shipped.Numbers("pred")) || f.Numbers("predB") != nil {
		t.Error("the dropped model is not on show")
	}
	p.apply(wire.Set, "runA", "shipped")
	p.apply(wire.Set, "runB", "night")
	p.settle()
	f := p.picture()
	if string(f.Text("nameA")) != "shipped" || string(f.Text("nameB")) != "night" {
		t.Errorf("%s is compared with %s", f.Text("nameA"), f.Text("nameB"))
	}
	for row, want := range map[string]int{"predB": 301, "zhatB": 3, "errorB": 31, "pB": len(f.Numbers("p")), "mreB": 1, "klB": 1} {
		if got := len(f.Numbers(row)); got != want || want == 0 {
			t.Errorf("row %s has %d numbers, want %d", row, got, want)
		}
	}
	if !slices.Equal(f.Numbers("pred"), shipped.Numbers("pred")) {
		t.Error("the comparison changes A's prediction")
	}
	shown := map[string]string{}
	for _, r := range p.state().Runs {
		shown[r.Name] = r.Shown
	}
	if shown["shipped"] != "a" || shown["night"] != "b" {
		t.Errorf("runs %+v", p.state().Runs)
	}
	p.apply(wire.Set, "name", "mine")
	p.apply(wire.Press, "keep", "")
	if p.kept.find("mine") < 0 {
		t.Error("nothing was kept")
	}
	if n := p.Apply(wire.Command{Kind: wire.Set, Name: "dropRun", Value: "shipped"}); n == nil || !n.Error {
		t.Error("the run on show was deleted")
	}
	p.apply(wire.Set, "dropRun", "night")
	if f := p.picture(); f.Numbers("predB") != nil || p.kept.find("night") >= 0 {
		t.Error("a run that is gone is still compared with")
	}
	p.apply(wire.Set, "runB", "mine")
	p.apply(wire.Set, "runB", "")
	if p.b != nil {
		t.Error("the comparison does not end")
	}
	for range 2 * maxRuns {
		p.Apply(wire.Command{Kind: wire.Press, Name: "keep"})
	}
	if n := len(p.kept); n != maxRuns {
		t.Errorf("%d runs are kept, want %d", n, maxRuns)
	}
}

func TestParticlesRefuseFiles(t *testing.T) {
	p := playParticles(t)
	demo := NewDemoModel(newDemoSession(p.clock.now).config())
	var other bytes.Buffer
	if err := ckpt.Encode(&other, demo.Checkpoint(demo.InitialParams(), nil)); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		b    []byte
		says string
	}{
		"demo.safetensors":   {other.Bytes(), `experiment "demo"`},
		"cut.safetensors":    {[]byte("12345678{"), ""},
		"solid.safetensors":  {checkpoint(t, func(c *ParticlesConfig) { *c = c.WithDim(3) }), "in the plane"},
		"solid.npy":          {npy(t, 2, 3, 20, 3), "in the plane"},
		"crowd.npy":          {npy(t, 1, 2, 5001, 2), "room for 5000"},
		"short.npy":          {npy(t, 2, 1, 20, 2), "two frames"},
		"empty.npz":          {nil, ""},
		"trajectories.npz":   {[]byte("PK\x03\x04 and no archive"), ""},
		"positions.csv":      {[]byte("1,2\n3,4"), ""},
		"flat.npy":           {npy(t, 2, 3, 20), "dimensions"},
		"one-particle.npy":   {nan(npy(t, 1, 2, 20, 2)), "NaN"},
		"long-and-large.npy": {npy(t, 1, 2, 3, 4), "coordinates"},
	} {
		before := p.state()
		n := p.Apply(wire.Command{Kind: wire.File, Name: name, Data: tc.b})
		if n == nil || !n.Error || !strings.Contains(n.Text, tc.says) || !strings.HasSuffix(n.Text, ".") {
			t.Errorf("%s: notice %+v, want one with %q", name, n, tc.says)
		}
		if after := p.state(); after.Fragment != before.Fragment || p.data != nil || len(p.kept) != 1 {
			t.Errorf("%s changed the session", name)
		}
	}
}

// npy returns an array of a shape, whose values are small and differ.
func npy(t testing.TB, shape ...int) []byte {
	t.Helper()
	n := 1
	for _, s := range shape {
		n *= s
	}
	v := make([]float32, n)
	for i := range v {
		v[i] = float32(i%97) / 97
	}
	var b bytes.Buffer
	if err := data.WriteNPY(&b, data.NewArray(shape, v)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// nan makes the last number of an array none.
func nan(b []byte) []byte { return append(b[:len(b)-4], 0, 0, 0xc0, 0x7f) }

// TestParticlesFiles wants a run that was saved to be read as the same run by
// what the command line reads it with, and the model likewise.
func TestParticlesFiles(t *testing.T) {
	p := playParticles(t)
	p.apply(seekCommand, "", "50")
	p.settle()
	name, b, err := p.Save("npz")
	if err != nil || !strings.HasSuffix(name, ".npz") {
		t.Fatal(name, err)
	}
	rec, err := OpenRecording(bytes.NewReader(b), int64(len(b)), Energy)
	if err != nil {
		t.Fatal(err)
	}
	if s := rec.Shape(); s != (Shape{1, 51, 300, 2}) {
		t.Errorf("shape %+v", s)
	}
	if err := rec.Each(t.Context(), 1, 1, func(_ int, r *Recorded) error {
		if !slices.Equal(r.Frames, p.play.frames[:51*600]) || !slices.Equal(r.Macro, p.play.macro[:51]) {
			t.Error("another run was read than was saved")
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if _, b, err = p.Save(wire.Model); err != nil {
		t.Fatal(err)
	}
	m, _, err := ReadParticles(bytes.NewReader(b))
	if err != nil || !slices.Equal(m.Params, p.a.model.Params) {
		t.Errorf("the model was not saved (%v)", err)
	}
	if _, b, err = p.Save("csv"); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) != 52 || !strings.HasPrefix(lines[0], "frame,time,energy_per_pair,predicted,error,z1,") {
		t.Errorf("%d lines, the first %q", len(lines), lines[0])
	}
	for _, l := range lines {
		if strings.Count(l, ",") != strings.Count(lines[0], ",") {
			t.Fatalf("the row %q is not as long as the head", l)
		}
	}
	if _, _, err := p.Save("gif"); err == nil {
		t.Error("an unknown file was made")
	}
}
