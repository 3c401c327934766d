package session_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/model"
	"macroscope/model/wire"
)

// remembering returns a checkpoint of untrained dynamics with a memory. Predictions begin at the
// frame `begin`.
func remembering(t *testing.T, of, begin string) []byte {
	t.Helper()
	lab := labOf(t, of)
	c, err := lab.Systems().Preset(of + "/flow@browser")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = c.With("law.joint=true", "law.begin="+begin, "law.memory=5 10"); err != nil {
		t.Fatal(err)
	}
	m := model.New(c, lab.System)
	for i := range m.Scale.Low {
		m.Scale.Low[i], m.Scale.High[i] = -20, 20
	}
	var b bytes.Buffer
	if err := ckpt.Encode(&b, m.Checkpoint()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDynamicsThatRememberInEverythingThatPredicts(t *testing.T) {
	in(t, "polymer", func(t *testing.T, v *visitor) {
		own := trajectories(t, "polymer", 2)         // trajectories of 61 frames each
		for _, begin := range []string{"20", "50"} { // a run of 40 frames never reaches frame 50
			v.drop("m"+begin+".safetensors", remembering(t, "polymer", begin))
			v.set("portrait", "on")
			v.set("beside", "many")
			v.settle()
			v.press("shuffle")
			v.settle()
			v.seek(30)
			v.settle()
			if st := v.State(); !finite(st) || strings.Contains(st.Summary, "no number") {
				t.Errorf("begin %s: %s", begin, st.Summary)
			}
			v.press("shuffle")
			v.settle()
			if row := v.row("orders"); begin == "20" && (len(row) == 0 || row[30] != row[30] || !math.IsNaN(float64(row[0]))) {
				t.Errorf("begin %s: orders %v", begin, row)
			}
		}
		v.drop("own.npz", own)
		v.settle()
		v.apply(wire.Set, "runA", "m20")
		v.settle()
		v.drop("m70.safetensors", remembering(t, "polymer", "70"))
		v.settle()
		if !slices.Contains(v.said, "Predictions begin at frame 70, and the trajectories have 61.") {
			t.Errorf("said %q", v.said)
		}
	})
}

// TestAnotherPast changes the run before the frame at which its prediction begins. When the run
// reaches that frame again, the session must make a new prediction.
func TestAnotherPast(t *testing.T) {
	in(t, "mixing", func(t *testing.T, v *visitor) {
		v.drop("m.safetensors", remembering(t, "mixing", "5"))
		v.seek(8)
		v.settle()
		was := v.row("mean")
		v.seek(2)
		v.settle()
		v.set("temperature", "1.3")
		v.settle()
		if row := v.row("mean"); len(row) > 0 {
			t.Errorf("%v is predicted from frame 5 of a run that stands at 2", row)
		}
		v.seek(6)
		v.settle()
		if row := v.row("mean"); len(row) != len(was) || slices.Equal(row[10:12], was[10:12]) {
			t.Errorf("after the change %v is predicted, before it %v", row, was)
		}
	})
}
