package particle

// impl is one implementation of the pass over all pairs: pairs adds
// Σ_j F(r)(x_i - x_j)/r to vx[i], vy[i] and returns E.
type impl struct {
	name  string
	pairs func(p *pass) (energy float64)
}

var plain = impl{"plain", func(p *pass) float64 {
	n := p.n
	return refPairs(float64(p.a), float64(p.b), p.x[:n], p.y[:n], p.vx[:n], p.vy[:n])
}}

// active is the last, fastest entry of implementations(), which lists what
// this processor can run.
var active = func() impl {
	all := implementations()
	return all[len(all)-1]
}()

// Implementation says which form of the pair loop is in use: "plain", "avx2",
// "avx512", "neon" or "simd128".
func Implementation() string { return active.name }
