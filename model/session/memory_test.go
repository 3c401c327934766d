package session_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"macroscope/model/ckpt"
	"macroscope/model/experiment"
	"macroscope/model/wire"
)

// remembering returns a checkpoint of untrained dynamics of chains that are told the
// frames up to begin.
func remembering(t *testing.T, begin string) []byte {
	t.Helper()
	lab := labOf(t, "polymer")
	c, err := lab.Systems.Preset("polymer/flow@quick")
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"law.begin": begin, "law.memory": "5 10"} {
		if err := c.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	m := experiment.New(c, lab.System)
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
		own := trajectories(t, "polymer", 2)         // of 61 frames
		for _, begin := range []string{"20", "50"} { // a run of 40 never comes as far as the latter
			v.drop("m"+begin+".safetensors", remembering(t, begin))
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
		v.drop("m70.safetensors", remembering(t, "70"))
		v.settle()
		if !slices.Contains(v.said, "Predictions begin at frame 70, and the trajectories have 61.") {
			t.Errorf("said %q", v.said)
		}
	})
}
