package lab

import (
	"bytes"
	"errors"
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
	b.Forget()
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
	f = b.picture()
	if !f.On("playing") || f.Number("known") < 20 {
		t.Errorf("after three seconds frame %g is there, playing %v; want more than 20", f.Number("known"), f.On("playing"))
	}
	if st := b.state(); !st.Playing || figure(st, "steps") == "–" {
		t.Errorf("playing %v at %s steps a second", st.Playing, figure(st, "steps"))
	}
	b.apply(wire.Press, "play", "") // so that what is foretold can be looked at
	b.settle()
	f = b.picture()
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
	if st.Playing || !strings.Contains(st.Lede, "foretold") || st.Values["boundary"] != "16" {
		t.Errorf("state %+v", st)
	}
	for _, fig := range st.Figures {
		if fig.Text == "–" && !slices.Contains([]string{"steps", "dz", "rate", "val", "fault", "mmd"}, fig.ID) {
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

// TestMixingGoesBackAndForth scrubs, and lets the same thing happen again.
func TestMixingGoesBackAndForth(t *testing.T) {
	b := openBox(t)
	b.apply(wire.Set, "frames", "12")
	b.settle()
	last := slices.Clone(b.play.x)
	b.apply(seekCommand, "", "3")
	if f := b.picture(); f.Number("now") != 3 || f.Number("known") != 12 || len(f.Numbers("ratios")) != 26 {
		t.Errorf("frame %g of %g, %d ratios", f.Number("now"), f.Number("known"), len(f.Numbers("ratios")))
	}
	b.apply(wire.Press, "step", "")
	if b.play.now != 4 {
		t.Errorf("a step from frame 3 leads to %d", b.play.now)
	}
	for b.play.now < 12 {
		b.apply(wire.Press, "step", "")
	}
	if !slices.Equal(b.play.x, last) {
		t.Error("what happens again is not what happened")
	}
	b.apply(wire.Press, "restart", "")
	if b.play.now != 0 || b.play.playing {
		t.Errorf("restart leads to frame %d", b.play.now)
	}
	b.apply(wire.Press, "play", "")
	b.turns(3)
	if !b.play.between() && b.play.now == 0 {
		t.Error("it does not play")
	}
	b.apply(wire.Press, "play", "")
	if b.play.between() || b.play.playing {
		t.Error("a run that is paused stands between two frames")
	}
}

// TestMixingIsRetuned heats a run as it goes, and goes back to before that.
func TestMixingIsRetuned(t *testing.T) {
	if testing.Short() {
		t.Skip("seconds without SIMD, and no matter of kernels")
	}
	b := playBox(t)
	b.apply(wire.Set, "frames", "60")
	b.apply(seekCommand, "", "20")
	b.settle()
	before := slices.Clone(b.play.x)
	b.apply(wire.Set, "temperature", "5")
	b.apply(wire.Set, "e12", "2")
	if b.play.now != 20 || b.play.known != 20 || !slices.Equal(before, b.play.x) {
		t.Fatalf("frame %d of %d after the change", b.play.now, b.play.known)
	}
	if w := b.warn(); !strings.Contains(w, "temperature 1, ε between them 0.7") {
		t.Errorf("warning %q", w)
	}
	b.apply(wire.Press, "play", "")
	b.settle()
	mean := 0.0
	for _, o := range b.play.seen[40:] {
		mean += o.Temperature / float64(len(b.play.seen[40:]))
	}
	// 21 frames of 529 atoms: each fluctuates by 5·√(1/528), their mean by 0.049,
	// here six times, and the drift below by 0.007 over 12 seeds.
	if math.Abs(mean-5) > 0.3 {
		t.Errorf("mean temperature %g after it was set to 5", mean)
	}
	b.apply(seekCommand, "", "10")
	if st := b.state(); st.Values["temperature"] != "1" || st.Values["e12"] != "0.7" || b.play.known != 60 {
		t.Errorf("back before the change: temperature %s, ε %s, %d frames", st.Values["temperature"], st.Values["e12"], b.play.known)
	}
	for b.play.now < 30 {
		b.apply(wire.Press, "step", "")
	}
	if st := b.state(); st.Values["temperature"] != "5" {
		t.Errorf("after it again: temperature %s", st.Values["temperature"])
	}
	x := make([]float32, len(b.play.x))
	b.play.frame(x, 30)
	if !slices.Equal(x, b.play.x) {
		t.Error("what happens again is not what happened")
	}
	if d := b.play.drift(); math.Abs(d) > 0.05 {
		t.Errorf("the conserved quantity has changed by %g an atom since the change", d)
	}
	b.apply(seekCommand, "", "0")
	b.apply(wire.Set, "temperature", "2")
	b.relaxed()
	if b.play.known != 0 || b.play.cfg.Temperature != 2 {
		t.Errorf("a change at frame 0: %d frames at %g", b.play.known, b.play.cfg.Temperature)
	}
}

// TestMixingRefuses gives all the bad input that a visitor can, and looks whether
// the last good state is kept.
func TestMixingRefuses(t *testing.T) {
	b := playBox(t)
	b.apply(wire.Set, "frames", "20")
	b.apply(seekCommand, "", "5")
	b.settle()
	x, fragment := slices.Clone(b.play.x), b.Fragment()
	for _, tc := range []struct{ kind, name, value, says string }{
		{boundaryCommand, "", "33", "outside the box"},
		{boundaryCommand, "", "-1", "one species would be empty"},
		{boundaryCommand, "", "NaN", "give a number between 0 and 32"},
		{wire.Set, "boundary", "0.000001", "all atoms on one side"},
		{wire.Set, "boundary", "31.9", "leaves species 2 empty"},
		{wire.Set, "temperature", "0", "from 0.01 to 100"},
		{wire.Set, "temperature", "1e9", "from 0.01 to 100"},
		{wire.Set, "e11", "-1", "from 0.001 to 20"},
		{wire.Set, "dt", "5", "from 1e-05 to 0.1"},
		{wire.Set, "height", "500", "from 12 to 40"},
		{wire.Set, "members", "7", "give one of 39"},
		{wire.Set, "frames", "1", "from 10 to 1000"},
		{wire.Set, "preset", "mud", "no system called"},
		{wire.Set, "nothing", "1", "no setting called"},
		{wire.Press, "nothing", "", "no button called"},
		{wire.Set, "trajectory", "1", "open a file first"},
		{wire.Set, "runA", "x", "no run called"},
		{wire.Press, "encode", "", ""},
		{seekCommand, "", "21", "goes from 0 to 20"},
		{"nothing", "", "", "no command called"},
	} {
		n := b.try(tc.kind, tc.name, tc.value)
		if tc.says == "" {
			continue
		}
		if n == nil || !n.Error || !strings.Contains(n.Text, tc.says) {
			t.Errorf("%s %s %s: notice %v, want one that says %q", tc.kind, tc.name, tc.value, n, tc.says)
		}
		if b.relax.under() || !slices.Equal(b.play.x, x) || b.play.known != 20 && b.play.known != 5 || b.Fragment() != fragment {
			t.Fatalf("%s %s %s has changed the run", tc.kind, tc.name, tc.value)
		}
	}
}

// TestMixingExplodes chooses a time step that flings atoms about: the run on show
// stays as it is.
func TestMixingExplodes(t *testing.T) {
	b := openBox(t)
	b.apply(wire.Set, "frames", "10")
	b.settle()
	x := slices.Clone(b.play.x)
	b.apply(wire.Set, "dt", "0.1")
	var notice *wire.Notice
	for b.relax.under() {
		if _, n := b.Work(10 * time.Millisecond); n != nil {
			notice = n
		}
	}
	if notice == nil || !notice.Error || !strings.Contains(notice.Text, "shorter") && !strings.Contains(notice.Text, "time step") {
		t.Errorf("notice %v", notice)
	}
	if !slices.Equal(x, b.play.x) || b.settings.Dt != 0.002 {
		t.Errorf("the run is gone, the time step %g", b.settings.Dt)
	}
	b.apply(wire.Link, "", "lab=mixing&dt=0.1")
	for b.relax.under() {
		b.Work(10 * time.Millisecond)
	}
	if b.settings.Dt != 0.002 || !b.play.begun() {
		t.Errorf("after a link that explodes the time step is %g", b.settings.Dt)
	}
}

// TestMixingStages runs the stages of the model one by one.
func TestMixingStages(t *testing.T) {
	b := playBox(t)
	b.apply(wire.Set, "frames", "10")
	b.apply(wire.Set, "all", "off")
	b.settle()
	if f := b.picture(); f.Numbers("z") != nil || f.Numbers("pA") != nil || f.Numbers("mean") != nil {
		t.Error("something is revealed that was not asked for")
	}
	if n := b.try(wire.Press, "decode", ""); n == nil || !strings.Contains(n.Text, "encode first") {
		t.Errorf("decoding before encoding: %v", n)
	}
	for _, tc := range []struct {
		button, row string
		lit         float64
	}{{"encode", "z", 1}, {"decode", "pB", 2}, {"rollout", "mean", 3}} {
		b.apply(wire.Press, tc.button, "")
		f := b.picture()
		if f.Number("lit") != tc.lit {
			t.Errorf("%s lights %g", tc.button, f.Number("lit"))
		}
		b.settle()
		if b.picture().Numbers(tc.row) == nil {
			t.Errorf("%s shows no %s", tc.button, tc.row)
		}
	}
}

func TestMixingShuffle(t *testing.T) {
	b := playBox(t)
	b.apply(wire.Set, "frames", "10")
	b.settle()
	z := slices.Clone(b.picture().Numbers("z"))
	b.apply(wire.Press, "shuffle", "")
	f := b.picture()
	if !slices.Equal(f.Numbers("z"), z) {
		t.Error("ẑ on show has changed")
	}
	// A sum of a few hundred numbers in another order, over a range of training
	// that may be a small part of them.
	if dz := f.Number("dz"); f.Number("shuffles") != 1 || !(dz >= 0 && dz < 1e-3) {
		t.Errorf("shuffle %g changed ẑ by %g", f.Number("shuffles"), dz)
	}
	if l := f.Numbers("label"); slices.IsSorted(l) {
		t.Error("the labels are in order")
	}
}

// TestMixingWithoutItsModel plays on.
func TestMixingWithoutItsModel(t *testing.T) {
	b := openBox(t)
	n := b.Fetched(b.Wants(), nil, errors.New("no network"))
	if n == nil || !n.Error || !strings.Contains(n.Text, "without a prediction") {
		t.Errorf("notice %v", n)
	}
	b.turns(20)
	if f := b.picture(); !f.On("playing") || f.Numbers("mean") != nil {
		t.Error("it does not play")
	}
	if st := b.state(); !strings.Contains(st.Warning, "no model") || !strings.Contains(st.Off["encode"], "no model") {
		t.Errorf("warning %q, off %q", st.Warning, st.Off["encode"])
	}
	if n := b.try(wire.Press, "train", ""); n == nil || !strings.Contains(n.Text, "shipped model") {
		t.Errorf("training: %v", n)
	}
}

// TestMixingFragment takes every setting there and back.
func TestMixingFragment(t *testing.T) {
	s := MixingSettings{
		Boundary: 11.5, Height: 26, Temperature: 1.5, E11: 0.4, E22: 0.9, E12: 1.1, Dt: 0.001, Seed: 9, Set: 4, Frames: 300,
		Speed: 2, Frame: 17, All: false, Members: 199, Colours: true, Law: "separate", TrainFor: 5, From: "model", Scratch: true, Step: 70,
	}
	got, err := ParseMixingFragment(s.Fragment())
	if err != nil || got != s {
		t.Errorf("got %+v, %v\nwant %+v", got, err, s)
	}
	if got, err := ParseMixingFragment(DefaultMixingSettings().Fragment()); err != nil || got != DefaultMixingSettings() {
		t.Errorf("the default: %+v, %v", got, err)
	}
	for fragment, says := range map[string]string{
		"lab=particles":             "for a lab called",
		"v=9":                       "of version",
		"lab=mixing&temperature=-3": "the temperature cannot be",
		"lab=mixing&what=1":         "no setting called",
		"lab=mixing&frame=600":      "no frame 600",
		"lab=mixing&boundary=31.9":  "its system cannot be simulated",
		"lab=mixing&%zz":            "cannot be read",
	} {
		s, err := ParseMixingFragment(fragment)
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one that says %q", fragment, err, says)
		}
		if s.checkSystem() != nil {
			t.Errorf("%s: settings %+v cannot be used", fragment, s)
		}
	}
}

func FuzzParseMixingFragment(f *testing.F) {
	f.Add(DefaultMixingSettings().Fragment())
	f.Add("lab=mixing&boundary=1&dt=0.1&e11=20&height=12&seed=18446744073709551615")
	f.Fuzz(func(t *testing.T, fragment string) {
		s, _ := ParseMixingFragment(fragment)
		if err := s.checkSystem(); err != nil {
			t.Fatalf("settings that cannot be used: %v", err)
		}
		if again, err := ParseMixingFragment(s.Fragment()); err != nil || again != s {
			t.Errorf("there and back: %+v, %v, want %+v", again, err, s)
		}
	})
}

// TestMixingSystems relaxes every system that is offered by name.
func TestMixingSystems(t *testing.T) {
	for _, p := range MixingPlays() {
		s := DefaultMixingSettings()
		p.apply(&s)
		if err := s.checkSystem(); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if s.played() != p.Name {
			t.Errorf("%s is known as %s", p.Name, s.played())
		}
	}
}

// TestMixingFrameDoesNotAllocate: a picture that is like the last one is made in
// memory that is there.
func TestMixingFrameDoesNotAllocate(t *testing.T) {
	b := playBox(t)
	b.apply(wire.Set, "frames", "10")
	b.settle()
	buf := b.AppendFrame(nil)
	n := testing.AllocsPerRun(5, func() {
		b.painted, b.frameStale = false, true
		buf = b.AppendFrame(buf[:0])
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
	b.apply(wire.Press, "restart", "")
	for b.play.now < 9 { // makes room
		b.play.step()
	}
	b.play.show(0)
	if n := testing.AllocsPerRun(100, func() {
		b.play.step()
		b.play.look()
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
