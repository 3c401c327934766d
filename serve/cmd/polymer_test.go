package cmd

import (
	"archive/zip"
	"bytes"
	"context"
	"image/gif"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"macroscope/model/learn/measure"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/polymer"
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

// TestProbe checks the R² of two quantities: nearly 1 for a cubic of the extension and ẑ, and
// nearly 0 for a quantity that is independent of them. probe must use every tenth frame, beginning
// with the first.
func TestProbe(t *testing.T) {
	c, err := systems.Preset("polymer/flow@quick")
	if err != nil {
		t.Fatal(err)
	}
	c.Particles = 8
	m := model.New(c, polymer.System())
	src := polymer.System().Simulated(system.Choice{Seed: 1, Count: 4, Particles: 8})
	frames := map[int]int{}
	of, err := probe(t.Context(), m, known(m, frames), src, 2)
	if err != nil || !(of[0] > 0.9999) || !(of[1] < 0.1) {
		t.Errorf("R² are %v, %v", of, err)
	}
	for k := range src.Shape().Frames {
		if want := map[bool]int{true: 4}[k%10 == 0]; frames[k] != want {
			t.Errorf("frame %d of %d trajectories is used, want %d", k, frames[k], want)
		}
	}
	if got := cubics([]float64{2, 3}, 2).RawRowView(0); !slices.Equal(got, []float64{1, 2, 4, 8, 3, 6, 12, 9, 18, 27}) {
		t.Errorf("the cubics of 2 and 3 are %v", got)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := probe(stopped, m, known(m, nil), src, 2); err == nil {
		t.Error("a probe that was stopped has a result")
	}
}

// known returns a system with two quantities; z determines only one of them. It counts how often each frame was
// requested. This needs no lock, because probe requests one frame at a time.
func known(m *model.Model, frames map[int]int) *system.System {
	sys := polymer.System()
	sys.Quantify = func(dst []float64, t *system.Trajectory, frame int) {
		z := make([]float32, m.Config.States())
		if err := m.NewCoder().FrameOf(z, t, 0, frame); err != nil {
			panic(err)
		}
		if frames != nil {
			frames[frame]++
		}
		dst[0] = float64(z[0]*z[1]*z[1]) + 3
		dst[1] = float64(frame*7919%13) + float64(t.Points[0])
	}
	return sys
}

// TestLongRows checks that long rows are printed in several parts, each beginning with the
// set's name.
func TestLongRows(t *testing.T) {
	long := func(set string) (r measure.Figures) {
		r = measure.Figures{{Name: "set", Title: "set", Format: "%s", Value: set}}
		for k := range columns + 4 {
			r = append(r, measure.Figure{Name: "n", Title: "n" + string(rune('a'+k)), Format: "%d", Value: k})
		}
		return r
	}
	var b bytes.Buffer
	if err := (&result{tests: []measure.Figures{long("one"), long("two")}}).print(&b); err != nil {
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
