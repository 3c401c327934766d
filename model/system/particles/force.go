package particles

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"macroscope/model/system"
	"macroscope/model/system/formula"
	"macroscope/sim/particle"
)

// usualForce is the force of section 4.2. The simulator computes it by this formula; for any other
// force it uses a table of values.
const usualForce = "tanh(a*(1-r))+b"

// law is the user's force: a formula of the distance r and of the parameters a and b of the
// default force. It is safe for concurrent use.
type law struct {
	*formula.Formula
	mu   sync.Mutex
	a, b float64         // parameters of the table `last`; 0 if the formula does not contain the parameter
	last *particle.Force // the latest table of the formula
}

// Indices of a formula's variables: the distance and the parameters.
const (
	ofR = iota
	ofA
	ofB
)

// force is a force between the particles: a law, or the default force if there is none.
type force struct{ *law }

// String returns the formula in its normal form.
func (f force) String() string {
	if f.law == nil {
		return usualForce
	}
	return f.law.String()
}

// parse reads a formula; "" is the default force. The result is f itself if the formulas are equal. parse does
// not check that the force is finite.
func (f force) parse(text string) (force, error) {
	bare := func(text string) string { return strings.Join(strings.Fields(text), "") }
	if bare(text) == "" || bare(text) == bare(usualForce) {
		return force{}, nil
	}
	parsed, err := formula.Parse(text, "r", "a", "b")
	switch {
	case err != nil:
		return force{}, err
	case parsed.String() == f.String():
		return f, nil
	}
	return force{&law{Formula: parsed}}, nil
}

// forces implements system.Forces.
type forces struct{}

// Usual implements system.Forces.
func (forces) Usual() string { return usualForce }

// With implements system.Forces. The force must be finite at every distance for the default a and b.
func (forces) With(text string) (*system.System, error) {
	f, err := force{}.parse(text)
	if err == nil {
		c := particle.Default()
		err = f.set(&c)
	}
	return f.system(), plain(err)
}

// PutIn implements system.Forces.
func (forces) PutIn(text string, params system.Ranges) (with string, others system.Ranges, err error) {
	f, err := force{}.parse(text)
	if err != nil || f.law == nil {
		return f.String(), params, err
	}
	values := [...]float64{math.NaN(), math.NaN(), math.NaN()}
	for _, p := range params {
		i := ofA + parameters.Find(p.Name)
		switch {
		case !f.Uses(i):
			return "", nil, fmt.Errorf("%s has no %s; leave %[2]s out, or write it into the force", system.InWords(f.String()), p.Name)
		case p.Low == p.High:
			values[i] = p.Low
		default:
			others = append(others, p)
		}
	}
	return f.law.With(values[:]), others, nil
}

// MarshalText implements encoding.TextMarshaler. It returns the force.
func (f force) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler. It reads the text of the setting.
func (f *force) UnmarshalText(text []byte) error {
	with, err := f.parse(string(text))
	if err == nil {
		*f = with
	}
	return err
}

// set sets the force of a simulation: the formula l with the simulation's values of a and b, or the
// default force if l is nil.
func (l *law) set(c *particle.Config) error {
	if l == nil {
		c.Force = nil
		return nil
	}
	a, b := c.A, c.B
	if !l.Uses(ofA) {
		a = 0
	}
	if !l.Uses(ofB) {
		b = 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil || l.a != a || l.b != b {
		values := [...]float64{ofA: a, ofB: b}
		table, err := particle.Tabulate(func(r float64) float64 {
			values[ofR] = r
			return l.At(values[:])
		})
		if err != nil {
			return fmt.Errorf("%s cannot be used: %w", system.InWords(l.String()), plain(err))
		}
		l.a, l.b, l.last = a, b, table
	}
	c.Force = l.last
	return nil
}

// drawing caches the text of the force's curve, together with the force and the parameters that the
// curve shows.
type drawing struct {
	force force
	a, b  float64
	text  string
}

// The curve shows the force at equidistant points from 0 to drawnEnd.
const (
	drawnEnd    = 2.0
	drawnPoints = 64
)

// update returns the drawn curve of the settings' force as text. The text contains drawnEnd and
// then the values of the force, separated by spaces. It is "" if the force cannot be used.
func (d *drawing) update(s *settings) string {
	if d.text != "" && d.force == s.Force && d.a == s.A && d.b == s.B {
		return d.text
	}
	*d = drawing{force: s.Force, a: s.A, b: s.B}
	c, err := s.config()
	if err != nil {
		return ""
	}
	b := strconv.AppendFloat(nil, drawnEnd, 'g', -1, 64)
	for i := range drawnPoints + 1 {
		r := drawnEnd * float64(i) / drawnPoints
		f := math.Tanh(c.A*(1-r)) + c.B
		if c.Force != nil {
			f, _ = c.Force.At(r)
		}
		b = strconv.AppendFloat(append(b, ' '), f, 'g', 4, 64)
	}
	d.text = string(b)
	return d.text
}

// The method `felt` returns the parameters (P) of a trajectory. Parameters that the force does not
// use get their defaults. If params is empty, the result is empty.
func (l *law) felt(params []float64) []float64 {
	if l == nil || len(params) == 0 || l.Uses(ofA) && l.Uses(ofB) {
		return params
	}
	felt := []float64{params[0], params[1]}
	for i := range felt {
		if !l.Uses(ofA + i) {
			felt[i] = parameters[i].Usual
		}
	}
	return felt
}
