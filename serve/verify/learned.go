package verify

import (
	"fmt"
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder"
	"macroscope/model/net/decoder/matching"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/encoder/deepset"
)

func runAutoencoders(c Case) ([]Result, error) {
	return both(c, autoencodersCase[float64], autoencodersCase[float32])
}

// autoencodersCase checks the paper's baselines: ẑ, their losses and all
// gradients.
func autoencodersCase[T tensor.Float](c Case, cmp *comparison) error {
	shape := c["x"].Shape
	if len(shape) != 3 || !slices.Equal(c["x_next"].Shape, shape) || !slices.Equal(c["permutation"].Shape, shape[:2]) || c["zbar"].Len() != shape[0] || c["zbar_next"].Len() != shape[0] {
		return fmt.Errorf("x has the shape %v and should hold sets of particles, as x_next, with a row of permutation and a value of zbar and zbar_next for each", shape)
	}
	order, err := c["permutation"].Int64s()
	if err != nil {
		return fmt.Errorf("permutation: %w", err)
	}
	dt, err := c.scalar("dt")
	if err != nil {
		return err
	}
	sets, n, dim := shape[0], shape[1], shape[2]
	x, next := to[T](c.values("x")), to[T](c.values("x_next"))
	batch := encoder.Batch[T]{Points: x}
	shuffled := encoder.Batch[T]{Points: make([]T, len(x))}
	var pairs encoder.Batch[T] // a set and what follows it
	var states []T             // of pairs
	for i := range sets {
		batch.Ends = append(batch.Ends, (i+1)*n)
		for j, from := range order[i*n : (i+1)*n] {
			if from < 0 || int(from) >= n {
				return fmt.Errorf("permutation names particle %d of %d", from, n)
			}
			copy(shuffled.Points[(i*n+j)*dim:(i*n+j+1)*dim], x[(i*n+int(from))*dim:])
		}
		pairs.Points = append(append(pairs.Points, x[i*n*dim:(i+1)*n*dim]...), next[i*n*dim:(i+1)*n*dim]...)
		pairs.Ends = append(pairs.Ends, (2*i+1)*n, (2*i+2)*n)
		states = append(states, T(c.values("zbar")[i]), 0, T(c.values("zbar_next")[i]), T(dt))
	}
	shuffled.Ends = batch.Ends
	b := baseline[T]{c: c, cmp: cmp, sets: sets, particles: n, dim: dim}
	for _, err := range []error{
		b.run("aug_", true, &decoder.Pointwise{}, decoder.Truth[T]{Sets: shuffled}),
		b.run("aeinve_", false, &decoder.Pointwise{}, decoder.Truth[T]{Sets: batch}),
		b.run("aeinvecd_", false, &decoder.Pointwise{Nearest: true}, decoder.Truth[T]{Sets: batch}),
	} {
		if err != nil {
			return err
		}
	}
	if _, single := any(T(0)).(float32); single {
		return nil // a difference of two states by so short a time has lost too many digits
	}
	for _, err := range []error{
		b.run("inve_ode_", false, &decoder.None{}, decoder.Truth[T]{Sets: pairs, States: states}),
		b.likelihood("inve_sde_", pairs, states, dt),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// baseline checks one after another.
type baseline[T tensor.Float] struct {
	c                    Case
	cmp                  *comparison
	sets, particles, dim int
}

// layers names the arrays of a network's layers, as there are, and returns the
// width of each.
func (b *baseline[T]) layers(prefix, net string) (names []string, widths []int) {
	for i := 0; ; i++ {
		w, bias := fmt.Sprintf("%s%s%d_w", prefix, net, i), fmt.Sprintf("%s%s%d_b", prefix, net, i)
		if b.c[w] == nil || b.c[bias] == nil {
			return names, widths
		}
		names, widths = append(names, w, bias), append(widths, b.c[bias].Len())
	}
}

// enter enters an encoder into the layout, a DeepSet or one that depends on the order of
// particles, and returns it with what a decoder restores from and its arrays.
func (b *baseline[T]) enter(prefix string, ordered bool, l *tensor.Layout) (m encoder.Maker[T], in decoder.Input, names []string, err error) {
	in.Shape = encoder.Shape{Dim: b.dim, Sets: 1, Particles: b.particles}
	net, widths := "phi", []int(nil)
	if ordered {
		net = "enc"
	}
	names, widths = b.layers(prefix, net)
	rho, head := b.layers(prefix, "rho")
	if ordered {
		rho, head = nil, nil
	}
	names, widths = append(names, rho...), append(widths, head...)
	if len(widths) < 2 || !ordered && len(head) == 0 {
		return m, in, nil, fmt.Errorf("%s has no encoder", prefix)
	}
	last := len(widths) - 1
	in.ZDim = widths[last]
	if in.Encoder = encoder.Kind(&encoder.Flat{Hidden: widths[:last]}); !ordered {
		in.Encoder = &encoder.DeepSet{Config: deepset.Config{Hidden: widths[:last+1-len(head)], Head: head[:len(head)-1], Act: kernel.Softplus}}
	}
	for _, err := range []error{in.Encoder.Table(&in.Shape).Check(), in.Encoder.Validate(in.Shape)} {
		if err != nil {
			return m, in, nil, err
		}
	}
	return encoder.Of[T](in.Encoder.New(l, in.Shape)), in, names, nil
}

// run checks an encoder with a decoder.
func (b *baseline[T]) run(prefix string, ordered bool, kind decoder.Kind, of decoder.Truth[T]) error {
	var layout tensor.Layout
	net, in, names, err := b.enter(prefix, ordered, &layout)
	if err != nil {
		return err
	}
	size := layout.Size()
	own, dec := "dec", decoder.Config{Kind: kind}
	if !kind.Restores() {
		own = "drift"
	}
	more, widths := b.layers(prefix, own)
	if len(widths) < 2 {
		return fmt.Errorf("%s has no %s", prefix, own)
	}
	hidden := widths[:len(widths)-1]
	if points, ok := kind.(*decoder.Pointwise); ok {
		points.Hidden = hidden
	} else {
		dec.Step = decoder.Step{
			Weight: 1, Macro: 1, Macros: 1, Sets: 1,
			Drift: dynamics.Config{Dim: 1 + in.ZDim, Form: dynamics.FormMLP, Hidden: hidden, Act: kernel.ReLU},
		}
	}
	for _, err := range []error{dec.Table(&in.Shape).Check(), dec.Validate(in)} {
		if err != nil {
			return err
		}
	}
	var decLayout tensor.Layout
	decNet := decoder.New(dec, in, &decLayout)
	params, err := fill[T](b.c, &layout, names...)
	if err != nil {
		return err
	}
	decParams, err := fill[T](b.c, &decLayout, more...)
	if err != nil {
		return err
	}
	sets := len(of.Sets.Ends)
	e := net.Train(sets, sets*b.particles)
	d := decoder.Of[T](decNet).Train(nil, sets, b.particles)
	z := e.Encode(params, of.Sets)
	if want := b.c[prefix+"z"]; want != nil {
		b.cmp.add(from(z), want.Float64s())
	}
	grads, decGrads, dz := make([]T, size), make([]T, decLayout.Size()), make([]T, len(z))
	loss := d.Loss(decParams, decGrads, dz, z, of)
	b.cmp.add([]float64{loss}, b.c.values(prefix+"loss"))
	e.Backward(params, grads, of.Sets, dz)
	b.gradients(prefix, &layout, grads, names)
	b.gradients(prefix, &decLayout, decGrads, more)
	return nil
}

// gradients compares those of all arrays.
func (b *baseline[T]) gradients(prefix string, l *tensor.Layout, grads []T, names []string) {
	for i, p := range l.Params() {
		b.cmp.addIf(b.c, prefix+"grad_"+names[i][len(prefix):], from(tensor.Of(grads, p)))
	}
}

// likelihood checks an encoder that is trained together with an SDE.
func (b *baseline[T]) likelihood(prefix string, pairs encoder.Batch[T], states []T, dt float64) error {
	var layout, own tensor.Layout
	net, in, names, err := b.enter(prefix, false, &layout)
	if err != nil {
		return err
	}
	dim := 1 + in.ZDim
	drift, driftWidths := b.layers(prefix, "drift")
	diff, diffWidths := b.layers(prefix, "diff")
	if len(driftWidths) < 2 || len(diffWidths) < 2 {
		return fmt.Errorf("%s has no drift or no diffusion", prefix)
	}
	cfg := dynamics.Config{Dim: dim, Form: dynamics.FormMLP, Hidden: driftWidths[:len(driftWidths)-1], Act: kernel.Tanh}
	noise := dynamics.NoiseConfig{Form: dynamics.NoiseDiagonal, Hidden: diffWidths[:len(diffWidths)-1], Act: kernel.Tanh, Floor: sdeFloor}
	for _, err := range []error{cfg.Validate(), noise.Validate()} {
		if err != nil {
			return err
		}
	}
	g, s := dynamics.New(cfg, &own, "g"), dynamics.NewNoise(noise, dim, &own, "sigma")
	ownNames := append(drift, diff...)
	params, err := fill[T](b.c, &layout, names...)
	if err != nil {
		return err
	}
	ownParams, err := fill[T](b.c, &own, ownNames...)
	if err != nil {
		return err
	}
	e := net.Train(2*b.sets, 2*b.sets*b.particles)
	zhat := e.Encode(params, pairs)
	var z []T
	for i := range 2 * b.sets {
		z = append(append(z, states[2*i]), zhat[i*(dim-1):(i+1)*(dim-1)]...)
	}
	grads, ownGrads, dz := make([]T, layout.Size()), make([]T, own.Size()), make([]T, len(z))
	l := dynamics.NewLikelihood(dynamics.NewDrift[T](g, b.sets), dynamics.NewDiffusion[T](s, b.sets), 1, b.sets)
	b.cmp.add([]float64{l.Gradient(dz, ownParams, ownGrads, z, b.sets, dt)}, b.c.values(prefix+"loss"))
	var dzhat []T
	for i := range 2 * b.sets {
		dzhat = append(dzhat, dz[i*dim+1:(i+1)*dim]...)
	}
	e.Backward(params, grads, pairs, dzhat)
	b.gradients(prefix, &layout, grads, names)
	b.gradients(prefix, &own, ownGrads, ownNames)
	return nil
}

func runMatching(c Case) ([]Result, error) {
	return both(c, matchingCase[float64], matchingCase[float32])
}

// matchingCase checks the loss of paths with its gradients, and the density of
// points.
func matchingCase[T tensor.Float](c Case, cmp *comparison) error {
	sigma, err := c.scalar("sigma")
	if err != nil {
		return err
	}
	steps, err := c.scalar("steps")
	if err != nil {
		return err
	}
	rows, dim, err := c.matrix("x1")
	if err != nil {
		return err
	}
	sets, zdim, err := c.matrix("z")
	if err != nil {
		return err
	}
	which, err := c["which"].Int64s()
	if err != nil {
		return fmt.Errorf("which: %w", err)
	}
	names := []string{"v0_w", "v0_b", "v1_w", "v1_b", "v2_w", "v2_b"}
	cfg := matching.Config{
		Dim: dim, ZDim: zdim, Hidden: []int{c["v0_b"].Len(), c["v1_b"].Len()}, Act: kernel.SiLU, Sigma: sigma, Steps: int(steps),
	}
	if err := cfg.Table().Check(); err != nil {
		return err
	}
	var layout tensor.Layout
	v := matching.New(cfg, &layout, "v")
	params, err := fill[T](c, &layout, names...)
	if err != nil {
		return err
	}
	if len(which) != rows || c["x0"].Len() != rows*dim || c["t"].Len() != rows {
		return fmt.Errorf("there are %d paths with %d sets, %d starts and %d times", rows, len(which), c["x0"].Len()/dim, c["t"].Len())
	}
	// A path to a ẑ: samples may belong to the sets in any order.
	var z []T
	for _, i := range which {
		if i < 0 || int(i) >= sets {
			return fmt.Errorf("a sample belongs to set %d of %d", i, sets)
		}
		z = append(z, to[T](c.values("z")[int(i)*zdim:(int(i)+1)*zdim])...)
	}
	grads, dz := make([]T, layout.Size()), make([]T, len(z))
	loss := matching.NewTrainer[T](v, rows).Loss(params, grads, dz, z, matching.Paths[T]{From: to[T](c.values("x0")), To: to[T](c.values("x1")), At: to[T](c.values("t"))})
	cmp.add([]float64{loss}, c.values("loss"))
	for i, p := range layout.Params() {
		cmp.addIf(c, "grad_"+names[i], from(tensor.Of(grads, p)))
	}
	sum := make([]float64, sets*zdim)
	for i, w := range which {
		for k := range zdim {
			sum[int(w)*zdim+k] += float64(dz[i*zdim+k])
		}
	}
	cmp.addIf(c, "grad_z", sum)

	points, pointsZ := to[T](c.values("points")), to[T](c.values("points_z"))
	n := len(points) / dim
	if len(pointsZ) != n*zdim || c["log_density"].Len() != n {
		return fmt.Errorf("%d points come with %d numbers ẑ and %d densities", n, len(pointsZ), c["log_density"].Len())
	}
	d := matching.NewDensity[T](v, 1)
	logp := make([]T, n)
	for i := range n {
		d.LogProb(logp[i:i+1], params, points[i*dim:(i+1)*dim], pointsZ[i*zdim:(i+1)*zdim])
	}
	cmp.add(from(logp), c.values("log_density"))
	return nil
}
