package cmd

import (
	"archive/zip"
	"bytes"
	"image/gif"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/method"
)

// TestPolymerFromTheCommandLine simulates chains, and trains models on beads and on film. It
// measures the models on simulated test chains and on a file. It draws a figure of test chains that
// are read from a folder.
func TestPolymerFromTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	data, model := filepath.Join(dir, "chains.npz"), filepath.Join(dir, "m.safetensors")
	mustRun(t, "simulate", "-experiment", "polymer", "-n", "4", "-particles", "8", "-out", data)
	for _, pair := range []string{"polymer/flow", "polymer-video/flow", "polymer-video/flow-memory"} {
		kind, method, _ := strings.Cut(pair, "/")
		remembers := method != "flow"
		var said bytes.Buffer
		args := []string{"train", "-experiment", pair + "@quick", "-data", data, "-set", "batch=4", "-set", "shards=2", "-steps", "2", "-law-steps", "2", "-out", model}
		if err := run(t.Context(), args, io.Discard, &said); err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(`ẑ tells X_1 with R² -?[0-9.]+, X_2 with R²`).Match(said.Bytes()) {
			t.Errorf("%s: training says nothing of the modes:\n%s", kind, &said)
		}
		if out := mustRun(t, "eval", "-model", model, "-data", data); strings.Contains(out, "KS") || !strings.Contains(out, "coverage") {
			t.Errorf("%s: of chains whose plateau is not known:\n%s", kind, out)
		}
		if out := mustRun(t, "eval", "-model", model, "-trajectories", "2"); !strings.Contains(out, "in-dst") {
			t.Errorf("%s: tests of chains without starts of their own:\n%s", kind, out)
		}
		tests := filepath.Join(dir, kind)
		if err := os.MkdirAll(tests, 0o755); err != nil {
			t.Fatal(err)
		}
		if remembers { // the tests in the folder have positions only at frame 0, and a memory needs more frames
			fails(t, "predicts from frame 150 on", "eval", "-model", model, "-tests", tests, "-trajectories", "2")
			mustRun(t, "simulate", "-experiment", kind, "-test", "in-dst", "-begin", "150", "-n", "2", "-particles", "8", "-out", filepath.Join(tests, "in-dst.npz"))
			mustRun(t, "eval", "-model", model, "-tests", tests, "-trajectories", "2")
			// The film must show the same runs as the beads.
			film := filepath.Join(dir, "film.npz")
			mustRun(t, "simulate", "-experiment", "polymer", "-test", "in-dst", "-begin", "150", "-n", "2", "-particles", "8", "-out", filepath.Join(dir, "beads.npz"), "-film", film)
			got, err := os.ReadFile(film)
			want, failed := os.ReadFile(filepath.Join(tests, "in-dst.npz"))
			if err != nil || failed != nil || !bytes.Equal(got, want) {
				t.Errorf("the film of a simulation of beads is not the film's own: %v, %v, %d and %d bytes", err, failed, len(got), len(want))
			}
			fails(t, "no model learns from films of the system", "simulate", "-experiment", kind, "-test", "in-dst", "-particles", "8", "-film", film)
			fails(t, "-film works only with -test", "simulate", "-experiment", "polymer", "-film", film)
			continue
		}
		mustRun(t, "simulate", "-experiment", kind, "-test", "in-dst", "-n", "2", "-particles", "8", "-out", filepath.Join(tests, "in-dst.npz"))
		mustRun(t, "figure", "-model", model, "-tests", tests, "-trajectories", "2", "-out", filepath.Join(dir, "f.svg"))
		fails(t, "holds 2 trajectories", "figure", "-model", model, "-tests", tests, "-trajectories", "3", "-out", filepath.Join(dir, "f.svg"))
	}
	if b, err := os.ReadFile(model + ".bak"); err != nil || len(b) == 0 {
		t.Error("the first model was not kept:", err)
	}
}

// TestLongRows checks that long rows are printed in several parts, each beginning with the
// set's name.
func TestLongRows(t *testing.T) {
	long := func(set string) *measure.Result {
		r := &measure.Result{Set: set, Values: make(map[string]float64)}
		for _, f := range method.Figures[:columns+4] {
			r.Values[f.Name] = 1
		}
		return r
	}
	var b bytes.Buffer
	if err := (&result{tests: []*measure.Result{long("one"), long("two")}}).print(&b); err != nil {
		t.Fatal(err)
	}
	var firsts []string
	for line := range strings.Lines(b.String()) {
		firsts = append(firsts, strings.Fields(line)[0])
	}
	if want := []string{"set", "one", "two", "set", "one", "two", "0.0"}; !slices.Equal(firsts, want) {
		t.Errorf("lines begin with %v:\n%s", firsts, &b)
	}
}

// TestFilm writes the film of a chain as an array and as an animation.
func TestFilm(t *testing.T) {
	dir := t.TempDir()
	array, animated := filepath.Join(dir, "film.npz"), filepath.Join(dir, "film.gif")
	mustRun(t, "simulate", "-experiment", "polymer", "-video", "-n", "1", "-particles", "8", "-out", array)
	mustRun(t, "simulate", "-experiment", "polymer", "-video", "-particles", "8", "-out", animated)
	file, err := zip.OpenReader(array)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	video, err := file.Open("video.npy")
	if err != nil {
		t.Fatal(err)
	}
	pixels, err := io.ReadAll(video)
	const size, header = 1001 * 50000, 128
	if err != nil || len(pixels) != header+size || !strings.Contains(string(pixels[:header]), "'|u1', 'fortran_order': False, 'shape': (1, 1001, 100, 500)") {
		t.Fatalf("%d bytes that begin with %q, %v", len(pixels), pixels[:min(len(pixels), header)], err)
	}
	pixels = pixels[header:]
	b, err := os.ReadFile(animated)
	if err != nil {
		t.Fatal(err)
	}
	film, err := gif.DecodeAll(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if len(film.Image) != 201 {
		t.Fatalf("%d pictures", len(film.Image))
	}
	for i, shown := range film.Image {
		from := pixels[i*filmEvery*50000 : (i*filmEvery+1)*50000]
		if slices.Max(from) != 255 {
			t.Fatalf("picture %d is at most %d", i, slices.Max(from))
		}
		for k, v := range shown.Pix {
			if grey, _, _, _ := shown.Palette[v].RGBA(); uint8(grey>>8) != from[k] {
				t.Fatalf("pixel %d of picture %d is %d, want %d", k, i, grey>>8, from[k])
			}
		}
	}
	for says, args := range map[string][]string{
		"shows one trajectory": {"-experiment", "polymer", "-n", "2", "-out", animated},
		"-video means nothing": {"-experiment", "particles", "-out", array},
	} {
		if _, err := command(t, t.Context(), append([]string{"simulate", "-video"}, args...)...); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
}
