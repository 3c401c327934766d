package lab

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"macroscope/sim/gauss"
	"macroscope/sim/rng"
)

// showSet draws the set on show from its stream.
func (s *DemoSession) showSet() {
	if cap(s.particles) < s.settings.N {
		s.particles = make([]float32, s.settings.N)
	}
	s.particles = s.particles[:s.settings.N]
	from := s.shownMixture(s.settings.Set + int(s.driftAt))
	_, part := math.Modf(s.driftAt)
	s.picture.mix = from.Blend(s.shownMixture(s.settings.Set+int(s.driftAt)+1), smoothstep(part))
	// One stream of labels and deviates for the whole walk, so that particles
	// move with their mixture instead of being drawn anew.
	s.picture.mix.Sample(s.particles, rng.New(s.settings.Seed, "demo shown particles", uint64(s.settings.Set)).Rand)
	s.changed()
}

func (s *DemoSession) shownMixture(index int) gauss.Mixture {
	return gauss.Draw(rng.New(s.settings.Seed, "demo shown mixtures", uint64(index)).Rand)
}

func smoothstep(x float64) float64 { return x * x * (3 - 2*x) }

// drift lets the mixture on show wander to the next one.
func (s *DemoSession) drift(now time.Time) {
	if !s.settings.Drift || s.own {
		return
	}
	if !s.driftLast.IsZero() {
		// A hidden tab stops the clock: it must not make the mixture jump.
		dt := min(now.Sub(s.driftLast), 100*time.Millisecond)
		s.driftAt += float64(dt) / float64(driftPeriod)
	}
	s.driftLast = now
	s.showSet()
}

// ownData shows the visitor's particles, given in the visitor's coordinate, or
// the generated set for nil. Values beyond the region of training are shifted
// and scaled into it.
func (s *DemoSession) ownData(values []float32, name string) {
	s.own, s.dataName, s.shift, s.scale = values != nil, name, 0, 1
	if values == nil {
		s.showSet()
		return
	}
	s.settings.Drift = false
	lo, hi := slices.Min(values), slices.Max(values)
	if lo < trainedLo || hi > trainedHi {
		s.shift = lo + (hi-lo)/2
		s.scale = max((hi-lo)/2, float32(math.SmallestNonzeroFloat32)) // all in one place: any scale does
		if hi == lo {
			s.scale = 1
		}
	}
	s.particles = s.particles[:0]
	for _, v := range values {
		s.particles = append(s.particles, (v-s.shift)/s.scale)
	}
	s.changed()
}

// edit adds a particle at a position of the visitor's coordinate, or removes
// the one nearest to it. The set is the visitor's own from then on.
func (s *DemoSession) edit(add bool, value string) error {
	v, err := strconv.ParseFloat(value, 32)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Errorf("a particle cannot be at %s: give a number", quote(value))
	}
	x := (float32(v) - s.shift) / s.scale
	at := slices.Clone(s.particles)
	switch {
	case add && len(at) >= MaxParticles:
		return fmt.Errorf("the set has %d particles and can hold no more", len(at))
	case add && (x < flowLo || x > flowHi):
		return fmt.Errorf("a particle at %g lies outside the model's range, %g to %g", v, s.user(flowLo), s.user(flowHi))
	case add:
		at = append(at, x)
	case len(at) == 1:
		return errors.New("the last particle cannot be removed: a set needs at least one")
	default:
		nearest := 0
		for i, p := range at {
			if math.Abs(float64(p-x)) < math.Abs(float64(at[nearest]-x)) {
				nearest = i
			}
		}
		at = slices.Delete(at, nearest, nearest+1)
	}
	if !s.own {
		s.own, s.settings.Drift, s.dataName = true, false, "edited by hand"
	}
	s.particles = at
	s.changed()
	return nil
}

// flowLo and flowHi are where particles may be put: what lies beyond is not
// drawn.
const flowLo, flowHi = float32(viewLo), float32(viewHi)

func (s *DemoSession) user(x float32) float32 { return s.shift + s.scale*x }
