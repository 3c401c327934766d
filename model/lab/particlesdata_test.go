package lab

import (
	"bytes"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"macroscope/model/data"
	"macroscope/sim/particle"
)

// record returns the first trajectory that a seed simulates.
func record(t testing.TB, c particle.Config, seed uint64) *Recorded {
	t.Helper()
	var rec *Recorded
	err := NewSimulated(c, seed, 1).Each(context.Background(), 1, 1, func(_ int, r *Recorded) error {
		rec = &Recorded{slices.Clone(r.Frames), slices.Clone(r.Macro)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func readAll(t *testing.T, src Source) []*Recorded {
	t.Helper()
	all := make([]*Recorded, src.Shape().Trajectories)
	err := src.Each(context.Background(), len(all), 3, func(i int, r *Recorded) error {
		all[i] = &Recorded{slices.Clone(r.Frames), slices.Clone(r.Macro)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func smallSystem() particle.Config {
	c := particle.Default()
	c.N, c.Steps = 20, 12
	return c
}

func archive(t testing.TB, arrays map[string]*data.Array) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, arrays); err != nil {
		t.Fatal(err)
	}
	return bytes.NewReader(b.Bytes())
}

// TestRecordingIsWhatWasSimulated writes trajectories in both precisions, with
// the energy and without, and reads them back.
func TestRecordingIsWhatWasSimulated(t *testing.T) {
	c := smallSystem()
	simulated := readAll(t, NewSimulated(c, 4, 5))
	shape := []int{5, c.Steps + 1, c.N, 2}
	var x []float32
	var x64, macro []float64
	for _, r := range simulated {
		x, macro = append(x, r.Frames...), append(macro, r.Macro...)
	}
	for _, v := range x {
		x64 = append(x64, float64(v))
	}
	var bare bytes.Buffer
	if err := data.WriteNPY(&bare, data.NewArray(shape, x)); err != nil {
		t.Fatal(err)
	}
	energies := data.NewArray([]int{5, c.Steps + 1, 1}, macro)
	for name, file := range map[string]*bytes.Reader{
		"float32":     archive(t, map[string]*data.Array{"trajectories": data.NewArray(shape, x)}),
		"float64":     archive(t, map[string]*data.Array{"trajectories": data.NewArray(shape, x64), "types": data.NewArray([]int{5, c.N}, make([]int64, 5*c.N))}),
		"with energy": archive(t, map[string]*data.Array{"trajectories": data.NewArray(shape, x), "macro": energies}),
		"an NPY file": bytes.NewReader(bare.Bytes()),
	} {
		t.Run(name, func(t *testing.T) {
			rec, err := OpenRecording(file, file.Size(), Energy)
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range readAll(t, rec) {
				if !slices.Equal(r.Frames, simulated[i].Frames) {
					t.Errorf("trajectory %d has other positions", i)
				}
				if !slices.Equal(r.Macro, simulated[i].Macro) { // by the same code from the same positions
					t.Errorf("trajectory %d has energies %v, want %v", i, r.Macro, simulated[i].Macro)
				}
			}
		})
	}
}

func TestOpenRecordingRefuses(t *testing.T) {
	zeros := func(shape ...int) *data.Array {
		n := 1
		for _, s := range shape {
			n *= s
		}
		return data.NewArray(shape, make([]float32, n))
	}
	for _, tc := range []struct {
		name       string
		arrays     map[string]*data.Array
		observable string
		says       string
	}{
		{"no trajectories", map[string]*data.Array{"x": zeros(2, 3, 4, 2)}, Energy, "no array “trajectories”"},
		{"wrong rank", map[string]*data.Array{"trajectories": zeros(3, 4, 2)}, Energy, "3 dimensions"},
		{"none", map[string]*data.Array{"trajectories": zeros(0, 3, 4, 2)}, Energy, "no trajectory"},
		{"one frame", map[string]*data.Array{"trajectories": zeros(2, 1, 4, 2)}, Energy, "fewer than two frames"},
		{"no particles", map[string]*data.Array{"trajectories": zeros(2, 3, 0, 2)}, Energy, "no particles"},
		{"no coordinates", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 0)}, Energy, "0 coordinates"},
		{"energy in space", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 3)}, Energy, "plane"},
		{"unknown observable", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 2)}, "colour", "no observable \"colour\""},
		{"macro of another shape", map[string]*data.Array{"trajectories": zeros(2, 3, 4, 2), "macro": zeros(2, 4)}, Energy, "shape [2 4]"},
		{"macro not a number", map[string]*data.Array{"trajectories": zeros(1, 2, 4, 2), "macro": data.NewArray([]int{1, 2}, []float64{1, math.NaN()})}, Energy, "frame 1 of trajectory 0"},
		{"whole numbers", map[string]*data.Array{"trajectories": data.NewArray([]int{1, 2, 2, 2}, make([]int64, 8))}, Energy, "float32"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := archive(t, tc.arrays)
			_, err := OpenRecording(file, file.Size(), tc.observable)
			if err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
		})
	}
	t.Run("a position that is not a number", func(t *testing.T) {
		x := make([]float32, 2*3*4*2)
		x[2*2*4*2+5] = float32(math.NaN())
		file := archive(t, map[string]*data.Array{"trajectories": data.NewArray([]int{2, 3, 4, 2}, x)})
		rec, err := OpenRecording(file, file.Size(), Gyration)
		if err != nil {
			t.Fatal(err)
		}
		err = rec.Each(context.Background(), 2, 2, func(int, *Recorded) error { return nil })
		if want := "coordinate 1 of particle 2 in frame 1 of trajectory 1"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	})
}

// TestTrainedOnARecording trains on a file with an observable of its own.
func TestTrainedOnARecording(t *testing.T) {
	c := smallSystem()
	simulated := readAll(t, NewSimulated(c, 4, 6))
	var x, own []float32
	for _, r := range simulated {
		x = append(x, r.Frames...)
		for f := range r.Macro {
			own = append(own, r.Frames[f*2*c.N])
		}
	}
	file := archive(t, map[string]*data.Array{
		"trajectories": data.NewArray([]int{6, c.Steps + 1, c.N, 2}, x), "first": data.NewArray([]int{6, c.Steps + 1}, own),
	})
	for _, observable := range []string{"first", Gyration, Extent} {
		rec, err := OpenRecording(file, file.Size(), observable)
		if err != nil {
			t.Fatal(err)
		}
		p := smallParticles().ForRecording(rec, observable)
		p.Steps, p.Law.Fit.Steps, p.Law.Roll.Steps = 5, 5, 2
		r, err := NewParticlesRun(p, rec, 2)
		if err != nil {
			t.Fatal(err)
		}
		trainParticles(t, r, 0)
		rollouts, err := r.Model.Evaluate(context.Background(), rec, 6, 2, nothing)
		if err != nil || len(rollouts.MRE) != 6 {
			t.Errorf("%s: %d rollouts, error %v", observable, len(rollouts.MRE), err)
		}
	}
}

func TestObservables(t *testing.T) {
	frame := []float32{0, 0, 4, 0, 0, 3, 4, 3}
	for name, want := range map[string]float64{Gyration: 2.5, Extent: 4} {
		if got, err := newObserver(name, 2).observe(frame); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %g (%v), want %g", name, got, err, want)
		}
	}
}

// TestTestSetsAreFresh wants no trajectory of a test in another set, whatever
// the seeds are.
func TestTestSetsAreFresh(t *testing.T) {
	c := smallParticles()
	sources := []*Simulated{NewSimulated(c.system(), 1, 10_000), c.TrainingSource()}
	for _, test := range TestSets() {
		sources = append(sources, test.Source(1, 10_000))
	}
	var mu sync.Mutex
	seen := map[[2]float32]string{}
	for k, s := range sources {
		s.System.N, s.System.Steps = 2, 1
		err := s.Each(context.Background(), 20, 2, func(i int, r *Recorded) error {
			mu.Lock()
			defer mu.Unlock()
			first := [2]float32{r.Frames[0], r.Frames[1]}
			if other, ok := seen[first]; ok {
				t.Errorf("source %d repeats %s", k, other)
			}
			seen[first] = "another source"
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
