package lj

import "math"

// links is the length of the Nosé–Hoover chain.
const links = 3

// chain is the thermostats' state: positions η and their rates.
type chain struct {
	eta, rate [links]float64
}

// bath holds the parameters of the thermostat chain.
type bath struct {
	freedom     float64 // degrees of freedom of the atoms
	temperature float64
	damping     float64
}

// mass returns Q_k, the mass of link k. For the first link, the formula has the number of degrees of
// freedom as a factor.
func (b bath) mass(k int) float64 {
	q := b.temperature * b.damping * b.damping
	if k == 0 {
		q *= b.freedom
	}
	return q
}

// half advances the chain by half of a time step dt. It returns the factor by which all velocities
// must be multiplied. twiceKinetic is twice the atoms' kinetic energy. The propagator is
// factorised as in Martyna et al. 1996: it goes from the far end of the chain to the atoms and
// back.
func (c *chain) half(b bath, twiceKinetic, dt float64) (scale float64) {
	for k := links - 1; k >= 0; k-- {
		c.push(b, k, twiceKinetic, dt)
	}
	scale = exp(-dt / 2 * c.rate[0])
	for k := range links {
		c.eta[k] += dt / 2 * c.rate[k]
	}
	twiceKinetic *= scale * scale
	for k := range links {
		c.push(b, k, twiceKinetic, dt)
	}
	return scale
}

// push advances the rate of one link by dt/4 under its force and the drag of the
// next link.
func (c *chain) push(b bath, k int, twiceKinetic, dt float64) {
	force := twiceKinetic - b.freedom*b.temperature
	if k > 0 {
		force = b.mass(k-1)*c.rate[k-1]*c.rate[k-1] - b.temperature
	}
	drag := 1.0
	if k+1 < links {
		drag = exp(-dt / 8 * c.rate[k+1])
	}
	c.rate[k] = (c.rate[k]*drag + dt/4*force/b.mass(k)) * drag
}

// energy returns the chain's contribution to the conserved quantity.
func (c *chain) energy(b bath) (sum float64) {
	for k := range links {
		sum += b.mass(k) * c.rate[k] * c.rate[k] / 2
		weight := b.temperature
		if k == 0 {
			weight *= b.freedom
		}
		sum += weight * c.eta[k]
	}
	return sum
}

// exp is math.Exp without the SSE instructions that can be a hundred times slower
// after vector code.
func exp(x float64) float64 { return 1 + math.Expm1(x) }
