package measure

import (
	"fmt"
	"slices"
	"strings"

	"macroscope/model/system"
	"macroscope/model/work"
)

// Mismatch says that macroscopic variables move in another way than the dynamics of a system can: by
// noise where the dynamics have none, or smoothly where they have noise.
type Mismatch struct {
	Noise       bool     // whether the variables move by noise
	Variables   []string // names of the variables
	Correlation float64  // see correlation; of the first of these variables
	System      string   // name of the system
}

// NewMismatch judges the macroscopic variables (T, M) of runs of a system. It returns nil if they move as
// the system's dynamics do, and also if the runs are too short or too coarse to tell.
//
// A false remark of noise is not a matter of chance: it needs a motion whose successive changes do not
// resemble each other, such as an oscillation with fewer than 6 frames in a period, or a relaxation in
// less than half a frame. The dynamics, which go from frame to frame, cannot follow such data either. A
// false remark of smooth motion needs a correlation of 0.95 by chance, a mean of 0.72 in the function
// `correlation`. For n pairs of changes that are independent and symmetric about 0, Azuma's inequality bounds
// the probability by exp(-0.72²n/2): 2e-4 for the least n, and 1e-22 for 200 pairs. Noise that is added to
// a drift is not taken for smooth motion, see steady.
func NewMismatch(sys *system.System, observable string, runs ...[]float64) *Mismatch {
	traits, names := sys.Traits, sys.Variables(observable)
	m := &Mismatch{Noise: !traits.Stochastic, System: traits.Name}
	for i, name := range names {
		x := column(runs, i, len(names))
		c, pairs := correlation(x)
		if pairs < leastPairs || m.Noise && c > noisy || !m.Noise && (c < smooth || !steady(x)) {
			continue
		}
		if m.Variables == nil {
			m.Correlation = c
		}
		m.Variables = append(m.Variables, name)
	}
	if m.Variables == nil || !m.Noise && len(m.Variables) < len(names) { // noise in one variable is what dynamics with noise are for
		return nil
	}
	return m
}

// WrongMotion reads the first of the user's trajectories and judges them, see NewMismatch. For workers,
// see work.Each.
func WrongMotion(pause work.Pause, sys *system.System, own system.Recorded, workers int) (*Mismatch, error) {
	runs := make([][]float64, min(own.Shape().Trajectories, mostJudged))
	err := system.Each(pause, own, len(runs), workers, func(i int, t *system.Trajectory) error {
		runs[i] = slices.Clone(t.Macro)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return NewMismatch(sys, own.Observable(), runs...), nil
}

// what names the variables, with a verb: "energy moves".
func (m *Mismatch) what() string {
	verb := " moves"
	if len(m.Variables) > 1 {
		verb = " move"
	}
	return strings.Join(m.Variables, " and the ") + verb
}

// wayOut is a sentence that says which dynamics suit the data.
const wayOut = "The dynamics of a system of your own have noise if the data have it; train the data as one."

// InWords says in whole sentences how the variables move, why this does not suit the dynamics, and what
// the user can do. Of nil it returns "".
func (m *Mismatch) InWords() string {
	switch {
	case m == nil:
		return ""
	case m.Noise:
		return fmt.Sprintf("The %s by noise from frame to frame: the correlation of successive changes is %.2f, and that of smooth motion is near 1. "+
			"The dynamics of %s have no noise, so they learn a mean at best. "+wayOut+
			" Or record more particles, or average the observable over several runs that begin alike, until it moves smoothly.", m.what(), m.Correlation, m.System)
	}
	return fmt.Sprintf("The %s smoothly from frame to frame: the correlation of successive changes is %.2f, and that of noise is near 0. "+
		"The dynamics of %s have noise, whose strength such data cannot tell. "+wayOut, m.what(), m.Correlation, m.System)
}

// Cause says in a part of a sentence why a training may have diverged. Of nil it returns "".
func (m *Mismatch) Cause() string {
	switch {
	case m == nil:
		return ""
	case m.Noise:
		return fmt.Sprintf("the likely cause is that the %s by noise, and the dynamics of %s have none", m.what(), m.System)
	}
	return fmt.Sprintf("the likely cause is that the %s smoothly, and the dynamics of %s have noise", m.what(), m.System)
}
