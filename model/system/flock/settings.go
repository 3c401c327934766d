package flock

import (
	"macroscope/model/setting"
	"macroscope/sim/flock"
)

// Limits of the settings.
const (
	minBirds, maxBirds = 10, 2000
	maxSteps           = 2000
	maxSet             = 1_000_000
)

// settings describes the displayed run.
type settings struct {
	eta    float64
	n      int
	spread float64 // first headings lie within ± this angle of a common direction, in degrees
	steps  int
	seed   uint64
	set    int // number of the run among those of the seed
}

// defaults returns a flock as in training that starts without any order.
func defaults() settings {
	c := flock.Default()
	return settings{eta: c.Noise, n: c.N, spread: halfTurn, steps: c.Steps, seed: 1}
}

// halfTurn is π in degrees.
const halfTurn = 180

// table lists the settings in the order of a link.
func (s *settings) table() setting.Table {
	return append(s.ofNoise(), setting.Table{
		{Name: "n", What: "the number of birds", Value: &s.n, Low: minBirds, High: maxBirds},
		{Name: "spread", What: "the spread of the first headings", Value: &s.spread, Low: 0, High: halfTurn},
		{Name: "steps", What: "the number of steps", Value: &s.steps, Low: 1, High: maxSteps},
		{Name: "seed", What: "the seed", Value: &s.seed},
		{Name: "set", What: "the run", Value: &s.set, Low: 0, High: maxSet, Absent: "0", Hidden: true},
	}...)
}

// ofNoise lists the parameters of the physics. A program without the lab uses only this table, so the linker drops
// the rest.
func (s *settings) ofNoise() setting.Table {
	return setting.Table{{Name: "eta", What: "the noise η", Value: &s.eta, Low: 0, High: 1}}
}
