package session_test

import (
	"bytes"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/wire"
)

// TestSaysWhatIsKeptOut begins trainings on files of the user. The page must say which trajectories are
// kept out of training, or which frames of a single trajectory. It must also say if a checkpoint on show
// kept nothing out, as older ones did not.
func TestSaysWhatIsKeptOut(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		for _, tc := range []struct {
			trajectories int
			says         string
		}{{1, "There is only one trajectory, so its last "}, {4, " is kept out of training, for validation."}} {
			v.drop("own.npz", trajectories(t, "particles", tc.trajectories))
			v.set("size", "quick")
			if n := v.try(wire.Press, "train", ""); n == nil || n.Error || !strings.Contains(n.Text, tc.says) || !sentence(n.Text) {
				t.Errorf("with %d trajectories it is said %+v", tc.trajectories, n)
			}
			v.turns(3)
			v.press("train")
			v.turns(2)
		}

		file := begun(t, v.lab, "flow", trajectories(t, v.lab, 4))
		f, err := ckpt.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		delete(f.Metadata, "config.validation")
		var older bytes.Buffer
		if err := ckpt.Encode(&older, f); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][]byte{"new.safetensors": file, "older.safetensors": older.Bytes()} {
			says := v.drop(name, b)
			if doubts := strings.Contains(says, "No trajectory is kept out of this training"); doubts != (name == "older.safetensors") {
				t.Errorf("of %s it is said %q", name, says)
			}
		}
	})
}
