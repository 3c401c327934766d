package fit

import (
	"fmt"

	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// MaxTab bounds the memory that a training takes in a tab, in bytes. A program there has
// 4 GiB, of which the garbage collector may leave half unused, and a lab is in it too.
const MaxTab = 3 << 29

// maxHelpers bounds the memory that the helpers of a training take together, each a program
// of its own, in bytes.
const maxHelpers = 4 << 30

// tabPiece is how many seconds a part of a step takes at most where a tab is to train, at the
// usual speed: within a part the page cannot be answered, and on a machine four times as
// slow it still says a word within the 12 s after which its shell counts it as dead.
const tabPiece = 3

// TabRoom returns about how many bytes a training takes in a tab, once the data that it
// simulates have been made to fit. The error says why a tab cannot train so.
func TabRoom(c experiment.Config, sys system.System) (bytes int, err error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	src := Source(&c, sys)
	if src != nil {
		c = fitting(c, sys, src.Shape())
	}
	return tabRoom(&c, sys, src)
}

// tabRoom is TabRoom of a valid configuration on a source, which is nil for single sets:
// the steps, the frames of stage I, the states of stage II and the trajectory that is being
// made.
func tabRoom(c *experiment.Config, sys system.System, src system.Source) (bytes int, err error) {
	worker, shared := c.Room()
	bytes = worker + shared
	if src != nil {
		s := src.Shape()
		if err := system.CheckPlayed(s.Particles, s.Dim, s.Frames-1); err != nil {
			return 0, err
		}
		bytes += frameBytes(c, sys, s) + statesBytes(c, s) + 4*s.Frames*s.Particles*s.Dim
	}
	if secs := longestPiece(c); secs > tabPiece {
		return 0, fmt.Errorf("the training's steps come in parts of about %.0f s each, within which the page cannot answer, and a tab takes parts of %d s; take more shards, smaller batches or networks or fewer particles, or train it on the command line", secs, tabPiece)
	}
	if bytes > MaxTab {
		return 0, fmt.Errorf("the training takes about %d MB, and a tab has room for %d MB; take fewer particles or trajectories, smaller batches or networks, or train it on the command line", bytes>>20, MaxTab>>20)
	}
	return bytes, nil
}

// The usual speeds, measured under Node: parameters times what passes through them in a
// second, in the wide networks of stage I and in the dynamics'.
const usualWide, usualNarrow = 9e9, 5e9

// longestPiece returns about how many seconds a shard of the training takes, of the phase
// with the largest shards.
func longestPiece(c *experiment.Config) (secs float64) {
	enc, dec, dynamics := c.Sizes()
	encode, restore := c.Work(enc, dec) // of a frame
	secs = float64(c.Batch/c.Shards) * 3 * (encode + restore) / usualWide
	if !c.HasDynamics() {
		return secs
	}
	for _, t := range []experiment.Training{c.Dynamics.Fit, c.Dynamics.Roll} {
		stages := 8.0 // four of RK4, found once more on the way back
		if t.Window == 1 || c.Traits.Stochastic {
			stages = 1
		}
		if t.Steps > 0 {
			secs = max(secs, 3*stages*float64(t.Batch/t.Shards)*float64(t.Window)*float64(dynamics)/usualNarrow)
		}
	}
	return secs
}
