package catalogue

import (
	"bytes"
	"encoding/binary"
	"hash/fnv"
	"runtime"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/session"
	"macroscope/model/learn/fit"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/mixing"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// plainGolden contains hashes of the parameters after some steps of training on simulated data
// with plain arithmetic. The hashes are the same on all machines.
var plainGolden = map[string]uint64{
	"line/flow": 0x90f09fe05755691a, "line/flow-st": 0xff4192bbb66c4f2e, "line/flow-matching": 0x307854b209cc46c5, "line/ae-aug": 0xe80e502f5f167268,
	"particles/flow": 0xa08e01b93c32107f, "particles/flow-st": 0xd9602eda8b0c8a95, "particles/flow-matching": 0x10365f61fe1d3a88,
	"particles/ae-aug": 0xe173fb88501002ce, "particles/ae-inve": 0xde1b7d160e67e619, "particles/ae-inve-cd": 0x3cac91bcb84d4907, "particles/inve": 0x59da3c09ba8a8fca,
	"mixing/flow": 0x912433b400af5c80, "mixing/flow-st": 0x68e5ef732c2471a6, "mixing/flow-matching": 0xb5fbfe0bc22d6114,
	"polymer/flow": 0x694fa765a8682057, "polymer/ae-aug": 0xe06b40c8edad9752, "polymer-video/flow-memory": 0x3b031865e439b979,
	"line/flow-tunable": 0xb2c86f0067c64b3b, "particles/flow-tunable": 0x97a2de8229f434ba, "mixing/flow-tunable": 0x03a5b8ed53a2d456, "polymer/flow-tunable": 0xb08abdaf70558994,
	"line/list": 0xe80e502f5f167268, "particles/list": 0xf038c438e870ddee,
	"flock/flow":    0x3b25eab254829577,
	"mixing/ae-aug": 0x5f36cdca42bac143, "mixing/ae-inve": 0x7afc2e0a6f640fe4, "mixing/ae-inve-cd": 0x2e232086b5afd953, "mixing/inve": 0x89e90455fa5d706b,
}

// TestPlainEverywhere trains every pair of a system and a method through all phases, on simulated
// data and with plain arithmetic, natively and in WebAssembly. A session must then open the model
// and save it unchanged.
func TestPlainEverywhere(t *testing.T) {
	if unknown := 2.0; runtime.GOARCH != "wasm" && (1+0x1p-30*unknown)*(1+0x1p-30*unknown)-1-0x1p-29*unknown != 0 {
		t.Skip("built for a processor that fuses multiplications and additions")
	}
	defer Plain()()
	box := mixing.NewSimulated(1, 6)
	box.Box.Height, box.Box.Steps, box.Box.Every, box.Box.Relaxation = 8, 1200, 20, 200
	for _, l := range All() {
		if l.Describe != nil { // it learns from the user's runs alone
			continue
		}
		system := l.System.Traits.Name
		for _, m := range l.Methods() {
			if plainGolden[system+"/"+m.Name] == 0 {
				t.Errorf("%s/%s is not trained", system, m.Name)
			}
		}
	}
	for pair, want := range plainGolden {
		t.Run(pair, func(t *testing.T) {
			c, err := Systems().Preset(pair + "@browser")
			if err != nil {
				t.Fatal(err)
			}
			if alone := c.Spec.Method == "flow" || c.Spec.Method == "flow-tunable" && c.Spec.System == "particles"; testing.Short() && !alone &&
				(c.Spec.System != "line" && plainGolden["line/"+c.Spec.Method] != 0 || c.Spec.System == "mixing") {
				t.Skip("another form tests the method on the line or on the particles")
			}
			settings := "steps=4 batch=8 shards=2"
			if c.Spec.System == "polymer-video" {
				if testing.Short() {
					t.Skip("films are drawn and encoded for seconds")
				}
				settings += " trajectories=1 law.trajectories=1 "
			} else if c.Spec.System != "line" {
				settings += " trajectories=6 law.trajectories=6 "
			}
			switch {
			case c.Spec.System == "particles":
				settings += "law.fit.batch=8 law.fit.shards=2 law.fit.steps=4 law.roll.steps=2 law.roll.batch=4 law.roll.shards=2"
			case c.Traits.Stochastic:
				settings += "law.batch=8 law.shards=2 law.steps=4"
			}
			for _, s := range strings.Fields(settings) {
				name, value, _ := strings.Cut(s, "=")
				if err := c.Set(name, value); err != nil {
					t.Fatalf("%s: %v", s, err)
				}
			}
			sys, err := Systems().Find(c.Spec.System)
			if err != nil {
				t.Fatal(err)
			}
			var src system.Source = box
			switch sys.Name {
			case "line":
				src = nil
			case "mixing":
				c.Particles = box.Box.N()
				of := *box
				of.Fixed = c.Encoder.Ordered()
				src = &of
			case "polymer", "polymer-video":
				c.Particles = 8
				src = sys.Simulated(system.Choice{Seed: 1, Count: 6, Particles: 8})
			default:
				c.Particles = 20
				src = sys.Simulated(system.Choice{Seed: 1, Count: 6, Particles: 20})
			}
			r, err := fit.New(c, sys, src, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			for ; r.Stage() != fit.Done; r.Next() {
				if err := r.Prepare(work.Until(t.Context())); err != nil {
					t.Fatal(err)
				}
				if err := r.Train(work.Until(t.Context()), nil); err != nil {
					t.Fatal(err)
				}
			}
			h := fnv.New64a()
			for _, x := range r.Model.Checkpoint().Tensors {
				binary.Write(h, binary.LittleEndian, x.F32)
			}
			if got := h.Sum64(); got != want {
				t.Errorf("%s %s: the parameters hash to %#x, want %#x", runtime.GOARCH, pair, got, want)
			}
			throughPage(t, r.Model)
		})
	}
}

// throughPage opens a model in its lab and saves it again.
func throughPage(t *testing.T, m *model.Model) {
	t.Helper()
	var b bytes.Buffer
	if err := ckpt.Encode(&b, m.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	for _, l := range All() {
		if l.System.Traits.Name != m.Config.Spec.System {
			continue
		}
		s := session.New(l)
		if n := s.Apply(wire.Command{Kind: wire.File, Name: "m.safetensors", Data: b.Bytes()}); n == nil || n.Error {
			t.Fatalf("the page says %+v", n)
		}
		if _, saved, err := s.Save(wire.Model); err != nil || !bytes.Equal(saved, b.Bytes()) {
			t.Errorf("the page saves another model, %v", err)
		}
	}
}
