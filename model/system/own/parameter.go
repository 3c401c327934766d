package own

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
	"macroscope/model/setting"
	"macroscope/model/system"
)

// Parameter is a number that is constant along a run and differs between runs. Its text form is
//
//	NAME [UNIT] LOW to HIGH
//
// in which the unit can be left out. In lines beside the data, the range can be left out too.
type Parameter struct {
	Name, Unit string
	Low, High  float64 // range over the runs
}

// String returns the text form.
func (p Parameter) String() string {
	return fmt.Sprintf("%s %s to %s", named(p.Name, p.Unit), strconv.FormatFloat(p.Low, 'g', -1, 64), strconv.FormatFloat(p.High, 'g', -1, 64))
}

// parseParameter is the inverse of String.
func parseParameter(text string) (p Parameter, err error) {
	if fields := strings.Fields(text); len(fields) > 3 && fields[len(fields)-2] == "to" {
		ends := []string{fields[len(fields)-3], fields[len(fields)-1]}
		for i, v := range []*float64{&p.Low, &p.High} {
			if *v, err = setting.Float(ends[i]); err != nil {
				return p, fmt.Errorf("%s is not NAME LOW to HIGH", setting.Quote(text))
			}
		}
		text = strings.Join(fields[:len(fields)-3], " ")
	}
	p.Name, p.Unit = frames.Divide(text)
	return p, nil
}

// check returns an error unless the dynamics can be given the parameter.
func (p *Parameter) check() error {
	switch {
	case strings.Contains(p.Name, ":") || p.Name == "none":
		return fmt.Errorf("the parameter %s has a colon or is called none; rename it", setting.Quote(p.Name))
	case !(p.Low > -most && p.High < most && p.Low < p.High):
		return fmt.Errorf("the parameter %s goes from %g to %g; give a range of numbers below %g", setting.Quote(p.Name), p.Low, p.High, most)
	}
	return nil
}

// parameterNames returns the names of the parameters.
func (s *Spec) parameterNames() (names []string) {
	for _, p := range s.Parameters {
		names = append(names, p.Name)
	}
	return names
}

// parameters returns the parameters of the system. Every file must have them, so the default is not used.
func (s *Spec) parameters() (all system.Parameters) {
	for _, p := range s.Parameters {
		all = append(all, system.Parameter{
			Name: p.Name, Symbol: p.Name, Unit: p.Unit, Usual: (p.Low + p.High) / 2, Low: -most, High: most, From: p.Low, To: p.High,
		})
	}
	return all
}

// Only leaves out all parameters except those with the given names, if there are parameters with all of them.
func (s *Spec) Only(names []string) {
	var only []Parameter
	for _, name := range names {
		if i := slices.Index(s.parameterNames(), name); i >= 0 {
			only = append(only, s.Parameters[i])
		}
	}
	if len(only) == len(names) {
		s.Parameters = only
	}
}

// appendNumbers adds the numbers of an array to values.
func appendNumbers(values []float64, f system.File, name string) ([]float64, error) {
	array, err := data.ReadArray(f.Bytes, f.Size, name, func([]int) error { return nil })
	if err != nil {
		return nil, err
	}
	for e, v := range array.Float64s() {
		if !(math.Abs(v) < most) {
			return nil, fmt.Errorf("the array %s is %v for run %d; use numbers, or leave the array out", setting.Quote(name), v, e)
		}
		values = append(values, v)
	}
	return values, nil
}

// The method parameters makes parameters of the arrays that have a number for each run. One that is the same for all runs
// is no input.
func (s *archive) parameters() error {
	for _, name := range slices.Sorted(maps.Keys(s.values)) {
		values := s.values[name]
		low, high := slices.Min(values), slices.Max(values)
		switch {
		case len(values) != s.runs:
			return fmt.Errorf("the array %s is in some of the files, and it has %d numbers for %d runs; save it in all of them", setting.Quote(name), len(values), s.runs)
		case low == high:
			s.still = append(s.still, name)
			s.remark("%s is %g in all runs, so it is no input of the dynamics", name, low)
		default:
			s.Parameters = append(s.Parameters, Parameter{Name: name, Low: outward(low, high-low, -1), High: outward(high, high-low, 1)})
		}
	}
	return nil
}

// outward rounds an end of a range to few digits, away from the range. The sign is 1 for the upper end and -1 for
// the lower end.
func outward(end, extent, sign float64) float64 {
	digits := func(v float64) float64 {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
		return v
	}
	if unit := math.Pow(10, math.Floor(math.Log10(extent))-2); digits(end) != end {
		if rounded := sign * digits(math.Ceil(sign*end/unit)*unit); sign*rounded >= sign*end {
			return rounded
		}
	}
	return end
}
