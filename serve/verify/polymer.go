package verify

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/stat"
	"macroscope/sim/polymer"
	"macroscope/sim/rng"
)

// Statistics of chains of beads are compared with those of a short simulation. An
// error counts as a share of what is allowed: chance, as so many combined standard
// errors that it happens once in 10⁷ times at most, and the bias of the scheme, which
// is of first order in the time step.
const (
	polymerChance = 6.5
	polymerBias   = 0.004 / 0.002 // relative error of an extension by the time step
	polymerChains = 64
	polymerBeads  = 32 // longer chains would take a minute
)

// polymerModels are the kinds of bonds by number.
var polymerModels = [...]polymer.Bonds{polymer.Rods, polymer.StiffRods, polymer.Springs}

// polymerCheck gathers comparisons of one archive.
type polymerCheck struct {
	Case
	abs, share float64
	compared   int
}

func runPolymer(c Case) ([]Result, error) {
	p := &polymerCheck{Case: c}
	for _, run := range []func() error{p.atRest, p.trimer, p.steady, p.starts} {
		if err := run(); err != nil {
			return nil, err
		}
	}
	if p.compared == 0 {
		return nil, fmt.Errorf("it has no chain of at most %d beads", polymerBeads)
	}
	return []Result{{MaxAbs: p.abs, MaxRel: p.share, Tolerance: 1}}, nil
}

// add compares means over chains with a figure.
func (p *polymerCheck) add(got []float64, want, wantSE, bias float64) {
	m, sd := stat.MeanStdDev(got, nil)
	d := math.Abs(m - want)
	allowed := polymerChance*math.Hypot(sd/math.Sqrt(float64(len(got))), wantSE) + bias
	p.abs, p.share = worse(p.abs, d), worse(p.share, d/allowed)
	p.compared++
}

// rows returns a table's rows.
func (p *polymerCheck) rows(name string, columns int) ([][]float64, error) {
	a := p.Case[name]
	if len(a.Shape) != 2 || a.Shape[1] != columns {
		return nil, fmt.Errorf("%s has the shape %v and should have %d columns", name, a.Shape, columns)
	}
	var rows [][]float64
	for v := a.Float64s(); len(v) > 0; v = v[columns:] {
		if m := v[0]; m != 0 && m != 1 && m != 2 {
			return nil, fmt.Errorf("%s has a chain of model %g and should have models 0, 1 and 2", name, m)
		}
		rows = append(rows, v[:columns])
	}
	return rows, nil
}

// config is that of a chain of the given model, without repulsion and flow.
func (p *polymerCheck) config(model, beads, dt float64) polymer.Config {
	cfg := polymer.Default()
	cfg.N, cfg.Bonds, cfg.Dt = int(beads), polymerModels[int(model)], dt
	cfg.Repulsion, cfg.Flow = 0, polymer.None
	return cfg
}

// run follows chains from their starts for so many times of a given number of steps
// and hands all of them to see after each.
func (p *polymerCheck) run(cfg polymer.Config, times, steps int, start func(k int, dst []float32), see func(time, chain int, positions []float32)) error {
	cfg.Every, cfg.Frames = steps, times+1
	return polymer.Generate(context.Background(), cfg, 1, 0, polymerChains, 1, func(k int, dst []float32) { start(k, dst) },
		func(chain int, t *polymer.Trajectory) error {
			for time := range cfg.Frames {
				see(time, chain, t.Frames[time*3*cfg.N:(time+1)*3*cfg.N])
			}
			return nil
		})
}

// extension is max x - min x.
func extension(positions []float32) float64 {
	low, high := positions[0], positions[0]
	for i := 0; i < len(positions); i += 3 {
		low, high = min(low, positions[i]), max(high, positions[i])
	}
	return float64(high) - float64(low)
}

// atRest compares chains without flow that pivot moves made.
func (p *polymerCheck) atRest() error {
	rows, err := p.rows("exact", 14)
	if err != nil {
		return err
	}
	for _, row := range rows {
		hard := row[2] > 0 && row[3] == 0
		if hard || row[2] > 0 && row[2] < row[1] || row[4] != 0 || row[1] > polymerBeads {
			continue
		}
		cfg := p.config(row[0], row[1], 0.002)
		cfg.Repulsion = row[3]
		if err := cfg.Validate(); err != nil {
			return err
		}
		wide, ends := make([]float64, 4*polymerChains), make([]float64, 4*polymerChains)
		for k := range wide {
			x := polymer.InitialPositions(cfg, 2, k)
			wide[k] = extension(x)
			for axis := range 3 {
				d := float64(x[len(x)-3+axis] - x[axis])
				ends[k] += d * d
			}
		}
		p.add(wide, row[5], row[6], 0)
		p.add(ends, row[8], row[9], 0)
	}
	return nil
}

// trimer compares the angle between two rods.
func (p *polymerCheck) trimer() error {
	rows, err := p.rows("trimer", 6)
	if err != nil {
		return err
	}
	for _, row := range rows {
		cfg := p.config(row[0], 3, row[1])
		const times = 100
		squares := make([]float64, polymerChains)
		err := p.run(cfg, times, int(math.Ceil(0.5/cfg.Dt)),
			func(k int, dst []float32) { copy(dst, polymer.InitialPositions(cfg, 3, k)) },
			func(_, chain int, x []float32) {
				cos := 0.0
				for axis := range 3 {
					cos += float64(x[3+axis]-x[axis]) * float64(x[6+axis]-x[3+axis])
				}
				squares[chain] += cos * cos / (times + 1)
			})
		if err != nil {
			return err
		}
		p.add(squares, row[4], row[5], 0)
	}
	return nil
}

// steady compares extensions in flows that are strong enough to open a chain soon.
func (p *polymerCheck) steady() error {
	rows, err := p.rows("exact", 14)
	if err != nil {
		return err
	}
	for _, row := range rows {
		hard := row[2] > 0 && row[3] == 0
		if strength := row[4] * row[1] * row[1]; hard || row[2] > 0 && row[2] < row[1] || strength < 50 || row[1] > polymerBeads {
			continue
		}
		cfg := p.config(row[0], row[1], 0.002)
		cfg.Repulsion, cfg.Flow, cfg.Rate = row[3], polymer.Planar, row[4]
		const warm, times = 3, 10
		means := make([]float64, polymerChains)
		err := p.run(cfg, warm+times, int(math.Ceil(1/(cfg.Rate*cfg.Dt))),
			func(k int, dst []float32) {
				cfg.Folded(dst, 1, cfg.Rate*row[1]*row[1]/12, rng.New(4, "verify", uint64(k)).Rand)
			},
			func(time, chain int, x []float32) {
				if time > warm {
					means[chain] += extension(x) / times
				}
			})
		if err != nil {
			return err
		}
		p.add(means, row[5], row[6], polymerBias*cfg.Dt*row[5])
	}
	return nil
}

// starts compares mean extensions of many runs from one start.
func (p *polymerCheck) starts() error {
	for name := range p.Case {
		prefix, ok := strings.CutSuffix(name, "_init")
		if !ok || !strings.HasPrefix(name, "start_") {
			continue
		}
		for _, part := range []string{"e", "dt", "t", "mean", "se"} {
			if p.Case[prefix+"_"+part] == nil {
				return fmt.Errorf("%s has no %s_%s", name, prefix, part)
			}
		}
		init, times, want, se := p.values(name), p.values(prefix+"_t"), p.values(prefix+"_mean"), p.values(prefix+"_se")
		rate, err := p.scalar(prefix + "_e")
		if err != nil {
			return err
		}
		dt, err := p.scalar(prefix + "_dt")
		if err != nil {
			return err
		}
		if len(init)%3 != 0 || len(times) < 2 || len(want) != len(times) || len(se) != len(times) {
			return fmt.Errorf("%s has %d numbers, and there are %d times, %d means and %d standard errors", name, len(init), len(times), len(want), len(se))
		}
		if len(init)/3 > polymerBeads {
			continue
		}
		cfg := p.config(0, float64(len(init)/3), dt)
		cfg.Flow, cfg.Rate = polymer.Planar, rate
		got := make([][]float64, len(times))
		err = p.run(cfg, len(times)-1, int(math.Round((times[1]-times[0])/dt)),
			func(_ int, dst []float32) { copy(dst, to[float32](init)) },
			func(time, _ int, x []float32) { got[time] = append(got[time], extension(x)) })
		if err != nil {
			return err
		}
		for k := 1; k < len(times); k += max(1, len(times)/8) {
			p.add(got[k], want[k], se[k], 0)
		}
	}
	return nil
}
