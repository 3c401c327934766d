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

// publishedMMD are the rows of the paper's table of mixing: MMD of in-dst,
// diff-init and diff-N, as it prints them.
var publishedMMD = [][4]string{
	{"AE-Aug", "1.91e-2", "1.07e-1", "n/a"},
	{"AE-InvE", "2.60e-2", "9.17e-2", "5.26e-2"},
	{"AE-InvE-CD", "2.24e-2", "1.04e-1", "2.16e-2"},
	{"InvE", "1.43e-1", "1.22e-1", "1.41e-1"},
	{"paper", "1.09e-2", "5.70e-2", "9.64e-3"},
}

func (mixing) table(ctx context.Context, o *tableOptions, stdout, stderr io.Writer) error {
	count := mixingTrajectories
	if o.given["trajectories"] {
		count = o.trajectories
	}
	if o.seeds < 1 || o.seeds > 100 || count < 2 || count > 100_000 {
		return fmt.Errorf("-seeds %d and -trajectories %d; use 1 to 100 and 2 to 100000", o.seeds, count)
	}
	var models []*lab.MixingModel
	var results [][]mmdResult
	for k := range o.seeds {
		m, err := o.mixingModel(ctx, o.seed+uint64(k), stderr)
		if err != nil {
			return err
		}
		r, err := testMixing(ctx, m, lab.MixingTests(), evalSeed, count, o.workers, stderr)
		if err != nil {
			return err
		}
		models, results = append(models, m), append(results, r)
	}
	printMixing(stdout, o.preset, models[0].Config, results)
	return drawMixing(ctx, filepath.Join(o.figures, "mixing-ratios.png"), models[0], min(count, 100), o.workers, stderr)
}

// mixingModel opens the model of a seed, or trains it.
func (o *tableOptions) mixingModel(ctx context.Context, seed uint64, stderr io.Writer) (*lab.MixingModel, error) {
	name := "mixing-" + o.preset
	if o.law == "separate" {
		name += "-separate"
	}
	if seed != 1 { // the first is the one that the lab ships
		name += fmt.Sprintf("-seed%d", seed)
	}
	path := filepath.Join(o.models, name+".safetensors")
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		m, _, err := lab.ReadMixing(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return m, nil
	}
	if !os.IsNotExist(err) {
		return nil, err
	}
	t, err := mixing{}.train(&trainOptions{preset: o.preset, law: o.law, data: o.data, seed: seed, workers: o.workers}, nil)
	if err != nil {
		return nil, err
	}
	defer t.close()
	fmt.Fprintln(stderr, t.title())
	if err := toTheEnd(ctx, t, stderr); err != nil {
		return nil, err
	}
	m := t.(*mixingTraining).run.Model
	return m, ckpt.Save(path, m.Checkpoint())
}

// printMixing prints means and standard deviations over the trainings beside
// the paper's rows, and what the noise of sampling comes to.
func printMixing(w io.Writer, preset string, c lab.MixingConfig, results [][]mmdResult) {
	fmt.Fprint(w, "| MMD |")
	for _, t := range results[0] {
		fmt.Fprintf(w, " %s |", t.Set)
	}
	fmt.Fprintln(w, "\n|---|---|---|---|")
	for _, row := range publishedMMD {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", row[0], row[1], row[2], row[3])
	}
	laws := "one law"
	if !c.Law.Joint {
		laws = "two laws"
	}
	for _, row := range []struct {
		name string
		of   func(mmdResult) float64
		form string
	}{
		{fmt.Sprintf("Macroscope, %s, %s, %d trajectories", preset, laws, c.Law.Trajectories), func(r mmdResult) float64 { return r.MMD }, "%.2e"},
		{fmt.Sprintf("two halves of the %d true ones", results[0][0].Trajectories), func(r mmdResult) float64 { return r.Floor }, "%.2e"},
		{fmt.Sprintf("share of the truth in bands of %.0f %%", 100*results[0][0].Nominal), func(r mmdResult) float64 { return r.Coverage }, "%.3f"},
	} {
		fmt.Fprintf(w, "| %s |", row.name)
		for i := range results[0] {
			var values []float64
			for _, r := range results {
				values = append(values, row.of(r[i]))
			}
			mean, sd := meanAndSD(values)
			fmt.Fprintf(w, " "+row.form, mean)
			if sd > 0 {
				fmt.Fprintf(w, " ± %.1g", sd)
			}
			fmt.Fprint(w, " |")
		}
		fmt.Fprintln(w)
	}
}

// meanAndSD returns the mean and the standard deviation of a sample, which is 0
// for one value.
func meanAndSD(x []float64) (mean, sd float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		sd += (v - mean) * (v - mean) / float64(max(len(x)-1, 1))
	}
	return mean, math.Sqrt(sd)
}
