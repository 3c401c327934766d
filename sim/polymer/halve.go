package polymer

import "fmt"

// halver repeats a failed step of one chain as two halves along the same Brownian path. A half
// that fails is halved again.
type halver struct {
	cfg    Config
	g      *group
	params [maxHalvings + 1]params  // coefficients of a step, by number of halvings
	bridge [maxHalvings]float32     // for each number of halvings: scale of the noise that splits the path
	moved  [maxHalvings + 1]vectors // for each number of halvings: displacements that noise causes
}

func newHalver(c Config) *halver {
	h := &halver{cfg: c, g: newGroup(c, 1)}
	for k := range h.moved {
		dt := c.Dt / float64(int(1)<<k)
		h.params[k] = c.params(dt)
		if k < maxHalvings {
			h.bridge[k] = noiseScale(c.Temperature * dt / (2 * c.Friction))
		}
		for axis := range 3 {
			h.moved[k][axis] = h.g.array()
		}
	}
	return h
}

// step advances chain l of a group in halves, after the whole step has failed.
func (h *halver) step(from *group, l int) error {
	g := h.g
	g.setKey(0, Key{from.key[0][l], from.key[1][l], from.key[2][l], from.key[3][l]})
	g.setStep(0, uint64(from.step[1][l])<<32|uint64(from.step[0][l]))
	for axis := range 3 {
		for i := range g.bonds {
			g.u[axis][g.at(i, 0)] = from.u[axis][from.at(i, l)]
		}
	}
	g.noise(h.params[0].noise, 0)
	for axis := range 3 {
		copy(h.moved[0][axis], g.s[axis])
	}
	if err := h.halves(0, 1); err != nil {
		return err
	}
	for axis := range 3 {
		for i := range g.bonds {
			from.next[axis][from.at(i, l)] = g.u[axis][g.at(i, 0)]
		}
	}
	return nil
}

// The method halves takes a step in two halves. The step itself is the result of `level` halvings.
// `node` is the number of the step in the binary tree of halvings. The root of the tree has the
// number 1. `node` selects the noise of the step's Brownian bridge. The displacement in the first
// half is half of the whole displacement, plus noise with a quarter of the step's variance.
func (h *halver) halves(level int, node uint32) error {
	if level == maxHalvings {
		return fmt.Errorf("polymer: a step of %.3g halved %d times still fails, so the last state is kept; choose a smaller time step or rate of the flow: %w",
			h.cfg.Dt, maxHalvings, ErrUnstable)
	}
	g, whole, half := h.g, &h.moved[level], &h.moved[level+1]
	g.noise(h.bridge[level], node)
	for k := range uint32(2) {
		for axis := range 3 {
			w, s, to := whole[axis], g.s[axis], half[axis]
			for e := range to {
				if k == 0 {
					to[e] = float32(0.5*w[e]) + s[e]
				} else {
					to[e] = w[e] - to[e]
				}
			}
			copy(s, to)
		}
		if g.advance(&h.params[level+1]) == 0 {
			g.u, g.next = g.next, g.u
		} else if err := h.halves(level+1, 2*node+k); err != nil {
			return err
		}
	}
	return nil
}
