package cmd

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"macroscope/model/file/curves"
	"macroscope/model/file/data"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/serve/output"
)

// predictions are the flags of a file with the predictions of all runs of -data.
type predictions struct {
	path    string
	horizon float64
	out     *output.File // nil: no such file is wanted
}

func (o *predictions) register(fs *flag.FlagSet) {
	fs.StringVar(&o.path, "predictions", "", "`file` to write, .npz or .csv, with the prediction of every run of -data, its band and ẑ; an existing file is kept as FILE.bak")
	fs.Float64Var(&o.horizon, "horizon", 0, "with -predictions: predict every run up to this `time` at least, in the unit of dt, or in frames if dt is not known; runs can then be first frames alone")
}

// open checks the flags. The inputs are the files that the command reads.
func (o *predictions) open(of *subcommand, inputs ...output.Input) (err error) {
	switch ending := strings.ToLower(filepath.Ext(o.path)); {
	case o.horizon < 0 || o.horizon-o.horizon != 0:
		return fmt.Errorf("-horizon %g; use a time above 0", o.horizon)
	case o.path == "" && o.horizon > 0:
		return errors.New("-horizon is how far -predictions go; give both, or leave it out")
	case o.path == "":
		return nil
	case inputs[0].Path == "":
		return errors.New("-predictions are those of the runs of -data; give both")
	case ending != ".npz" && ending != ".csv":
		return fmt.Errorf("-predictions %s; choose a name that ends in .npz or .csv", o.path)
	}
	o.out, err = of.output("-predictions", o.path, inputs...)
	return err
}

// mostPredicted is the largest number of predicted values of all members.
const mostPredicted = 1 << 28

// frames returns how many frames of the trajectories of a source are predicted at least, 0 if -horizon does not say, and
// the time between two frames. It is 1 if it is not known.
func (o *predictions) frames(m *model.Model, src system.Recorded, count int) (least int, dt float64, err error) {
	c := &m.Config
	if dt = src.Facts().Time(); dt == 0 {
		dt = c.Data.Interval(c.Traits.Interval)
	}
	if dt == 0 {
		dt = 1
	}
	if o.horizon == 0 {
		return 0, dt, nil
	}
	each := count * c.Motion().Members(measure.TestMembers) * c.Variables
	steps := math.Round(o.horizon / dt)
	if most := mostPredicted / each; steps+1 > float64(most) || int(steps) <= c.Dynamics.Begin {
		return 0, dt, fmt.Errorf("-horizon %g is after %.4g frames; use %.4g to %.4g", o.horizon, steps, float64(c.Dynamics.Begin+1)*dt, float64(most-1)*dt)
	}
	return int(steps) + 1, dt, nil
}

// series is a quantity of all runs: an array, and columns of a table.
type series struct {
	name    string
	columns []string // nil: a table does not have it
	shape   []int    // of the array: (E, T), (E, T, columns) or, of members, (E, members, T)
	values  []float32
}

// seriesOf lists what a prediction says of every run. truth and names are the names of the variables in the data and in
// the predictions.
func seriesOf(m *model.Model, p *measure.Prediction, truth, names []string) (all []series) {
	c, runs := &m.Config, p.Trajectories()
	for k, name := range names {
		of := p.Curve(m, k)
		for _, s := range []series{
			{name: truth[k], values: of.Truth}, {name: curves.Predicted + name, values: of.Mean},
			{name: curves.Low + name, values: of.Low}, {name: curves.High + name, values: of.High},
		} {
			if s.values != nil {
				s.columns, s.shape = []string{s.name}, []int{runs, p.Frames}
				all = append(all, s)
			}
		}
		if of.Members != nil {
			all = append(all, series{"members_" + name, nil, []int{runs, p.Members, p.Frames}, of.Members})
		}
	}
	n := c.Sets() * c.ZDim()
	for _, z := range []series{{name: curves.Closures, values: p.Closures}, {name: curves.Predicted + curves.Closures, values: p.Predicted}} {
		for k := range n {
			z.columns = append(z.columns, z.name+c.ClosureName(k))
		}
		z.shape = []int{runs, p.Frames, n}
		all = append(all, z)
	}
	return all
}

// names gives out names, each once: a name that was given out before gets an underscore.
type names []string

func (n *names) free(name string) string {
	for slices.Contains(*n, name) {
		name += "_"
	}
	*n = append(*n, name)
	return name
}

// write writes a prediction with frames dt apart.
func (o *predictions) write(m *model.Model, p *measure.Prediction, truth, predicted []string, dt float64) error {
	all := seriesOf(m, p, truth, predicted)
	if strings.EqualFold(filepath.Ext(o.path), ".csv") {
		return o.out.Write(func(w io.Writer) error { return writeTable(w, p, all, dt) })
	}
	times := make([]float64, p.Frames)
	for t := range times {
		times[t] = float64(t) * dt
	}
	arrays, taken := map[string]*data.Array{"time": data.NewArray([]int{p.Frames}, times)}, names{"time"}
	for _, s := range all {
		arrays[taken.free(s.name)] = data.NewArray(s.shape, s.values)
	}
	return o.out.Write(func(w io.Writer) error { return data.WriteNPZ(w, arrays) })
}

// writeTable writes a row for each frame of each run.
func writeTable(w io.Writer, p *measure.Prediction, all []series, dt float64) error {
	taken := names{"run", "frame", "time"}
	for _, s := range all {
		for _, name := range s.columns {
			taken.free(curves.Column(name))
		}
	}
	var line bytes.Buffer
	line.WriteString(strings.Join(taken, ","))
	for e := range p.Trajectories() {
		for t := range p.Until(e) {
			fmt.Fprintf(&line, "\n%d,%d", e, t)
			number := func(v float64, bits int) { line.Write(curves.Append(line.AvailableBuffer(), v, bits)) }
			number(float64(t)*dt, 32)
			for _, s := range all {
				n := len(s.columns)
				for k := range n {
					number(float64(s.values[(e*p.Frames+t)*n+k]), 32)
				}
			}
			if _, err := line.WriteTo(w); err != nil {
				return err
			}
		}
	}
	_, err := w.Write([]byte{'\n'})
	return err
}
