package lj

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
)

// gather runs Generate and returns every trajectory by its index.
func gather(t *testing.T, cfg Config, seed uint64, first, count, workers int, vary func(int, *Config)) map[int]*Trajectory {
	t.Helper()
	var mu sync.Mutex
	got := make(map[int]*Trajectory)
	err := Generate(context.Background(), cfg, seed, first, count, workers, vary, func(k int, run *Trajectory) error {
		mu.Lock()
		defer mu.Unlock()
		if got[k] != nil {
			t.Errorf("trajectory %d comes twice", k)
		}
		got[k] = &Trajectory{slices.Clone(run.Frames), slices.Clone(run.Species), slices.Clone(run.Ratios)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != count {
		t.Fatalf("%d trajectories, want %d", len(got), count)
	}
	return got
}

func equal(a, b *Trajectory) bool {
	return slices.Equal(a.Frames, b.Frames) && slices.Equal(a.Species, b.Species) && slices.Equal(a.Ratios, b.Ratios)
}

func TestGenerateDependsOnSeedAndIndexAlone(t *testing.T) {
	cfg := small()
	vary := func(k int, c *Config) { c.Boundary = 4 + 0.5*float64(k) }
	want := gather(t, cfg, 5, 0, 7, 1, vary)
	for _, c := range []struct{ first, count, workers int }{
		{0, 7, 3}, {0, 7, 0}, {4, 3, 2}, {6, 1, 50}, {0, 0, 2},
	} {
		for k, run := range gather(t, cfg, 5, c.first, c.count, c.workers, vary) {
			if !equal(run, want[k]) {
				t.Errorf("%+v: trajectory %d differs", c, k)
			}
		}
	}
	vary(2, &cfg)
	s, err := Start(cfg, 5, 2)
	if err != nil {
		t.Fatal(err)
	}
	alone := NewTrajectory(cfg)
	if err := s.Record(context.Background(), alone); err != nil {
		t.Fatal(err)
	}
	if !equal(alone, want[2]) {
		t.Error("trajectory 2 is not that of Start")
	}
	if slices.Equal(want[0].Frames, want[1].Frames) {
		t.Error("trajectories 0 and 1 are the same")
	}
	if other := gather(t, cfg, 6, 0, 1, 1, nil); slices.Equal(other[0].Frames, want[0].Frames) {
		t.Error("seeds 5 and 6 give the same trajectory")
	}
}

// TestRecord compares the frames and ratios from Record with the results of a loop of Steps.
func TestRecord(t *testing.T) {
	cfg := small()
	s, err := Start(cfg, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	recorded := NewTrajectory(cfg)
	if err := s.Record(context.Background(), recorded); err != nil {
		t.Fatal(err)
	}
	if cfg.Frames() != 4 || len(recorded.Frames) != 4*2*81 {
		t.Fatalf("%d frames and %d numbers, want 4 of 81 atoms", cfg.Frames(), len(recorded.Frames))
	}
	if s, err = Start(cfg, 1, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.Relax(); err != nil {
		t.Fatal(err)
	}
	species, frame := make([]uint8, 81), make([]float32, 2*81)
	s.Species(species)
	if !slices.Equal(species, recorded.Species) {
		t.Error("the species differ from those at step 0")
	}
	for k := range cfg.Frames() {
		s.Positions(frame)
		ratios := s.Observe().Ratios
		if !slices.Equal(frame, recorded.Frames[k*2*81:(k+1)*2*81]) || !slices.Equal(ratios[:], recorded.Ratios[2*k:2*k+2]) {
			t.Errorf("frame %d differs from step %d", k, s.Index())
		}
		run(t, s, cfg.Every)
	}
}

func TestGenerateStops(t *testing.T) {
	cfg := small()
	full := errors.New("the disk is full")
	err := Generate(context.Background(), cfg, 1, 0, 1000, 2, nil, func(int, *Trajectory) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("got %v, want the callback's error", err)
	}

	ctx, cancel := context.WithCancel(context.Background())
	calls := 0
	err = Generate(ctx, cfg, 1, 0, 1000, 1, nil, func(int, *Trajectory) error {
		calls++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || calls != 1 {
		t.Errorf("got %v after %d trajectories, want a stop after 1", err, calls)
	}
	endless := Default()
	endless.Relaxation = 1 << 30
	if err := Generate(ctx, endless, 1, 0, 1, 1, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a run that stops in its middle", err)
	}

	none := func(int, *Trajectory) error { return nil }
	if err := Generate(context.Background(), cfg, 1, -1, 1, 1, nil, none); err == nil {
		t.Error("a negative first trajectory is accepted")
	}
	if err := Generate(context.Background(), cfg, 1, 0, 1, 1, func(_ int, c *Config) { c.Height = 20 }, none); err == nil {
		t.Error("a varied number of atoms is accepted")
	}
	if err := Generate(context.Background(), cfg, 1, 0, 1, 1, func(_ int, c *Config) { c.Boundary = 20 }, none); err == nil {
		t.Error("a boundary outside is accepted")
	}
	cfg.Dt, cfg.Damping = 0.1, 1
	if err := Generate(context.Background(), cfg, 1, 0, 2, 1, nil, none); !errors.Is(err, ErrUnstable) {
		t.Errorf("got %v, want ErrUnstable", err)
	}
	cfg.Boundary = 99
	if err := Generate(context.Background(), cfg, 1, 0, 1, 1, nil, none); err == nil {
		t.Error("a boundary outside is accepted")
	}
}
