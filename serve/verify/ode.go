package verify

import (
	"context"
	"fmt"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/metric"
	"macroscope/sim/particle"
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
	cfg := dynamics.Config{Dim: dim, Form: dynamics.FormOnsager, Onsager: dynamics.OnsagerConfig{
		Hidden: c["pot_b0"].Len(), Features: c["pot_b1"].Len(),
		Dissipative: c["diss_b0"].Len(), Conservative: c["cons_b0"].Len(), Alpha: alpha,
	}}
	if err := cfg.Validate(); err != nil {
		return err
	}
	var layout tensor.Layout
	o := dynamics.NewOnsager(cfg.Onsager, dim, &layout, "g")
	params, err := fill[T](c, &layout, "pot_w0", "pot_b0", "pot_w1", "pot_b1", "gamma",
		"diss_w0", "diss_b0", "diss_w1", "diss_b1", "cons_w0", "cons_b0", "cons_w1", "cons_b1")
	if err != nil {
		return err
	}
	x := to[T](c.values("x"))
	d := dynamics.NewOnsagerNet[T](o, rows)
	potential, gradient, drift := make([]T, rows), make([]T, rows*dim), make([]T, rows*dim)
	d.Potential(potential, params, x, rows)
	d.GradPotential(gradient, params, x, rows)
	d.Forward(drift, params, x, rows)
	cmp.add(from(potential), c.values("potential"))
	cmp.add(from(gradient), c.values("grad_potential"))
	cmp.add(from(drift), c.values("drift"))
	return nil
}

func runResNet(c Case) ([]Result, error) { return both(c, resNetCase[float64], resNetCase[float32]) }

// resNetCase checks the potential, its gradient, the drift, and the mean squared
// error of the drift with its gradients, in which are second derivatives of the
// potential.
func resNetCase[T tensor.Float](c Case, cmp *comparison) error {
	beta, err := c.scalar("beta")
	if err != nil {
		return err
	}
	least, err := c.scalar("min_d")
	if err != nil {
		return err
	}
	rows, dim, err := c.matrix("x")
	if err != nil {
		return err
	}
	if n := c["rate"].Len(); n != rows*dim {
		return fmt.Errorf("rate holds %d values and should hold %d, as x does", n, rows*dim)
	}
	cfg := dynamics.ResNetConfig{Width: c["trunk0_b"].Len(), Features: c["pot_b"].Len(), Beta: beta, Least: least}
	names := []string{"trunk0_w", "trunk0_b"} // in the layout's order
	for {
		w, b := fmt.Sprintf("trunk%d_w", cfg.Blocks+1), fmt.Sprintf("trunk%d_b", cfg.Blocks+1)
		if c[w] == nil || c[b] == nil {
			break
		}
		cfg.Blocks, names = cfg.Blocks+1, append(names, w, b)
	}
	names = append(names, "matrix_w", "matrix_b", "pot_w", "pot_b", "pot_in_w", "pot_in_b", "force_w", "force_b")
	if err := cfg.Validate(); err != nil {
		return err
	}
	var layout tensor.Layout
	n := dynamics.NewResNet(cfg, dim, &layout, "g")
	params, err := fill[T](c, &layout, names...)
	if err != nil {
		return err
	}
	x, rate := to[T](c.values("x")), to[T](c.values("rate"))
	d := dynamics.NewOnsagerResNet[T](n, rows)
	potential, gradient, drift, dg, dx := make([]T, rows), make([]T, rows*dim), make([]T, rows*dim), make([]T, rows*dim), make([]T, rows*dim)
	d.Potential(potential, params, x, rows)
	d.GradPotential(gradient, params, x, rows)
	d.Forward(drift, params, x, rows)
	cmp.add(from(potential), c.values("potential"))
	cmp.add(from(gradient), c.values("grad_potential"))
	cmp.add(from(drift), c.values("drift"))
	loss := 0.0
	for i, g := range drift {
		e := g - rate[i]
		loss += float64(e) * float64(e) / float64(len(drift))
		dg[i] = 2 * e / T(len(drift))
	}
	cmp.add([]float64{loss}, c.values("loss"))
	grads := make([]T, layout.Size())
	d.Backward(dx, params, grads, x, dg, rows)
	for i, p := range layout.Params() {
		cmp.addIf(c, "grad_"+names[i], from(tensor.Of(grads, p)))
	}
	cmp.addIf(c, "grad_x", from(dx))
	return nil
}

func runSDE(c Case) ([]Result, error) { return both(c, sdeCase[float64], sdeCase[float32]) }

// sdeFloor is the least σ² of the cases' diffusions, which are the paper's.
const sdeFloor = 0.01

// sdeCase checks the drift and diffusion, deterministic rollouts along the
// drift from the first of the given states, and the likelihood of pairs of states
// with its gradients.
func sdeCase[T tensor.Float](c Case, cmp *comparison) error {
	dt, err := c.scalar("dt")
	if err != nil {
		return err
	}
	rows, dim, err := c.matrix("z0")
	if err != nil {
		return err
	}
	if n := c["z1"].Len(); n != rows*dim {
		return fmt.Errorf("z1 holds %d values and should hold a state after each of z0's %d states of %d variables", n, rows, dim)
	}
	shape := c["rk4"].Shape
	if len(shape) != 3 || shape[0] > rows || shape[1] < 1 || shape[2] != dim {
		return fmt.Errorf("rk4 has the shape %v and should hold trajectories from the first of %d states of %d variables", shape, rows, dim)
	}
	widths := func(net string) []int { return []int{c[net+"_b0"].Len(), c[net+"_b1"].Len()} }
	cfg := dynamics.Config{Dim: dim, Form: dynamics.FormMLP, Hidden: widths("drift"), Act: kernel.Tanh}
	if err := cfg.Validate(); err != nil {
		return err
	}
	noiseCfg := dynamics.NoiseConfig{Form: dynamics.NoiseDiagonal, Hidden: widths("diff"), Act: kernel.Tanh, Floor: sdeFloor}
	if err := noiseCfg.Validate(); err != nil {
		return err
	}
	var layout tensor.Layout
	drift, noise := dynamics.New(cfg, &layout, "g"), dynamics.NewNoise(noiseCfg, dim, &layout, "sigma")
	names := []string{"drift_w0", "drift_b0", "drift_w1", "drift_b1", "drift_w2", "drift_b2",
		"diff_w0", "diff_b0", "diff_w1", "diff_b1", "diff_w2", "diff_b2"} // in the layout's order
	params, err := fill[T](c, &layout, names...)
	if err != nil {
		return err
	}
	z0, z1 := to[T](c.values("z0")), to[T](c.values("z1"))
	d, s := dynamics.NewDrift[T](drift, rows), dynamics.NewDiffusion[T](noise, rows)
	velocity, diffusion, path := make([]T, rows*dim), make([]T, rows*dim), make([]T, c["rk4"].Len())
	d.Forward(velocity, params, z0, rows)
	cmp.add(from(velocity), c.values("drift"))
	s.Forward(diffusion, params, z0, rows)
	cmp.add(from(diffusion), c.values("diffusion"))
	dynamics.NewIntegrator(d, dynamics.RK4, rows).Rollout(path, params, z0, shape[0], shape[1]-1, dt)
	cmp.add(from(path), c.values("rk4"))

	var pairs []T
	for r := range rows {
		pairs = append(append(pairs, z0[r*dim:(r+1)*dim]...), z1[r*dim:(r+1)*dim]...)
	}
	grads := make([]T, layout.Size())
	nll := dynamics.NewLikelihood(d, s, 1, rows).Gradient(nil, params, grads, pairs, rows, dt)
	cmp.add([]float64{nll}, c.values("nll"))
	for i, p := range layout.Params() {
		cmp.addIf(c, "grad_"+names[i], from(tensor.Of(grads, p)))
	}
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
	cmp := comparison{floor: floor64}
	got := make([]float64, len(want))
	mean := metric.MRE(got, c.values("pred"), c.values("true"))
	cmp.add(got, want)
	cmp.add([]float64{mean}, c.values("mre"))
	return []Result{cmp.result64()}, nil
}

// runInteracting checks the velocities at the first frame, the energy at every
// step and the recorded frames, in float64 by the simulator's definition of the
// forces and in float32 by the simulator itself.
func runInteracting(c Case) ([]Result, error) {
	cfg, steps, err := c.interacting()
	if err != nil {
		return nil, err
	}
	first := c.values("frames")[:2*cfg.N]
	run := make([]instant, cfg.Steps+1)

	double := comparison{floor: floor64}
	x := slices.Clone(first)
	for k := range run {
		v := make([]float64, len(x))
		run[k] = instant{slices.Clone(x), v, particle.Definition(v, x, cfg.A, cfg.B)}
		for i := range x {
			x[i] += cfg.Dt * v[i]
		}
	}
	compareRun(c, &double, run, steps)

	single := comparison{floor: floor32}
	x32, v32 := to[float32](first), make([]float32, len(first))
	sim, err := particle.New(context.Background(), cfg, x32)
	if err != nil {
		return nil, err
	}
	for k := range run {
		if k > 0 {
			if err := sim.Step(context.Background()); err != nil {
				return nil, err
			}
		}
		sim.Positions(x32)
		sim.Velocities(v32)
		run[k] = instant{from(x32), from(v32), sim.Energy()}
	}
	compareRun(c, &single, run, steps)
	return []Result{double.result64(), single.result32()}, nil
}

// instant is a simulation at one step.
type instant struct {
	positions, velocities []float64 // (N, 2)
	energy                float64
}

// compareRun compares a run with the case, whose frames are of the given steps.
// Rounding grows as particles that were close move apart, so the error of a
// frame at step k counts 1/(1 + k/10) of what it is.
func compareRun(c Case, cmp *comparison, run []instant, steps []int64) {
	energies := make([]float64, len(run))
	for k, now := range run {
		energies[k] = now.energy
	}
	cmp.add(energies, c.values("energy"))
	cmp.add(run[0].velocities, c.values("velocity0"))
	frames, n := c.values("frames"), len(run[0].positions)
	for i, k := range steps {
		frame := comparison{floor: cmp.floor}
		frame.add(run[k].positions, frames[i*n:(i+1)*n])
		cmp.abs = worse(cmp.abs, frame.abs)
		cmp.rel = worse(cmp.rel, frame.rel/(1+float64(k)/10))
	}
}

// interacting returns the configuration of a simulation and the steps of its
// recorded frames, the first of which is step 0.
func (c Case) interacting() (cfg particle.Config, steps []int64, err error) {
	cfg = particle.Default()
	for name, field := range map[string]*float64{"a": &cfg.A, "b": &cfg.B, "dt": &cfg.Dt} {
		if *field, err = c.scalar(name); err != nil {
			return cfg, nil, err
		}
	}
	if steps, err = c["frame_index"].Int64s(); err != nil {
		return cfg, nil, fmt.Errorf("frame_index: %w", err)
	}
	shape := c["frames"].Shape
	if len(shape) != 3 || shape[0] != len(steps) || shape[0] == 0 || shape[2] != 2 || c["velocity0"].Len() != shape[1]*2 {
		return cfg, nil, fmt.Errorf("frames has the shape %v and should hold %d frames of particles in the plane, as many as velocity0", shape, len(steps))
	}
	cfg.N, cfg.Steps = shape[1], c["energy"].Len()-1
	if steps[0] != 0 {
		return cfg, nil, fmt.Errorf("the first frame is that of step %d and should be where the run begins", steps[0])
	}
	for _, s := range steps {
		if s < 0 || s > int64(cfg.Steps) {
			return cfg, nil, fmt.Errorf("a frame of step %d and energies of steps 0 to %d", s, cfg.Steps)
		}
	}
	return cfg, steps, cfg.Validate()
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
