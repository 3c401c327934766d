package cmd

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"github.com/peterbourgon/ff/v3/ffcli"

	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/measure/stats"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/work"
	"macroscope/serve/input"
	"macroscope/serve/output"
)

// calibrationMembers is the number of members of the ensembles that calibrate bands. The page uses
// the same number.
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
	fs.StringVar(&o.model, modelName, "", "checkpoint of a model with dynamics; MODEL without a flag is the same")
	fs.StringVar(&o.codes, "codes", "", "`file` that encode wrote with this model, of runs that did not train it")
	fs.StringVar(&o.out, "out", "", "checkpoint to write")
	fs.Uint64Var(&o.seed, "seed", 1, "seed of the ensembles' noise")
	return o.command(fs, o.run)
}

func (o *calibrateOptions) run(ctx context.Context) error {
	if o.model == "" || o.codes == "" || o.out == "" {
		return fmt.Errorf("calibrate needs -model, -codes and -out")
	}
	m, err := load(o.stderr, o.model)
	if err != nil {
		return err
	}
	if !m.Config.HasDynamics() {
		return fmt.Errorf("%s has no dynamics; choose a model that predicts", o.model)
	}
	b, err := input.Read(o.codes, data.MaxBytes)
	if err != nil {
		return fmt.Errorf("cannot open the codes: %w", err)
	}
	codes, err := model.ReadCodes(b)
	if err == nil {
		err = codes.Check(m)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.codes, err)
	}
	out, err := o.output("-out", o.out, output.Input{Flag: "-model", Path: o.model}, output.Input{Flag: "-codes", Path: o.codes})
	if err != nil {
		return err
	}
	m.Calibration.Clear()
	if m.Config.Tunable() {
		err = o.calibrateAll(ctx, m, codes)
	} else {
		err = o.calibrate(ctx, m, codes)
	}
	if err != nil {
		return err
	}
	if err := out.Write(func(w io.Writer) error { return ckpt.Encode(w, m.Checkpoint()) }); err != nil {
		return err
	}
	few := ""
	if least := int(1/stats.FalseAlarms) - 1; codes.Trajectories < least {
		few = fmt.Sprintf(" (with fewer than %d, more than %g %% of similar runs count as outside of training)", least, 100*stats.FalseAlarms)
	}
	_, err = fmt.Fprintf(o.stderr, "calibrated by %s%s; wrote %s\n", setting.Count(codes.Trajectories, "trajectory", "trajectories"), few, o.out)
	return err
}

// calibrate sets the support of a model that is not tunable and, if its dynamics are stochastic, the
// stretch of its bands.
func (o *calibrateOptions) calibrate(ctx context.Context, m *model.Model, codes *model.Codes) (err error) {
	if m.Calibration.Support, err = stats.FitSupport(codes); err != nil || !m.Config.Traits.Stochastic {
		return err
	}
	return o.stretch(ctx, m, codes, "bands")
}

// calibrateAll sets the stretches of a tunable model's bands, for each length of ẑ. It sets no support.
func (o *calibrateOptions) calibrateAll(ctx context.Context, m *model.Model, codes *model.Codes) error {
	if !m.Config.Traits.Stochastic {
		return fmt.Errorf("%s is tunable, and its predictions have no bands to calibrate; write it at one ε and one ẑ dim with export -eps and -zdim, and use that file", o.model)
	}
	eps, _, zdims := m.Config.Tuning().Range()
	var stretches []float64
	for _, d := range zdims {
		at, err := m.At(eps, d) // the dynamics do not depend on ε
		if err == nil {
			err = o.stretch(ctx, at, m.CodesAt(codes, at), fmt.Sprintf("ẑ dim %d: bands", d))
		}
		if err != nil {
			return err
		}
		stretches = append(stretches, at.Calibration.Stretch)
	}
	m.Calibration.Stretches = stretches
	return nil
}

// stretch sets the stretch of the bands of a model that is not tunable.
func (o *calibrateOptions) stretch(ctx context.Context, m *model.Model, codes *model.Codes, what string) error {
	p, err := measure.GivenCodes(m, codes, 0, codes.Trajectories).Predict(work.Until(ctx), m.Weights.DynamicsParams, calibrationMembers, method.PredictedTogether, o.seed, o.workers)
	if err != nil {
		return err
	}
	share, se, nominal := p.Coverage()
	if err := measure.Calibrate(m, p); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.stderr, "%s of %.2f held %.3f ± %.3f; stretched by %.3f\n", what, nominal, share, se, m.Calibration.Stretch)
	return err
}
