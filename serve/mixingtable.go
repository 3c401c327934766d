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

// mixingForm is one of the forms of law that the table compares.
type mixingForm struct {
	joint, share bool
	name, file   string
}

// mixingForms begin with the preset's own, in whose training the others share
// stage I.
var mixingForms = []mixingForm{
	{true, true, "one law, with the share", ""},
	{false, true, "two laws, with the share", "-separate"},
	{true, false, "one law", "-noshare"},
	{false, false, "two laws", "-separate-noshare"},
}

func (mixing) table(ctx context.Context, o *tableOptions, stdout, stderr io.Writer) error {
	count := mixingTrajectories
	if o.given["trajectories"] {
		count = o.trajectories
	}
	if o.seeds < 1 || o.seeds > 100 || count < 2 || count > 100_000 {
		return fmt.Errorf("-seeds %d and -trajectories %d; use 1 to 100 and 2 to 100000", o.seeds, count)
	}
	models := make([][]*lab.MixingModel, len(mixingForms)) // of each form and seed
	for k := range o.seeds {
		of, err := o.mixingModels(ctx, o.seed+uint64(k), stderr)
		if err != nil {
			return err
		}
		for i, m := range of {
			models[i] = append(models[i], m)
		}
	}
	results := make([][][]mmdResult, len(models)) // of each form, seed and test
	for i := range results {
		results[i] = make([][]mmdResult, o.seeds)
	}
	for _, test := range lab.MixingTests() {
		starts, err := collectStarts(ctx, test, count, o.workers, stderr)
		if err != nil {
			return err
		}
		for i := range models {
			for k, m := range models[i] {
				f, err := m.Evaluate(ctx, starts, count, mixingMembers, evalSeed, o.workers, func(int) {})
				if err != nil {
					return err
				}
				results[i][k] = append(results[i][k], newMMDResult(test.Name, count, f))
			}
		}
	}
	printMixing(stdout, o.preset, models[0][0].Config, results)
	return drawMixing(ctx, filepath.Join(o.figures, "mixing-ratios.png"), models[0][0], min(count, 100), o.workers, stderr)
}

// collectStarts simulates a test's trajectories for all models.
func collectStarts(ctx context.Context, test lab.MixingTest, count, workers int, stderr io.Writer) (*lab.MixingStarts, error) {
	bar := newProgress(stderr, test.Name, "trajectory", 0, count)
	defer bar.finish()
	return lab.CollectMixingStarts(ctx, test.Source(evalSeed, count), count, workers, func(n int) { bar.at(n, noNote) })
}

// mixingModels opens a seed's models of every form, or trains them all.
func (o *tableOptions) mixingModels(ctx context.Context, seed uint64, stderr io.Writer) ([]*lab.MixingModel, error) {
	var models []*lab.MixingModel
	for _, form := range mixingForms {
		m, err := readMixingModel(o.mixingPath(form, seed))
		if os.IsNotExist(err) {
			return o.trainMixing(ctx, seed, stderr)
		}
		if err != nil {
			return nil, err
		}
		models = append(models, m)
	}
	return models, nil
}

func (o *tableOptions) mixingPath(form mixingForm, seed uint64) string {
	name := "mixing-" + o.preset + form.file
	if seed != 1 { // the first is the one that the lab ships
		name += fmt.Sprintf("-seed%d", seed)
	}
	return filepath.Join(o.models, name+".safetensors")
}

func readMixingModel(path string) (*lab.MixingModel, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, _, err := lab.ReadMixing(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// trainMixing trains and writes a seed's models of every form.
func (o *tableOptions) trainMixing(ctx context.Context, seed uint64, stderr io.Writer) ([]*lab.MixingModel, error) {
	share := mixingForms[0].share
	begun, err := mixing{}.train(&trainOptions{
		preset: o.preset, law: "joint", share: share, given: map[string]bool{"share": true}, data: o.data, seed: seed, workers: o.workers,
	}, nil)
	if err != nil {
		return nil, err
	}
	defer begun.close()
	first := begun.(*mixingTraining)
	var models []*lab.MixingModel
	for i, form := range mixingForms {
		t := first
		if i > 0 {
			run, err := first.run.Another(form.joint, form.share)
			if err != nil {
				return nil, err
			}
			defer run.Close()
			t = &mixingTraining{run: run, began: first.began, workers: o.workers}
		}
		fmt.Fprintln(stderr, t.title())
		if err := toTheEnd(ctx, t, stderr); err != nil {
			return nil, err
		}
		if err := ckpt.Save(o.mixingPath(form, seed), t.run.Model.Checkpoint()); err != nil {
			return nil, err
		}
		models = append(models, t.run.Model)
	}
	return models, nil
}

// printMixing prints means and standard deviations over the trainings beside
// the paper's rows, and what the noise of sampling comes to.
func printMixing(w io.Writer, preset string, c lab.MixingConfig, results [][][]mmdResult) {
	first := results[0][0]
	fmt.Fprint(w, "| MMD |")
	for _, t := range first {
		fmt.Fprintf(w, " %s |", t.Set)
	}
	fmt.Fprintln(w, "\n|---|---|---|---|")
	for _, row := range publishedMMD {
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", row[0], row[1], row[2], row[3])
	}
	row := func(name, form string, seeds [][]mmdResult, of func(mmdResult) float64) {
		fmt.Fprintf(w, "| %s |", name)
		for i := range first {
			var values []float64
			for _, r := range seeds {
				values = append(values, of(r[i]))
			}
			mean, sd := meanAndSD(values)
			fmt.Fprintf(w, " "+form, mean)
			if sd > 0 {
				fmt.Fprintf(w, " ± %.1g", sd)
			}
			fmt.Fprint(w, " |")
		}
		fmt.Fprintln(w)
	}
	for i, form := range mixingForms {
		row(fmt.Sprintf("Macroscope, %s, %s", preset, form.name), "%.2e", results[i], func(r mmdResult) float64 { return r.MMD })
	}
	row(fmt.Sprintf("two halves of the %d true trajectories", first[0].Trajectories), "%.2e", results[0][:1], func(r mmdResult) float64 { return r.Floor })
	for i, form := range mixingForms {
		row(fmt.Sprintf("share of the truth in bands of %.0f %%, %s", 100*first[0].Nominal, form.name), "%.3f", results[i], func(r mmdResult) float64 { return r.Coverage })
	}
	fmt.Fprintf(w, "\nTrained on %d trajectories.\n", c.Law.Trajectories)
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
