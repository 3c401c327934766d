package cmd

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"github.com/peterbourgon/ff/v3/ffcli"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/learn/measure"
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
	fs.StringVar(&o.model, "model", "", "checkpoint of a model with dynamics")
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
	out, err := output.New("-out", o.out, output.Input{Flag: "-model", Path: o.model}, output.Input{Flag: "-codes", Path: o.codes})
	if err != nil {
		return err
	}
	m.Uncalibrate()
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
	if least := int(1/falseAlarms) - 1; codes.Trajectories < least {
		few = fmt.Sprintf(" (with fewer than %d, more than %g %% of similar runs count as outside of training)", least, 100*falseAlarms)
	}
	_, err = fmt.Fprintf(o.stderr, "calibrated by %s%s; wrote %s\n", setting.Count(codes.Trajectories, "trajectory", "trajectories"), few, o.out)
	return err
}

// calibrate sets the support of a model that is not tunable and, if its dynamics are stochastic, the
// stretch of its bands.
func (o *calibrateOptions) calibrate(ctx context.Context, m *model.Model, codes *model.Codes) (err error) {
	if m.Support, err = supportOf(codes); err != nil || !m.Config.Traits.Stochastic {
		return err
	}
	return o.stretch(ctx, m, codes, "bands")
}

// calibrateAll sets the stretches of a tunable model's bands, for each length of ẑ. It sets no support.
func (o *calibrateOptions) calibrateAll(ctx context.Context, m *model.Model, codes *model.Codes) error {
	if !m.Config.Traits.Stochastic {
		return fmt.Errorf("%s is tunable, and its predictions have no bands to calibrate; write it at one ε and one ẑ dim with export -eps and -zdim, and use that file", o.model)
	}
	eps, _, zdims := m.Config.Range()
	var stretches []float64
	for _, d := range zdims {
		at, err := m.At(eps, d) // the dynamics do not depend on ε
		if err == nil {
			err = o.stretch(ctx, at, m.CodesAt(codes, at), fmt.Sprintf("ẑ dim %d: bands", d))
		}
		if err != nil {
			return err
		}
		stretches = append(stretches, at.Stretch)
	}
	m.Stretches = stretches
	return nil
}

// stretch sets the stretch of the bands of a model that is not tunable.
func (o *calibrateOptions) stretch(ctx context.Context, m *model.Model, codes *model.Codes, what string) error {
	p, err := measure.GivenCodes(m, codes, 0, codes.Trajectories).Predict(work.Until(ctx), m.DynamicsParams, calibrationMembers, method.Side, o.seed, o.workers)
	if err != nil {
		return err
	}
	share, se, nominal := p.Coverage()
	if err := measure.Calibrate(m, p); err != nil {
		return err
	}
	_, err = fmt.Fprintf(o.stderr, "%s of %.2f held %.3f ± %.3f; stretched by %.3f\n", what, nominal, share, se, m.Stretch)
	return err
}

// Constants of supportOf.
const (
	falseAlarms = 0.02 // share of similar runs that leave the support by chance
	mostPeriods = 40
	fewest      = 10 // smallest number of states per variable in a period
	// blur² is added to the variances. Without it, rounding errors would put a variable that is
	// a function of other variables outside the support.
	blur = model.Margin / 10
)

// periodsOf divides runs into periods and returns the first frame of each period. Periods grow
// in length by a constant factor; none has fewer frames than `shortest`.
func periodsOf(frames, shortest int) (from []int) {
	from = []int{0}
	for k := 1; k < mostPeriods; k++ {
		f := int(math.Pow(float64(frames), float64(k)/mostPeriods))
		if f-from[len(from)-1] >= shortest && frames-f >= shortest {
			from = append(from, f)
		}
	}
	return from
}

// supportOf fits a Gaussian to the states of each period, and determines the Reach of each period
// by split conformal prediction. A similar run leaves the support with probability falseAlarms.
//
// A run's distance in a period is its largest Distance from the Gaussian. The period's unit is the
// distance that a tenth of the runs exceed. A run's score is its largest distance over all periods,
// each in its period's unit. The limit is chosen so that about 2 % of the runs (falseAlarms) have
// a higher score. The Reach of a period is the limit times the period's unit.
func supportOf(codes *model.Codes) (*model.Support, error) {
	s, v, runs := new(model.Support), codes.Variables, codes.Trajectories
	all := statesOf(codes, 0, codes.Frames)
	for i := range v {
		values := mat.Col(nil, i, all)
		s.Low, s.High = append(s.Low, floats.Min(values)), append(s.High, floats.Max(values))
	}
	from := periodsOf(codes.Frames, (fewest*v+runs-1)/runs)
	scores := make([]float64, runs)
	for i, first := range from {
		end := codes.Frames
		if i+1 < len(from) {
			end = from[i+1]
		}
		p, err := periodOf(statesOf(codes, first, end))
		if err != nil {
			return nil, err
		}
		p.From = first
		out := make([]float64, runs)
		for e := range out {
			for t := first; t < end; t++ {
				out[e] = max(out[e], p.Distance(codes.Of(e)[t*v:(t+1)*v]))
			}
		}
		p.Reach = stat.Quantile(0.9, stat.Empirical, slices.Sorted(slices.Values(out)), nil)
		if !(p.Reach > 0) {
			return nil, fmt.Errorf("from frame %d to frame %d, the encoded runs are all in one state; encode runs that differ", first, end-1)
		}
		for e, d := range out {
			scores[e] = max(scores[e], d/p.Reach)
		}
		s.Periods = append(s.Periods, *p)
	}
	slices.Sort(scores)
	rank := int(math.Ceil(float64(runs+1) * (1 - falseAlarms)))
	for i := range s.Periods {
		s.Periods[i].Reach *= scores[min(rank, runs)-1]
	}
	return s, nil
}

// statesOf returns the states of all runs in the frames [first, end), one state per row.
func statesOf(codes *model.Codes, first, end int) *mat.Dense {
	v := codes.Variables
	x := mat.NewDense(codes.Trajectories*(end-first), v, nil)
	for e := range codes.Trajectories {
		for i, z := range codes.Of(e)[first*v : end*v] {
			x.Set(e*(end-first)+i/v, i%v, float64(z))
		}
	}
	return x
}

// periodOf returns a period with the mean and covariance of states (rows, V).
func periodOf(x *mat.Dense) (*model.Period, error) {
	_, v := x.Dims()
	var cov mat.SymDense
	stat.CovarianceMatrix(&cov, x, nil)
	p := &model.Period{Mean: make([]float64, v), Factor: make([]float64, v*v)}
	for i := range v {
		p.Mean[i] = stat.Mean(mat.Col(nil, i, x), nil)
		cov.SetSym(i, i, cov.At(i, i)+blur*blur)
	}
	var chol mat.Cholesky
	if !chol.Factorize(&cov) {
		return nil, fmt.Errorf("the states of the encoded runs have no covariance that can be used; encode more of them")
	}
	var l mat.TriDense
	chol.LTo(&l)
	for i := range v {
		for j := range i + 1 {
			p.Factor[i*v+j] = l.At(i, j)
		}
	}
	return p, nil
}
