package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"

	"macroscope/model/ckpt"
	"macroscope/model/lab"
)

// published are the rows of the paper's table of interacting particles: mean
// MRE of in-dst, diff-init and diff-N, as it prints them.
var published = [][4]string{
	{"AE-Aug", "1.25e-3", "8.04e-4", "n/a"},
	{"AE-InvE", "2.41e-4", "5.87e-4", "2.49e-4"},
	{"AE-InvE-CD", "6.14e-5", "3.90e-4", "6.43e-5"},
	{"InvE", "6.01e-5", "4.85e-4", "6.13e-5"},
	{"paper, DeepSet", "5.19e-5", "4.38e-4", "5.22e-5"},
	{"paper, Set Transformer", "3.20e-5", "1.70e-3", "2.60e-5"},
}

func (particles) table(ctx context.Context, o *tableOptions, stdout, stderr io.Writer) error {
	if err := refuse(o.given, "particles", "data"); err != nil {
		return err
	}
	if o.seeds < 1 || o.seeds > 100 || o.trajectories < 1 || o.trajectories > 1_000_000 {
		return fmt.Errorf("-seeds %d and -trajectories %d; use up to 100 and up to 1000000", o.seeds, o.trajectories)
	}
	var models []*lab.ParticlesModel
	var results []testResult
	for k := range o.seeds {
		m, err := o.particlesModel(ctx, o.seed+uint64(k), stderr)
		if err != nil {
			return err
		}
		r, err := testParticles(ctx, m, evalSeed, o.trajectories, o.workers, stderr)
		if err != nil {
			return err
		}
		fmt.Fprintf(stderr, "seed %d\n", o.seed+uint64(k))
		if err := r.print(stderr); err != nil {
			return err
		}
		models, results = append(models, m), append(results, r)
	}
	printParticles(stdout, o.preset, results)
	return drawParticles(ctx, o.figures, models[0])
}

// particlesModel opens the model of a seed, or trains it.
func (o *tableOptions) particlesModel(ctx context.Context, seed uint64, stderr io.Writer) (*lab.ParticlesModel, error) {
	name := fmt.Sprintf("particles-%s-seed%d.safetensors", o.preset, seed)
	if seed == 1 {
		name = fmt.Sprintf("particles-%s.safetensors", o.preset) // the one that the lab ships
	}
	path := filepath.Join(o.models, name)
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		m, _, err := lab.ReadParticles(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return m, nil
	}
	if !os.IsNotExist(err) {
		return nil, err
	}
	t, err := particles{}.train(&trainOptions{preset: o.preset, macro: lab.Energy, seed: seed, workers: o.workers}, nil)
	if err != nil {
		return nil, err
	}
	defer t.close()
	fmt.Fprintln(stderr, t.title())
	if err := toTheEnd(ctx, t, stderr); err != nil {
		return nil, err
	}
	m := t.(*particlesTraining).run.Model
	return m, ckpt.Save(path, m.Checkpoint())
}

// printParticles prints means and standard deviations over the trainings, and
// the medians and maxima over all their trajectories.
func printParticles(w io.Writer, preset string, results []testResult) {
	fmt.Fprint(w, "| MRE |")
	for _, t := range results[0].Tests {
		fmt.Fprintf(w, " %s |", t.Set)
	}
	fmt.Fprintln(w, "\n|---|---|---|---|")
	for _, row := range published {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", row[0], row[1], row[2], row[3])
	}
	for _, row := range []struct {
		name string
		of   func(rolloutResult) float64
	}{
		{"mean", func(r rolloutResult) float64 { return r.MRE }},
		{"median", func(r rolloutResult) float64 { return r.Median }},
		{"maximum", func(r rolloutResult) float64 { return r.Max }},
	} {
		fmt.Fprintf(w, "| Macroscope, %s, %s |", preset, row.name)
		for i := range results[0].Tests {
			var sum, squares float64
			n := float64(len(results))
			for _, r := range results {
				v := row.of(r.Tests[i])
				sum += v
				squares += v * v
			}
			mean := sum / n
			if n > 1 {
				fmt.Fprintf(w, " %.2e ± %.1e |", mean, math.Sqrt(max(squares-n*mean*mean, 0)/(n-1)))
			} else {
				fmt.Fprintf(w, " %.2e |", mean)
			}
		}
		fmt.Fprintln(w)
	}
}
