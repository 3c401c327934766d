//go:build !first

package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/lab/view/portrait"
	"macroscope/model/learn/model"
	"macroscope/model/setting"
	"macroscope/model/wire"
)

const (
	arrowColumns, arrowRows = 13, 9
	portraitPaths           = 24   // largest number of training trajectories that are drawn
	portraitPoints          = 40   // number of points on each drawn trajectory
	portraitReach           = 1.5  // the search for fixed points covers −1.5 to 1.5 in every variable; training covered −1 to 1
	portraitGrowth          = 0.25 // a mode counts as constant if the run's duration times the mode's rate of growth or decay is at most this value
	portraitTaus            = 3    // number of time constants in the description of a fixed point
	// ModesWidth is the length of a row of "portraitModes": the number of constant modes, the
	// number of growing modes, and the portraitTaus longest time constants of decaying modes.
	// NaN replaces a missing time constant.
	ModesWidth = 2 + portraitTaus
)

// Kinds of axes in a Portrait. A number from 1 on follows, as in "pc2".
const (
	PrincipalAxis = "pc" // a principal component of z
	MacroAxis     = "m"  // an observable
	ClosureAxis   = "z"  // a closure variable
)

// Portrait shows a plane through the states of a model's dynamics, and the motion in the plane.
// It is made once per model; Put adds the parts that change with the frame. It is not safe for
// concurrent use. In the shapes below, V is the number of variables of a state.
type Portrait struct {
	shown *Shown
	field *model.Field
	plane portrait.Plane
	title [2]string
	mean  []float64 // mean of the states (V)

	window [2][2]float64 // ends of the ranges of the plane's coordinates u and v
	span   float64       // number of frames that an arrow stands for
	arrows []float32     // (n, 4): u, v, and the changes of u and v by the drift during `span` frames
	noise  []float32     // (n, 3): covariance (uu, uv, vv) of the noise during `span` frames; nil if there is no noise
	paths  []float32     // u, v on training trajectories; NaN between two trajectories
	fixed  []float32     // (k, 3): u, v, portrait.Kind
	modes  []float32     // (k, ModesWidth)
	note   string

	now, held    []float64 // states (V): the state of the displayed frame, and the state that the user holds
	ahead, drift []float64 // scratch memory (V)
	z            []float32 // scratch memory (V)
	holds        bool
	line         []float32 // scratch memory
}

// covered contains the states that training covered.
type covered struct {
	states []float64 // (n, V)
	each   int       // number of consecutive states in a path; 0 if there are no paths
	starts []float64 // states from which the search for fixed points starts
}

// NewPortrait analyses the dynamics of a displayed model in the plane of two axes. It needs
// states that training covered. The first available source provides them: `codes`, if the
// model's own encoder made these codes; the model's Support; the model's prediction of the run.
// If no source is available yet, NewPortrait returns nil.
func NewPortrait(v *Shown, of *Run, a portrait.Algebra, codes *model.Codes, axes [2]string) *Portrait {
	m := v.Model
	field := m.NewField()
	if field == nil || !v.Predicts() {
		return nil
	}
	n := m.Config.States()
	p := &Portrait{shown: v, field: field, now: make([]float64, n), held: make([]float64, n), ahead: make([]float64, n), drift: make([]float64, n), z: make([]float32, n)}
	v.Coder.State(p.z, v.given(of, 0), of.Live.Macro(0), 0)
	for i, x := range p.z {
		p.now[i] = float64(x)
	}
	c := p.covered(codes)
	mean, principal, share, ok := a.Principal(c.states, n)
	if !ok {
		return nil
	}
	p.mean = mean
	moving := m.Config.Moving()
	copy(p.mean[moving:], p.now[moving:]) // variables that never change have the run's values
	for i, axis := range axes {
		p.setAxis(i, axis, principal, share, of.Live.Run().Variables)
	}
	for k := 1; k <= n && !p.plane.Move(slices.Clone(mean), [2]float64{1, 1}); k++ { // the axes are parallel: use another principal component
		p.setAxis(1, fmt.Sprint(PrincipalAxis, k), principal, share, nil)
	}
	p.look(&c)
	p.evaluate()
	p.fix(portrait.FixedPoints(p, a, c.starts, portraitReach), of)
	return p
}

// Dim implements portrait.Dynamics.
func (p *Portrait) Dim() int { return len(p.z) }

// Drift implements portrait.Dynamics. The unit of time is a frame.
func (p *Portrait) Drift(dst, z []float64) { p.field.Drift(dst, p.single(z)) }

// Jacobian implements portrait.Dynamics. The unit of time is a frame.
func (p *Portrait) Jacobian(dst, z []float64) { p.field.Jacobian(dst, p.single(z)) }

func (p *Portrait) single(z []float64) []float32 {
	for i, v := range z {
		p.z[i] = float32(v)
	}
	return p.z
}

// covered returns the states that training covered.
func (p *Portrait) covered(codes *model.Codes) (c covered) {
	m, n := p.shown.Model, len(p.z)
	moving := m.Config.Moving()
	add := func(z []float32) {
		for i, x := range z {
			if i >= moving {
				x = float32(p.now[i])
			}
			c.states = append(c.states, float64(x))
		}
	}
	path := func(z []float32) { // (frames, V)
		last := len(z)/n - 1
		c.each = min(last+1, portraitPoints)
		for k := range c.each {
			at := k * last / max(1, c.each-1)
			add(z[at*n : (at+1)*n])
		}
		c.starts = append(c.starts, c.states[len(c.states)-n:]...)
	}
	switch s, future := m.Calibration.Support, p.shown.Predicting(); {
	case codes != nil && codes.Variables == n && slices.Equal(codes.Low, m.Scale.Low) && slices.Equal(codes.High, m.Scale.High):
		count := min(codes.Trajectories, portraitPaths)
		for i := range count {
			path(codes.Of(i * codes.Trajectories / count))
		}
	case s != nil:
		// For each period of frames, add points that have the mean and the covariance of the
		// period's states.
		z := make([]float32, n)
		for _, period := range s.Periods {
			for k := range n {
				for _, sign := range [...]float64{1, -1} {
					for i := range z {
						z[i] = float32(period.Mean[i] + sign*math.Sqrt(float64(n))*period.Factor[i*n+k])
					}
					add(z)
				}
			}
		}
		c.starts = c.states
	case future != nil && future.Complete():
		path(future.future[m.Config.Dynamics.Begin*n:])
	}
	return c
}

// setAxis sets axis i by its name. If the model does not have the variable, the axis is a
// principal component.
func (p *Portrait) setAxis(i int, called string, principal, share []float64, variables []string) {
	c := &p.shown.Model.Config
	n := len(p.z)
	kind := strings.TrimRight(called, "0123456789")
	number, _ := strconv.Atoi(called[len(kind):])
	k, title := -1, ""
	switch closures := c.Moving() - c.Variables; {
	case kind == MacroAxis && 1 <= number && number <= c.Variables:
		if k = number - 1; k < len(variables) {
			title = variables[k]
		}
	case kind == ClosureAxis && 1 <= number && number <= closures:
		k, title = c.Variables+number-1, fmt.Sprint("ẑ", number)
		if names := strings.Fields(p.shown.Names); number <= len(names) {
			title = names[number-1]
		}
	case kind != PrincipalAxis || number < 1 || number > n:
		number = 1 + i
	}
	if k >= 0 {
		p.plane.Axes[i], p.plane.Offset[i], p.title[i] = portrait.Along(k, n), 0, title
		return
	}
	at := min(number, n) - 1
	p.plane.Axes[i], p.plane.Offset[i] = principal[at*n:(at+1)*n], 0
	p.plane.Offset[i] = p.plane.At(p.mean)[i]
	p.title[i] = fmt.Sprintf("principal component %d (%.0f %%)", number, 100*share[at])
}

// look chooses the window and computes the paths.
func (p *Portrait) look(c *covered) {
	n := len(p.z)
	for i := range p.window {
		p.window[i] = [2]float64{math.Inf(1), math.Inf(-1)}
	}
	for k := 0; k+n <= len(c.states); k += n {
		at := p.plane.At(c.states[k : k+n])
		for i, x := range at {
			p.window[i][0], p.window[i][1] = math.Min(p.window[i][0], x), math.Max(p.window[i][1], x)
		}
		if c.each > 0 {
			if p.paths = append(p.paths, float32(at[0]), float32(at[1])); (k/n+1)%c.each == 0 {
				nan := float32(math.NaN())
				p.paths = append(p.paths, nan, nan)
			}
		}
	}
	for i, w := range p.window {
		margin := math.Max(0.08*(w[1]-w[0]), 0.02)
		p.window[i] = [2]float64{w[0] - margin, w[1] + margin}
	}
}

// evaluate computes the drift and the noise on a grid in the plane through the mean of the states.
// It chooses the number of frames that an arrow stands for, so that nine tenths of the arrows fit
// in a cell.
func (p *Portrait) evaluate() {
	n := len(p.z)
	z, of := make([]float64, n), make([]float64, n*n)
	cell := [2]float64{(p.window[0][1] - p.window[0][0]) / arrowColumns, (p.window[1][1] - p.window[1][0]) / arrowRows}
	noisy := p.shown.Model.Config.Traits.Stochastic
	var lengths []float64
	for row := range arrowRows {
		for column := range arrowColumns {
			at := [2]float64{p.window[0][0] + (float64(column)+0.5)*cell[0], p.window[1][0] + (float64(row)+0.5)*cell[1]}
			copy(z, p.mean)
			p.plane.Move(z, at)
			p.Drift(p.drift, z)
			d := p.plane.At(p.drift)
			for i := range d {
				// Plane.At expects a state and subtracts the offset. The drift is a change of a
				// state, so the offset is added again.
				d[i] += p.plane.Offset[i]
			}
			p.arrows = append(p.arrows, float32(at[0]), float32(at[1]), float32(d[0]), float32(d[1]))
			lengths = append(lengths, math.Hypot(d[0]/cell[0], d[1]/cell[1]))
			if noisy {
				p.field.Covariance(of, p.single(z))
				s := p.plane.Spread(of)
				p.noise = append(p.noise, float32(s[0]), float32(s[1]), float32(s[2]))
			}
		}
	}
	slices.Sort(lengths)
	p.span = roundSpan(0.9 / lengths[len(lengths)*9/10])
	for i := range p.arrows {
		if i%4 >= 2 {
			p.arrows[i] *= float32(p.span)
		}
	}
	for i := range p.noise {
		p.noise[i] *= float32(p.span)
	}
}

// roundSpan returns the largest of 1, 2, 5, 10, …, 1000 that is at most x, or 1 if x is below 1.
func roundSpan(x float64) float64 {
	span := 1.0
	for _, next := range [...]float64{2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		if next <= x {
			span = next
		}
	}
	return span
}

// fix stores the fixed points, their modes, and a description in words.
func (p *Portrait) fix(points []portrait.Fixed, of *Run) {
	r := of.Live.Run()
	slow := portraitGrowth / float64(max(1, r.Horizon))
	for _, f := range points {
		at := p.plane.At(f.Z)
		p.fixed = append(p.fixed, float32(at[0]), float32(at[1]), float32(f.Kind(slow)))
		var row [ModesWidth]float32
		taus := row[2:2]
		for _, mode := range f.Modes {
			switch rate := real(mode); {
			case rate > slow:
				row[1]++
			case rate >= -slow:
				row[0]++
			case len(taus) < portraitTaus:
				taus = append(taus, float32(-r.Dt/rate))
			}
		}
		for len(taus) < portraitTaus {
			taus = append(taus, float32(math.NaN()))
		}
		p.modes = append(p.modes, row[:]...)
	}
	p.note = p.told(len(points))
}

// told describes the fixed points in words. It returns several versions, one per line. Each version
// is shorter than the version before, for places with less space.
func (p *Portrait) told(count int) string {
	if count == 0 {
		return "no fixed point within the range of training\nno fixed point in range"
	}
	points, first := setting.Count(count, "fixed point", "fixed points"), p.modes[:ModesWidth]
	of, short := points+":", points+", "
	if count > 1 {
		of, short = points+"; one has", points+"; one has "
	}
	var modes []string
	if first[1] > 0 {
		modes = append(modes, setting.Count(int(first[1]), "growing mode", "growing modes"))
	}
	if first[0] > 0 {
		modes = append(modes, setting.Count(int(first[0]), "constant mode", "constant modes"))
	}
	tau := first[2]
	if tau != tau {
		return of + " " + strings.Join(modes, ", ") + "\n" + points
	}
	slow := fmt.Sprintf("decay times τ up to %.2g", tau)
	if tau >= 100 {
		slow = fmt.Sprintf("decay times τ up to %.0f", tau)
	}
	return of + " " + strings.Join(append(modes, slow), ", ") + "\n" + short + slow + "\n" + slow
}

// Hold moves z to a place in the plane. Of all states at this place, it chooses the nearest to the
// present state. A place outside the window is first moved to the window's edge.
func (p *Portrait) Hold(u, v float64) {
	if !p.holds {
		p.holds = true
		copy(p.held, p.now)
	}
	to := [2]float64{u, v}
	for i, w := range p.window {
		to[i] = math.Max(w[0], math.Min(w[1], to[i]))
	}
	p.plane.Move(p.held, to)
}

// HoldNumber moves only one closure variable of z, given by its index.
func (p *Portrait) HoldNumber(i int, v float64) {
	if !p.holds {
		p.holds = true
		copy(p.held, p.now)
	}
	p.held[p.shown.Model.Config.Variables+i] = v
}

// Release makes z follow the run again, after a call of Hold or HoldNumber.
func (p *Portrait) Release() { p.holds = false }

// Held returns the held ẑ of all sets, scaled to [-1, 1], or nil if z is not held.
func (p *Portrait) Held() []float32 {
	if p == nil || !p.holds {
		return nil
	}
	c := &p.shown.Model.Config
	return p.single(p.held)[c.Variables:c.Moving()]
}

// Put adds the portrait to a frame. In addition to the fixed parts, it adds the places of the
// displayed frame, the run so far, the prediction and a held z.
func (p *Portrait) Put(f *wire.Frame, of *Run) {
	f.Put("portrait", float32(p.window[0][0]), float32(p.window[0][1]), float32(p.window[1][0]), float32(p.window[1][1]), float32(p.span))
	f.PutText("portraitX", p.title[0])
	f.PutText("portraitY", p.title[1])
	f.PutText("portraitNote", p.note)
	f.Put("portraitArrows", p.arrows...)
	if p.noise != nil {
		f.Put("portraitNoise", p.noise...)
	}
	f.Put("portraitPaths", p.paths...)
	f.Put("portraitFixed", p.fixed...)
	f.Put("portraitModes", p.modes...)
	p.putRun(f, of)
	if future := p.shown.Predicting(); future != nil {
		p.line = p.line[:0]
		n := len(p.z)
		for k := 0; k <= future.Done; k++ {
			for i, x := range future.future[k*n : (k+1)*n] {
				p.drift[i] = float64(x)
			}
			p.add(p.drift)
		}
		f.Put("portraitAhead", p.line...)
	}
	if !p.holds {
		return
	}
	at := p.plane.At(p.held)
	f.Put("portraitHeld", float32(at[0]), float32(at[1]))
	p.putFlow(f, of.Live.Run().Horizon)
}

// add appends the place of a state in the plane to p.line.
func (p *Portrait) add(z []float64) {
	at := p.plane.At(z)
	p.line = append(p.line, float32(at[0]), float32(at[1]))
}

// putRun adds the path of the run up to the displayed frame.
func (p *Portrait) putRun(f *wire.Frame, of *Run) {
	v, m := p.shown, p.shown.Model
	d, now := len(v.Z), of.Live.Player().Now()
	first := m.Config.Variables
	put := func(k int, z []float32) {
		macro := of.Live.Macro(k)
		for i := range first {
			p.now[i] = m.Scale.State(i, macro[i])
		}
		for i, x := range z {
			p.now[first+i] = float64(x)
		}
		p.add(p.now)
	}
	p.line = p.line[:0]
	for k := 0; (k+1)*d <= len(v.Past) && k*v.Stride <= now; k++ {
		put(k*v.Stride, v.Past[k*d:(k+1)*d])
	}
	put(now, v.Z)
	f.Put("portraitRun", p.line...)
}

// putFlow adds the path that z takes without noise, starting from the held z. It is computed by
// Euler steps of one frame.
func (p *Portrait) putFlow(f *wire.Frame, frames int) {
	copy(p.ahead, p.held)
	p.line = p.line[:0]
	for range frames {
		p.add(p.ahead)
		p.Drift(p.drift, p.ahead)
		for i, g := range p.drift {
			p.ahead[i] += g
		}
	}
	f.Put("portraitFlow", p.line...)
}
