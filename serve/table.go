package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/mixing"
	"macroscope/serve/figure"
	"macroscope/serve/output"
)

// tableOptions are the flags of a table.
type tableOptions struct {
	experiment, preset, models, figures string
	data                                string
	workers, seeds, trajectories        int
	seed                                uint64
	given                               map[string]bool
	stderr                              io.Writer
}

func tableCommand(stdout, stderr io.Writer) *ffcli.Command {
	flags := newFlags("macroscope table", stderr)
	o := tableOptions{stderr: stderr}
	experimentFlags(flags, &o.experiment, &o.preset, "line/flow", "whose table")
	flags.StringVar(&o.models, "models", filepath.Join("assets", "models"), "folder of the trained models; those that it holds already are not trained again")
	flags.StringVar(&o.figures, "figures", filepath.Join("assets", "figures"), "folder to write the figures to")
	flags.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that share the work")
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the trainings, the first of them where there are several")
	flags.IntVar(&o.seeds, "seeds", 3, "particles, mixing: trainings to average over")
	flags.IntVar(&o.trajectories, "trajectories", 0, "particles, mixing: trajectories of each test (default: 1000, mixing 200)")
	flags.StringVar(&o.data, "data", "", "particles, mixing: trajectories to train on, see train -h (default: they are simulated)")
	return &ffcli.Command{
		Name: "table", ShortUsage: "macroscope table [flags]", ShortHelp: "print an experiment's table and draw its figures",
		LongHelp: "Trains the models that are not there yet, measures all, prints a table in Markdown and draws the\n" +
			"figures of the paper's section. The models are written without the state of their training.\n\n" +
			"  line       KL(q_X || p_θ) for ε 0.03, 0.1, 0.3 and ẑ dim 1, 2, 4, 8 (section 4.1)\n" +
			"  particles  MRE of the three tests over several seeds, beside the paper's (section 4.2)\n" +
			"  mixing     MMD of the three tests likewise, for several forms of the dynamics (section 4.3)\n\n" +
			"A test that the method's encoder cannot take is n/a.",
		FlagSet: flags,
		Exec: execute(flags, &o.workers, func(ctx context.Context, given map[string]bool) error {
			o.given = given
			return o.run(ctx, stdout)
		}),
	}
}

func (o *tableOptions) run(ctx context.Context, stdout io.Writer) error {
	spec, err := specOf(o.experiment, o.preset, o.given)
	if err != nil {
		return err
	}
	c, err := systems.Preset(spec.String())
	if err != nil {
		return err
	}
	for _, dir := range []string{o.models, o.figures} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if !c.HasDynamics() {
		return o.densities(ctx, c, stdout)
	}
	return o.predictions(ctx, c, stdout)
}

// base begins the names of an experiment's models and figures.
func base(s experiment.Spec) string { return strings.ReplaceAll(s.Name(), "/", "-") }

// shippedNames are the models that come with the lab under other names.
var shippedNames = map[string]string{"ae-aug-laptop": "particles-ordered"}

// path is where the model of a variant and a seed is.
func (o *tableOptions) path(s experiment.Spec, v variant, seed uint64) string {
	name := base(s) + "-" + s.Preset
	if shipped, ok := shippedNames[name]; ok {
		name = shipped
	}
	name += v.suffix
	if seed != 1 { // the first is the one that the lab ships
		name += fmt.Sprintf("-seed%d", seed)
	}
	return filepath.Join(o.models, name+".safetensors")
}

// variant is a form of the dynamics.
type variant struct {
	joint, share bool
	name, suffix string // in the table, and in names of files
}

// variants lists the forms that a table compares. They begin with the one in
// whose training the others share stage I.
func variants(c *experiment.Config) []variant {
	if !c.Traits.Stochastic || c.Sets() == 1 {
		return []variant{{joint: c.Dynamics.Joint, share: c.Dynamics.Share}}
	}
	if c.Encoder.Ordered() { // which have one share in all trajectories
		return []variant{{true, false, ", joint dynamics", ""}, {false, false, ", separate dynamics", "-separate"}}
	}
	return []variant{
		{true, true, ", joint dynamics, with the share", ""}, {false, true, ", separate dynamics, with the share", "-separate"},
		{true, false, ", joint dynamics", "-noshare"}, {false, false, ", separate dynamics", "-separate-noshare"},
	}
}

// predictions makes the table of a system with dynamics.
func (o *tableOptions) predictions(ctx context.Context, c experiment.Config, stdout io.Writer) error {
	count, err := trajectoriesOf(&c, o.trajectories, o.given)
	if err != nil {
		return err
	}
	if o.seeds < 1 || o.seeds > 100 {
		return fmt.Errorf("-seeds %d; use 1 to 100", o.seeds)
	}
	all := variants(&c)
	models := make([][]*experiment.Model, len(all)) // of each variant and seed
	for k := range o.seeds {
		of, err := o.modelsOf(ctx, c, all, o.seed+uint64(k))
		if err != nil {
			return err
		}
		for i, m := range of {
			models[i] = append(models[i], m)
		}
	}
	results, err := o.measure(ctx, models, count)
	if err != nil {
		return err
	}
	printPredictions(stdout, c.Spec.Preset, models[0][0], all, results)
	return o.drawPredictions(ctx, &c, models[0][0], min(count, 100))
}

// measure measures models on the trajectories of the tests, which are simulated
// once for all of them.
func (o *tableOptions) measure(ctx context.Context, models [][]*experiment.Model, count int) ([][]*result, error) {
	results := make([][]*result, len(models)) // of each variant and seed
	for i := range models {
		for range models[i] {
			results[i] = append(results[i], new(result))
		}
	}
	first := models[0][0]
	for _, test := range first.System.Tests() {
		src, why := testSource(&first.Config, test, evalSeed, count)
		if why != "" {
			continue
		}
		bar := newProgress(o.stderr, test.Name, "trajectory", 0, count)
		starts, err := system.CollectStarts(ctx, src, count, o.workers, func(n int) { bar.at(n, noNote) })
		bar.finish()
		if err != nil {
			return nil, err
		}
		for i := range models {
			for k, m := range models[i] {
				p, err := m.Evaluate(ctx, starts, count, evalMembers, evalSeed, o.workers, func(int) {})
				if err != nil {
					return nil, err
				}
				r, err := newRow(ctx, test.Name, m.Config.Traits.Stochastic, p)
				if err != nil {
					return nil, err
				}
				results[i][k].tests = append(results[i][k].tests, r)
			}
		}
	}
	return results, nil
}

// modelsOf opens a seed's models of all variants, or trains them all.
func (o *tableOptions) modelsOf(ctx context.Context, c experiment.Config, all []variant, seed uint64) ([]*experiment.Model, error) {
	var models []*experiment.Model
	for _, v := range all {
		m, _, err := load(o.path(c.Spec, v, seed))
		if errors.Is(err, fs.ErrNotExist) {
			return o.trainAll(ctx, c, all, seed)
		}
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// trainAll trains and writes a seed's models of all variants.
func (o *tableOptions) trainAll(ctx context.Context, c experiment.Config, all []variant, seed uint64) ([]*experiment.Model, error) {
	changes := []string{fmt.Sprintf("seed=%d", seed)}
	if len(all) > 1 {
		changes = append(changes, fmt.Sprintf("law.share=%t", all[0].share), fmt.Sprintf("law.joint=%t", all[0].joint))
	}
	first, err := o.begin(c, changes...)
	if err != nil {
		return nil, err
	}
	defer first.close()
	var models []*experiment.Model
	for i, v := range all {
		t := first
		if i > 0 {
			run, err := first.run.Another(v.joint, v.share)
			if err != nil {
				return nil, err
			}
			defer run.Close()
			t = &training{run: run, began: first.began, workers: o.workers}
		}
		m, err := o.train(ctx, t, o.path(c.Spec, v, seed))
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

// train takes a training to its end and writes the model.
func (o *tableOptions) train(ctx context.Context, t *training, path string) (*experiment.Model, error) {
	if err := t.toTheEnd(ctx, o.stderr, noSave); err != nil {
		return nil, err
	}
	return t.run.Model, o.write(path, func(w io.Writer) error { return ckpt.Encode(w, t.run.Model.Checkpoint()) })
}

// densities makes the table of a system without dynamics: KL(q_X || p_θ), a row
// an ε and a column a latent dimension, the same as of the models that come with
// the lab.
func (o *tableOptions) densities(ctx context.Context, c experiment.Config, stdout io.Writer) error {
	if err := refuse(o.given, c.Spec.Name(), "seeds", "trajectories", "data"); err != nil {
		return err
	}
	models, kl := make([][]*experiment.Model, 3), make([][]float64, 3)
	for i, eps := range []float64{0.03, 0.1, 0.3} {
		for _, zdim := range []int{1, 2, 4, 8} {
			path := filepath.Join(o.models, fmt.Sprintf("%s-eps%g-z%d.safetensors", base(c.Spec), eps, zdim))
			m, _, err := load(path)
			if errors.Is(err, fs.ErrNotExist) {
				m, err = o.trainOne(ctx, c, path, fmt.Sprintf("eps=%g", eps), fmt.Sprintf("encoder.zdim=%d", zdim), fmt.Sprintf("seed=%d", o.seed))
			}
			if err != nil {
				return err
			}
			figures, err := (&evaluation{model: m, seed: evalSeed}).kl(ctx, evalSets, evalSamples)
			if err != nil {
				return err
			}
			reached := figures.of("kl")
			fmt.Fprintf(o.stderr, "ε = %g, ẑ dim %d: KL %s\n", eps, zdim, setting.Figure("%.5f nats", reached))
			models[i], kl[i] = append(models[i], m), append(kl[i], reached)
		}
	}
	printDensities(stdout, models, kl)
	name := filepath.Join(o.figures, base(c.Spec))
	err := o.write(name+"-densities.png", func(w io.Writer) error { return figure.Densities(w, models, evalSeed) })
	if err != nil {
		return err
	}
	return o.write(name+"-kl.png", func(w io.Writer) error { return figure.KL(w, models, kl) })
}

// write writes a model or a figure.
func (o *tableOptions) write(path string, write func(io.Writer) error) error {
	out, err := output.New("the table's", path, output.Input{Flag: "-data", Path: o.data})
	if err != nil {
		return err
	}
	return out.Write(write)
}

// begin opens a training of an experiment with changes NAME=VALUE.
func (o *tableOptions) begin(c experiment.Config, changes ...string) (*training, error) {
	s := settings{experiment: c.Spec.String()}
	for _, text := range changes {
		if err := s.set(text); err != nil {
			return nil, err
		}
	}
	return (&trainOptions{settings: s, data: o.data, workers: o.workers}).open()
}

func (o *tableOptions) trainOne(ctx context.Context, c experiment.Config, path string, changes ...string) (*experiment.Model, error) {
	t, err := o.begin(c, changes...)
	if err != nil {
		return nil, err
	}
	defer t.close()
	return o.train(ctx, t, path)
}

// drawPredictions draws what a model predicts beside what happens: curves of
// three trajectories, or, where the dynamics are stochastic, bands of count runs.
func (o *tableOptions) drawPredictions(ctx context.Context, c *experiment.Config, m *experiment.Model, count int) error {
	name, variables := filepath.Join(o.figures, base(c.Spec)), m.System.Variables("")
	if !c.Traits.Stochastic {
		src, why := testSource(&m.Config, m.System.Tests()[0], evalSeed, 3)
		if why != "" {
			return nil // there is nothing to be shown
		}
		runs := make([]system.Trajectory, 3)
		err := src.Each(ctx, len(runs), o.workers, func(i int, t *system.Trajectory) error {
			runs[i] = system.Trajectory{Points: slices.Clone(t.Points), Species: slices.Clone(t.Species), Macro: slices.Clone(t.Macro)}
			return nil
		})
		if err != nil {
			return err
		}
		return o.write(fmt.Sprintf("%s-%s.png", name, variables[0]), func(w io.Writer) error {
			return figure.Curves(w, m, runs, src.Shape().Dim, evalSeed)
		})
	}
	tests := m.System.Tests()
	if c.Spec.System == "mixing" && !m.Config.Encoder.Ordered() { // the paper's three boundaries
		tests = []system.Test{mixing.At(12), mixing.At(16), mixing.At(20)}
	}
	var sets []string
	var of []*experiment.Prediction
	for _, test := range tests {
		src, why := testSource(&m.Config, test, evalSeed, count)
		if why != "" {
			continue
		}
		e := evaluation{model: m, seed: evalSeed, workers: o.workers, stderr: o.stderr}
		p, err := e.predict(ctx, test.Name, src, count, 1)
		if err != nil {
			return err
		}
		sets, of = append(sets, test.Name), append(of, p)
	}
	if len(of) == 0 {
		return nil
	}
	return o.write(name+"-ratios.png", func(w io.Writer) error { return figure.Bands(w, variables, sets, of) })
}
