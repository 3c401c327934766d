package cmd

import (
	"archive/zip"
	"bytes"
	"context"
	"image/gif"
	"io"
	"math"
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
			fails(t, "-film is of the system polymer", "simulate", "-experiment", kind, "-test", "in-dst", "-particles", "8", "-film", film)
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

// TestPassages compares first passages with values found by hand.
func TestPassages(t *testing.T) {
	nan := float32(math.NaN())
	x := []float32{
		0, 9, 3, 0, 1, 0, // the first of two variables exceeds the level in frame 1
		5, 0, 0, 0, 0, 0, // the first variable exceeds the level in frame 0
		1, 9, 2, 9, 2, 9, // the first variable never exceeds the level; the result is the last frame
		nan, 0, nan, 0, nan, 0, // NaN also does not exceed the level
	}
	if got := passages(x, 3, 2, 2); !slices.Equal(got, []float64{0, 1, 2, 2}) {
		t.Errorf("passages in %v", got)
	}
	if got := passages(x, 3, 2, 0.5); !slices.Equal(got, []float64{0, 0, 1, 2}) {
		t.Errorf("passages of a lower level in %v", got)
	}
}

// TestPassageRow measures predictions that equal the truth, and predictions that are ten
// frames late.
func TestPassageRow(t *testing.T) {
	if mean, sd := curves([]float32{1, 1, 3, 5}, make([]float32, 4), 2); math.Abs(mean-math.Sqrt(6.5)) > 1e-6 || math.Abs(sd-math.Sqrt(2.5)) > 1e-6 {
		t.Errorf("means of 2 and 3 and deviations of 1 and 2 are %g and %g off 0", mean, sd)
	}
	const frames, runs = 100, 8
	late := func(by int) (x []float32) {
		for e := range runs {
			for k := range frames {
				v := float32(0)
				if k >= 20+e+by {
					v = 3
				}
				x = append(x, v)
			}
		}
		return x
	}
	p := &measure.Prediction{Frames: frames, Members: 1, Variables: 1, Truth: late(0), Pred: late(0)}
	r := passageRow(p, 2)
	for name, want := range map[string]float64{"passage": 23.5, "passage_error": 0, "ks": 0, "mean_rms": 0, "sd_rms": 0, "ks_floor": 0.25} {
		if got := r.of(name); math.Abs(got-want) > 1e-12 {
			t.Errorf("of the truth itself, %s is %g, want %g", name, got, want)
		}
	}
	p.Begin = 22
	if r = passageRow(p, 2); r.text("passed") != "3" || r.text("begin") != "22" { // the predictions begin after frame 22. Three simulated chains have unfolded in frames up to 22
		t.Errorf("told to frame 22: %v", r)
	}
	p.Begin, p.Pred = 0, late(10)
	r = passageRow(p, 2)
	if r.text("passed") != "" {
		t.Errorf("told nothing: %v", r)
	}
	if r.of("passage_error") != 10 || math.Abs(r.of("passage_share")-10/23.5) > 1e-12 || r.of("ks") != 1 || !(r.of("mean_rms") > 0.1) || !(r.of("sd_rms") > 0.1) {
		t.Errorf("ten frames late: %v", r)
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
	m := model.New(c, polymer.System{})
	src := polymer.System{}.Simulated(system.Choice{Seed: 1, Count: 4, Particles: 8})
	frames := map[int]int{}
	of, err := probe(t.Context(), m, known{m: m, frames: frames}, src, 2)
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
	if _, err := probe(stopped, m, known{m: m}, src, 2); err == nil {
		t.Error("a probe that was stopped has a result")
	}
}

// known is a system with two quantities; z determines only one of them.
type known struct {
	polymer.System
	m      *model.Model
	frames map[int]int // how often each frame was requested; needs no lock, because probe requests one frame at a time
}

func (k known) Quantify(dst []float64, t *system.Trajectory, frame int) {
	z := make([]float32, k.m.Config.States())
	if err := k.m.NewCoder().FrameOf(z, t, 0, frame); err != nil {
		panic(err)
	}
	if k.frames != nil {
		k.frames[frame]++
	}
	dst[0] = float64(z[0]*z[1]*z[1]) + 3
	dst[1] = float64(frame*7919%13) + float64(t.Points[0])
}

// TestLongRows checks that long rows are printed in several parts, each beginning with the
// set's name.
func TestLongRows(t *testing.T) {
	long := func(set string) (r row) {
		r = row{{"set", "set", "%s", set}}
		for k := range columns + 4 {
			r = append(r, number{"n", "n" + string(rune('a'+k)), "%d", k})
		}
		return r
	}
	var b bytes.Buffer
	if err := (&result{tests: []row{long("one"), long("two")}}).print(&b); err != nil {
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
