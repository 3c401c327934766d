package particle

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// lookedAt is a context that ends once Err has been called `left` times. The field `looks` counts
// the calls.
type lookedAt struct {
	context.Context
	left, looks int
}

func (c *lookedAt) Err() error {
	if c.looks++; c.looks > c.left {
		return context.Canceled
	}
	return nil
}

// TestStops ends a pass of many particles midway. The state stays unchanged, and
// the next step gives the usual result.
func TestStops(t *testing.T) {
	cfg := Default()
	cfg.N = 2200 // one pass then checks the context more than twice
	for _, im := range implementations() {
		restore, err := Use(im.name)
		if err != nil {
			t.Fatal(err)
		}
		defer restore()
		start := InitialPositions(cfg, 1, 0)
		s, err := New(t.Context(), cfg, start)
		if err != nil {
			t.Fatal(err)
		}
		all := &lookedAt{left: 1 << 30}
		if err := s.Step(all); err != nil {
			t.Fatal(err)
		}
		if pairs := cfg.N * (cfg.N - 1) / 2; all.looks < pairs/checked/2 {
			t.Errorf("%s: %d looks at the context in %d pairs", im.name, all.looks, pairs)
		}
		var before, after State
		s.Save(&before)
		energy := s.Energy()
		for what, stopped := range map[string]func(context.Context) error{
			"Step":  s.Step,
			"Reset": func(ctx context.Context) error { return s.Reset(ctx, start) },
			"New": func(ctx context.Context) error {
				_, err := New(ctx, cfg, start)
				return err
			},
		} {
			ctx := &lookedAt{left: 1}
			if err := stopped(ctx); !errors.Is(err, context.Canceled) || ctx.looks != 2 {
				t.Errorf("%s: %s: %v after %d looks", im.name, what, err, ctx.looks)
			}
			if s.Save(&after); after.Step != 1 || !slices.Equal(after.X, before.X) || !slices.Equal(after.Y, before.Y) || s.Energy() != energy {
				t.Errorf("%s: %s that was stopped leaves another state", im.name, what)
			}
		}
		other, err := New(t.Context(), cfg, start)
		if err == nil {
			err = errors.Join(other.Step(t.Context()), other.Step(t.Context()), s.Step(t.Context()))
		}
		s.Save(&before)
		if other.Save(&after); err != nil || !slices.Equal(after.X, before.X) || s.Energy() != other.Energy() {
			t.Errorf("%s: the next step is another: %v", im.name, err)
		}
	}
	if _, err := Use("abacus"); err == nil {
		t.Error("there is an implementation called abacus")
	}
}
