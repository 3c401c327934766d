package particle

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"macroscope/sim/rng"
)

// gather runs Generate and returns every trajectory by its index.
func gather(t *testing.T, cfg Config, seed uint64, first, count, workers int) map[int]*Trajectory {
	t.Helper()
	var mu sync.Mutex
	got := make(map[int]*Trajectory)
	err := Generate(context.Background(), cfg, seed, first, count, workers, nil, func(k int, run *Trajectory) error {
		mu.Lock()
		defer mu.Unlock()
		if got[k] != nil {
			t.Errorf("trajectory %d comes twice", k)
		}
		got[k] = &Trajectory{slices.Clone(run.Frames), slices.Clone(run.Energy)}
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

func TestGenerateDependsOnSeedAndIndexAlone(t *testing.T) {
	cfg := Default()
	cfg.N, cfg.Steps = 45, 10
	want := gather(t, cfg, 5, 0, 7, 1)
	for _, c := range []struct{ first, count, workers int }{
		{0, 7, 3}, {0, 7, 0}, {4, 3, 2}, {6, 1, 50}, {0, 0, 2},
	} {
		for k, run := range gather(t, cfg, 5, c.first, c.count, c.workers) {
			if k < c.first || k >= c.first+c.count {
				t.Errorf("%+v: trajectory %d comes", c, k)
			}
			if !slices.Equal(run.Frames, want[k].Frames) || !slices.Equal(run.Energy, want[k].Energy) {
				t.Errorf("%+v: trajectory %d differs", c, k)
			}
		}
	}
	alone := NewTrajectory(cfg)
	if err := start(t, cfg, 5, 2).Record(t.Context(), alone); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(alone.Frames, want[2].Frames) {
		t.Error("trajectory 2 does not start from InitialPositions")
	}
	if slices.Equal(want[0].Frames, want[1].Frames) {
		t.Error("trajectories 0 and 1 are the same")
	}
	if other := gather(t, cfg, 6, 0, 1, 1); slices.Equal(other[0].Frames, want[0].Frames) {
		t.Error("seeds 5 and 6 give the same trajectory")
	}
}

func TestGenerateStops(t *testing.T) {
	cfg := Default()
	cfg.N, cfg.Steps = 10, 2
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

	if err := Generate(context.Background(), cfg, 1, -1, 1, 1, nil, nil); err == nil {
		t.Error("a negative first trajectory is accepted")
	}
	cfg.A, cfg.Dt, cfg.N, cfg.Steps = 400, 5, 50, 50
	err = Generate(context.Background(), cfg, 1, 0, 2, 1, nil, func(int, *Trajectory) error { return nil })
	if !errors.Is(err, ErrUnstable) {
		t.Errorf("got %v, want ErrUnstable", err)
	}
	cfg.N = 1
	if err := Generate(context.Background(), cfg, 1, 0, 1, 1, nil, nil); err == nil {
		t.Error("one particle is accepted")
	}
}

// TestInitial checks moments of the mixture over many draws, within four standard
// errors. Means uniform in the unit disk have variance 1/4 in each coordinate, and a
// cluster around a mean has variance Std².
func TestInitial(t *testing.T) {
	for _, components := range []int{1, 2, 3} {
		cfg := Default()
		cfg.N, cfg.Components = 20, components
		source := rng.New(11, "test", uint64(components))
		xy := make([]float32, 2*cfg.N)
		const draws = 4000
		var sum, squares, within float64
		for range draws {
			cfg.Initial(xy, source.Rand)
			var m, q float64
			for i := range cfg.N {
				x := float64(xy[2*i])
				m += x / float64(cfg.N)
				q += x * x / float64(cfg.N)
			}
			sum += m
			squares += q
			within += q - m*m
		}
		n := float64(cfg.N)
		mean, variance := sum/draws, squares/draws
		if want := 0.0; math.Abs(mean-want) > 4*0.51/math.Sqrt(draws) {
			t.Errorf("%d components: mean %g, want 0", components, mean)
		}
		if want := 0.25 + 0.01; math.Abs(variance-want) > 4*0.25/math.Sqrt(draws) {
			t.Errorf("%d components: variance %g, want %g", components, variance, want)
		}
		// Within a draw, the means of equally weighted clusters have the variance 0.25·(1 -
		// 1/components).
		want := (n - 1) / n * (0.01 + 0.25*(1-1/float64(components)))
		if got := within / draws; math.Abs(got-want) > 4*0.2/math.Sqrt(draws) {
			t.Errorf("%d components: variance within a draw %g, want %g", components, got, want)
		}
	}
}

// BenchmarkTrajectory measures a trajectory of 300 particles and 300 steps, with energies at
// every frame, on one core. "macroscope bench" reports the same measurement as ip_traj_native,
// or as ip_traj_wasm in WebAssembly.
func BenchmarkTrajectory(b *testing.B) {
	cfg := Default()
	s := start(b, cfg, 1, 0)
	first, run := InitialPositions(cfg, 1, 0), NewTrajectory(cfg)
	for b.Loop() {
		if err := errors.Join(s.Reset(b.Context(), first), s.Record(b.Context(), run)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "trajectories/s")
}
