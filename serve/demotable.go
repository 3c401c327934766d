package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/lab"
	"macroscope/model/train"
)

func (demo) table(ctx context.Context, o *tableOptions, stdout, stderr io.Writer) error {
	if err := refuse(o.given, "demo", "seeds", "trajectories", "data"); err != nil {
		return err
	}
	cells, err := demoTable(ctx, stderr, o.preset, o.models, o.workers, o.seed)
	if err != nil {
		return err
	}
	printTable(stdout, cells)
	if err := drawDensities(filepath.Join(o.figures, "demo-densities.png"), cells); err != nil {
		return err
	}
	return drawKL(filepath.Join(o.figures, "demo-kl.png"), cells)
}

// demoCell is one model of the table and what it reaches.
type demoCell struct {
	eps     float64
	zdim    int
	kl      float64
	seconds float64 // of training; 0 for a model that was there
	model   *lab.DemoModel
	params  []float32
}

func demoTable(ctx context.Context, stderr io.Writer, preset, dir string, workers int, seed uint64) ([][]demoCell, error) {
	var rows [][]demoCell
	for _, eps := range lab.ShippedEps() {
		var row []demoCell
		for _, zdim := range lab.ShippedZDims() {
			cell := demoCell{eps: eps, zdim: zdim}
			path := filepath.Join(dir, filepath.Base(lab.ShippedName(eps, zdim)))
			if err := cell.open(path); os.IsNotExist(err) {
				if err := cell.train(ctx, stderr, preset, path, workers, seed); err != nil {
					return nil, err
				}
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			cell.kl = cell.model.Evaluate(cell.params, eps, evalSets, evalSamples, evalSeed)
			fmt.Fprintf(stderr, "ε = %g, ẑ dim %d: KL %.5f nats\n", eps, zdim, cell.kl)
			row = append(row, cell)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (c *demoCell) open(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	c.model, c.params, _, err = lab.ReadDemo(f)
	return err
}

func (c *demoCell) train(ctx context.Context, stderr io.Writer, preset, path string, workers int, seed uint64) error {
	cfg, err := lab.DemoPreset(preset)
	if err != nil {
		return err
	}
	cfg.Eps, cfg.Seed = c.eps, seed
	c.model = lab.NewDemoModel(cfg.WithZDim(c.zdim))
	c.params = c.model.InitialParams()
	t := c.model.NewTrainer(c.params, workers)
	defer t.Close()
	began := time.Now()
	bar := newProgress(stderr, fmt.Sprintf("ε %g, ẑ dim %d", c.eps, c.zdim), "step", 0, t.Steps())
	err = train.Run(ctx, t, t.Steps(), func() error {
		bar.at(t.Step(), func() string { return fmt.Sprintf("loss %.4f", t.Loss()) })
		return nil
	})
	bar.finish()
	if err != nil {
		return err
	}
	c.seconds = time.Since(began).Seconds()
	fmt.Fprintf(stderr, "trained in %.1f s\n", c.seconds)
	return ckpt.Save(path, c.model.Checkpoint(c.params, nil))
}

func printTable(w io.Writer, rows [][]demoCell) {
	fmt.Fprint(w, "| KL, nats |")
	for _, c := range rows[0] {
		fmt.Fprintf(w, " ẑ dim %d |", c.zdim)
	}
	fmt.Fprint(w, "\n|---|")
	for range rows[0] {
		fmt.Fprint(w, "---|")
	}
	fmt.Fprintln(w)
	for _, row := range rows {
		fmt.Fprintf(w, "| ε = %g |", row[0].eps)
		for _, c := range row {
			fmt.Fprintf(w, " %.4f |", c.kl)
		}
		fmt.Fprintln(w)
	}
}
