package cmd

import (
	"strings"
	"testing"
)

// TestRoom checks that a training for which there is no memory is refused before anything is trained, with the
// setting that takes the most.
func TestRoom(t *testing.T) {
	freeMemory = func() int { return 8e9 }
	t.Cleanup(func() { freeMemory = systemMemory })
	out := t.TempDir() + "/m"
	for args, setting := range map[string]string{
		"particles@quick -set law.trajectories=1000000":                 "law.trajectories",
		"particles@quick -set trajectories=1000000 -set particles=1000": "trajectories",
		"mixing@browser -set law.trajectories=1000000":                  "law.trajectories",
	} {
		_, err := command(t, t.Context(), append(strings.Fields("train -out "+out+" -experiment"), strings.Fields(args)...)...)
		if err == nil || !strings.Contains(err.Error(), "of memory, and there are 8 GB; set "+setting+" lower") {
			t.Errorf("%s: error %v", args, err)
		}
	}
	o := parse(t, "-experiment", "particles@browser")
	training, err := o.open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	training.close()
	if systemMemory() < 0 {
		t.Error("there is less than no memory")
	}
}
