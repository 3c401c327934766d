package cmd

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macroscope/model/file/data"
	"macroscope/sim/rng"
)

// ownData writes trajectories of the user: runs of `frames` frames of 10 particles in dim dimensions.
// `at` returns coordinate c of all particles and runs, and `order` the observable "order"; nil means
// that the observable is computed.
func ownData(t *testing.T, runs, frames, dim int, at func(run, frame, c int) float64, order func(run, frame int) float64) (path string) {
	t.Helper()
	const particles = 10
	var points, values []float32
	for e := range runs {
		for k := range frames {
			for c := range particles * dim {
				points = append(points, float32(at(e, k, c)))
			}
			if order != nil {
				values = append(values, float32(order(e, k)))
			}
		}
	}
	arrays := map[string]*data.Array{"trajectories": data.NewArray([]int{runs, frames, particles, dim}, points)}
	if order != nil {
		arrays["order"] = data.NewArray([]int{runs, frames}, values)
	}
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, arrays); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "own.npz")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// trainOn trains briefly on trajectories. It returns what the command prints on the way, its error, and
// whether it wrote a checkpoint.
func trainOn(t *testing.T, path string, args ...string) (says string, err error, wrote bool) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "m.safetensors")
	var stderr bytes.Buffer
	args = append([]string{"train", "-workers", "1", "-steps", "3", "-law-steps", "3", "-report=false", "-data", path, "-out", out}, args...)
	err = run(context.Background(), args, new(bytes.Buffer), &stderr)
	_, missing := os.Stat(out)
	return stderr.String(), err, missing == nil
}

// scattered returns coordinate c of particles that differ between runs.
func scattered(run, c int) float64 { return math.Sin(float64(7*c + run*c + run)) }

// TestNothingMoves trains on data in which nothing moves. The error must say so, and what to do. No
// checkpoint may be written.
func TestNothingMoves(t *testing.T) {
	still := func(run, _, c int) float64 { return scattered(run, c) }
	alike := func(_, _, c int) float64 { return scattered(0, c) }
	moving := func(run, frame, c int) float64 { return scattered(run, c) * math.Exp(-0.05*float64(frame)) }
	for name, tc := range map[string]struct {
		at    func(run, frame, c int) float64
		order func(run, frame int) float64
		macro string
		says  string
	}{
		"frames that are the same":            {still, nil, "gyration", "nothing moves"},
		"frames and runs that are the same":   {alike, nil, "gyration", "nothing moves"},
		"the same frames, another observable": {still, func(_, frame int) float64 { return math.Sin(0.1 * float64(frame)) }, "order", "nothing moves"},
		"the same runs, another observable":   {alike, func(run, frame int) float64 { return math.Sin(0.1*float64(frame) + float64(run)) }, "order", "nothing moves"},
		"a constant observable":               {moving, func(int, int) float64 { return 3 }, "order", "the order is 3 in every frame"},
		"an observable with rounding errors":  {moving, func(_, frame int) float64 { return 0.7 + 6e-8*float64(frame%2) }, "order", "the order is 0.7 in every frame"},
	} {
		t.Run(name, func(t *testing.T) {
			says, err, wrote := trainOn(t, ownData(t, 6, 30, 3, tc.at, tc.order), "-experiment", "particles/flow@quick", "-macro", tc.macro)
			if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "seed") {
				t.Errorf("error %v, want one that says %q; before, it prints\n%s", err, tc.says, says)
			}
			if wrote {
				t.Error("a checkpoint has been written")
			}
		})
	}
}

// ornstein returns an Ornstein-Uhlenbeck process for every coordinate: x(t+1) = 0.9 x(t) + noise.
func ornstein(runs, frames, coordinates int) func(run, frame, c int) float64 {
	src := rng.New(1, "Ornstein-Uhlenbeck")
	x := make([]float64, runs*frames*coordinates)
	for e := range runs {
		for k := range frames {
			for c := range coordinates {
				i := (e*frames+k)*coordinates + c
				if x[i] = src.NormFloat64(); k > 0 {
					x[i] = 0.9*x[i-coordinates] + math.Sqrt(1-0.81)*x[i]
				}
			}
		}
	}
	return func(run, frame, c int) float64 { return x[(run*frames+frame)*coordinates+c] }
}

// TestWrongMotion trains on data that move by noise and on data that move smoothly. A remark must appear
// before the training, exactly if the dynamics of the system cannot move so. If the training diverges, the
// error must name the cause.
//
// The noise has 6 runs of 58 changes. Their correlation has a standard deviation of 0.04, so it is above
// 0.25 with a probability below 1e-8; the seed is fixed besides.
func TestWrongMotion(t *testing.T) {
	dir := t.TempDir()
	simulated, mixture := filepath.Join(dir, "f.npz"), filepath.Join(dir, "g.npz")
	mustRun(t, "simulate", "-n", "6", "-particles", "12", "-steps", "60", "-out", simulated)
	mustRun(t, "simulate", "-experiment", "mixing", "-n", "2", "-boundary", "12", "-height", "26", "-steps", "8000", "-out", mixture)
	thermal := ownData(t, 6, 60, 3, ornstein(6, 60, 30), nil)
	smooth := ownData(t, 6, 60, 3, func(run, frame, c int) float64 {
		return scattered(run, c) * (2 + math.Sin(0.2*float64(frame)+float64(run)))
	}, nil)
	const noise, none = "by noise from frame to frame", "smoothly from frame to frame"
	for name, tc := range map[string]struct {
		path, says string
		args       []string
	}{
		"simulated particles":               {simulated, "", []string{"-experiment", "particles/flow@quick"}},
		"a simulated mixture":               {mixture, "", []string{"-experiment", "mixing/flow@browser"}},
		"thermal particles":                 {thermal, "The gyration moves " + noise, []string{"-experiment", "particles/flow@quick", "-macro", "gyration"}},
		"thermal particles as a polymer":    {thermal, "", []string{"-experiment", "polymer/flow@quick"}},
		"a smooth oscillation":              {smooth, "", []string{"-experiment", "particles/flow@quick", "-macro", "gyration"}},
		"a smooth oscillation as a polymer": {smooth, "The extension moves " + none, []string{"-experiment", "polymer/flow@quick"}},
	} {
		t.Run(name, func(t *testing.T) {
			says, err, _ := trainOn(t, tc.path, tc.args...)
			if err != nil {
				t.Fatal(err)
			}
			before, _, found := strings.Cut(says, "collecting trajectories")
			remarked := strings.Contains(says, noise) || strings.Contains(says, none)
			if !found || tc.says == "" && remarked || !strings.Contains(before, tc.says) {
				t.Errorf("the training prints\n%s\nwant %q", says, tc.says)
			}
		})
	}

	noisy := ownData(t, 6, 60, 2, ornstein(6, 60, 20), nil)
	diverging, model := filepath.Join(dir, "diverging"), filepath.Join(dir, "m")
	writeDiverging(t, diverging, unbegun(t, noisy, model))
	fails(t, "the likely cause is that the energy moves by noise, and the dynamics of particles have none", "train", "-resume", diverging, "-data", noisy, "-out", model)
	if _, err := os.Stat(model); err == nil {
		t.Error("a training that took no step has written a model")
	}
}
