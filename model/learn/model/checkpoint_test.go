package model

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/net/decoder"
)

// TestCheckpointRoundTrip writes models of every preset, and small models with other settings,
// to files and reads them back.
func TestCheckpointRoundTrip(t *testing.T) {
	try := func(c method.Config) {
		m := build(t, c)
		f, want := through(t, m.Checkpoint())
		again, err := Open(systems(), f)
		if err != nil {
			t.Errorf("%s: %v", c.Spec, err)
			return
		}
		if _, got := through(t, again.Checkpoint()); !bytes.Equal(got, want) {
			t.Errorf("%s: the file changes by being read", c.Spec)
		}
		c.Spec.Preset = ""
		// If the file does not contain a setting, the preset's value applies.
		if got := again.Config; !slices.Equal(got.Table().Texts(), c.Table().Texts()) || !reflect.DeepEqual(got.Encoder, c.Encoder) || got.States() != c.States() ||
			got.Spec != c.Spec || got.Variables != c.Variables || c.HasDynamics() && !slices.Equal(again.Scale.Std, m.Scale.Std) {
			t.Errorf("%s: configuration\n%v, want\n%v\nof the encoder\n%+v, want\n%+v (what its Table leaves out must be as the preset has it)", c.Spec, got.Table().Texts(), c.Table().Texts(), got.Encoder, c.Encoder)
		}
		if !again.Weights.Decodes || !slices.Equal(again.Weights.Params, m.Weights.Params) || !slices.Equal(again.Weights.DynamicsParams, m.Weights.DynamicsParams) {
			t.Errorf("%s: other weights", c.Spec)
		}
		if !c.Decoder.Density() { // older files lack the weights of a decoder that is not a density
			m.Weights.Decodes = false
			f, want = through(t, m.Checkpoint())
			if again, err = Open(systems(), f); err != nil {
				t.Errorf("%s, without its decoder: %v", c.Spec, err)
			} else if _, got := through(t, again.Clone().Checkpoint()); again.Weights.Decodes || !bytes.Equal(got, want) {
				t.Errorf("%s: the file without a decoder changes by being read", c.Spec)
			}
		}
		if HasStageTwo(f) != c.HasDynamics() {
			t.Errorf("%s: the file has dynamics: %v", c.Spec, HasStageTwo(f))
		}
	}
	for pair, names := range pairs() {
		for _, name := range names {
			if name == "paper" && testing.Short() {
				continue
			}
			try(preset(t, pair+"@"+name))
		}
		c := tiny(t, pair)
		c.Seed = math.MaxUint64
		try(c)
		if c.Traits.Stochastic {
			try(with(t, c, fmt.Sprint("law.share=", !c.Dynamics.Share)))
		}
		if c.Traits.Stochastic && c.Variables == c.Sets() { // there can be an equation for each set
			try(with(t, c, "law.joint=false"))
			try(with(t, c, fmt.Sprint("law.share=", !c.Dynamics.Share), "law.joint=false"))
		}
		if c.HasDynamics() {
			if p := c.Traits.Parameters; len(p) > 0 {
				try(give(t, c, p[0].Name))
			}
			try(withDim(c, 3))
			recorded := c.ForData(own{shape: record(&c, 1, 5, 30, 8).shape, observable: c.Data.Observable}, c.Variables)
			try(recorded)
		}
	}
	gyration := tiny(t, "particles/flow")
	gyration.Data.Observable = "gyration"
	try(gyration)
}

// TestShippedAreRewritten opens every shipped model and checks that writing it gives the
// same bytes.
func TestShippedAreRewritten(t *testing.T) {
	files, err := filepath.Glob("../../../assets/models/*.safetensors")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		m, want := shipped(t, filepath.Base(file))
		// The files have weights of 32 bits, of 16 bits, or of 16 bits except for the dynamics.
		all, most := m.Checkpoint(), m.Checkpoint()
		Halve(all, true)
		Halve(most, false)
		if !slices.ContainsFunc([]*ckpt.File{m.Checkpoint(), all, most}, func(f *ckpt.File) bool {
			_, got := through(t, f)
			return bytes.Equal(got, want)
		}) {
			t.Errorf("%s: the file changes by being read", filepath.Base(file))
		}
		if err := m.Config.Validate(); err != nil {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	type change func(*ckpt.File)
	set := func(key, value string) change { return func(f *ckpt.File) { f.Metadata[key] = value } }
	drop := func(key string) change { return func(f *ckpt.File) { delete(f.Metadata, key) } }
	without := func(prefix string) change {
		return func(f *ckpt.File) {
			f.Tensors = slices.DeleteFunc(f.Tensors, func(t ckpt.Tensor) bool { return strings.HasPrefix(t.Name, prefix) })
		}
	}
	spoil := func(prefix string, v float32) change {
		return func(f *ckpt.File) {
			for i := range f.Tensors {
				if strings.HasPrefix(f.Tensors[i].Name, prefix) {
					f.Tensors[i].F32[0] = v
					return
				}
			}
			t.Fatalf("no tensor is called %s…", prefix)
		}
	}
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, tc := range []struct {
		pair, name string
		change     change
		says       string
	}{
		{"line/flow", "another's file", func(f *ckpt.File) { f.Metadata = nil }, "not one of Macroscope's"},
		{"line/flow", "an unknown system", set(MetaExperiment, "cats"), `the experiment "cats": there is no system "cats"`},
		{"line/flow", "an unknown method", set(MetaExperiment, "line/cats"), `no method "cats"`},
		{"line/flow", "a pair that there is not", set(MetaExperiment, "line/inve"), "not for the system line"},
		{"line/flow", "no pair", set(MetaExperiment, "/"), "no system"},
		{"line/flow", "another experiment", set(MetaExperiment, "mixing"), "config"},
		{"line/flow", "a later version", set(MetaFormat, "9"), `version "9" and this program reads version 1`},
		{"line/flow", "no version", drop(MetaFormat), "version"},
		{"line/flow", "a missing setting", drop("config.eps"), "no config.eps"},
		{"line/flow", "an absurd setting", set("config.eps", "-1"), `eps is "-1", which cannot be read: give a number from 1e-8 to 1`},
		{"line/flow", "a huge network", set("config.encoder.hidden", "64 99999999"), "give 1 to 16 whole numbers from 1 to 4096"},
		{"line/flow", "a deep network", set("config.encoder.hidden", strings.Repeat("4096 ", 4000)), "give 1 to 16 whole numbers"},
		{"line/flow", "text for a number", set("config.batch", "many"), `config.batch is "many"`},
		{"line/flow", "a wide network", set("config.encoder.hidden", "4096 4096 4096"), "weights"},
		{"line/flow", "a missing tensor", func(f *ckpt.File) { f.Tensors = f.Tensors[1:] }, "missing"},
		{"line/flow", "a tensor of another shape", set("config.encoder.hidden", "7 5"), ""},
		{"line/flow", "a missing flow", without("param.flow."), ""},
		{"line/flow", "a weight that is not a number", spoil("param.encoder.", nan), "not a finite number"},
		{"line/flow", "an infinite weight", spoil("param.flow.", inf), "not a finite number"},
		{"line/flow", "a tensor too many", func(f *ckpt.File) {
			f.Tensors = append(f.Tensors, ckpt.Tensor{Name: "param.more", Shape: []int{1}, F32: []float32{1}})
		}, "param.more"},
		{"particles/flow", "another experiment", set(MetaExperiment, "demo"), "2 coordinates, and the system's have 1"},
		{"particles/flow", "a missing setting", drop("config.law.dt"), "config.law.dt"},
		{"particles/flow", "an absurd stretch", set("config.law.roll.window", "-1"), `law.roll.window is "-1"`},
		{"particles/flow", "an absurd activation", set("config.law.act", "magic"), "config.law.act"},
		{"particles/flow", "too many particles", set("config.particles", "1000000000"), `particles is "1000000000", which cannot be read: give a whole number from 1 to 100000`},
		{"particles/flow", "too many trajectories", set("config.trajectories", "99999999"), `trajectories is "99999999"`},
		{"particles/flow", "no observable", drop("config.macro"), "config.macro"},
		{"particles/flow", "a long observable", set("config.macro", strings.Repeat("x", 300)), "300 letters"},
		{"particles/flow", "space", set("config.encoder.dim", "3"), `flow.dim is "2", which cannot be read: use 3, which other settings say`},
		{"particles/flow", "a missing scale", without("scale.low"), "no scale.low of 3 numbers"},
		{"particles/flow", "a scale of no width", func(f *ckpt.File) { copy(f.Tensor("scale.high").F64, f.Tensor("scale.low").F64) }, "range"},
		{"particles/flow", "a scale that is not a number", func(f *ckpt.File) { f.Tensor("scale.low").F64[1] = math.NaN() }, "range"},
		{"particles/flow", "a deviation of 0", func(f *ckpt.File) { f.Tensor("scale.std").F64[1] = 0 }, "deviation 0"},
		{"particles/flow", "an infinite deviation", func(f *ckpt.File) { f.Tensor("scale.std").F64[0] = math.Inf(1) }, "deviation +Inf"},
		{"particles/flow", "a mean that is not a number", func(f *ckpt.File) { f.Tensor("scale.mean").F64[0] = math.NaN() }, "mean NaN"},
		{"particles/flow", "scales of float32", func(f *ckpt.File) {
			s := f.Tensor("scale.low")
			s.F64, s.F32 = nil, make([]float32, 3)
		}, "no scale.low"},
		{"particles/flow", "missing dynamics", without(dynamicsPrefix), "missing"},
		{"particles/flow", "dynamics that are not numbers", spoil(dynamicsPrefix, nan), "not a finite number"},
		{"particles/ae-aug", "a huge input", set("config.particles", "10001"), "10001 particles"},
		{"particles/ae-aug", "many particles", func(f *ckpt.File) { f.Metadata["config.particles"], f.Metadata["config.hidden"] = "10000", "1024" }, "model of 40"},
		{"particles/ae-aug", "no hidden layer", set("config.hidden", ""), "give 1 to 8 whole numbers"},
		{"mixing/flow", "a missing setting", drop("config.law.joint"), "config.law.joint"},
		{"mixing/flow", "an absurd setting", set("config.law.window", "-1"), `law.window is "-1"`},
		{"mixing/flow", "equations of another number of variables", set("config.law.joint", "false"), `law.dim is "7", which cannot be read: use 6`},
		{"mixing/flow", "turned", set("config.rotate", "true"), "can be turned"},
		{"mixing/ae-aug", "sizes of other sets", set("config.sizes", "4"), "use 5 4, which other settings say"},
		{"mixing/ae-aug", "sizes of no particles", set("config.sizes", "5 0"), "use 5 4"},
	} {
		t.Run(tc.pair+", "+tc.name, func(t *testing.T) {
			f, _ := through(t, build(t, tiny(t, tc.pair)).Checkpoint())
			if _, err := Open(systems(), f); err != nil {
				t.Fatalf("it cannot be opened as it is: %v", err)
			}
			tc.change(f)
			if m, err := Open(systems(), f); err == nil || !strings.Contains(err.Error(), tc.says) || m != nil && err == nil || len(err.Error()) > 500 {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
		})
	}
}

// TestOddSettings puts odd text into every setting of a file. Opening the file must return
// an error in words, or a model that can be used and written.
func TestOddSettings(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and the same on every kernel")
	}
	for pair := range pairs() {
		_, b := through(t, build(t, tiny(t, pair)).Checkpoint())
		f, err := ckpt.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		opened := 0
		for key, was := range f.Metadata {
			for _, text := range []string{
				"", "-1", "0", "1", "2", "3", "1e-9", "1e309", "-Inf", "NaN", "99999999999999999999", "2147483648", "100000", "4096 4096 4096", "1 1", "true", "false", "mlp", "random", strings.Repeat("9", 5000),
			} {
				f.Metadata[key] = text
				m, err := Open(systems(), f)
				if err != nil {
					if len(err.Error()) > 500 {
						t.Errorf("%s: %s=%.20s: a sentence of %d bytes", pair, key, text, len(err.Error()))
					}
					continue
				}
				opened++
				if _, again := through(t, m.Checkpoint()); len(again) == 0 {
					t.Error("nothing is written")
				}
				if c := m.Config; c.HasDynamics() && c.Particles > 1 && c.Particles < 100 {
					src := record(&c, 1, 1, 2, c.Particles)
					if frame := src.frame(m, 0); m.Takes(frame) == nil {
						z := make([]float32, c.Data.Views*c.States())
						m.NewCoder().States(z, frame, src.of[0].Macro[:c.Variables])
						ahead := m.NewForecast(1, 2)
						ahead.Begin(z, 1, 0)
						ahead.Step(m.Weights.DynamicsParams)
					}
				}
			}
			f.Metadata[key] = was
		}
		if opened < len(f.Metadata)/2 {
			t.Errorf("%s: %d of %d settings can be changed", pair, opened, len(f.Metadata))
		}
	}
}

// TestOlderFiles opens files from before some settings existed. These settings must have the
// values that were used in training.
func TestOlderFiles(t *testing.T) {
	for pair, lacks := range map[string][]string{
		"line/flow":        {"flow.blocks"},
		"particles/flow":   {"warm", "every", "thin"},
		"particles/ae-aug": {"warm", "every", "thin", "recorded", "views", "macro", "dim"},
		"mixing/flow":      {"warm", "every", "rotate", "views"},
	} {
		c := tiny(t, pair)
		c.Data.Thin, c.Data.Initial, c.Data.Every, c.Data.Views = 1, 0, 1, 1
		f, _ := through(t, New(c, build(t, c).System).Checkpoint())
		for _, name := range lacks {
			delete(f.Metadata, configPrefix+name)
		}
		if pair == "particles/flow" {
			f.Metadata[configPrefix+"views"] = "1"
		}
		m, err := Open(systems(), f)
		if err != nil {
			t.Errorf("%s: %v", pair, err)
			continue
		}
		if got := m.Config; got.Data.Initial != 0 || got.Data.Every != 1 || got.Data.Thin != 1 || got.Data.Views != 1 || got.Data.Recorded || got.Data.Observable != c.Data.Observable {
			t.Errorf("%s: warm %d, every %d, thin %d, %d views, recorded %v, %s", pair, got.Data.Initial, got.Data.Every, got.Data.Thin, got.Data.Views, got.Data.Recorded, got.Data.Observable)
		}
		if f, ok := m.Config.Decoder.Kind.(*decoder.Flow); ok && f.Blocks != 0 {
			t.Errorf("%s: %d blocks", pair, f.Blocks)
		}
	}
}

// TestMoments writes and reads Adam's moments of both stages. Tensors that belong to
// neither stage must be detected.
func TestMoments(t *testing.T) {
	for pair := range pairs() {
		m := build(t, tiny(t, pair))
		for _, stageOne := range []bool{true, false} {
			size := len(m.Weights.Params)
			if !stageOne {
				size = len(m.Weights.DynamicsParams)
			}
			if size == 0 {
				continue
			}
			first, second := make([]float32, size), make([]float32, size)
			for i := range first {
				first[i], second[i] = float32(i+1), -float32(i+1)
			}
			f := m.Checkpoint()
			for _, a := range m.Weights.Moments(stageOne, first, second) {
				f.Tensors = append(f.Tensors, ckpt.FromArena(a.Layout, a.Values, a.Prefix)...)
			}
			f, _ = through(t, f)
			m1, m2 := make([]float32, size), make([]float32, size)
			if err := ReadArenas(f, m.Weights.Moments(stageOne, m1, m2)); err != nil || !slices.Equal(m1, first) || !slices.Equal(m2, second) {
				t.Errorf("%s, stage I %v: %v", pair, stageOne, err)
			}
			if _, err := Open(systems(), f); err != nil {
				t.Errorf("%s: moments are in the way: %v", pair, err)
			}
			prefix := m.Weights.Moments(stageOne, m1, m2)[0].Prefix
			f.Tensors = append(f.Tensors, ckpt.Tensor{Name: prefix + "more", Shape: []int{1}, F32: []float32{1}})
			if err := ReadArenas(f, m.Weights.Moments(stageOne, m1, m2)); err == nil || !strings.Contains(err.Error(), "more") {
				t.Errorf("%s: a moment too many: %v", pair, err)
			}
		}
	}
}

// FuzzOpen changes one setting and one weight in the file of a pair of system and method, and
// opens the file. The fuzzer chooses these values instead of the file's bytes, because the
// file's checksum would not fit changed bytes.
func FuzzOpen(f *testing.F) {
	var files []*ckpt.File
	// If several pairs have the same setting, only the first pair gets a seed. The fuzzer begins by
	// running all seeds, and a seed for every pair would take too long.
	seeded := map[string]bool{} // settings that have a seed
	for _, pair := range slices.Sorted(maps.Keys(pairs())) {
		file := build(f, tiny(f, pair)).Checkpoint()
		for field, name := range slices.Sorted(maps.Keys(file.Metadata)) {
			if !seeded[name] {
				f.Add(uint8(len(files)), uint8(field), file.Metadata[name], float32(0.5))
			}
			seeded[name] = true
		}
		files = append(files, file)
	}
	f.Fuzz(func(t *testing.T, pair, field uint8, value string, weight float32) {
		file := *files[int(pair)%len(files)]
		names := slices.Sorted(maps.Keys(file.Metadata))
		file.Metadata, file.Tensors = maps.Clone(file.Metadata), slices.Clone(file.Tensors)
		file.Metadata[names[int(field)%len(names)]] = value
		for i := range file.Tensors {
			if x := &file.Tensors[i]; len(x.F32) > 0 {
				x.F32 = slices.Clone(x.F32)
				x.F32[0] = weight
				break
			}
		}
		m, err := Open(systems(), &file)
		if err != nil {
			return
		}
		again, first := through(t, m.Checkpoint())
		if m, err = Open(systems(), again); err != nil {
			t.Fatalf("what was opened cannot be written and opened: %v", err)
		}
		if _, second := through(t, m.Checkpoint()); !bytes.Equal(first, second) {
			t.Error("the file changes by being read")
		}
	})
}
