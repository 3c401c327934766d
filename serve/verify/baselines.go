package verify

import (
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/decoder"
	"macroscope/model/net/dynamics"
	"macroscope/model/net/encoder"
	"macroscope/model/net/encoder/deepset"
)

// autoencoders checks the paper's autoencoders: ẑ, their losses and all gradients.
func autoencoders[T tensor.Float](c *check[T]) {
	n, dim := c.lengths["n"], c.lengths["d"]
	x := c.data("x")
	batch := encoder.Batch[T]{Points: x}
	shuffled := encoder.Batch[T]{Points: make([]T, 0, len(x))}
	for i, from := range c.indices("permutation", n) {
		at := (i - i%n + from) * dim
		shuffled.Points = append(shuffled.Points, x[at:at+dim]...)
	}
	for end := n; end*dim <= len(x); end += n {
		batch.Ends = append(batch.Ends, end)
	}
	shuffled.Ends = batch.Ends
	for prefix, kind := range map[string]*decoder.Pointwise{"aug_": {}, "aeinve_": {}, "aeinvecd_": {Nearest: true}} {
		if of := c.within(prefix); of.has("loss") {
			truth := batch
			if prefix == "aug_" {
				truth = shuffled
			}
			decoded(of, kind, "dec", decoder.Truth[T]{Sets: truth})
		}
	}
}

// autoencodersDouble also checks the encoders that are trained together with dynamics. It does so
// only in float64. The check needs differences between states at successive time steps. The steps
// are short, so float32 would lose too many digits in these differences.
func autoencodersDouble(c *check[float64]) {
	autoencoders(c)
	sets, n, dim, dt := c.lengths["s"], c.lengths["n"], c.lengths["d"], c.scalar("dt")
	x, next, zbar, zbarNext := c.data("x"), c.data("x_next"), c.data("zbar"), c.data("zbar_next")
	var pairs encoder.Batch[float64] // each set, followed by the set one time step later
	var states []float64             // z̄ and the time of each set
	for i := range sets {
		set := func(x []float64) []float64 { return x[i*n*dim : (i+1)*n*dim] }
		pairs.Points = slices.Concat(pairs.Points, set(x), set(next))
		pairs.Ends = append(pairs.Ends, (2*i+1)*n, (2*i+2)*n)
		states = append(states, zbar[i], 0, zbarNext[i], dt)
	}
	if ode := c.within("inve_ode_"); ode.has("loss") {
		decoded(ode, &decoder.None{}, "drift", decoder.Truth[float64]{Sets: pairs, States: states})
	}
	if sde := c.within("inve_sde_"); sde.has("loss") {
		likelihood(sde, pairs, states, dt)
	}
}

// encoding is an encoder with its parameters and inputs.
type encoding[T tensor.Float] struct {
	network[T]
	encoder.Encoder[T]
	decoder.Input // shape of the decoder's input
}

// newEncoding makes a DeepSet from the networks phi and rho. If the case has neither of them,
// it makes an encoder of sets of fixed size from the network enc.
func newEncoding[T tensor.Float](c *check[T], sets int) *encoding[T] {
	e := new(encoding[T])
	phi, hidden := c.layers("phi%d_w", "phi%d_b")
	rho, head := c.layers("rho%d_w", "rho%d_b")
	names := slices.Concat(phi, rho)
	if len(head) == 0 {
		names, head = c.layers("enc%d_w", "enc%d_b")
	}
	if len(head) == 0 {
		failf("%s has no encoder", c.prefix)
	}
	last := len(head) - 1
	e.Shape = encoder.Shape{Dim: c.lengths["d"], Sets: 1, Particles: c.lengths["n"], ZDim: head[last]}
	if len(hidden) > 0 {
		e.Input.Encoder = &encoder.DeepSet{Config: deepset.Config{Hidden: hidden, Head: head[:last], Act: kernel.Softplus}}
	} else {
		e.Input.Encoder = &encoder.Flat{Hidden: head[:last]}
	}
	must(e.Input.Encoder.Table(&e.Shape).Check())
	must(e.Input.Encoder.Validate(e.Shape))
	net := encoder.Of[T](e.Input.Encoder.New(&e.layout, e.Shape))
	c.fill(&e.network, names)
	e.Encoder = net.Train(sets, sets*c.lengths["n"])
	return e
}

// decoded checks an encoder together with a decoder made of the named network.
func decoded[T tensor.Float](c *check[T], kind decoder.Kind, name string, of decoder.Truth[T]) {
	sets := len(of.Sets.Ends)
	e := newEncoding(c, sets)
	var d network[T]
	names, widths := c.layers(name+"%d_w", name+"%d_b")
	if len(widths) == 0 {
		failf("%s has no %s", c.prefix, name)
	}
	cfg, hidden := decoder.Config{Kind: kind}, widths[:len(widths)-1]
	if points, ok := kind.(*decoder.Pointwise); ok {
		points.Hidden = hidden
	} else {
		cfg.Step = decoder.Step{
			Weight: 1, Macro: 1,
			Drift: dynamics.DriftConfig{Form: dynamics.FormMLP, Hidden: hidden, Act: kernel.ReLU},
		}
	}
	in := e.Input
	in.Macros = 1
	must(cfg.Table(&e.Shape).Check())
	must(cfg.Validate(in))
	net := decoder.Of[T](decoder.New(cfg, in, &d.layout))
	c.fill(&d, names)
	z := e.Encode(e.params, of.Sets)
	dz := make([]T, len(z))
	loss := net.Train(nil, sets, c.lengths["n"]).Loss(d.params, d.grads, dz, z, of)
	e.Backward(e.params, e.grads, of.Sets, dz)
	c.equal("z", z)
	c.equal64("loss", loss)
	c.gradients(&e.network)
	c.gradients(&d)
}

// likelihood checks an encoder that is trained together with an SDE for z̄ and ẑ.
func likelihood(c *check[float64], pairs encoder.Batch[float64], states []float64, dt float64) {
	sets := c.lengths["s"]
	e := newEncoding(c, 2*sets)
	equation := newEquation(c, 1+e.ZDim, "%d_w", "%d_b")
	zhat := e.Encode(e.params, pairs)
	var z, dzhat []float64
	for i := range 2 * sets {
		z = append(append(z, states[2*i]), zhat[i*e.ZDim:(i+1)*e.ZDim]...)
	}
	dz := make([]float64, len(z))
	l := dynamics.NewLikelihood(dynamics.NewDrift[float64](equation.drift, sets), dynamics.NewDiffusion[float64](equation.noise, sets), 1, sets)
	c.equal64("loss", l.Gradient(dz, equation.params, equation.grads, z, sets, dt))
	for row := range slices.Chunk(dz, 1+e.ZDim) {
		dzhat = append(dzhat, row[1:]...)
	}
	e.Backward(e.params, e.grads, pairs, dzhat)
	c.gradients(&e.network)
	c.gradients(&equation.network)
}
