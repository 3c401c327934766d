package lj

import (
	"context"
	"errors"
	"slices"
	"testing"
)

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

// TestRecordStops checks the errors of Start and Record.
func TestRecordStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	endless := Default()
	endless.Relaxation = 1 << 30
	record := func(ctx context.Context, cfg Config) error {
		s, err := Start(cfg, 1, 0)
		if err == nil {
			err = s.Record(ctx, NewTrajectory(cfg))
		}
		return err
	}
	if err := record(ctx, endless); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a run that stops in its middle", err)
	}
	cfg := small()
	cfg.Boundary = 99
	if err := record(t.Context(), cfg); err == nil {
		t.Error("a boundary outside is accepted")
	}
	cfg = small()
	cfg.Dt, cfg.Damping = 0.1, 1
	if err := record(t.Context(), cfg); !errors.Is(err, ErrUnstable) {
		t.Errorf("got %v, want ErrUnstable", err)
	}
}
