package cmd

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/learn/measure"
)

// arraysIn reads all arrays of a file.
func arraysIn(t *testing.T, path string) map[string]*data.Array {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := data.ReadNPZ(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return arrays
}

// cut returns the arrays of the runs with only their first frames.
func cut(arrays map[string]*data.Array, frames int) map[string]*data.Array {
	short := make(map[string]*data.Array)
	for name, a := range arrays {
		short[name] = a
		if len(a.Shape) > 1 && name != "types" {
			row := a.Len() / a.Shape[0]
			var kept []float64
			for run := range slices.Chunk(a.Float64s(), row) {
				kept = append(kept, run[:row/a.Shape[1]*frames]...)
			}
			short[name] = data.NewArray(append([]int{a.Shape[0], frames}, a.Shape[2:]...), kept)
		}
	}
	return short
}

// TestPredictionsFile writes the predictions of runs of different lengths, with and without noise. Their errors are
// those that eval prints, a band holds its members, a table has the same numbers, and the first frames alone are predicted
// alike.
func TestPredictionsFile(t *testing.T) {
	const runs, frames, ended = 6, 9, 5
	whole := swirl(runs, frames, 8)
	whole["dt"] = data.NewArray([]int{}, []float64{0.25})
	for i := ended * 8 * 3; i < frames*8*3; i++ { // run 0 ends earlier
		whole["trajectories"].Float32s()[i] = float32(math.NaN())
	}
	file, first, dir := writeOwn(t, whole), writeOwn(t, cut(whole, 1)), t.TempDir()
	for _, noise := range []string{"false", "true"} {
		model, out, table := filepath.Join(dir, "m.safetensors"), filepath.Join(dir, "p.npz"), filepath.Join(dir, "p.csv")
		mustRun(t, "train", "-data", file, "-preset", "quick", "-set", "system.noise="+noise, "-steps", "4", "-law-steps", "4", "-set", "encoder.zdim=3", "-workers", "1", "-out", model)
		eval := func(more ...string) string {
			return mustRun(t, append([]string{"eval", "-workers", "1", "-model", model}, more...)...)
		}
		var said struct {
			Errors   []struct{ RMSE float64 }
			Coverage float64
		}
		inside := 0.0
		if err := json.Unmarshal([]byte(eval("-json", "-data", file, "-predictions", out)), &said); err != nil {
			t.Fatal(err)
		}
		p := arraysIn(t, out)
		for k, name := range []string{"heights 1", "heights 2", "radius"} {
			truth, pred := p[name].Float64s(), p["predicted_"+name].Float64s()
			square, n := 0.0, 0.0
			for i, v := range truth {
				if is := v == v; is != (i >= frames || i < ended) || is != (pred[i] == pred[i]) {
					t.Fatalf("%s: value %d is %g, predicted %g", name, i, v, pred[i])
				} else if is && i%frames > 0 {
					square, n = square+(v-pred[i])*(v-pred[i]), n+1
				} else if is && math.Abs(v-pred[i]) > 1e-5 {
					t.Errorf("%s: the first frame is %g, and the prediction begins at %g", name, v, pred[i])
				}
			}
			if got, want := math.Sqrt(square/n), said.Errors[k].RMSE; math.Abs(got-want) > 1e-5*want {
				t.Errorf("%s: the RMSE in the file is %g, and eval prints %g", name, got, want)
			}
			if noise == "false" {
				continue
			}
			members, low, high := p["members_"+name], p["low_"+name].Float32s(), p["high_"+name].Float32s()
			if want := []int{runs, measure.TestMembers, frames}; !slices.Equal(members.Shape, want) {
				t.Fatalf("the members are %v, want %v", members.Shape, want)
			}
			mean := 0.0
			for j := range measure.TestMembers {
				mean += members.Float64s()[(2*measure.TestMembers+j)*frames+7] / measure.TestMembers
			}
			if got := pred[2*frames+7]; math.Abs(got-mean) > 1e-6 {
				t.Errorf("%s: the prediction is %g, and the mean of its members %g", name, got, mean)
			}
			for i, v := range truth {
				if i%frames > 0 && float64(low[i]) <= v && v <= float64(high[i]) {
					length := frames
					if i < frames {
						length = ended
					}
					inside += 1 / float64(runs*3*(length-1))
				}
			}
		}
		if math.Abs(inside-said.Coverage) > 1e-9 {
			t.Errorf("%g of the true values are in the bands of the file, and eval prints %g", inside, said.Coverage)
		}
		z, predicted := p["z"], p["predicted_z"]
		if want := []int{runs, frames, 6}; !slices.Equal(z.Shape, want) || !slices.Equal(predicted.Shape, want) {
			t.Fatalf("ẑ is %v, predicted %v, want %v of two species", z.Shape, predicted.Shape, want)
		}
		for i, v := range z.Float64s()[frames*6:][:6] {
			if math.Abs(v-predicted.Float64s()[frames*6+i]) > 1e-6 {
				t.Errorf("ẑ of a first frame is %v, and its prediction begins otherwise", v)
			}
		}
		if v := p["time"].Float64s(); len(v) != frames || v[2] != 0.5 {
			t.Errorf("the times are %v", v)
		}

		eval("-data", file, "-predictions", table)
		b, err := os.ReadFile(table)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
		if err != nil || len(rows) != 1+ended+(runs-1)*frames || strings.Join(rows[0][:4], ",") != "run,frame,time,heights_1" {
			t.Fatalf("the table has %d rows, with %v; %v", len(rows), rows[0], err)
		}
		row, column := 1+ended+frames+7, slices.Index(rows[0], "predicted_z_52")
		if got, _ := strconv.ParseFloat(rows[row][column], 64); rows[row][0] != "2" || rows[row][1] != "7" || rows[row][2] != "1.75" || float32(got) != predicted.Float32s()[(2*frames+7)*6+4] {
			t.Errorf("frame 7 of run 2 has the row %v", rows[row])
		}

		if said := eval("-data", first, "-predictions", out, "-horizon", "3"); !strings.HasPrefix(said, "no run has a frame after the one from which it is predicted, so there is nothing to score\n") {
			t.Errorf("of first frames, eval says %q", said)
		}
		starts := arraysIn(t, out)
		for _, name := range []string{"predicted_radius", "predicted_z"} {
			got, want, n := starts[name].Float32s(), p[name].Float32s(), p[name].Len()/runs/frames
			for e := 1; e < runs; e++ {
				if a, b := got[e*13*n:][:frames*n], want[e*frames*n:][:frames*n]; !slices.Equal(a, b) {
					t.Fatalf("run %d, %s: from the first frame alone %v, from the whole run %v", e, name, a, b)
				}
			}
			if last := got[len(got)-1]; last != last {
				t.Errorf("%s is not predicted to the horizon", name)
			}
		}
		if v := starts["radius"].Float64s(); v[0] != v[0] || v[1] == v[1] {
			t.Errorf("the true values of a first frame are %v", v[:2])
		}
	}
	model, out := filepath.Join(dir, "m.safetensors"), filepath.Join(dir, "p.npz")
	text, table := new(strings.Builder), new(strings.Builder)
	fmt.Fprintln(text, "run,frame,time,id,type,x,y,z")
	fmt.Fprintln(table, "run,frame,heights 1,heights 2,radius")
	for e := range runs {
		for i := range 8 {
			x := whole["trajectories"].Float32s()[(e*frames*8+i)*3:]
			fmt.Fprintf(text, "%d,0,0,%d,%g,%v,%v,%v\n", e, i, whole["types"].Float64s()[e*8+i], x[0], x[1], x[2])
		}
		h := whole["heights"].Float64s()[e*frames*2:]
		fmt.Fprintf(table, "%d,0,%v,%v,%v\n", e, h[0], h[1], whole["radius"].Float64s()[e*frames])
	}
	for name, content := range map[string]string{"starts.csv": text.String(), "starts.observables.csv": table.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := arraysIn(t, out)["predicted_radius"].Float32s()
	mustRun(t, "eval", "-workers", "1", "-model", model, "-data", filepath.Join(dir, "starts.csv"), "-predictions", out, "-horizon", "3")
	for i, v := range arraysIn(t, out)["predicted_radius"].Float32s() {
		if math.Abs(float64(v-want[i])) > 1e-5 {
			t.Fatalf("value %d is %g from a text, and %g from an archive", i, v, want[i])
		}
	}
	for says, flags := range map[string][]string{
		"give both":                          {"-predictions", "p.npz"},
		"-horizon is how far":                {"-data", file, "-horizon", "3"},
		"ends in .npz or .csv":               {"-data", file, "-predictions", "p.txt"},
		"is the file that -data reads":       {"-data", file, "-predictions", file},
		"-horizon 0.1 is after 0 frames":     {"-data", file, "-predictions", filepath.Join(dir, "q.npz"), "-horizon", "0.1"},
		"fewer than two frames":              {"-data", first},
		"-horizon -1; use a time above 0":    {"-data", file, "-predictions", "p.npz", "-horizon", "-1"},
		"-horizon 1e+300 is after 4e+300 fr": {"-data", file, "-predictions", filepath.Join(dir, "q.npz"), "-horizon", "1e300"},
	} {
		if _, err := command(t, t.Context(), append([]string{"eval", "-model", model}, flags...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v: %v, want %q", flags, err, says)
		}
	}
}
