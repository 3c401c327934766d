package polymer

import (
	"fmt"
	"math"

	"macroscope/sim/polymer"
)

// OutlinePoints is the number of points in the outline of a chain.
const OutlinePoints = 25

const (
	batchStride = 10 // frames between two outlines of a realisation
	// A chain counts as unfolded as soon as its extension exceeds a level. For most numbers of
	// beads, kind.passed does not know the level. The level is then this share of the chain's
	// length.
	fewestLeft = 0.75
)

// Realisation is a run from the displayed start with its own realisation of the noise.
type Realisation struct {
	Passed  int       // first frame in which the chain was unfolded; -1: none so far
	Ended   bool      // whether the chain has unfolded or the run has reached its last frame
	Outline []float32 // outlines of every batchStride-th frame so far, seen along z (K, OutlinePoints, 2)
}

// At returns the outline (OutlinePoints, 2) of the given frame, or the last outline before this
// frame. It returns nil if there is no outline.
func (r *Realisation) At(frame int) []float32 {
	const size = 2 * OutlinePoints
	k := min(frame/batchStride, len(r.Outline)/size-1)
	if k < 0 {
		return nil
	}
	return r.Outline[size*k : size*(k+1)]
}

// Share returns the simulated share of a run with the given number of frames, from 0 to 1.
func (r *Realisation) Share(frames int) float64 {
	outlines := len(r.Outline) / (2 * OutlinePoints)
	return min(1, float64(max(0, outlines-1)*batchStride)/float64(max(1, frames)))
}

// Batch simulates several realisations of a start side by side. It is not safe for concurrent
// use.
type Batch struct {
	Chains []*Realisation

	sim   *polymer.Simulation
	cfg   polymer.Config
	level float64
	frame int
	beads []float32 // scratch memory
}

// Side returns the best number of realisations to simulate side by side. With this number, a
// realisation takes the least time.
func Side() int { return polymer.Side() }

// Unfolded returns the extension above which a chain with the settings' number of beads counts
// as unfolded.
func (l *Live) Unfolded() float64 {
	if level, ok := labelled.passed(l.settings.beads); ok {
		return level
	}
	return fewestLeft * float64(l.settings.beads)
}

// Texts returns the texts of the physical settings, for Realise.
func (l *Live) Texts() []string { return l.Table.Texts()[:physicsFields] }

// Realise begins n realisations, where n is from 1 to Side(). Their indices are first to first+n-1.
// `physics` contains the texts of the physical settings, and `start` (N, 3) is the common start.
func Realise(physics []string, start []float32, first, n int) (*Batch, error) {
	l := newLive(defaults())
	if len(physics) != physicsFields || first < 0 {
		return nil, fmt.Errorf("there are no realisations from %d on of %d settings", first, len(physics))
	}
	for i, text := range physics {
		if err := l.Table[i].Set(text); err != nil {
			return nil, err
		}
	}
	if err := l.Check(); err != nil {
		return nil, err
	}
	c := l.settings.config()
	b := &Batch{cfg: c, level: l.Unfolded(), beads: make([]float32, dim*c.N)}
	var chains []polymer.Chain
	for k := range n {
		// No run and no Counterpart of a run has this noise.
		index := uint64(2+first+k)<<32 + uint64(l.settings.set)
		chains = append(chains, polymer.Chain{Key: polymer.NewKey(l.settings.seed, index), Positions: start})
		b.Chains = append(b.Chains, &Realisation{Passed: -1})
	}
	var err error
	b.sim, err = polymer.New(c, chains...)
	if err == nil {
		b.keep()
	}
	return b, plain(err)
}

// keep stores the present frame.
func (b *Batch) keep() {
	for k, r := range b.Chains {
		if r.Passed < 0 && b.sim.Extension(k) > b.level {
			r.Passed = b.frame
		}
		r.Ended = r.Passed >= 0 || b.frame == b.cfg.Frames-1
		if b.frame%batchStride != 0 {
			continue
		}
		b.sim.Positions(k, b.beads)
		for i := range OutlinePoints {
			at := dim * int(math.Round(float64(i)*float64(b.cfg.N-1)/(OutlinePoints-1)))
			r.Outline = append(r.Outline, b.beads[at], b.beads[at+1])
		}
	}
}

// Advance simulates a piece of the next frame, at most some milliseconds of work. It reports
// whether all chains have ended.
func (b *Batch) Advance() (ended bool, err error) {
	ended = true
	for _, r := range b.Chains {
		ended = ended && r.Ended
	}
	if ended {
		return true, nil
	}
	for range stepsAPiece {
		if err := b.sim.Step(); err != nil {
			return false, plain(err)
		}
		if b.sim.Index(0) == (b.frame+1)*b.cfg.Every {
			b.frame++
			b.keep()
			break
		}
	}
	return false, nil
}
