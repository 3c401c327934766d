package lab

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"macroscope/model/ckpt"
	"macroscope/model/wire"
)

// box is a session of mixing with a clock of its own.
type box struct {
	*MixingSession
	t     *testing.T
	clock *clock
}

// openBox returns a session that has relaxed its atoms and whose shipped model
// has not come.
func openBox(t *testing.T) *box {
	c := &clock{t: time.Unix(0, 0)}
	b := &box{newMixingSession(c.now), t, c}
	b.relaxed()
	return b
}

// playBox returns one whose shipped model has: the small model of
// trainedMixing.
func playBox(t *testing.T) *box {
	b := openBox(t)
	b.deliver()
	return b
}

func (b *box) deliver() {
	b.t.Helper()
	if n := b.Fetched(b.Wants(), trainedMixing(b.t), nil); n != nil {
		b.t.Fatal(n.Text)
	}
}

// trainedMixing returns the checkpoint of a model that was trained for a moment
// on boxes of 32 × 32.
func trainedMixing(t *testing.T) []byte {
	t.Helper()
	trainOnce.Do(func() {
		c, _ := smallMixing()
		c.Particles, c.Trajectories, c.Steps = 529, 2, 40
		c.Law.Trajectories, c.Law.Steps = 2, 60
		src := c.TrainingSource()
		src.System.Steps = 200 * 40
		r, err := NewMixingRun(c, src, 2)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		trainMixing(t, r, 1<<30)
		var out bytes.Buffer
		if err := ckpt.Encode(&out, r.Model.Checkpoint()); err != nil {
			t.Fatal(err)
		}
		trainedBytes = out.Bytes()
	})
	return trainedBytes
}

var (
	trainOnce    sync.Once
	trainedBytes []byte
)

func (b *box) try(kind, name, value string) *wire.Notice {
	return b.Apply(wire.Command{Kind: kind, Name: name, Value: value})
}

func (b *box) apply(kind, name, value string) {
	b.t.Helper()
	if n := b.try(kind, name, value); n != nil && n.Error {
		b.t.Fatalf("%s %s %s: %s", kind, name, value, n.Text)
	}
}

// turns works for so many turns of 10 ms, of which each takes 30 ms.
func (b *box) turns(n int) {
	b.t.Helper()
	for range n {
		if _, n := b.Work(10 * time.Millisecond); n != nil && n.Error {
			b.t.Fatal(n.Text)
		}
		b.clock.t = b.clock.t.Add(20 * time.Millisecond)
	}
}

// relaxed works until the atoms mix.
func (b *box) relaxed() {
	b.t.Helper()
	for range 10_000 {
		if !b.relax.under() {
			return
		}
		b.turns(1)
	}
	b.t.Fatal("the relaxation never ends")
}

// settle works until there is nothing left to do.
func (b *box) settle() {
	b.t.Helper()
	for range 100_000 {
		busy, n := b.Work(10 * time.Millisecond)
		if n != nil && n.Error {
			b.t.Fatal(n.Text)
		}
		if !busy {
			return
		}
		b.clock.t = b.clock.t.Add(20 * time.Millisecond)
	}
	b.t.Fatal("the session is never done")
}

// picture returns the frame as the canvas gets it.
func (b *box) picture() *wire.Frame {
	b.t.Helper()
	b.frameStale = true
	f := new(wire.Frame)
	if err := f.Decode(b.AppendFrame(nil)); err != nil {
		b.t.Fatal(err)
	}
	return f
}

// TestMixingOpensPlaying follows a visitor who does nothing.
func TestMixingOpensPlaying(t *testing.T) {
	c := &clock{t: time.Unix(0, 0)}
	b := &box{newMixingSession(c.now), t, c}
	b.turns(1)
	f := b.picture()
	if share := f.Number("relaxing"); !(share > 0 && share < 1) {
		t.Errorf("after one turn the relaxation is at %g", share)
	}
	if n := len(f.Numbers("x")); n != 2*529 {
		t.Errorf("%d coordinates, want those of 529 atoms", n)
	}
	b.relaxed()
	b.deliver()
	b.turns(100) // three seconds
	for b.a.ahead.done < 500 {
		b.turns(1)
	}
	b.picture() // takes as long as it may and leaves the rest of the densities for later
	b.turns(1)
	f = b.picture()
	if !f.On("playing") || f.Number("known") < 20 {
		t.Errorf("after more than three seconds the last frame is %g, playing %v; want more than 20", f.Number("known"), f.On("playing"))
	}
	known := int(f.Number("known"))
	for name, want := range map[string]int{
		"kind": 529, "label": 529, "window": 4, "qA": gridSide * gridSide, "pB": gridSide * gridSide, "z": 2,
		"ratios": 2 * (known + 1), "temperature": known + 1, "energy": known + 1, "mean": 2 * 501, "low": 2 * 501, "high": 2 * 501,
		"paths": mixingPaths * 2 * 501, "coverage": 1, "nominal": 1, "boundary": 1,
	} {
		if got := len(f.Numbers(name)); got != want {
			t.Errorf("row %s has %d numbers, want %d", name, got, want)
		}
	}
	low, mean, high := f.Numbers("low"), f.Numbers("mean"), f.Numbers("high")
	for i := range mean {
		if !(low[i] <= mean[i] && mean[i] <= high[i]) {
			t.Fatalf("at %d the band goes from %g to %g and the mean is %g", i, low[i], high[i], mean[i])
		}
	}
	if a := f.Number("nominal"); math.Abs(a-0.9) > 1e-6 {
		t.Errorf("the band's nominal share is %g", a)
	}
	st := b.state()
	if !st.Playing || !strings.Contains(st.Lede, "foretold") || st.Values["boundary"] != "16" {
		t.Errorf("state %+v", st)
	}
	for _, fig := range st.Figures {
		if fig.Text == "–" && fig.ID != "dz" {
			t.Errorf("figure %s is not there", fig.ID)
		}
	}
}

// TestMixingIsWhatIsSimulated compares the page's run with the command line's,
// for a boundary that is drawn after another one's relaxation.
func TestMixingIsWhatIsSimulated(t *testing.T) {
	b := openBox(t)
	b.apply(wire.Set, "frames", "10")
	b.apply(wire.Set, "boundary", "12")
	if b.relax.under() {
		t.Error("another boundary relaxes the atoms again")
	}
	b.settle()
	system := b.settings.system()
	src := NewSimulatedMixing(system, nil, 1, 1)
	err := src.Each(t.Context(), 1, 1, func(_ int, m *Mixed) error {
		x := make([]float32, 2*529)
		for k := range 11 {
			b.play.frame(x, k)
			if !slices.Equal(x, m.Frames[k*len(x):(k+1)*len(x)]) {
				t.Fatalf("frame %d has other positions", k)
			}
			if b.play.seen[k].Ratios != [2]float64(m.Ratios[2*k:]) {
				t.Errorf("frame %d has ratios %v, want %v", k, b.play.seen[k].Ratios, m.Ratios[2*k:2*k+2])
			}
		}
		if !slices.Equal(b.play.kinds, m.Types) {
			t.Error("other species")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
