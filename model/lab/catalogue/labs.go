// Package catalogue lists the labs of the page: their systems, and the models and files of each
// lab. A program with only one lab calls the function of this lab, so the linker leaves the
// other labs out.
package catalogue

import (
	"fmt"
	"slices"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/extras"
	"macroscope/model/lab/extras/companion"
	"macroscope/model/lab/extras/ensemble"
	"macroscope/model/lab/session"
	"macroscope/model/learn/method"
	"macroscope/model/system"
	"macroscope/model/system/flock"
	"macroscope/model/system/line"
	"macroscope/model/system/mixing"
	"macroscope/model/system/particles"
	"macroscope/model/system/polymer"
	"macroscope/model/wire"
)

// modelsOf returns one shipped model of a system for each method. eps and zdim are the values
// with which the models were trained. A tunable model serves a range of both; for such a model,
// eps and zdim are the usual values.
func modelsOf(system string, eps float64, zdim int, methods ...string) (list []lab.Model) {
	for _, m := range methods {
		list = append(list, lab.Model{File: fmt.Sprintf("models/%s-%s.safetensors", system, m), Method: m, Eps: eps, ZDim: zdim})
	}
	return list
}

// Line returns the lab with which the page opens.
func Line() lab.Lab {
	return lab.Lab{System: line.System(), Shipped: slices.Concat(modelsOf("line", 0.1, 8, method.Tunable), []lab.Model{
		{File: "models/demo-eps0.1-z8.safetensors", Method: method.Untuned, Eps: 0.1, ZDim: 8},
	}, modelsOf("line", 0.1, 8, "flow-st", "flow-matching", "list", "ae-aug")),
		Sweep: "sweeps/line.json", Published: 0.0218, PublishedBy: "the authors’ program"}
}

// Particles returns the lab of interacting particles.
func Particles() lab.Lab {
	return lab.Lab{
		System: particles.System(),
		Shipped: slices.Concat(modelsOf("particles", 0.01, 8, method.Tunable), []lab.Model{
			{File: "models/particles-laptop.safetensors", Method: method.Untuned, Eps: 0.01, ZDim: 8},
			{File: "models/particles-ab.safetensors", Method: method.Untuned, Eps: 0.01, ZDim: 8, Params: "a,b"},
		}, modelsOf("particles", 0.01, 8, "flow-st", "flow-matching", "list", "ae-aug", "ae-inve", "ae-inve-cd", "inve"), []lab.Model{
			{File: "models/particles-flow-wide.safetensors", Method: method.Untuned, Eps: 0.01, ZDim: 8, Wide: true},
		}),
		Sweep: "sweeps/particles.json", Published: 5.19e-5, PublishedBy: "the paper’s DeepSet",
		States: "models/particles-states.npz",
	}
}

// Mixing returns the lab of two species that mix.
func Mixing() lab.Lab {
	return lab.Lab{
		System: mixing.System(),
		Shipped: slices.Concat(modelsOf("mixing", 0.01, 1, method.Tunable), []lab.Model{
			{File: "models/mixing-laptop.safetensors", Method: method.Untuned, Eps: 0.01, ZDim: 1},
			{File: "models/mixing-te.safetensors", Method: method.Untuned, Eps: 0.01, ZDim: 1, Params: "temperature,e12"},
		}, modelsOf("mixing", 0.01, 1, "flow-st", "flow-matching", "ae-aug", "ae-inve", "ae-inve-cd", "inve")),
		Sweep: "sweeps/mixing.json",
		Codes: "models/mixing-z.npz", States: "models/mixing-states.npz",
	}
}

// Polymer returns the lab of chains that a flow unfolds.
func Polymer() lab.Lab {
	return lab.Lab{
		System:  polymer.System(),
		Shipped: modelsOf("polymer", 0.02, 3, method.Tunable, method.Untuned, "ae-aug"), States: "models/polymer-states.npz",
		Opening: "&start=hairpin&beside=second&film=flow",
		Beside: func(live system.Live) extras.Part {
			files := make(map[string]string)
			for _, m := range Filmed() {
				files[m.Method] = m.File
			}
			chain := live.(*polymer.Live)
			return &chains{companion.New(chain, files), ensemble.New(chain)}
		},
		Does: func() wire.Helper { return new(ensemble.Helper) },
	}
}

// chains contains the extra panels of the polymers' lab: a second chain, which needs files, and
// an ensemble, which helpers compute.
type chains struct {
	*companion.Twin
	*ensemble.Crowd
}

// Look implements extras.Part.
func (c *chains) Look(now extras.Now) {
	c.Twin.Look(now)
	c.Crowd.Look(now)
}

// Work implements extras.Part. Each of the two panels gets the whole budget.
func (c *chains) Work(clock func() time.Time, budget time.Duration) (busy, changed bool) {
	first, moved := c.Twin.Work(clock, budget)
	busy, changed = c.Crowd.Work(clock, budget)
	return busy || first, changed || moved
}

// Put implements extras.Part.
func (c *chains) Put(f *wire.Frame) {
	c.Twin.Put(f)
	c.Crowd.Put(f)
}

// Summary implements extras.Part.
func (c *chains) Summary() string { return c.Twin.Summary() + c.Crowd.Summary() }

// Flock returns the lab of birds that turn towards their neighbours.
func Flock() lab.Lab {
	return lab.Lab{System: flock.System(), Shipped: []lab.Model{
		{File: "models/flock-flow.safetensors", Method: method.Untuned, Eps: 0.05, ZDim: 3, Params: "eta"},
	}}
}

// Filmed returns the models of the polymers' lab that encode films.
func Filmed() []lab.Model {
	return modelsOf("polymer-video", 0.02, 3, "flow", "flow-memory", "cnn", "vit")
}

// Systems returns all systems that can be learned: the systems of the labs, films of polymers, and
// flocks.
func Systems() method.Systems {
	return method.Systems{line.System(), particles.System(), mixing.System(), polymer.System(), polymer.FromVideo(), flock.System()}
}

// All returns every lab.
func All() session.List {
	return session.List{Line(), Particles(), Mixing(), Polymer(), Flock(), Own()}
}
