package verify

import (
	"fmt"

	"macroscope/model/kernel"
	"macroscope/model/metric"
	"macroscope/model/sde"
	"macroscope/model/tensor"
)

func runOnsager(c Case) ([]Result, error) { return both(c, onsagerCase[float64], onsagerCase[float32]) }

// onsagerCase checks the potential, its gradient and the drift.
func onsagerCase[T tensor.Float](c Case, cmp *comparison) error {
	alpha, err := c.scalar("alpha")
	if err != nil {
		return err
	}
	rows, dim, err := c.matrix("x")
	if err != nil {
		return err
	}
	cfg := sde.Config{Dim: dim, Form: sde.FormOnsager, Onsager: sde.OnsagerConfig{
		Hidden: c["pot_b0"].Len(), Features: c["pot_b1"].Len(),
		Dissipative: c["diss_b0"].Len(), Conservative: c["cons_b0"].Len(), Alpha: alpha,
	}}
	if err := cfg.Validate(); err != nil {
		return err
	}
	var layout tensor.Layout
	o := sde.NewOnsager(cfg.Onsager, dim, &layout, "g")
	params, err := fill[T](c, &layout, "pot_w0", "pot_b0", "pot_w1", "pot_b1", "gamma",
		"diss_w0", "diss_b0", "diss_w1", "diss_b1", "cons_w0", "cons_b0", "cons_w1", "cons_b1")
	if err != nil {
		return err
	}
	x := to[T](c.values("x"))
	d := sde.NewOnsagerNet[T](o, rows)
	potential, gradient, drift := make([]T, rows), make([]T, rows*dim), make([]T, rows*dim)
	d.Potential(potential, params, x, rows)
	d.GradPotential(gradient, params, x, rows)
	d.Forward(drift, params, x, rows)
	cmp.add(from(potential), c.values("potential"))
	cmp.add(from(gradient), c.values("grad_potential"))
	cmp.add(from(drift), c.values("drift"))
	return nil
}

func runODE(c Case) ([]Result, error) { return both(c, odeCase[float64], odeCase[float32]) }

// odeCase checks the deterministic part of an SDE: the drift, and rollouts
// along it from the first of the given states. It leaves the diffusion and the
// likelihood alone.
func odeCase[T tensor.Float](c Case, cmp *comparison) error {
	dt, err := c.scalar("dt")
	if err != nil {
		return err
	}
	rows, dim, err := c.matrix("z0")
	if err != nil {
		return err
	}
	shape := c["rk4"].Shape
	if len(shape) != 3 || shape[0] > rows || shape[1] < 1 || shape[2] != dim {
		return fmt.Errorf("rk4 has the shape %v and should hold trajectories from the first of %d states of %d variables", shape, rows, dim)
	}
	cfg := sde.Config{
		Dim: dim, Form: sde.FormMLP, Hidden: []int{c["drift_b0"].Len(), c["drift_b1"].Len()}, Act: kernel.Tanh,
	}
	if err := cfg.Validate(); err != nil {
		return err
	}
	var layout tensor.Layout
	law := sde.New(cfg, &layout, "g")
	params, err := fill[T](c, &layout, "drift_w0", "drift_b0", "drift_w1", "drift_b1", "drift_w2", "drift_b2")
	if err != nil {
		return err
	}
	z0 := to[T](c.values("z0"))
	d := sde.NewDrift[T](law, rows)
	drift, path := make([]T, rows*dim), make([]T, c["rk4"].Len())
	d.Forward(drift, params, z0, rows)
	cmp.add(from(drift), c.values("drift"))
	sde.NewIntegrator(d, sde.RK4, rows).Rollout(path, params, z0, shape[0], shape[1]-1, dt)
	cmp.add(from(path), c.values("rk4"))
	return nil
}

// runMRE checks the mean relative error of every trajectory and their mean. It
// does so in float64 alone: the metric adds up in that, and to round the
// trajectories would only show how little of them the error is.
func runMRE(c Case) ([]Result, error) {
	want := c.values("per_trajectory")
	if shape := c["true"].Shape; len(shape) != 3 || shape[0] != len(want) || len(want) == 0 {
		return nil, fmt.Errorf("true has the shape %v and should hold the %d trajectories of per_trajectory", shape, len(want))
	}
	var cmp comparison
	got := make([]float64, len(want))
	mean := metric.MRE(got, c.values("pred"), c.values("true"))
	cmp.add(got, want)
	cmp.add([]float64{mean}, c.values("mre"))
	return []Result{cmp.result64()}, nil
}

// fill returns an arena that holds the named arrays in the layout's order.
func fill[T tensor.Float](c Case, l *tensor.Layout, names ...string) ([]T, error) {
	params := make([]T, l.Size())
	for i, p := range l.Params() {
		if n := c[names[i]].Len(); n != p.Len() {
			return nil, fmt.Errorf("%s holds %d values and should hold %d", names[i], n, p.Len())
		}
		copy(tensor.Of(params, p), to[T](c.values(names[i])))
	}
	return params, nil
}

// matrix returns the dimensions of an array that should have two.
func (c Case) matrix(name string) (rows, cols int, err error) {
	shape := c[name].Shape
	if len(shape) != 2 || shape[0] < 1 || shape[1] < 1 {
		return 0, 0, fmt.Errorf("%s has the shape %v and should have a row for every point", name, shape)
	}
	return shape[0], shape[1], nil
}
