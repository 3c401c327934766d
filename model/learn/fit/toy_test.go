package fit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/sim/rng"
)

// toy is a system with the name and the traits of a real system, and therefore with the same
// presets. Its simulation takes no time.
type toy struct {
	*system.System
	frames int
}

// toys returns three systems. The first has single sets without time. The second is deterministic,
// with one set per frame. The third is stochastic, with two sets per frame.
func toys() method.Systems {
	streams := system.Streams{Weights: "w", Sets: "s", Steps: "p", Stretches: "r", Turns: "t", Rollouts: "o"}
	return method.Systems{
		{
			Traits: system.Traits{Name: "line", Title: "Toy line", Dim: 1, Streams: streams}, Draw: drawToy,
			Validation: func(points []float32, src *rng.Source, seed uint64, index int) {
				src.Seed(seed, "toy validation", uint64(index))
				drawToy(points, src)
			},
		},
		newToy(18, system.Traits{
			Name: "particles", Title: "Toy particles", Dim: 2, Scaling: system.Standardise, Vectors: [][]int{{0, 1}}, Dt: 0.1, Streams: streams,
		}, "energy"),
		newToy(14, system.Traits{
			Name: "mixing", Title: "Toy mixing", Dim: 2, Sets: []string{"A", "B"}, Scaling: system.Span, Dt: 0.2, Stochastic: true, Streams: streams,
		}, "left", "right"),
	}
}

// newToy returns a system of trajectories. The macroscopic variables are the mean squared distances of each set's
// particles from the origin.
func newToy(frames int, traits system.Traits, macro ...string) *system.System {
	s := &system.System{Traits: traits, Macro: macro, Keep: system.Schedule{{Last: 7, Every: 1}, {Every: 2}}}
	sets := max(1, len(s.Sets))
	if sets == 1 {
		s.Observables = setting.Choices("energy", "twice")
	}
	s.Files = &system.Contents{
		Particle: "particle",
		Species: func(species []uint8) error {
			for _, k := range species {
				if k < 1 || int(k) > sets {
					return fmt.Errorf("species %d", k)
				}
			}
			return nil
		},
		Observer: func(string, string, int) (system.Observer, error) {
			return func(macro []float64, frame []float32, of *system.Trajectory) error {
				for set := range sets {
					sum, count := 0.0, 0
					for i, x := range frame {
						if int(of.Species[i/s.Dim]) == set+1 {
							sum += float64(x) * float64(x)
							count++
						}
					}
					if count == 0 {
						return fmt.Errorf("no particle is of species %d", set+1)
					}
					macro[set] = sum / float64(count/s.Dim)
				}
				return nil
			}, nil
		},
		Read: func(*system.System, system.File, string) (system.Recorded, error) {
			return nil, fmt.Errorf("a toy has no files")
		},
	}
	s.Simulated = func(c system.Choice) system.Source { return &toySource{toy: toy{s, frames}, choice: c} }
	return s
}

// toyOf returns the toy of a system of trajectories.
func toyOf(s *system.System) toy { return s.Simulated(system.Choice{}).(*toySource).toy }

// drawToy draws a set from a normal distribution with random mean and width.
func drawToy(points []float32, src *rng.Source) {
	at, width := src.NormFloat64(), 0.1+src.Float64()
	for i := range points {
		points[i] = float32(at + width*src.NormFloat64())
	}
}

// make simulates trajectory i: particles that approach the origin, with noise if the system
// is stochastic.
func (s toy) make(c system.Choice, i int) *system.Trajectory {
	n, dim := c.Particles, s.Dim
	src := rng.New(c.Seed, fmt.Sprint("toy ", c.Purpose), uint64(i))
	t := &system.Trajectory{Species: make([]uint8, n)}
	first := n
	if len(s.Sets) > 0 {
		first = (n + 1) / 2
		if !c.Fixed {
			first = 1 + src.IntN(n-1)
		}
	}
	for p := range n {
		t.Species[p] = 1
		if p >= first {
			t.Species[p] = 2
		}
	}
	spread, rate := 0.5+src.Float64(), 0.05+0.1*src.Float64()
	x := make([]float64, n*dim)
	for j := range x {
		x[j] = spread * src.NormFloat64()
	}
	for range s.frames {
		for j, v := range x {
			t.Points = append(t.Points, float32(v))
			x[j] -= rate * v
			if s.Stochastic {
				x[j] += 0.05 * src.NormFloat64()
			}
		}
	}
	if err := s.Finish(t, dim, ""); err != nil {
		panic(err)
	}
	return t
}

// toySource simulates trajectories as they are read.
type toySource struct {
	toy    toy
	choice system.Choice
}

func (s *toySource) Shape() system.Shape {
	return system.Shape{Trajectories: s.choice.Count, Frames: s.toy.frames, Particles: s.choice.Particles, Dim: s.toy.Dim}
}

func (s *toySource) Make(t *system.Trajectory, i int, pause work.Pause) error {
	if i < 0 || i >= s.choice.Count {
		return fmt.Errorf("trajectory %d of %d was asked for", i, s.choice.Count)
	}
	*t = system.Trajectory{} // incomplete while it pauses
	for k := range toyPauses {
		if err := pause(float64(k) / toyPauses); err != nil {
			return err
		}
	}
	*t = *s.toy.make(s.choice, i)
	return nil
}

// toyPauses is how often a toySource pauses while it makes a trajectory.
const toyPauses = 2

// toyRecorded contains a user's trajectories. Finish computes missing macroscopic variables
// when a trajectory is read.
type toyRecorded struct {
	toy        toy
	of         []system.Trajectory
	observable string
}

// record simulates trajectories and returns them as a user's recording.
func (s toy) record(count, particles int, fixed, macro bool, observable string) *toyRecorded {
	r := &toyRecorded{toy: s, observable: observable}
	for i := range count {
		t := s.make(system.Choice{Purpose: system.Show, Seed: 9, Particles: particles, Fixed: fixed}, i)
		if !macro {
			t.Macro = nil
		}
		r.of = append(r.of, *t)
	}
	return r
}

func (r *toyRecorded) Observable() string { return r.observable }
func (r *toyRecorded) Close() error       { return nil }

func (r *toyRecorded) Facts() *system.Facts { return new(system.Facts) }

func (r *toyRecorded) Shape() system.Shape {
	return system.Shape{Trajectories: len(r.of), Frames: r.toy.frames, Particles: len(r.of[0].Species), Dim: r.toy.Dim}
}

func (r *toyRecorded) Raw(t *system.Trajectory, i int) error {
	if i >= len(r.of) {
		return fmt.Errorf("there is no trajectory %d", i)
	}
	*t = system.Trajectory{Points: slices.Clone(r.of[i].Points), Species: slices.Clone(r.of[i].Species), Macro: slices.Clone(r.of[i].Macro)}
	return nil
}

func (r *toyRecorded) Make(t *system.Trajectory, i int, _ work.Pause) error {
	if err := r.Raw(t, i); err != nil {
		return err
	}
	return r.toy.Finish(t, r.toy.Dim, r.observable)
}

// pairs lists the pairs of system and method that these tests train, some in several forms.
var pairs = func() []string {
	all := []string{"mixing/flow by species", "mixing/flow in tries", "particles/flow in pairs"}
	for _, s := range toys() {
		for _, m := range method.MethodsFor(s.Traits.Name) {
			all = append(all, s.Traits.Name+"/"+m.Name)
		}
	}
	return all
}()

// moving returns the pairs with dynamics.
func moving() []string {
	return slices.DeleteFunc(slices.Clone(pairs), func(pair string) bool { return strings.HasPrefix(pair, "line/") })
}

// tiny returns a configuration and its system. Training takes very little time. The configuration
// uses each of these features if the system allows it:
//
//   - trajectories become available during training
//   - frames are turned
//   - stage II has two phases
//   - the share of the first species is an input
//   - each set has its own equation
func tiny(pair string) (method.Config, *system.System) {
	spec, _, _ := strings.Cut(pair, " ")
	systems := toys()
	c, err := systems.Preset(spec + "@laptop")
	if err != nil {
		panic(err)
	}
	sys, err := systems.Find(c.Spec.System)
	if err != nil {
		panic(err)
	}
	c = with(c, "encoder.zdim=2")
	c.Batch, c.Shards, c.Steps = 8, 4, 9
	c.Decoder.Samples = 4
	change(&c, small)
	if !c.HasDynamics() {
		c.Particles = 12
		return c, sys
	}
	c.Data.Trajectories, c.Data.Initial, c.Data.Every, c.Data.Thin = 7, 3, 2, 2
	if pair == "particles/flow in pairs" {
		c.Decoder.Step.Weight = 0.5
	}
	if c.Decoder.Step.On() {
		c.Data.Initial, c.Decoder.Step.Drift.Hidden = 0, []int{6}
	}
	d := &c.Dynamics
	d.Trajectories, d.Drift.Hidden, d.Noise.Hidden = 5, []int{6}, []int{4}
	d.Velocity.Batch, d.Velocity.Shards, d.Velocity.Steps = 12, 3, 7
	if c.Traits.Stochastic {
		d.Velocity.Window, d.Velocity.Stride, d.Velocity.Substeps = 4, 1, min(2, d.Velocity.Substeps)
		switch pair {
		case "mixing/flow by species":
			c = with(c, "law.joint=false")
		case "mixing/flow in tries":
			d.Tries = 3
		}
	} else {
		d.Rollout.Batch, d.Rollout.Shards, d.Rollout.Steps, d.Rollout.Window, d.Rollout.Stride = 8, 2, 6, 3, 2
		c.Data.Views = min(c.Data.Views, 4)
	}
	c.Particles = 7
	return c, sys
}

// with returns the configuration with changes, each NAME=VALUE.
func with(c method.Config, settings ...string) method.Config {
	c, err := c.With(settings...)
	if err != nil {
		panic(err)
	}
	return c
}

// small contains the settings of the smallest networks.
var small = map[string]string{
	"encoder.hidden": "6 5", "encoder.head": "6", "hidden": "6 5", "decoder.hidden": "5 6",
	"encoder.width": "8", "encoder.heads": "2", "encoder.inducing": "3", "encoder.blocks": "2", "encoder.seeds": "1", "encoder.feed": "6",
	"picture.rows": "4", "picture.cols": "20", "picture.pixel": "25", "cnn.widths": "3 4",
	"vit.patch": "4", "vit.width": "4", "vit.heads": "2", "vit.hidden": "6", "vit.blocks": "1", "vit.restoring": "1",
	"flow.layers": "2", "flow.bins": "4", "flow.hidden": "5", "flow.basehidden": "4", "matching.hidden": "5", "matching.steps": "2",
}

// change changes the settings that the configuration has and skips all others.
func change(c *method.Config, values map[string]string) {
	for name, text := range values {
		if c.Table().Find(name) == nil {
			continue
		}
		if err := c.Set(name, text); err != nil {
			panic(err)
		}
	}
}

// total returns the steps of all phases.
func total(c *method.Config) int {
	n := c.Steps
	if c.HasDynamics() {
		n += c.Dynamics.Velocity.Steps + c.Dynamics.Rollout.Steps
	}
	return n
}

func infinite(v float64) bool { return math.IsInf(v, 0) || math.IsNaN(v) }

// collect reads the frames of stage I and computes the scales.
func collect(m *model.Model, src system.Source, workers int) (*frames, error) {
	d := newFrames(m, src.Shape())
	return d, readAll(work.Until(context.Background()), d, src, len(d.of), workers)
}

// newDynamics returns the worker that computes the gradients of a phase of stage II.
func newDynamics(m *model.Model, s Stage, d *states) *stretches {
	phases := Phases(&m.Config)
	at, err := index(phases, s)
	if err != nil {
		panic(err)
	}
	return phases[at].loss(m, d).(*stretches)
}
