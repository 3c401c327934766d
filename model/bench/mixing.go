package bench

import (
	"context"
	"errors"

	"macroscope/sim/lj"
)

// mixing returns the speed of the mixing simulation in atom-steps per second, with 529 atoms
// and a thermostat, after the species have begun to mix.
func mixing(ctx context.Context) (float64, error) {
	s, err := lj.Start(lj.Default(), 1, 0)
	if err != nil {
		return 0, err
	}
	if err := s.Relax(); err != nil {
		return 0, err
	}
	seconds := best(ctx, func() {
		if e := s.Step(); e != nil {
			err = e
		}
	})
	return float64(s.N()) / seconds, errors.Join(err, ctx.Err())
}
