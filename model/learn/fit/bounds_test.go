package fit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/learn/method"
	"macroscope/model/system"
	"macroscope/model/system/mixing"
	"macroscope/model/work"
)

// extremes are values that are invalid for almost every setting.
var extremes = []string{"1e308", "-1e308", "NaN", "Inf", "-Inf", "0", "-1", "1e-320", "9223372036854775807", "18446744073709551615"}

// The map `forms` contains changes (NAME=VALUE) that bring further settings into effect. The keys
// are pairs (SYSTEM/METHOD).
var forms = map[string][]string{
	"particles/flow": {"law.form=onsager", "law.form=onsager-resnet", "step.weight=0.5", "law.confined=true", "flow.order=random"},
	"mixing/flow":    {"law.noise.form=full", "law.confined=true"},
}

// TestExtremeSettings sets every setting of every pair to each value in `extremes`. Settings of
// type float64 are also set to their lower and upper bounds. The configuration must be rejected
// with a sentence, or the model must train for two steps in each phase with finite numbers.
func TestExtremeSettings(t *testing.T) {
	systems := append(real(), mixing.System())
	for _, sys := range systems {
		name := sys.Traits.Name
		for at, method := range method.MethodsFor(name) {
			if at > 0 && testing.Short() {
				break // the other methods take seconds if the build has no SIMD
			}
			pair := name + "/" + method.Name
			t.Run(pair, func(t *testing.T) {
				c := smallest(t, systems, pair)
				src, table := onceSimulated(t, &c, sys), c.Table()
				for _, form := range append([]string{""}, forms[pair]...) {
					c := c
					if name, value, ok := strings.Cut(form, "="); ok {
						change(&c, map[string]string{"law.box.half": "1.25", "law.box.pull": "10", "warm": "0", name: value})
					}
					if refused, err := trainWith(c, sys, src, "seed", "1"); refused || err != nil {
						t.Errorf("%s alone: refused %v, %v", form, refused, err)
					}
					for _, f := range c.Table() {
						values := extremes
						if _, fraction := f.Value.(*float64); fraction {
							values = slices.Concat(extremes, []string{fmt.Sprint(f.Low), fmt.Sprint(f.High)})
						}
						if f.Needs != "" || form != "" && table.Find(f.Name).Needs == "" {
							continue // skips a setting that has no effect with `form`, and a setting that was already tested without `form`
						}
						for _, v := range values {
							if _, err := trainWith(c, sys, src, f.Name, v); err != nil {
								t.Errorf("%s %s=%s: %v", form, f.Name, v, err)
							}
						}
					}
				}
			})
		}
	}
}

// smallest returns a configuration of a pair with two steps in each phase.
func smallest(t *testing.T, systems method.Systems, pair string) method.Config {
	c, err := systems.Preset(pair + "@laptop")
	if err != nil {
		t.Fatal(err)
	}
	c = with(c, "encoder.zdim=2", "particles=12")
	c.Batch, c.Shards, c.Steps, c.Decoder.Samples, c.Data.Views = 4, 2, 2, 4, min(c.Data.Views, 2)
	change(&c, small)
	if c.HasDynamics() {
		c.Data.Trajectories, c.Data.Initial, c.Data.Thin = 3, min(c.Data.Initial, 2), 7
		d := &c.Dynamics
		d.Trajectories, d.Drift.Hidden, d.Noise.Hidden = 3, []int{6}, []int{4}
		d.Velocity.Batch, d.Velocity.Shards, d.Velocity.Steps = 4, 2, 2
		if c.Traits.Stochastic {
			d.Velocity.Window, d.Velocity.Stride, d.Begin = 4, 1, min(d.Begin, shortRun/3)
		} else {
			d.Rollout.Batch, d.Rollout.Shards, d.Rollout.Steps, d.Rollout.Window, d.Rollout.Stride = 4, 2, 2, 3, 2
		}
	}
	return c
}

// trainWith trains a configuration with one changed setting, and reports whether the change was
// rejected. It returns an error if the text of the rejection is not a sentence, or if the trained
// model has a number that is not finite.
func trainWith(c method.Config, sys *system.System, src system.Source, name, value string) (refused bool, err error) {
	err = c.Set(name, value)
	if err == nil {
		err = c.Validate()
	}
	var r *Run
	if err == nil {
		c.Steps, c.Dynamics.Velocity.Steps, c.Dynamics.Rollout.Steps = min(c.Steps, 2), min(c.Dynamics.Velocity.Steps, 2), min(c.Dynamics.Rollout.Steps, 2)
		r, err = New(c, c.System(sys), src, 1)
	}
	if err != nil {
		return true, sentence(err)
	}
	defer r.Close()
	for r.Stage() != Done {
		if err := r.Prepare(work.Until(context.Background())); err != nil {
			return true, sentence(err) // Prepare rejects a ẑ that is the same in all frames
		}
		if err := r.Train(work.Until(context.Background()), func() error {
			if loss := r.Trainer().Loss(); infinite(loss) {
				return fmt.Errorf("the loss is %g", loss)
			}
			if r.Step() == 2 {
				return errEnough
			}
			return nil
		}); err != nil && err != errEnough {
			return false, err
		}
		r.Next()
	}
	if !kernel.AllFinite(r.Model.Weights.Params) || !kernel.AllFinite(r.Model.Weights.DynamicsParams) {
		return false, fmt.Errorf("a weight is not finite")
	}
	return false, nil
}

// sentence returns an error unless the text of err is a sentence.
func sentence(err error) error {
	if text := err.Error(); len(text) < 20 || strings.ContainsAny(text, "\n\x00") {
		return fmt.Errorf("refused with %q", text)
	}
	return nil
}

// shortRun is the number of frames in each trajectory. The tests train on these trajectories for
// two steps.
const shortRun = 30

// kept contains trajectories that have been simulated once.
type kept struct {
	shape system.Shape
	of    []system.Trajectory
}

// onceSimulated simulates the trajectories of a configuration and keeps them; it returns nil
// for a system of single sets. If a simulation takes long, a toy system replaces it.
func onceSimulated(t *testing.T, c *method.Config, sys *system.System) system.Source {
	src := Source(c, sys)
	for _, s := range toys() {
		if s.Simulated != nil && s.Name == c.Spec.System {
			src = s.Simulated(c.Choice(system.Train, 1, 3))
		}
	}
	if src == nil {
		return nil
	}
	k := &kept{shape: src.Shape()}
	size, variables := k.shape.Particles*k.shape.Dim, len(sys.Variables(""))
	k.shape.Frames = min(k.shape.Frames, shortRun)
	if err := system.Each(work.Until(t.Context()), src, 3, 1, func(_ int, t *system.Trajectory) error {
		run := clone(t)
		run.Points, run.Macro = run.Points[:k.shape.Frames*size], run.Macro[:k.shape.Frames*variables]
		k.of = append(k.of, run)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return k
}

func clone(t *system.Trajectory) system.Trajectory {
	return system.Trajectory{Points: slices.Clone(t.Points), Species: slices.Clone(t.Species), Macro: slices.Clone(t.Macro), Params: slices.Clone(t.Params)}
}

func (k *kept) Shape() system.Shape { return k.shape }

func (k *kept) Make(t *system.Trajectory, i int, _ work.Pause) error {
	*t = clone(&k.of[i])
	return nil
}
