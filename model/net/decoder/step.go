package decoder

import (
	"errors"
	"math/rand/v2"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/setting"
)

// Step is a loss that makes the velocity of z = [z̄, ẑ] a function of z. It replaces the decoder's
// loss, or the two losses are added. Frames come in pairs of consecutive frames. The loss is
//
//	Weight · (mean of w(Δz/Δt - g(z))² + Spread · mean of ((mean ẑ)² + (var ẑ - 1)²))
//
// with w = Macro for z̄ and 1 for ẑ, and a drift g that only stage I uses. The second part takes
// mean ẑ and var ẑ of each closure variable over the frames of a shard. The second part prevents a
// constant ẑ. A constant ẑ would be the easiest to predict.
type Step struct {
	Weight float64              // weight of this loss; 0: no Step
	Macro  float64              // weight of the errors of z̄; each closure variable has weight 1
	Spread float64              // weight of the second part; 0: no second part
	Drift  dynamics.DriftConfig // drift g of Input.Variables variables
}

// On reports whether the Step is part of the loss.
func (s *Step) On() bool { return s.Weight > 0 }

// Table lists the settings by their names in checkpoints. A setting that is missing in a file gets
// its Absent value.
func (s *Step) Table() setting.Table {
	const most = 1e6
	t := setting.Table{
		{Name: "step.weight", Value: &s.Weight, High: most, Absent: "0"}, {Name: "step.macro", Value: &s.Macro, Low: setting.Tiny, High: most, Absent: "10"},
		{Name: "step.spread", Value: &s.Spread, High: most, Absent: "1"},
	}
	drift := s.Drift.MLPTable("step.")
	for i, absent := range []string{string(dynamics.FormMLP), "64 64", "tanh"} {
		drift[i].Absent = absent
	}
	t = append(t, drift...)
	t[1:].Needing(s.On(), "step.weight above 0")
	return t
}

// validate returns an error that says what is wrong with the settings.
func (s *Step) validate(in Input) error {
	switch {
	case !s.On():
		return nil
	case in.Macros < 1:
		return errors.New("the one-step loss predicts macroscopic variables, and there are none; set step.weight=0")
	}
	return s.Drift.Validate()
}

// stepper implements Decoder. Its loss is the loss of a Step plus the loss of another decoder, if
// there is one.
type stepper[T tensor.Float] struct {
	cfg   Step
	in    Input
	inner Decoder[T]
	drift dynamics.Drift[T]

	z      []T // (frames, D): z of every frame, macroscopic variables first
	dz     []T // (frames, D): the gradient of z
	of, dg []T // (pairs, D): the first z of each pair, and the gradient of g
	own    []T // (pairs, D): g before the call of Backward, and the gradient of each pair's first z after the call
}

func newStepper[T tensor.Float](n *Decoding, inner Decoder[T], maxSets int) *stepper[T] {
	frames, vars := (maxSets+n.in.Sets-1)/n.in.Sets, n.in.Variables()
	all, half := frames*vars, (frames+1)/2*vars
	return &stepper[T]{
		cfg: n.cfg.Step, in: n.in, inner: inner, drift: dynamics.NewDrift[T](n.step, (frames+1)/2),
		z: make([]T, all), dz: make([]T, all), of: make([]T, half), dg: make([]T, half), own: make([]T, half),
	}
}

// Size implements Decoder.
func (d *stepper[T]) Size(sets int) int { return d.inner.Size(sets) }

// Draw implements Decoder.
func (d *stepper[T]) Draw(x []T, in encoder.Batch[T], r *rand.Rand) {
	d.inner.Draw(x, in, r)
}

// Loss implements Decoder.
func (d *stepper[T]) Loss(params, grads, dz, z []T, of Truth[T]) (loss float64) {
	loss = d.inner.Loss(params, grads, dz, z, of)
	vars, macros := d.in.Variables(), d.in.Macros
	frames, closures := len(of.Sets.Ends)/d.in.Sets, vars-macros
	for f := range frames {
		row := d.z[f*vars : (f+1)*vars]
		copy(row, of.States[f*(macros+1):][:macros])
		copy(row[macros:], z[f*closures:])
	}
	clear(d.dz[:frames*vars])
	loss += d.velocity(params, grads, of.States, frames)
	loss += d.spread(frames)
	for f := range frames {
		for i, v := range d.dz[f*vars+macros : (f+1)*vars] {
			dz[f*closures+i] += v
		}
	}
	return loss
}

// velocity returns the first part of the loss and adds its gradient to d.dz.
func (d *stepper[T]) velocity(params, grads, states []T, frames int) float64 {
	c, macros := &d.cfg, d.in.Macros
	vars, pairs := d.in.Variables(), frames/2
	for p := range pairs {
		copy(d.of[p*vars:(p+1)*vars], d.z[2*p*vars:])
	}
	of, g := d.of[:pairs*vars], d.own[:pairs*vars]
	d.drift.Forward(g, params, of, pairs)
	sum, scale := 0.0, c.Weight/float64(pairs*vars)
	for p := range pairs {
		at := 2 * p * (macros + 1)
		dt := states[at+2*macros+1] - states[at+macros]
		now, next := 2*p*vars, (2*p+1)*vars
		for i := range vars {
			weight := scale
			if i < macros {
				weight *= c.Macro
			}
			e := (d.z[next+i]-d.z[now+i])/dt - g[p*vars+i]
			sum += weight * float64(e) * float64(e)
			de := T(2*weight) * e
			d.dg[p*vars+i] = -de
			d.dz[next+i] += de / dt
			d.dz[now+i] -= de / dt
		}
	}
	d.drift.Backward(g, params, grads, of, d.dg[:pairs*vars], pairs)
	for p := range pairs {
		for i, v := range g[p*vars : (p+1)*vars] {
			d.dz[2*p*vars+i] += v
		}
	}
	return sum
}

// spread returns the second part of the loss and adds its gradient to d.dz.
func (d *stepper[T]) spread(frames int) (loss float64) {
	c := &d.cfg
	vars, macros, n := d.in.Variables(), d.in.Macros, T(frames)
	if c.Spread == 0 {
		return 0
	}
	scale := c.Weight * c.Spread / float64(vars-macros)
	for i := macros; i < vars; i++ {
		var mean, variance T
		for f := range frames {
			mean += d.z[f*vars+i] / n
		}
		for f := range frames {
			e := d.z[f*vars+i] - mean
			variance += e * e / n
		}
		loss += scale * float64(mean*mean+(variance-1)*(variance-1))
		for f := range frames {
			d.dz[f*vars+i] += T(scale) / n * (2*mean + 4*(variance-1)*(d.z[f*vars+i]-mean))
		}
	}
	return loss
}
