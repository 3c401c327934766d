package measure

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/net/encoder"
	"macroscope/model/system"
	linesystem "macroscope/model/system/line"
	mixingsystem "macroscope/model/system/mixing"
	particlessystem "macroscope/model/system/particles"
	polymersystem "macroscope/model/system/polymer"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

func systems() method.Systems {
	return method.Systems{linesystem.System(), particlessystem.System(), mixingsystem.System(), polymersystem.System(), polymersystem.FromVideo()}
}

func preset(t testing.TB, spec string) method.Config {
	t.Helper()
	c, err := systems().Preset(spec)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// with returns the configuration with changes, each NAME=VALUE.
func with(t testing.TB, c method.Config, settings ...string) method.Config {
	t.Helper()
	c, err := c.With(settings...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// small contains the settings of the smallest networks.
var small = map[string]string{
	"encoder.hidden": "7 6", "encoder.head": "5", "hidden": "7 6", "decoder.hidden": "6 7", "law.hidden": "6", "law.noise.hidden": "5",
	"encoder.width": "8", "encoder.heads": "2", "encoder.inducing": "3", "encoder.blocks": "2", "encoder.seeds": "1", "encoder.feed": "6",
	"picture.rows": "4", "picture.cols": "20", "picture.pixel": "25", "cnn.widths": "2 3",
	"vit.patch": "4", "vit.width": "4", "vit.heads": "2", "vit.hidden": "5", "vit.blocks": "1", "vit.restoring": "1",
	"flow.layers": "2", "flow.bins": "4", "flow.hidden": "5", "flow.basehidden": "4",
}

// set changes the settings that the configuration has and skips all others.
func set(t testing.TB, c *method.Config, values map[string]string) {
	t.Helper()
	for name, text := range values {
		if c.Table().Find(name) == nil {
			continue
		}
		if err := c.Set(name, text); err != nil {
			t.Fatal(err)
		}
	}
}

// tiny returns the configuration of a pair with the smallest networks.
func tiny(t testing.TB, pair string) method.Config {
	t.Helper()
	c := with(t, preset(t, pair), "encoder.zdim=2", "particles=9")
	set(t, &c, small)
	c.Data.Views = min(c.Data.Views, 4)
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	return c
}

// build makes a model with scales and biases that differ from the initial ones.
func build(t testing.TB, c method.Config) *model.Model {
	t.Helper()
	sys, err := systems().Find(c.Spec.System)
	if err != nil {
		t.Fatal(err)
	}
	m := model.New(c, sys)
	r := rng.New(7, "test of models")
	for _, s := range []*[]float64{&m.Scale.Mean, &m.Scale.Low} {
		for i := range *s {
			(*s)[i] += r.NormFloat64() / 4
		}
	}
	for i := range m.Scale.Std {
		m.Scale.Std[i] *= 0.8 + 0.4*r.Float64()
	}
	for i := range m.Scale.High {
		m.Scale.High[i] += r.Float64()
	}
	m.Scale.Prepare()
	for _, arena := range [][]float32{m.Weights.Params, m.Weights.DynamicsParams} {
		for i := range arena {
			arena[i] += float32(r.NormFloat64() / 20)
		}
	}
	return m
}

// recorded is a source of synthetic trajectories: particles that drift with noise, and
// random macroscopic variables.
type recorded struct {
	shape system.Shape
	of    []system.Trajectory
}

// record makes synthetic trajectories. With two species, the number of particles of each
// species varies between trajectories, unless the encoder depends on the order.
func record(c *method.Config, seed uint64, count, frames, particles int) *recorded {
	r := &recorded{shape: system.Shape{Trajectories: count, Frames: frames, Particles: particles, Dim: c.Dim()}}
	for i := range count {
		src := rng.New(seed, "test of recordings", uint64(i))
		t := system.Trajectory{Species: make([]uint8, particles)}
		sizes := encoder.Shape{Sets: c.Sets(), Particles: particles}.SetSizes()
		if c.Sets() > 1 && !c.Encoder.Ordered() {
			sizes[0] = 1 + src.IntN(particles-1)
		}
		for p := range t.Species {
			t.Species[p] = 1
			if p >= sizes[0] {
				t.Species[p] = 2
			}
		}
		x := make([]float64, particles*c.Dim())
		for j := range x {
			x[j] = src.NormFloat64()
		}
		for range frames {
			for j := range x {
				t.Points = append(t.Points, float32(x[j]))
				x[j] += 0.1 * src.NormFloat64()
			}
			for range c.Variables {
				t.Macro = append(t.Macro, src.Float64())
			}
		}
		r.of = append(r.of, t)
	}
	return r
}

func (r *recorded) Shape() system.Shape { return r.shape }

func (r *recorded) Make(t *system.Trajectory, i int, _ work.Pause) error {
	*t = *r.of[i].Clone()
	return nil
}

// frame returns the first frame of trajectory i.
func (r *recorded) frame(m *model.Model, i int) *system.Frame {
	var f system.Frame
	m.System.Frame(&f, &r.of[i], 0, m.Config.Dim())
	return &f
}

// shipped opens a shipped model and returns its file as package ckpt writes it.
func shipped(t testing.TB, name string) (*model.Model, []byte) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("../../../assets/models", name))
	if err != nil {
		t.Fatal(err)
	}
	f, err := ckpt.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(systems(), f)
	if err != nil {
		t.Fatal(err)
	}
	_, b = through(t, f)
	return m, b
}

// The function `through` writes a checkpoint to bytes and reads it back.
func through(t testing.TB, f *ckpt.File) (*ckpt.File, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := ckpt.Encode(&b, f); err != nil {
		t.Fatal(err)
	}
	again, err := ckpt.Decode(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return again, b.Bytes()
}

// shuffled returns the frame with the particles of every set in a random order.
func shuffled(f *system.Frame, dim int, src *rng.Source) *system.Frame {
	g := &system.Frame{Points: slices.Clone(f.Points), Ends: slices.Clone(f.Ends)}
	model.Shuffle(g, dim, src)
	return g
}

func far(a, b []float32) (most float64) {
	for i, v := range a {
		most = max(most, math.Abs(float64(v-b[i])))
	}
	return most
}

// withDim returns the configuration for particles with d coordinates, which are not turned.
func withDim(c method.Config, d int) method.Config {
	if c.Shape.Dim = d; c.Traits.Mirrors == 0 {
		c.Data.Turn, c.Data.Views = false, 1
	}
	return c
}
