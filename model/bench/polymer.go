package bench

import (
	"context"
	"errors"

	"macroscope/sim/polymer"
)

// chains measures the time per step and chain in the default flow, with repulsion and without. A
// chain has 300 beads. Playback simulates one chain, and data generation simulates many chains side
// by side. chains measures both.
func chains(ctx context.Context, line func(name string, value float64, unit string)) error {
	ideal := polymer.Default()
	ideal.Bonds, ideal.Repulsion = polymer.Rods, 0
	for _, c := range []struct {
		name  string
		cfg   polymer.Config
		count int
	}{
		{"polymer", polymer.Default(), polymer.Side()},
		{"polymer_ideal", ideal, polymer.Side()},
		{"polymer_one", polymer.Default(), 1},
		{"polymer_one_ideal", ideal, 1},
	} {
		seconds, err := chainStep(ctx, c.cfg, c.count)
		if err != nil {
			return err
		}
		line(c.name, 1e6*seconds, "µs")
	}
	return nil
}

// chainStep simulates `count` chains together. It returns the seconds per step and chain.
func chainStep(ctx context.Context, cfg polymer.Config, count int) (float64, error) {
	var side []polymer.Chain
	for k := range count {
		side = append(side, polymer.Chain{Key: polymer.NewKey(1, uint64(k)), Positions: polymer.InitialPositions(cfg, 1, k)})
	}
	s, err := polymer.New(cfg, side...)
	if err != nil {
		return 0, err
	}
	seconds := best(ctx, func() {
		if e := s.Step(); e != nil {
			err = e
		}
	})
	return seconds / float64(count), errors.Join(err, ctx.Err())
}
