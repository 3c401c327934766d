package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/peterbourgon/ff/v3/ffcli"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/setting"
	"macroscope/serve/output"
)

// calibrationMembers is the size of the ensembles that bands are calibrated by:
// that of the page.
const calibrationMembers = 99

// calibrateOptions are the flags of calibrate.
type calibrateOptions struct {
	subcommand
	model, codes, out string
	seed              uint64
}

func calibrateCommand(stderr io.Writer) *ffcli.Command {
	var o calibrateOptions
	fs := o.flags("calibrate", stderr, runtime.GOMAXPROCS(0))
	fs.StringVar(&o.model, "model", "", "checkpoint of a model with dynamics")
	fs.StringVar(&o.codes, "codes", "", "`file` that encode wrote with this model, of runs that did not train it")
	fs.StringVar(&o.out, "out", "", "checkpoint to write")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the ensembles' noise")
	return &ffcli.Command{
		Name: "calibrate", ShortUsage: "macroscope calibrate -model FILE -codes FILE -out FILE", ShortHelp: "find from encoded runs how wide bands must be, and what states there are",
		LongHelp: "Predicts every run from its first frame, by ensembles of 99 where the dynamics are stochastic, and\n" +
			"stretches the bands of the model about their median by one factor, such that they hold nine tenths of\n" +
			"what happens: split conformal prediction, with each run as a group. The runs must be drawn as those\n" +
			"that are to be predicted, and must not have trained the model, as the trajectories of encode have not.\n" +
			"For other runs, as of other boundaries or sizes, nothing is promised.\n" +
			"It also notes the ranges of the variables and fits a Gaussian to the states of all frames: a prediction\n" +
			"has left what was covered where a variable is out of its range, or the state farther out than all of them.\n" +
			"The weights stay.",
		FlagSet: fs,
		Exec:    o.execute(fs, o.run),
	}
}

func (o *calibrateOptions) run(ctx context.Context) error {
	if o.model == "" || o.codes == "" || o.out == "" {
		return fmt.Errorf("calibrate needs -model, -codes and -out")
	}
	m, err := load(o.model)
	if err != nil {
		return err
	}
	if !m.Config.HasDynamics() {
		return fmt.Errorf("%s has no dynamics; choose a model that predicts", o.model)
	}
	b, err := os.ReadFile(o.codes)
	if err != nil {
		return err
	}
	codes, err := experiment.ReadCodes(b)
	if err == nil {
		err = codes.Check(m)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.codes, err)
	}
	out, err := output.New("-out", o.out, output.Input{Flag: "-model", Path: o.model}, output.Input{Flag: "-codes", Path: o.codes})
	if err != nil {
		return err
	}
	m.Uncalibrate()
	if m.Support, err = supportOf(codes); err != nil {
		return err
	}
	if m.Config.Traits.Stochastic {
		p, err := m.PredictCodes(ctx, codes, calibrationMembers, o.seed, o.workers)
		if err != nil {
			return err
		}
		share, se, nominal := p.Coverage()
		if err := m.Calibrate(p); err != nil {
			return err
		}
		fmt.Fprintf(o.stderr, "bands of %.2f held %.3f ± %.3f; stretched by %.3f\n", nominal, share, se, m.Stretch)
	}
	if err := out.Write(func(w io.Writer) error { return ckpt.Encode(w, m.Checkpoint()) }); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.stderr, "calibrated by %s; wrote %s\n", setting.Count(codes.Trajectories, "trajectory", "trajectories"), o.out)
	return err
}

// supportOf fits a Gaussian to the states of all frames. Variables are blurred by
// the margin that each has, so that one that hangs on others is not held to them to
// the last digit.
func supportOf(codes *experiment.Codes) (*experiment.Support, error) {
	v := codes.Variables
	rows := len(codes.Z) / v
	x := mat.NewDense(rows, v, nil)
	for i, z := range codes.Z {
		x.Set(i/v, i%v, float64(z))
	}
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, x, nil)
	s := &experiment.Support{Mean: make([]float64, v), Factor: make([]float64, v*v)}
	for i := range v {
		values := mat.Col(nil, i, x)
		s.Low, s.High = append(s.Low, floats.Min(values)), append(s.High, floats.Max(values))
		s.Mean[i] = stat.Mean(values, nil)
		cov.SetSym(i, i, cov.At(i, i)+experiment.Margin*experiment.Margin)
	}
	var chol mat.Cholesky
	if !chol.Factorize(&cov) {
		return nil, fmt.Errorf("the states of the encoded runs have no covariance that can be used; encode more of them")
	}
	var l mat.TriDense
	chol.LTo(&l)
	for i := range v {
		for j := range i + 1 {
			s.Factor[i*v+j] = l.At(i, j)
		}
	}
	for r := range rows {
		s.Reach = max(s.Reach, s.Distance(codes.Z[r*v:(r+1)*v]))
	}
	return s, nil
}
