package lab

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"macroscope/model/data"
	"macroscope/model/wire"
	"macroscope/sim/particle"
)

// recordedFile returns count trajectories as an archive, with an array of their
// own beside their energy.
func recordedFile(t testing.TB, count, n, steps int) []byte {
	t.Helper()
	c := particle.Default()
	c.N, c.Steps = n, steps
	src := NewSimulated(c, 77, count)
	frames, macro, speed := make([]float32, 0), make([]float64, 0), make([]float64, count*(steps+1))
	if err := src.Each(t.Context(), count, 1, func(_ int, r *Recorded) error {
		frames, macro = append(frames, r.Frames...), append(macro, r.Macro...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for i := range speed {
		speed[i] = float64(i%7) / 7
	}
	var b bytes.Buffer
	if err := data.WriteNPZ(&b, map[string]*data.Array{
		trajectoriesArray: data.NewArray([]int{count, steps + 1, n, 2}, frames),
		macroArray:        data.NewArray([]int{count, steps + 1, 1}, macro),
		"speed":           data.NewArray([]int{count, steps + 1}, speed),
	}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestParticlesOwnData wants own trajectories to be shown as they are, and their
// MRE to be what Evaluate says.
func TestParticlesOwnData(t *testing.T) {
	const count, n, steps = 3, 40, 60
	file := recordedFile(t, count, n, steps)
	p := playParticles(t)
	if says := p.drop("mine.npz", file); !strings.Contains(says, "3 trajectories of 40 particles and 61 frames") || !strings.Contains(says, `"speed"`) {
		t.Errorf("notice %q", says)
	}
	rec, err := OpenRecording(bytes.NewReader(file), int64(len(file)), Energy)
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.a.model.Evaluate(t.Context(), rec, count, 1, nothing)
	if err != nil {
		t.Fatal(err)
	}
	var said string
	for range 10_000 {
		busy, n := p.Work(10e6)
		if n != nil {
			said = n.Text
		}
		if p.clock.t = p.clock.t.Add(20e6); !busy {
			break
		}
	}
	// Rows of a product are summed alike whatever their number, so the figures are
	// equal to the bit.
	if got := p.data.measured.result.MRE; !slices.Equal(got, want.MRE) || !strings.Contains(said, "MRE over 3 trajectories") {
		t.Errorf("MRE %v, want %v; notice %q", got, want.MRE, said)
	}
	f := p.picture()
	if f.Number("horizon") != steps || f.Number("known") != steps || len(f.Numbers("x")) != 2*n || len(f.Text("note")) == 0 {
		t.Errorf("horizon %g, known %g, %d coordinates", f.Number("horizon"), f.Number("known"), len(f.Numbers("x")))
	}
	// mre travels as float32.
	if got := f.Number("mre"); abs(got-want.MRE[0]) > 1e-6*want.MRE[0] {
		t.Errorf("MRE of the first %g, want %g", got, want.MRE[0])
	}
	p.apply(wire.Set, "trajectory", "3")
	p.settle()
	if got := p.picture().Number("mre"); abs(got-want.MRE[2]) > 1e-6*want.MRE[2] || p.state().Values["trajectory"] != "3" {
		t.Errorf("MRE of the third %g, want %g", got, want.MRE[2])
	}
	for _, value := range []string{"0", "4", "x"} {
		if n := p.Apply(wire.Command{Kind: wire.Set, Name: "trajectory", Value: value}); n == nil || !n.Error || p.data.trajectory != 2 {
			t.Errorf("trajectory %s was taken", value)
		}
	}

	p.apply(wire.Set, "observable", "array")
	p.settle()
	if f := p.picture(); string(f.Text("macro")) != "speed" || f.Numbers("pred") != nil || f.Numbers("z") == nil || f.Numbers("energy")[1] != float32((2*61+1)%7)/7 {
		t.Errorf("observable %s, of which the model of the energy predicts %d frames", f.Text("macro"), len(f.Numbers("pred")))
	}
	if w := p.state().Warning; !strings.Contains(w, "another observable") {
		t.Errorf("warning %q", w)
	}
	p.apply(wire.Set, "observable", "gyration")
	p.apply(wire.Press, "simulate", "")
	if f := p.picture(); len(f.Numbers("x")) != 600 || p.data != nil || string(f.Text("macro")) != energyOfPairs {
		t.Error("the simulation does not come back")
	}
	if n := p.Apply(wire.Command{Kind: wire.Press, Name: "simulate"}); n == nil || !n.Error {
		t.Error("data that are not there were closed")
	}
}

// TestParticlesEditOwnData makes a frame of a recording the first of a run that
// is simulated.
func TestParticlesEditOwnData(t *testing.T) {
	p := playParticles(t)
	p.drop("mine.npz", recordedFile(t, 1, 40, 20))
	p.apply(seekCommand, "", "10")
	was := slices.Clone(p.play.frame(10))
	p.apply(dragCommand, "", "0 1 1")
	if got := p.play.frame(0); p.recorded() || got[0] != 1 || !slices.Equal(got[2:], was[2:]) {
		t.Error("the edited frame is not the first of a simulation")
	}
	p.apply(wire.Set, "trajectory", "1")
	if !p.recorded() || p.play.frame(10)[0] != was[0] {
		t.Error("the trajectory does not come back as it was")
	}
}

func FuzzOpenOwnData(f *testing.F) {
	f.Add(recordedFile(f, 1, 10, 2))
	f.Add(npy(f, 1, 2, 10, 2))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := openData("f", b, Energy)
		if err != nil {
			return
		}
		defer d.close()
		if r, err := d.read(0); err == nil && len(r.Frames)/2/d.rec.Shape().Particles != len(r.Macro) {
			t.Errorf("%d coordinates of %d frames", len(r.Frames), len(r.Macro))
		}
	})
}
