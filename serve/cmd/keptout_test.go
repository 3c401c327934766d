package cmd

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/model/system/particles"
)

// TestDataThatTrained trains on a file and measures the model on it. The result must say that the file
// trained the model, and measure apart what was kept out of training, also if the numbers are in a file
// of another format. The result of another file must not. A training must resume only with the same
// data, whichever trajectory differs.
func TestDataThatTrained(t *testing.T) {
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	file, model, other, plain, one := at("f.npz"), at("m.safetensors"), at("g.npz"), at("f.npy"), at("one.npz")
	mustRun(t, "simulate", "-n", "17", "-particles", "6", "-steps", "20", "-out", file)
	mustRun(t, "simulate", "-n", "1", "-particles", "6", "-steps", "40", "-out", one)
	train := func(args ...string) (string, error) {
		var says bytes.Buffer
		err := run(context.Background(), append([]string{"train", "-workers", "1", "-out", model}, args...), new(bytes.Buffer), &says)
		return says.String(), err
	}
	begin := func(file string) string {
		says, err := train("-experiment", "particles@browser", "-steps", "3", "-law-steps", "3", "-data", file)
		if err != nil {
			t.Fatal(err)
		}
		return says
	}
	if says := begin(one); !strings.Contains(says, "only one trajectory, so its last 8 frames are kept out of training") {
		t.Errorf("a training on one trajectory says %s", says)
	}
	if says := begin(file); !strings.Contains(says, "are kept out of training, for validation") {
		t.Errorf("a training says %s", says)
	}

	arrays := arraysOf(t, file)
	write := func(path string, change func(points []float32)) {
		points := arrays["trajectories"].Float32s()
		change(points)
		var b bytes.Buffer
		var err error
		if all := data.NewArray(arrays["trajectories"].Shape, points); path == plain {
			err = data.WriteNPY(&b, all)
		} else {
			err = data.WriteNPZ(&b, map[string]*data.Array{"trajectories": all, "macro": arrays["macro"], "types": arrays["types"]})
		}
		if err == nil {
			err = os.WriteFile(path, b.Bytes(), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(plain, func([]float32) {})
	for _, tc := range []struct {
		file    string
		trained bool
	}{{file, true}, {plain, true}, {other, false}} {
		if tc.file == other {
			write(other, func(points []float32) { points[len(points)*5/17]++ })
		}
		var of struct {
			MRE          float64
			Trajectories int
			Trained      bool `json:"trained_on"`
			KeptOut      *struct {
				MRE          float64
				Trajectories int
			} `json:"kept_out"`
		}
		evalJSON(t, &of, "-model", model, "-data", tc.file)
		if of.Trained != tc.trained || (of.KeptOut != nil) != tc.trained || of.Trajectories != 17 || !(of.MRE > 0) {
			t.Errorf("of %s, eval prints %+v", filepath.Base(tc.file), of)
		}
		if of.KeptOut != nil && (of.KeptOut.Trajectories != 2 || !(of.KeptOut.MRE > 0) || of.KeptOut.MRE == of.MRE) {
			t.Errorf("of %s, eval prints %+v for what was kept out", filepath.Base(tc.file), of.KeptOut)
		}
		table := mustRun(t, "eval", "-model", model, "-data", tc.file)
		if strings.Contains(table, ", which trained it") != tc.trained || strings.Contains(table, "kept out of training") != tc.trained {
			t.Errorf("of %s, eval prints\n%s", filepath.Base(tc.file), table)
		}
	}

	for _, args := range [][]string{{"encode", "-n", "17", "-validation", "2", "-out", at("codes.npz")}, {"figure", "-out", at("figure.svg")}} {
		for path, trained := range map[string]bool{file: true, other: false} {
			var said bytes.Buffer
			err := run(t.Context(), append(args, "-model", model, "-data", path), new(bytes.Buffer), &said)
			if err != nil || strings.Contains(said.String(), "trained the model") != trained {
				t.Errorf("%s of %s says %q, %v", args[0], filepath.Base(path), said.String(), err)
			}
		}
	}

	for e := range 17 {
		write(other, func(points []float32) { points[len(points)*e/17+7]++ })
		if _, err := train("-resume", model, "-data", other); err == nil || !strings.Contains(err.Error(), "these are not the data on which the training began") {
			t.Errorf("with another trajectory %d, the training resumes: %v", e, err)
		}
	}

	// Earlier programs wrote digests of three trajectories, and shorter ones before.
	f, err := readCheckpoint(model)
	if err != nil {
		t.Fatal(err)
	}
	rewrite := func(digest string) {
		f.Metadata["training.data"] = digest
		writeCheckpoint(t, model, f)
	}
	for _, tc := range []struct {
		digest  string // "": that of three trajectories
		resumes bool
	}{{strings.Repeat("0", 32), false}, {"6f2c", true}, {"", true}} {
		digest := tc.digest
		if digest == "" {
			own, err := readData(particles.System(), file, "energy")
			if err != nil {
				t.Fatal(err)
			}
			digest = digestOfThree(t, own)
			own.Close()
		}
		rewrite(digest)
		if _, err := train("-resume", model, "-data", file); (err == nil) != tc.resumes {
			t.Errorf("with the digest %q of an earlier program: %v", digest, err)
		}
	}
	var now map[string]any
	if err := json.Unmarshal([]byte(mustRun(t, "eval", "-json", "-model", model, "-data", file)), &now); err != nil || now["trained_on"] != true {
		t.Errorf("after it has resumed, %v, %v", now, err)
	}
}

// digestOfThree returns the digest that earlier programs wrote: of the first, the middle and the last
// trajectory.
func digestOfThree(t *testing.T, own system.Recorded) string {
	t.Helper()
	h, n := fnv.New128a(), own.Shape().Trajectories
	fmt.Fprint(h, own.Shape(), own.Facts().Force)
	for _, i := range []int{0, n / 2, n - 1} {
		var of system.Trajectory
		if err := own.Raw(&of, i); err != nil {
			t.Fatal(err)
		}
		for _, numbers := range []any{of.Points, of.Species, of.Macro, of.Params} {
			if err := binary.Write(h, binary.LittleEndian, numbers); err != nil {
				t.Fatal(err)
			}
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
