package particle

import (
	"errors"
	"math"
	"slices"
	"testing"

	"macroscope/sim/rng"
)

// TestRecordStops checks the errors of New and Record.
func TestRecordStops(t *testing.T) {
	cfg := Default()
	cfg.A, cfg.Dt, cfg.N, cfg.Steps = 400, 5, 50, 50
	if err := start(t, cfg, 1, 0).Record(t.Context(), NewTrajectory(cfg)); !errors.Is(err, ErrUnstable) {
		t.Errorf("got %v, want ErrUnstable", err)
	}
	cfg.N = 1
	if _, err := New(t.Context(), cfg, make([]float32, 2)); err == nil {
		t.Error("one particle is accepted")
	}
	if slices.Equal(InitialPositions(Default(), 5, 0), InitialPositions(Default(), 5, 1)) || slices.Equal(InitialPositions(Default(), 5, 0), InitialPositions(Default(), 6, 0)) {
		t.Error("two trajectories begin alike")
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
