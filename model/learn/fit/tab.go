package fit

import (
	"fmt"

	"macroscope/model/learn/method"
	"macroscope/model/system"
	"macroscope/model/system/play"
)

// MaxTab is the largest number of bytes that a training may use in a tab. A program in a tab
// has 4 GiB. The garbage collector may leave half of them unused, and the lab needs memory too.
const MaxTab = 3 << 29

// maxHelpers is the largest number of bytes that all helpers of a training together may use.
const maxHelpers = 4 << 30

// tabPiece is the longest allowed duration of a shard in a tab, in seconds at the default
// speed. The page cannot respond during a shard. On a machine four times as slow a shard takes
// 12 s, after which the shell considers the worker dead.
const tabPiece = 3

// TabRoom estimates how many bytes a training takes in a tab, after its simulated data have
// been reduced to fit. The error says why the training cannot run in a tab.
func TabRoom(c method.Config, sys *system.System) (bytes int, err error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	src := Source(&c, sys)
	if src != nil {
		c = fitting(c, sys, src.Shape())
	}
	return tabRoom(&c, sys, src)
}

// tabRoom does the work of TabRoom, for a valid configuration and a source (nil for single
// sets). It adds up the memory of the steps, of the frames of stage I, of the states of stage II
// and of the trajectory being made.
func tabRoom(c *method.Config, sys *system.System, src system.Source) (bytes int, err error) {
	worker, shared := c.Room()
	bytes = worker + shared
	if src != nil {
		s := src.Shape()
		if err := play.CheckRoom(s.Particles, s.Dim, s.Frames-1); err != nil {
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

// Room estimates how many bytes a training takes outside of a tab, with so many workers. It also returns the
// name of the setting that has the largest share. The configuration must be valid. src is nil for single sets.
func Room(c *method.Config, sys *system.System, src system.Source, workers int) (bytes int, setting string) {
	worker, shared := c.Room()
	workers = min(workers, max(c.Shards, c.Dynamics.Velocity.Shards, c.Dynamics.Rollout.Shards)) // the others get no work
	bytes = workers*worker + shared
	if src == nil {
		return bytes, "batch"
	}
	s := src.Shape()
	one, two := frameBytes(c, sys, s), statesBytes(c, s)
	data := max(one, two) // the frames of stage I are not kept for stage II
	switch {
	case data < bytes:
		setting = "batch"
	case one > two:
		setting = "trajectories"
	default:
		setting = "law.trajectories"
	}
	return bytes + data + workers*4*s.Frames*s.Particles*s.Dim, setting
}

// usualWide is the default speed of stage I, which has wide networks. usualNarrow is the default
// speed of the dynamics. Both were measured under Node, in parameters times rows per second.
const usualWide, usualNarrow = 9e9, 5e9

// longestPiece estimates how many seconds a shard takes in the phase with the largest shards.
func longestPiece(c *method.Config) (secs float64) {
	enc, dec, dynamics := c.Networks().WeightCounts()
	encode, restore := c.Autoencoder().Work(enc, dec) // multiplications per frame
	secs = float64(c.Batch/c.Shards) * 3 * (encode + restore) / usualWide
	if !c.HasDynamics() {
		return secs
	}
	for _, t := range []method.DynamicsTraining{c.Dynamics.Velocity, c.Dynamics.Rollout} {
		evaluations := t.Evaluations()
		if stages := t.Stages(c.Motion()); stages > 1 {
			evaluations *= 2 * stages // the backward pass computes them again
		}
		if t.Steps > 0 {
			secs = max(secs, 3*float64(t.Batch/t.Shards)*float64(evaluations)*float64(dynamics)/usualNarrow)
		}
	}
	return secs
}
