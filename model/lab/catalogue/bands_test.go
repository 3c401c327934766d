package catalogue_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/lab/catalogue"
	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/excerpt"
	"macroscope/model/work"
)

// uncalibrated lists the shipped models with bands that are not calibrated.
var uncalibrated = map[string]string{
	"mixing-ae-aug": "a row of the table", "mixing-ae-inve": "a row of the table", "mixing-ae-inve-cd": "a row of the table", "mixing-inve": "a row of the table",
	"mixing-flow-matching": "a row of the table", "mixing-flow-st": "a row of the table",
	"mixing-te": "its runs have many temperatures", "flock-flow": "its runs have many η",
}

var updateBands = flag.Bool("update-bands", false, "simulate the fresh runs of TestShippedBands anew, for five minutes of a core")

// The fresh runs of a system in testdata: their number, and the frames from one that is kept to the next.
var freshRuns = map[string]struct{ runs, every int }{"mixing": {40, 25}, "polymer": {60, 50}}

// freshSeed is the seed of fresh runs. They are drawn like the runs of the calibrations, which had the
// seeds 1 and 9.
const freshSeed = 10

// banded opens the shipped models with stochastic dynamics: for each name, the ordinary models of all
// lengths of ẑ.
func banded(t *testing.T) map[string][]*model.Model {
	t.Helper()
	of := make(map[string][]*model.Model)
	for name, m := range stochastic(t) {
		eps, _, zdims := m.Config.Tuning().Range()
		for _, d := range zdims {
			at, err := m.At(eps, d)
			if err != nil {
				t.Fatal(err)
			}
			of[name] = append(of[name], at)
		}
	}
	return of
}

// stochastic opens the shipped models with stochastic dynamics.
func stochastic(t *testing.T) map[string]*model.Model {
	t.Helper()
	files, err := filepath.Glob("../../../assets/models/*.safetensors")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	of := make(map[string]*model.Model)
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := ckpt.Decode(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Open(catalogue.Systems(), f)
		if err != nil {
			t.Fatal(err)
		}
		if m.Config.HasDynamics() && m.Config.Traits.Stochastic {
			of[strings.TrimSuffix(filepath.Base(path), ".safetensors")] = m
		}
	}
	return of
}

// covers checks that the bands of fresh runs hold at least nine tenths of the truth. The coverage has the
// standard error of the fresh runs, and another one as large from the runs of the calibration, of which
// there were 120 or more. Bands that are right fail with a probability of 1e-3 a model.
func covers(t *testing.T, what string, p *measure.Prediction) {
	t.Helper()
	const allowed = 3.09 // standard errors
	share, se, nominal := p.Coverage()
	both := se * math.Sqrt(1+float64(p.Trajectories())/120)
	t.Logf("%s: bands of %.2f, stretched by %.3f, hold %.3f ± %.3f of %d runs", what, nominal, p.Stretch, share, se, p.Trajectories())
	if share < nominal-allowed*both {
		t.Errorf("%s: bands of %.2f hold %.3f ± %.3f; calibrate them", what, nominal, share, se)
	}
}

// TestShippedBands checks that every shipped model with bands is calibrated, except for the list above. It
// measures the bands of the models for every ẑ dim on the fresh runs in testdata.
func TestShippedBands(t *testing.T) {
	for name, models := range banded(t) {
		_, known := uncalibrated[name]
		for _, m := range models {
			if calibrated := m.Calibration.Stretch != 1; calibrated == known {
				t.Errorf("%s, ẑ dim %d: the bands are stretched by %g, and the list says %q", name, m.Config.ZDim(), m.Calibration.Stretch, uncalibrated[name])
			}
		}
	}
	for of := range freshRuns {
		path, name := "testdata/"+of+"-bands.npz", of+"-flow-tunable"
		if *updateBands {
			writeSparse(t, path, stochastic(t)[name], freshRuns[of].runs, freshRuns[of].every)
		}
		for _, m := range banded(t)[name] {
			covers(t, fmt.Sprintf("%s, ẑ dim %d", of, m.Config.ZDim()), sparse(t, path, m))
		}
	}
}

// writeSparse simulates fresh runs and writes the file that `sparse` reads.
func writeSparse(t *testing.T, path string, m *model.Model, runs, every int) {
	t.Helper()
	codes, err := m.Codes(work.Until(t.Context()), m.System.Simulated(m.Config.Choice(system.Encode, freshSeed, runs)), runs, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	arrays := map[string]*data.Array{"every": data.NewArray([]int{}, []int64{int64(every)})}
	vars, kept := m.Config.Variables, (codes.Frames-1)/every+1
	var macro []float32
	for e := range runs {
		for k := range kept {
			for v := range vars {
				macro = append(macro, float32(m.Scale.Value(v, float64(codes.Of(e)[k*every*codes.Variables+v]))))
			}
		}
	}
	arrays["macro"] = data.NewArray([]int{runs, kept, vars}, macro)
	eps, _, zdims := m.Config.Tuning().Range()
	for _, d := range zdims {
		at, err := m.At(eps, d)
		if err != nil {
			t.Fatal(err)
		}
		own, z0 := m.CodesAt(codes, at), []float32(nil)
		for e := range runs {
			z0 = append(z0, own.Of(e)[:own.Variables]...)
		}
		arrays[fmt.Sprintf("z%d", d)] = data.NewArray([]int{runs, own.Variables}, z0)
	}
	var file bytes.Buffer
	if err := data.WriteNPZ(&file, arrays); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sparse predicts the fresh runs in a file. The file has the codes of frame 0 of the tunable model,
// and the macroscopic variables of a few frames; the prediction has only these frames.
func sparse(t *testing.T, path string, m *model.Model) *measure.Prediction {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := data.ReadNPZ(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	z0, macro, every := arrays[fmt.Sprintf("z%d", m.Config.ZDim())], arrays["macro"], int(arrays["every"].Float64s()[0])
	runs, kept, vars := macro.Shape[0], macro.Shape[1], macro.Shape[2]
	codes := &model.Codes{Trajectories: runs, Frames: (kept-1)*every + 1, Variables: m.Config.States(), Low: m.Scale.Low, High: m.Scale.High}
	codes.Z = make([]float32, runs*codes.Frames*codes.Variables)
	for e := range runs {
		copy(codes.Of(e), z0.Float32s()[e*codes.Variables:(e+1)*codes.Variables])
	}
	p, err := measure.GivenCodes(m, codes, 0, codes.Trajectories).Predict(work.Until(t.Context()), m.Weights.DynamicsParams, measure.TestMembers, method.PredictedTogether, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	few := *p
	few.Frames, few.Lengths, few.Pred, few.Truth = kept, nil, nil, macro.Float32s()
	for i := range runs * p.Members {
		for k := range kept {
			at := (i*p.Frames + k*every) * vars
			few.Pred = append(few.Pred, p.Pred[at:at+vars]...)
		}
	}
	return &few
}

// TestShippedBandsLong simulates fresh runs and measures the bands of all calibrated models. The runs are
// drawn like those of the calibrations, with another seed.
func TestShippedBandsLong(t *testing.T) {
	if !*long {
		t.Skip("it simulates runs, for about 20 minutes of a core; use -long")
	}
	const runs, seed = 100, freshSeed + 1
	sources := make(map[string]*excerpt.Starts)
	begin := make(map[string]int)
	all := banded(t)
	key := func(m *model.Model) string {
		c := &m.Config
		return fmt.Sprint(c.Spec.System, c.Choice(system.Encode, seed, runs))
	}
	for _, models := range all {
		for _, m := range models {
			begin[key(m)] = max(begin[key(m)], m.Config.Dynamics.Begin)
		}
	}
	for name, models := range all {
		if _, known := uncalibrated[name]; known {
			continue
		}
		t.Run(name, func(t *testing.T) {
			for _, m := range models {
				k := key(m)
				if sources[k] == nil {
					var err error
					src := m.System.Simulated(m.Config.Choice(system.Encode, seed, runs))
					if sources[k], err = excerpt.Collect(work.Until(t.Context()), src, begin[k], runs, 1); err != nil {
						t.Fatal(err)
					}
				}
				p, err := measure.Task{Model: m, Source: sources[k], Count: runs, Members: measure.TestMembers, Seed: measure.TestSeed, Workers: 1}.Run(work.Until(t.Context()))
				if err != nil {
					t.Fatal(err)
				}
				covers(t, fmt.Sprintf("%s, ẑ dim %d", name, m.Config.ZDim()), p)
			}
		})
	}
}
