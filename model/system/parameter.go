package system

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/setting"
	"macroscope/sim/rng"
)

// Parameter is a number in a system's physics that is constant along a trajectory. The learned
// dynamics can take it as an input (see method.Dynamics.Params).
type Parameter struct {
	Name      string  // name of its setting on the page and in configurations, and of its array in files: "e12"
	Symbol    string  // symbol in sentences: "ε_LJ of A with B"
	Unit      string  // unit in words; "" for dimensionless systems
	Usual     float64 // the default
	Low, High float64 // bounds of the allowed values, both included
	From, To  float64 // default range from which trainings draw the parameter
}

// Parameters lists all parameters of a system. Values (P) are in the same order.
type Parameters []Parameter

// ParametersOf completes parameters with their defaults and bounds from a system's settings.
func ParametersOf(settings setting.Table, params ...Parameter) Parameters {
	for i := range params {
		f := settings.Find(params[i].Name)
		params[i].Usual, params[i].Low, params[i].High = *f.Value.(*float64), f.Low, f.High
	}
	return params
}

// Find returns the index of the parameter with this name, or -1.
func (p Parameters) Find(name string) int {
	return slices.IndexFunc(p, func(q Parameter) bool { return q.Name == name })
}

// Check returns an error if the values (P) have the wrong length.
func (p Parameters) Check(values []float64) error {
	if n := len(values); n != 0 && n != len(p) {
		return fmt.Errorf("there are %d values for %d parameters", n, len(p))
	}
	return nil
}

// Value returns the value of parameter i for a trajectory with these values (P). If values is
// empty, it returns the default.
func (p Parameters) Value(values []float64, i int) float64 {
	if len(values) == 0 {
		return p[i].Usual
	}
	return values[i]
}

// Range is the interval from which a parameter is drawn. If its ends are equal, they are the
// parameter's value.
type Range struct {
	Name      string
	Low, High float64
}

// Ranges lists parameters. Each parameter differs between trajectories, or differs from its
// default.
type Ranges []Range

// noRanges is the text for empty Ranges.
const noRanges = "none"

// String writes ranges as Parse reads them: "a:2:10,b:0:0.5", or "none".
func (r Ranges) String() string {
	if len(r) == 0 {
		return noRanges
	}
	var parts []string
	for _, v := range r {
		text := v.Name + ":" + number(v.Low)
		if v.High != v.Low {
			text += ":" + number(v.High)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ",")
}

// Names lists the parameters, separated by commas.
func (r Ranges) Names() string {
	var names []string
	for _, v := range r {
		names = append(names, v.Name)
	}
	return strings.Join(names, ",")
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// Parse reads names separated by commas. A name can be followed by the ends of its range or by one
// value, as in "a,b:0:0.3" or "a:6". A name alone stands for the range [From, To] of the Parameter.
// "none" gives empty Ranges.
func (p Parameters) Parse(text string) (Ranges, error) {
	if text == "" || text == noRanges {
		return nil, nil
	}
	var ranges Ranges
	for part := range strings.SplitSeq(text, ",") {
		fields := strings.Split(strings.TrimSpace(part), ":")
		i := p.Find(fields[0])
		switch {
		case len(p) == 0:
			return nil, fmt.Errorf("the system has no parameters, and %s is asked for", setting.Quote(fields[0]))
		case i < 0:
			return nil, fmt.Errorf("there is no parameter %s; use %s", setting.Quote(fields[0]), p.names(", "))
		case slices.ContainsFunc(ranges, func(r Range) bool { return r.Name == fields[0] }):
			return nil, fmt.Errorf("the parameter %s is there twice", fields[0])
		case len(fields) > 3:
			return nil, fmt.Errorf("%s is no range of %s; use %s", setting.Quote(part), fields[0], Ranges{{fields[0], p[i].From, p[i].To}})
		}
		r := Range{fields[0], p[i].From, p[i].To}
		for k, field := range fields[1:] {
			v, err := setting.Float(field)
			if err != nil || !(v >= p[i].Low && v <= p[i].High) {
				return nil, fmt.Errorf("the parameter %s cannot be %s: give a number from %g to %g", r.Name, setting.Quote(field), p[i].Low, p[i].High)
			}
			if r.High = v; k == 0 {
				r.Low = v
			}
		}
		if r.Low > r.High {
			return nil, fmt.Errorf("the parameter %s goes from %g down to %g; exchange them", r.Name, r.Low, r.High)
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

// names returns the names of all parameters, separated by sep.
func (p Parameters) names(sep string) string {
	var names []string
	for _, q := range p {
		names = append(names, q.Name)
	}
	return strings.Join(names, sep)
}

// InWords returns the ranges as part of a sentence: "a 2…10, b = 0.5".
func (p Parameters) InWords(r Ranges) string {
	var parts []string
	for _, v := range r {
		q := p[p.Find(v.Name)]
		text := fmt.Sprintf("%s %g…%g", q.Symbol, v.Low, v.High)
		if v.High == v.Low {
			text = fmt.Sprintf("%s = %g", q.Symbol, v.Low)
		}
		if q.Unit != "" {
			text += " " + q.Unit
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

// parametersStream names the random stream from which parameters are drawn.
const parametersStream = "parameters of a trajectory"

// Draw returns the values (P) of the parameters of the trajectory with this index, or nil if
// there are no ranges. A parameter with a range is drawn uniformly from its range,
// independently of all other random numbers. Other parameters have their defaults.
func (p Parameters) Draw(r Ranges, seed uint64, index int) []float64 {
	if len(r) == 0 {
		return nil
	}
	values := make([]float64, len(p))
	for i := range values {
		values[i] = p[i].Usual
	}
	src := rng.New(seed, parametersStream, uint64(index))
	for _, v := range r {
		values[p.Find(v.Name)] = v.Low + (v.High-v.Low)*src.Float64()
	}
	return values
}

// Assumed returns a sentence that names the values assumed for data without parameters.
func (p Parameters) Assumed() string {
	var values []string
	for _, q := range p {
		values = append(values, fmt.Sprintf("%s = %g", q.Symbol, q.Usual))
	}
	return fmt.Sprintf("The data say nothing of their parameters, so the usual ones are taken: %s.", strings.Join(values, ", "))
}

// Outside compares values (P) with the ranges on which a model was trained. A parameter without a
// range must have its default. The first result lists the values that are outside: "a = 12". The
// second result lists the allowed ranges of the same parameters: "a 2…10". Both are "" if no value
// is outside.
func (p Parameters) Outside(r Ranges, values []float64) (outside, within string) {
	var is []string
	var must Ranges
	for i, q := range p {
		own := Range{q.Name, q.Usual, q.Usual}
		if k := slices.IndexFunc(r, func(v Range) bool { return v.Name == q.Name }); k >= 0 {
			own = r[k]
		}
		if v := p.Value(values, i); !(v >= own.Low && v <= own.High) {
			is, must = append(is, fmt.Sprintf("%s = %g", q.Symbol, v)), append(must, own)
		}
	}
	return strings.Join(is, ", "), p.InWords(must)
}

// Write adds the parameters of trajectories to their archive. Each parameter becomes an array (E)
// with the parameter's name. `of` contains the values (P) of each trajectory, or nil for a
// trajectory with the defaults. If all values are defaults, Write adds no array.
func (p Parameters) Write(to *data.Archive, of [][]float64) error {
	if !slices.ContainsFunc(of, func(v []float64) bool { outside, _ := p.Outside(nil, v); return outside != "" }) {
		return nil
	}
	for i, q := range p {
		column := make([]float64, len(of))
		for e := range of {
			column[e] = p.Value(of[e], i)
		}
		if err := to.Array(q.Name, data.NewArray([]int{len(of)}, column)); err != nil {
			return err
		}
	}
	return nil
}

// read reads the arrays that Write wrote. `names` lists the archive's arrays. The first result has
// the values (P) of each trajectory. It is nil if the archive has no array of a parameter. A
// parameter without an array has its default. The second result names all other arrays. An array
// with a parameter's name is among them if it has more than one dimension.
func (p Parameters) read(r io.ReaderAt, size int64, names []string, trajectories int) (of [][]float64, others []string, err error) {
	for _, name := range names {
		i := p.Find(name)
		if i < 0 {
			others = append(others, name)
			continue
		}
		flat := true
		a, err := data.ReadArray(r, size, name, func(shape []int) error {
			if len(shape) == 0 && trajectories == 1 { // a number, for the only trajectory
				return nil
			}
			if flat = len(shape) == 1; flat && shape[0] != trajectories {
				return fmt.Errorf("it has %d numbers, and there are %d trajectories", shape[0], trajectories)
			}
			if !flat {
				return errors.New("it is no parameter")
			}
			return nil
		})
		if !flat {
			others = append(others, name)
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("the parameter %s: %w", name, err)
		}
		if of == nil {
			of = make([][]float64, trajectories)
			for e := range of {
				for _, q := range p {
					of[e] = append(of[e], q.Usual)
				}
			}
		}
		for e, v := range a.Float64s() {
			if math.IsNaN(v) || v < p[i].Low || v > p[i].High {
				return nil, nil, fmt.Errorf("the parameter %s of trajectory %d is %v; use numbers from %g to %g", name, e, v, p[i].Low, p[i].High)
			}
			of[e][i] = v
		}
	}
	return of, others, nil
}
