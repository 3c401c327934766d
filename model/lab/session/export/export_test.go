package export

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"macroscope/model/file/data"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/particles"
)

// played returns a run of ten particles with three frames after the first.
func played(t *testing.T) *Run {
	sys := particles.System()
	live := sys.Live()
	for name, value := range map[string]string{"n": "10", "dt": "0.03", "a": "5"} {
		if err := live.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := live.Generate(); err != nil {
		t.Fatal(err)
	}
	now := time.Time{}
	for range 3 {
		live.Player().Next()
		if _, err := live.Player().Advance(func() time.Time { now = now.Add(time.Second); return now }, 1, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	if k := live.Run().Known; k != 3 {
		t.Fatalf("%d frames are known", k)
	}
	return &Run{Live: live, Of: &sys.Traits}
}

// TestCSV checks the columns of a row: the frame's number, its time in the system's units,
// and the macroscopic variables.
func TestCSV(t *testing.T) {
	r := played(t)
	var b bytes.Buffer
	r.CSV(&b)
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 5 || len(rows[0]) != 3 || rows[0][0] != "frame" || rows[0][1] != "time" || rows[0][2] != "energy" {
		t.Fatalf("%v, %v", rows, err)
	}
	for k, row := range rows[1:] {
		for i, want := range []float64{float64(k), 0.03 * float64(k), r.Live.Macro(k)[0]} {
			if got, err := strconv.ParseFloat(row[i], 64); err != nil || math.Abs(got-want) > 1e-6*math.Abs(want) {
				t.Errorf("frame %d: %s is %s, want %g", k, rows[0][i], row[i], want)
			}
		}
	}
}

// TestCSVOfClosures writes a run with ẑ in only every other frame.
func TestCSVOfClosures(t *testing.T) {
	r := played(t)
	c, err := method.Systems{particles.System()}.Preset("particles/flow@browser")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.With("encoder.zdim=2"); err != nil {
		t.Fatal(err)
	}
	m := view.NewShown(model.New(c, particles.System()), "A", 1)
	m.Stride, m.Past = 2, []float32{1, 2, 3, 4}
	r.Models, r.Predicts = []*view.Shown{m}, func(*model.Model) bool { return true }
	var b bytes.Buffer
	r.CSV(&b)
	rows, err := csv.NewReader(&b).ReadAll()
	if err != nil || len(rows) != 5 || len(rows[0]) != 5 || rows[0][3] != "z1" || rows[0][4] != "z2" {
		t.Fatalf("%v, %v", rows, err)
	}
	for k, want := range [][]string{{"1", "2"}, {"", ""}, {"3", "4"}, {"", ""}} {
		if got := rows[k+1][3:]; !slices.Equal(got, want) {
			t.Errorf("frame %d: ẑ %q, want %q", k, got, want)
		}
	}
}

// TestNPZ checks that the archive is a file of trajectories with the run's frames,
// variables and parameters.
func TestNPZ(t *testing.T) {
	r := played(t)
	var b bytes.Buffer
	if err := r.NPZ(&b); err != nil {
		t.Fatal(err)
	}
	arrays, err := data.ReadNPZ(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	x, macro, a := arrays[system.TrajectoriesArray], arrays[system.MacroArray], arrays["a"]
	if x == nil || macro == nil || a == nil || x.Len() != 4*10*2 || macro.Len() != 4 || a.Len() != 1 {
		t.Fatalf("%v", arrays)
	}
	if got := a.Float64s()[0]; got != 5 {
		t.Errorf("a = %g, want 5", got)
	}
	var f system.Frame
	for k := range 4 {
		if got, want := macro.Float64s()[k], r.Live.Macro(k)[0]; got != want {
			t.Errorf("frame %d: the energy is %g, want %g", k, got, want)
		}
		r.Live.Frame(&f, k)
		for i, want := range f.Points {
			if got := x.Float32s()[20*k+i]; got != want {
				t.Fatalf("frame %d: coordinate %d is %g, want %g", k, i, got, want)
			}
		}
	}
}
