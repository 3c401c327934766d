package session_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/file/data"
	"macroscope/model/wire"
	"macroscope/sim/rng"
)

// moved returns an .npz of 4 runs of 12 particles, in which coordinate c of a run is at(run, frame, c).
func moved(t testing.TB, dim int, at func(run, frame, c int) float64) []byte {
	t.Helper()
	const runs, frames, particles = 4, 80, 12
	var points []float32
	for e := range runs {
		for k := range frames {
			for c := range particles * dim {
				points = append(points, float32(at(e, k, c)))
			}
		}
	}
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, map[string]*data.Array{"trajectories": data.NewArray([]int{runs, frames, particles, dim}, points)}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// scattered returns coordinate c of particles that differ between runs.
func scattered(run, c int) float64 { return math.Sin(float64(7*c + run*c + run)) }

// TestWrongMotion opens data that move by noise and data that move smoothly. The question about a file
// must contain a remark exactly if the dynamics of the lab cannot move so, and so must the notice with
// which a training begins. In the noise, 78 changes have a correlation with a standard deviation of 0.16;
// the seed is fixed.
func TestWrongMotion(t *testing.T) {
	src := rng.New(5, "thermal data")
	noise := func(run, _, c int) float64 { return 3*scattered(run, c) + 0.1*src.NormFloat64() }
	smooth := func(run, frame, c int) float64 {
		return scattered(run, c) * (2 + math.Sin(0.1*float64(frame)+float64(run)))
	}
	for lab, tc := range map[string]struct {
		dim   int
		wrong func(run, frame, c int) float64
		right func(run, frame, c int) float64
		says  string
	}{
		"particles": {2, noise, smooth, "moves by noise from frame to frame"},
		"polymer":   {3, smooth, noise, "moves smoothly from frame to frame"},
	} {
		in(t, lab, func(t *testing.T, v *visitor) {
			v.settle()
			for _, wrong := range []bool{false, true} {
				at := tc.right
				if wrong {
					at = tc.wrong
				}
				v.Apply(wire.Command{Kind: wire.File, Name: "own.npz", Data: moved(t, tc.dim, at)})
				v.settle()
				if said := preview(v.State().Ask); strings.Contains(said, tc.says) != wrong || strings.Contains(said, " from frame to frame") != wrong {
					t.Errorf("wrong data: %t; the question says\n%s", wrong, said)
				}
				v.press(wire.Accept)
				v.settle()
				n := v.try(wire.Press, "train", "")
				if n == nil || n.Error || !sentence(n.Text) || strings.Contains(n.Text, tc.says) != wrong {
					t.Errorf("wrong data: %t; the training begins with %+v", wrong, n)
				}
				v.turns(3)
				v.press("train")
				v.turns(2)
			}
		})
	}
}

// TestNothingMoves trains on data in which all frames are the same. The training must end with an error
// that says so, before its first step.
func TestNothingMoves(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.settle()
		v.drop("own.npz", moved(t, 2, func(run, _, c int) float64 { return scattered(run, c) }))
		v.set("size", "quick")
		v.press("train")
		for range 20_000 {
			if v.work(0); !v.Training() {
				break
			}
		}
		if said := strings.Join(v.said, "\n"); v.Training() || !strings.Contains(said, "othing moves: the frames of each trajectory are all the same") || strings.Contains(said, "seed") {
			t.Errorf("training: %t, said: %s", v.Training(), said)
		}
	})
}

// TestDivergesOnNoise goes on with a training on noise from weights for which the loss is infinite. The
// error must name the noise as the likely cause.
func TestDivergesOnNoise(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.settle()
		src := rng.New(6, "thermal data")
		own := moved(t, 2, func(run, _, c int) float64 { return 3*scattered(run, c) + 0.1*src.NormFloat64() })
		f, err := ckpt.Decode(bytes.NewReader(begun(t, v.lab, "flow", own)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Tensors {
			if strings.HasPrefix(f.Tensors[i].Name, "param.") {
				for k := range f.Tensors[i].F32 {
					f.Tensors[i].F32[k] = 1e30
				}
			}
		}
		var b bytes.Buffer
		if err := ckpt.Encode(&b, f); err != nil {
			t.Fatal(err)
		}
		v.drop("own.npz", own)
		v.drop("diverging.safetensors", b.Bytes())
		v.press("train")
		for range 20_000 {
			if v.work(0); !v.Training() {
				break
			}
		}
		if said := strings.Join(v.said, "\n"); v.Training() || !strings.Contains(said, "diverged") || !strings.Contains(said, "the likely cause is that the energy moves by noise, and the dynamics of particles have none") {
			t.Errorf("training: %t, said: %s", v.Training(), said)
		}
	})
}
