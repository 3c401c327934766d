package fit

import (
	"fmt"

	"macroscope/model/learn/experiment"
	"macroscope/model/system"
)

// MaxTab bounds the memory of a training in a tab, in bytes. A program in a tab has 4 GiB.
// The garbage collector may leave half of it unused, and the lab needs memory too.
const MaxTab = 3 << 29

// maxHelpers bounds the memory of all helpers of a training together, in bytes.
const maxHelpers = 4 << 30

// tabPiece is the longest allowed part of a step in a tab, in seconds at the default speed.
// The page cannot respond during a part. On a machine four times as slow a part takes 12 s;
// after that time the shell considers the worker dead.
const tabPiece = 3

// TabRoom returns about how many bytes a training takes in a tab, with its simulated
// data limited to fit. The error says why a tab cannot run the training.
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

// tabRoom does the work of TabRoom for a valid configuration with a source (nil for single
// sets). It counts the steps, the frames of stage I, the states of stage II and the
// trajectory being made.
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

// The default speeds, measured under Node, in parameters times rows per second: for the
// wide networks of stage I, and for the dynamics.
const usualWide, usualNarrow = 9e9, 5e9

// longestPiece returns about how many seconds a shard takes in the phase with the largest
// shards.
func longestPiece(c *experiment.Config) (secs float64) {
	enc, dec, dynamics := c.Sizes()
	encode, restore := c.Work(enc, dec) // per frame
	secs = float64(c.Batch/c.Shards) * 3 * (encode + restore) / usualWide
	if !c.HasDynamics() {
		return secs
	}
	for _, t := range []experiment.Training{c.Dynamics.Fit, c.Dynamics.Roll} {
		stages := 8.0 // passes: four stages of RK4, which the backward pass computes again
		if t.Window == 1 || c.Traits.Stochastic {
			stages = 1
		}
		if t.Steps > 0 {
			secs = max(secs, 3*stages*float64(t.Batch/t.Shards)*float64(t.Window)*float64(dynamics)/usualNarrow)
		}
	}
	return secs
}
