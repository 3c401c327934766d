package cmd

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/work"
	"macroscope/serve/figure"
	"macroscope/serve/output"
)

// figureOptions are the flags of a figure.
type figureOptions struct {
	subcommand
	reading
	models, out  string
	data         string
	folder       string
	trajectories int
	sets         int // number of sets for each KL
}

func figureCommand(stderr io.Writer) *ffcli.Command {
	o := figureOptions{sets: measure.TestSets}
	fs := o.flags("figure", stderr, runtime.GOMAXPROCS(0))
	fs.StringVar(&o.models, modelName, "", "checkpoint to draw, or several of line, mixing or polymer with commas between them; MODEL without a flag is the same")
	fs.StringVar(&o.out, "out", "", "`file` to write, which ends in .png or .svg")
	fs.StringVar(&o.folder, "tests", "", "mixing, polymer: `folder` of the tests' trajectories as simulate -test writes them, which are otherwise simulated")
	fs.StringVar(&o.data, "data", "", "trajectories to draw with their predictions, as in eval -data (default: the first of a test, which is simulated)")
	o.reading.register(fs)
	o.count(fs, &o.trajectories, "trajectories", 100, 2, 100_000, "mixing, polymer: trajectories of each band")
	return o.command(fs, o.run)
}

func (o *figureOptions) run(ctx context.Context) error {
	format := strings.TrimPrefix(filepath.Ext(o.out), ".")
	if format != "png" && format != "svg" {
		return fmt.Errorf("-out %q; give a file that ends in .png or .svg", o.out)
	}
	var models []*model.Model
	var inputs []output.Input
	for path := range strings.SplitSeq(o.models, ",") {
		if path == "" {
			return fmt.Errorf("figure needs -model, the checkpoint to draw")
		}
		m, err := load(o.stderr, path)
		if err == nil && len(models) > 0 {
			m, err = ordinary(path, m)
		}
		if err != nil {
			return err
		}
		models, inputs = append(models, m), append(inputs, output.Input{Flag: "-model", Path: path})
	}
	out, err := o.output("-out", o.out, inputs...)
	if err != nil {
		return err
	}
	draw, err := o.drawing(ctx, models, inputs[0].Path, format)
	if err == nil {
		err = out.Write(draw)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.stderr, "wrote %s\n", o.out)
	return err
}

// drawings are the figures of models by the motion of their systems: the flags that mean nothing to a
// figure, and what computes it.
var drawings = map[*system.Motion]struct {
	unused []string
	draw   func(o *figureOptions, ctx context.Context, models []*model.Model, path, format string) (func(io.Writer) error, error)
}{
	system.Still: {slices.Concat([]string{"tests", "trajectories", "data"}, readingFlags), (*figureOptions).densities},
	system.ODE:   {[]string{"tests", "trajectories"}, (*figureOptions).curves},
	system.SDE:   {nil, (*figureOptions).bands},
}

// drawing computes the figure of models that move alike, the first of which comes from a path, and returns
// what writes it.
func (o *figureOptions) drawing(ctx context.Context, models []*model.Model, path, format string) (func(io.Writer) error, error) {
	c := &models[0].Config
	of := drawings[c.Motion()]
	if err := o.refuse(c.Spec.Pair(), of.unused...); err != nil {
		return nil, err
	}
	if o.data != "" {
		if err := o.refuse("that is drawn from -data", "tests"); err != nil {
			return nil, err
		}
	}
	for _, m := range models {
		if m.Config.Motion() != c.Motion() {
			return nil, fmt.Errorf("-model: %s and %s move in different ways; draw them apart", c.Spec.Pair(), m.Config.Spec.Pair())
		}
		if err := needsData(&m.Config); err != nil && o.data == "" {
			return nil, err
		}
	}
	return of.draw(o, ctx, models, path, format)
}

// densities draws the densities of models without dynamics, or a map of their KL if the first is tunable.
func (o *figureOptions) densities(ctx context.Context, models []*model.Model, _, format string) (func(io.Writer) error, error) {
	if models[0].Config.Tunable() {
		return o.places(ctx, models, format)
	}
	for _, m := range models {
		if err := needsDensity(m); err != nil {
			return nil, fmt.Errorf("-model: %w", err)
		}
	}
	grid, err := byEpsAndZDim(models)
	return func(w io.Writer) error { return figure.Densities(w, format, grid, measure.TestSeed) }, err
}

// The method `places` measures the KL of models without dynamics for a map over ε and ẑ dim. The
// first model is tunable. It is measured at every ẑ dim, and at values of ε in its whole range.
// Every other model is measured at its own ε and ẑ dim.
func (o *figureOptions) places(ctx context.Context, models []*model.Model, format string) (func(io.Writer) error, error) {
	const values = 13 // number of values of ε
	low, high, zdims := models[0].Config.Tuning().Range()
	over := figure.Map{Eps: logarithmic(low, high, values), ZDims: zdims}
	at := func(m *model.Model) (figure.Place, error) {
		kl, err := measure.KL(work.Until(ctx), m, m.Config.Eps(), o.sets, measure.TestSamples, measure.TestSeed)
		return figure.Place{Eps: m.Config.Eps(), ZDim: m.Config.ZDim(), KL: kl}, err
	}
	over.KL = make([]float64, values*len(zdims))
	err := work.ForEach(work.Until(ctx), len(over.KL), o.workers, func(_ work.Pause, i int) error {
		m, err := models[0].At(over.Eps[i%values], zdims[i/values])
		if err != nil {
			return err
		}
		p, err := at(m)
		over.KL[i] = p.KL
		return err
	})
	for _, m := range models[1:] {
		if err != nil {
			break
		}
		var p figure.Place
		p, err = at(m)
		over.Separate = append(over.Separate, p)
	}
	return func(w io.Writer) error { return figure.Places(w, format, &over) }, err
}

// byEpsAndZDim arranges models without dynamics in rows of equal ε, in the given order.
func byEpsAndZDim(models []*model.Model) (grid [][]*model.Model, err error) {
	for _, m := range models {
		i := slices.IndexFunc(grid, func(row []*model.Model) bool { return row[0].Config.Eps() == m.Config.Eps() })
		if i < 0 {
			i, grid = len(grid), append(grid, nil)
		}
		grid[i] = append(grid[i], m)
	}
	for _, row := range grid {
		if len(row) != len(grid[0]) {
			return nil, fmt.Errorf("-model: %d models have ε %g and %d have ε %g; give as many of each", len(grid[0]), grid[0][0].Config.Eps(), len(row), row[0].Config.Eps())
		}
	}
	return grid, nil
}

// curves draws three trajectories of the first test with their predictions.
func (o *figureOptions) curves(ctx context.Context, models []*model.Model, path, format string) (func(io.Writer) error, error) {
	if len(models) > 1 {
		return nil, fmt.Errorf("-model: for a system with dynamics without noise the figure draws one model; give one")
	}
	m, err := ordinary(path, models[0])
	if err != nil {
		return nil, err
	}
	var src system.Source
	if o.data != "" {
		own, err := o.openFor(o.stderr, m, m.System, o.data, m.Config.Data.Observable)
		if err != nil {
			return nil, err
		}
		defer own.Close()
		if _, err := sayTrained(ctx, o.stderr, m, own, o.data, ""); err != nil {
			return nil, err
		}
		src = own
	} else {
		var why string
		if src, why = testSource(&m.Config, m.System.Tests(m.Config.Particles)[0], measure.TestSeed, 3); why != "" {
			return nil, fmt.Errorf("nothing can be drawn: %s", why)
		}
	}
	runs := make([]system.Trajectory, min(3, src.Shape().Trajectories))
	err = system.Each(work.Until(ctx), src, len(runs), o.workers, func(i int, t *system.Trajectory) error {
		runs[i] = *t.Clone()
		return nil
	})
	return func(w io.Writer) error {
		return figure.Curves(w, format, m, runs, src.Shape().Dim, measure.TestSeed)
	}, err
}

// bands draws predicted ensembles for the tests of the figure.
func (o *figureOptions) bands(ctx context.Context, models []*model.Model, path, format string) (func(io.Writer) error, error) {
	if _, err := ordinary(path, models[0]); err != nil {
		return nil, err
	}
	var sets []string
	var rows []figure.Ensembles
	for _, m := range models {
		row, names, err := o.ensembles(ctx, m)
		if err != nil {
			return nil, err
		}
		if len(models) > 1 {
			method, err := method.FindMethod(m.Config.Spec.Method)
			if err != nil {
				return nil, err
			}
			row.Title = method.Title
		}
		if rows = append(rows, row); len(rows) > 1 && !slices.Equal(names, sets) {
			return nil, fmt.Errorf("-model: one model takes the tests %s and another %s; draw them apart", strings.Join(sets, ", "), strings.Join(names, ", "))
		}
		sets = names
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("nothing can be drawn: the model takes none of the tests")
	}
	return func(w io.Writer) error { return figure.Bands(w, format, sets, rows...) }, nil
}

// ensembles predicts all tests that the model's encoder accepts. `row` contains the predictions,
// and `sets` contains the names of these tests.
func (o *figureOptions) ensembles(ctx context.Context, m *model.Model) (row figure.Ensembles, sets []string, err error) {
	row.Variables = m.System.Variables(m.Config.Data.Observable)
	tests := m.System.Tests(m.Config.Particles)
	if m.System.Pictured != nil && !m.Config.Encoder.Ordered() {
		tests = m.System.Pictured()
	}
	e := evaluation{model: m, seed: measure.TestSeed, workers: o.workers, stderr: o.stderr, folder: o.folder}
	if o.data != "" {
		own, err := o.openFor(o.stderr, m, m.System, o.data, m.Config.Data.Observable)
		if err != nil {
			return row, nil, err
		}
		defer own.Close()
		if _, err := sayTrained(ctx, o.stderr, m, own, o.data, ""); err != nil {
			return row, nil, err
		}
		p, err := e.predict(ctx, o.data, own, min(o.trajectories, own.Shape().Trajectories), 1)
		row.Of = append(row.Of, p)
		return row, []string{filepath.Base(o.data)}, err
	}
	for _, test := range tests {
		src, why, err := e.source(test, o.trajectories)
		if err != nil {
			return row, nil, err
		}
		if why != "" {
			continue
		}
		p, err := e.predict(ctx, test.Name, src, o.trajectories, 1)
		if err != nil {
			return row, nil, err
		}
		sets, row.Of = append(sets, test.Name), append(row.Of, p)
	}
	return row, sets, nil
}
