package lab

import (
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/wire"
)

// playground is a session of particles with a clock of its own.
type playground struct {
	*ParticlesSession
	t     *testing.T
	clock *clock
}

// openParticles returns a session whose shipped model has not come.
func openParticles(t *testing.T) *playground {
	if testing.Short() {
		t.Skip("sessions are tested with SIMD and in the browser; what they compute with is tested on every kernel")
	}
	c := &clock{t: time.Unix(0, 0)}
	return &playground{newParticlesSession(c.now), t, c}
}

// playParticles returns one whose shipped model has.
func playParticles(t *testing.T) *playground {
	p := openParticles(t)
	p.deliver()
	return p
}

func (p *playground) deliver() {
	p.t.Helper()
	b, err := os.ReadFile("../../assets/" + p.Wants())
	if err != nil {
		p.t.Fatal(err)
	}
	if n := p.Fetched(p.Wants(), b, nil); n != nil {
		p.t.Fatal(n.Text)
	}
}

func (p *playground) apply(kind, name, value string) {
	p.t.Helper()
	if n := p.Apply(wire.Command{Kind: kind, Name: name, Value: value}); n != nil && n.Error {
		p.t.Fatalf("%s %s %s: %s", kind, name, value, n.Text)
	}
}

// turns works for so many turns of 10 ms, of which each takes 30 ms.
func (p *playground) turns(n int) {
	for range n {
		p.Work(10 * time.Millisecond)
		p.clock.t = p.clock.t.Add(20 * time.Millisecond)
	}
}

// settle works until there is nothing left to do.
func (p *playground) settle() {
	p.t.Helper()
	for range 100_000 {
		busy, n := p.Work(10 * time.Millisecond)
		if n != nil && n.Error {
			p.t.Fatal(n.Text)
		}
		if !busy {
			return
		}
		p.clock.t = p.clock.t.Add(20 * time.Millisecond)
	}
	p.t.Fatal("the session is never done")
}

// picture returns the frame as the canvas gets it.
func (p *playground) picture() *wire.Frame {
	p.t.Helper()
	p.Forget()
	f := new(wire.Frame)
	if err := f.Decode(p.AppendFrame(nil)); err != nil {
		p.t.Fatal(err)
	}
	return f
}

func figure(st wire.State, id string) string {
	for _, f := range st.Figures {
		if f.ID == id {
			return f.Text
		}
	}
	return ""
}

func TestParticlesOpenPlaying(t *testing.T) {
	p := openParticles(t)
	if got := p.Wants(); got != "models/particles-laptop.safetensors" {
		t.Fatalf("wants %q", got)
	}
	p.turns(10)
	f := p.picture()
	if !f.On("playing") || f.Number("now") < 5 || len(f.Numbers("x")) != 600 || len(f.Numbers("label")) != 300 || f.Numbers("p") != nil {
		t.Errorf("before the model is there: frame %g, %d coordinates", f.Number("now"), len(f.Numbers("x")))
	}
	if st := p.state(); !st.Playing || st.Lede == "" || st.Off["encode"] == "" {
		t.Errorf("state %+v", st)
	}
	p.deliver()
	p.turns(60)
	f = p.picture()
	side := int(f.Number("grid"))
	for _, tc := range []struct {
		row  string
		want int
	}{
		{"q", side * side}, {"p", side * side}, {"z", 8}, {"zhat", 8}, {"pred", 301}, {"zfuture", 301 * 8},
		{"energy", int(f.Number("known")) + 1}, {"error", int(f.Number("known")) + 1}, {"samples", 0}, {"predB", 0},
	} {
		if got := len(f.Numbers(tc.row)); got != tc.want {
			t.Errorf("row %s has %d numbers, want %d", tc.row, got, tc.want)
		}
	}
	if kl := f.Number("kl"); !(kl > 0 && kl < 10) {
		t.Errorf("KL %g", kl)
	}
	if f.Number("shown") != 7 || f.Number("tool") != 0 || f.Number("sigma") < 0.003 || f.Number("sigma") > 0.01 {
		t.Errorf("shown %g, tool %g, σ %g", f.Number("shown"), f.Number("tool"), f.Number("sigma"))
	}
	p.settle()
	f, st := p.picture(), p.state()
	if f.Number("now") != 300 || f.On("playing") || st.Playing {
		t.Errorf("the run ends at frame %g", f.Number("now"))
	}
	// The logarithm of a single run's error is -11.6 ± 0.9, and the last frame's
	// 0.002 ± 0.0005: seven and six standard deviations.
	if mre := f.Number("mre"); !(mre < 5e-3) {
		t.Errorf("MRE %g", mre)
	}
	pred, energy := f.Numbers("pred"), f.Numbers("energy")
	if math.Abs(float64(pred[300]-energy[300])) > 5e-3 || pred[0] != energy[0] && math.Abs(float64(pred[0]-energy[0])) > 1e-6 {
		t.Errorf("predicted %g at first and %g at last, and it was %g and %g", pred[0], pred[300], energy[0], energy[300])
	}
	if figure(st, "predicted") == "–" || figure(st, "energy") == "–" || figure(st, "kl") == "–" || st.Warning != "" {
		t.Errorf("state %+v", st)
	}
	if got := len(f.Numbers("zpast")); got != 301*8 {
		t.Errorf("ẑ through time has %d numbers", got)
	}
}

// TestParticlesFrameDoesNotAllocate plays with everything on show.
func TestParticlesFrameDoesNotAllocate(t *testing.T) {
	p := playParticles(t)
	p.apply(wire.Set, "samples", "on")
	p.drop("b.safetensors", checkpoint(t, func(*ParticlesConfig) {}))
	p.apply(wire.Set, "runB", "b")
	p.apply(wire.Set, "runA", shippedRun)
	p.apply(wire.Press, "shuffle", "")
	p.turns(40)
	p.prediction()
	var b []byte
	for range 3 { // the grid grows to its size, and the buffers with it
		p.changed()
		b = p.AppendFrame(b[:0])
	}
	if n := testing.AllocsPerRun(5, func() {
		p.play.step()
		p.moved()
		b = p.AppendFrame(b[:0])
	}); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
	if len(b) == 0 {
		t.Error("no frame")
	}
	if again := p.AppendFrame(nil); len(again) != 0 {
		t.Error("the same picture was sent twice")
	}
}

// TestParticlesPredictOnASlowMachine lets every look at the clock take longer
// than a turn: whatever else there is to do, the prediction comes.
func TestParticlesPredictOnASlowMachine(t *testing.T) {
	p := playParticles(t)
	p.now = func() time.Time {
		p.clock.t = p.clock.t.Add(20 * time.Millisecond)
		return p.clock.t
	}
	for turn := 0; p.a.latest == nil; turn++ {
		p.Work(10 * time.Millisecond)
		p.AppendFrame(nil)
		if turn > 1000 {
			t.Fatalf("after %d turns %d of %d frames are predicted", turn, p.a.ahead.done, p.a.ahead.horizon)
		}
	}
	if f := p.picture(); f.Numbers("p") == nil || len(f.Numbers("pred")) != 301 {
		t.Error("no density, or no prediction")
	}
}

func (p *playground) prediction() {
	for p.a.latest == nil {
		p.turns(1)
	}
}

func TestParticlesTransport(t *testing.T) {
	p := playParticles(t)
	p.turns(20)
	p.apply(wire.Press, "play", "")
	at := p.play.now
	p.turns(10)
	if p.play.now != at || p.state().Playing {
		t.Errorf("paused at frame %d, now %d", at, p.play.now)
	}
	p.apply(wire.Press, "step", "")
	if p.play.now != at+1 {
		t.Errorf("a step led from frame %d to %d", at, p.play.now)
	}
	p.apply(seekCommand, "", "100")
	p.settle()
	if p.play.now != 100 {
		t.Errorf("frame %d, want 100", p.play.now)
	}
	p.apply(wire.Set, "at", "3")
	if p.play.now != 3 || p.play.known != 100 {
		t.Errorf("frame %d of %d", p.play.now, p.play.known)
	}
	before := slices.Clone(p.play.frame(3))
	p.apply(wire.Press, "restart", "")
	p.apply(seekCommand, "", "3")
	if !slices.Equal(p.play.frame(3), before) {
		t.Error("the same frame has changed")
	}
	p.apply(wire.Set, "speed", "4")
	p.apply(wire.Press, "play", "")
	from := p.play.now
	p.turns(10) // 0.3 s at 120 frames a second
	if d := p.play.now - from; d < 24 || d > 40 {
		t.Errorf("%d frames in 0.3 s at 120 a second", d)
	}
}

func TestParticlesRefuse(t *testing.T) {
	p := playParticles(t)
	p.apply(wire.Press, "play", "")
	p.apply(seekCommand, "", "10")
	p.settle()
	before, frame := p.state(), slices.Clone(p.play.frame(10))
	for _, c := range []wire.Command{
		{Kind: wire.Set, Name: "a", Value: "0"}, {Kind: wire.Set, Name: "a", Value: "NaN"}, {Kind: wire.Set, Name: "b", Value: "1e9"},
		{Kind: wire.Set, Name: "n", Value: "9"}, {Kind: wire.Set, Name: "n", Value: "5001"}, {Kind: wire.Set, Name: "dt", Value: "5"},
		{Kind: wire.Set, Name: "dt", Value: "-1"}, {Kind: wire.Set, Name: "steps", Value: "0"}, {Kind: wire.Set, Name: "components", Value: "17"},
		{Kind: wire.Set, Name: "seed", Value: "-1"}, {Kind: wire.Set, Name: "preset", Value: "square"}, {Kind: wire.Set, Name: "eps", Value: "0"},
		{Kind: wire.Set, Name: "zdim", Value: "17"}, {Kind: wire.Set, Name: "tool", Value: "hammer"}, {Kind: wire.Set, Name: "colour", Value: "1"},
		{Kind: wire.Press, Name: "explode"}, {Kind: seekCommand, Value: "301"}, {Kind: seekCommand, Value: "-1"}, {Kind: seekCommand, Value: "x"},
		{Kind: dragCommand, Value: "300 0 0"}, {Kind: dragCommand, Value: "-1 0 0"}, {Kind: dragCommand, Value: "0.5 0 0"}, {Kind: dragCommand, Value: "0 0"},
		{Kind: wire.Add, Value: "NaN 1"}, {Kind: wire.Add, Value: "1e9 1"}, {Kind: wire.Remove, Value: "1"}, {Kind: drawCommand, Value: ""}, {Kind: drawCommand, Value: "1 2 3"},
		{Kind: "dance"},
	} {
		n := p.Apply(c)
		if n == nil || !n.Error || len(n.Text) < 20 || !strings.HasSuffix(n.Text, ".") || strings.Contains(n.Text, "article:") {
			t.Errorf("%s %s %s: notice %+v", c.Kind, c.Name, c.Value, n)
		}
		if after := p.state(); after.Fragment != before.Fragment || p.play.now != 10 || !slices.Equal(p.play.frame(10), frame) {
			t.Errorf("%s %s %s changed %s to %s", c.Kind, c.Name, c.Value, before.Fragment, after.Fragment)
		}
	}
}

func TestParticlesSystems(t *testing.T) {
	p := playParticles(t)
	p.prediction()
	first := p.picture().Numbers("pred")[10]
	p.apply(wire.Set, "preset", "loop")
	if st := p.state(); st.Values["preset"] != "loop" || st.Values["a"] != "10" || p.play.horizon != 500 || !st.Playing {
		t.Errorf("state %+v", st)
	}
	if f := p.picture(); f.Numbers("pred") != nil || f.Number("now") != 0 {
		t.Error("the prediction of another run is still there")
	}
	p.prediction()
	if got := p.picture().Numbers("pred"); len(got) != 501 || got[10] == first {
		t.Error("the run has no prediction of its own")
	}
	if w := p.state().Warning; !strings.Contains(w, "a = 4") && !strings.Contains(w, "left") && !strings.Contains(w, "covered") {
		t.Errorf("warning %q", w)
	}
	p.apply(wire.Set, "b", "0.2")
	if got := p.state().Values["preset"]; got != "own" {
		t.Errorf("other forces are called %s", got)
	}
	p.apply(wire.Set, "preset", "annulus")
	p.prediction()
	if got := p.picture().Numbers("pred")[10]; got != first {
		t.Errorf("the same run predicts %g and then %g", first, got)
	}
	p.apply(wire.Press, "another", "")
	p.prediction()
	if got := p.picture().Numbers("pred")[10]; got == first {
		t.Error("another run is the same")
	}
}

func TestParticlesByHand(t *testing.T) {
	p := playParticles(t)
	p.apply(seekCommand, "", "30")
	p.settle()
	was := slices.Clone(p.play.frame(30))
	p.apply(dragCommand, "", "7 0.5 -0.25")
	got := p.play.frame(0)
	if p.play.now != 0 || p.play.known != 0 || got[14] != 0.5 || got[15] != -0.25 || !slices.Equal(got[16:], was[16:]) {
		t.Errorf("a dragged particle is at (%g, %g) of frame %d", got[14], got[15], p.play.now)
	}
	p.apply(wire.Add, "", "1 1")
	if n := p.play.particles(); n != 301 || p.settings.N != 301 || len(p.picture().Numbers("label")) != 301 {
		t.Errorf("%d particles after adding one", n)
	}
	p.apply(wire.Remove, "", "0.98 1.01")
	if n := p.play.particles(); n != 300 || slices.Contains(p.play.frame(0), 1) {
		t.Errorf("%d particles after removing one", n)
	}
	// Another force keeps what was made by hand; another seed does not.
	p.apply(wire.Set, "a", "5")
	if got := p.play.frame(0); got[14] != 0.5 || p.note == "" {
		t.Error("another force took the edited set away")
	}
	p.apply(wire.Set, "seed", "2")
	if got := p.play.frame(0); got[14] == 0.5 || p.note != "" {
		t.Error("another seed kept the edited set")
	}
	p.apply(wire.Press, "clear", "")
	if f := p.picture(); len(f.Numbers("x")) != 0 || f.Number("tool") != 4 || p.state().Off["play"] == "" {
		t.Errorf("cleared, and there are %d coordinates", len(f.Numbers("x")))
	}
	for _, id := range []string{"play", "step", "restart"} {
		if n := p.Apply(wire.Command{Kind: wire.Press, Name: id}); n == nil || !n.Error {
			t.Errorf("%s: nothing at all was played", id)
		}
	}
	if p.apply(wire.Set, "a", "6"); !p.blank || p.settings.A != 6 {
		t.Error("another force brought particles back that had been cleared away")
	}
	p.apply(wire.Set, "preset", "annulus")
	if p.blank || p.play.particles() != 300 {
		t.Error("choosing a system brings no particles")
	}
	p.apply(wire.Press, "clear", "")
	p.apply(drawCommand, "", "0 0 0.05 0")
	if f := p.picture(); len(f.Numbers("x")) == 0 || !p.blank {
		t.Error("a short stroke is not shown")
	}
	p.apply(drawCommand, "", "0 0 1 0 1 1")
	n := p.play.particles()
	if want := int(math.Round(2/strokeSpacing)) + 5; p.blank || n < want-6 || n > want+6 || p.note != "drawn by hand" {
		t.Errorf("%d particles along a stroke of length 2, want about %d", n, want)
	}
	p.apply(wire.Press, "play", "")
	p.turns(10)
	if p.play.now == 0 {
		t.Error("what was drawn does not move")
	}
	p.apply(wire.Press, "another", "")
	if p.hand || p.play.particles() != n {
		t.Errorf("another run has %d particles", p.play.particles())
	}
}

func TestParticlesStageByStage(t *testing.T) {
	p := playParticles(t)
	p.apply(seekCommand, "", "20")
	p.settle()
	p.apply(wire.Set, "all", "off")
	if n := p.Apply(wire.Command{Kind: wire.Press, Name: "decode"}); n == nil || !n.Error {
		t.Error("a density was decoded from nothing")
	}
	for _, tc := range []struct {
		press    string
		lit      float64
		shown    float64
		has, not []string
	}{
		{"", 0, 0, []string{"q"}, []string{"z", "p", "kl", "pred", "zhat"}},
		{"encode", 1, 1, []string{"q", "z"}, []string{"p", "kl", "pred"}},
		{"decode", 2, 3, []string{"q", "z", "p", "kl"}, []string{"pred"}},
		{"rollout", 3, 7, []string{"q", "z", "p", "pred", "zhat", "zfuture"}, nil},
	} {
		if tc.press != "" {
			p.apply(wire.Press, tc.press, "")
		}
		if tc.press == "rollout" {
			p.prediction()
		}
		f := p.picture()
		if f.Number("lit") != tc.lit && tc.press != "rollout" || f.Number("shown") != tc.shown {
			t.Errorf("%s: stage %g is lit and %g shown, want %g and %g", tc.press, f.Number("lit"), f.Number("shown"), tc.lit, tc.shown)
		}
		for _, row := range tc.has {
			if f.Numbers(row) == nil {
				t.Errorf("%s: no %s", tc.press, row)
			}
		}
		for _, row := range tc.not {
			if f.Numbers(row) != nil {
				t.Errorf("%s: there is a %s already", tc.press, row)
			}
		}
	}
	p.settle()
	if p.picture().Number("lit") != 0 {
		t.Error("the stage stays lit")
	}
	p.apply(wire.Press, "step", "")
	if f := p.picture(); f.Number("shown") != 4 || f.Numbers("z") != nil {
		t.Error("another frame shows what was found of the last")
	}
	p.apply(wire.Set, "all", "on")
	if f := p.picture(); f.Number("shown") != 7 || f.Numbers("p") == nil {
		t.Error("not every stage follows")
	}
}

// TestParticlesDecodePrediction wants the density of the predicted ẑ to be that
// of the particles' ẑ in frame 0, where they agree, and not later.
func TestParticlesDecodePrediction(t *testing.T) {
	p := playParticles(t)
	p.apply(seekCommand, "", "0")
	p.prediction()
	own := p.picture().Number("kl")
	p.apply(wire.Set, "source", "prediction")
	f := p.picture()
	// Scaling ẑ to [-1, 1] and back rounds in float32.
	if got := f.Number("kl"); !f.On("source") || math.Abs(got-own) > 1e-4*own {
		t.Errorf("KL of frame 0 is %g by the predicted ẑ and %g by its own", got, own)
	}
	p.apply(seekCommand, "", "150")
	p.settle()
	predicted := p.picture().Number("kl")
	p.apply(wire.Set, "source", "particles")
	if own := p.picture().Number("kl"); own == predicted || math.IsNaN(predicted) {
		t.Errorf("KL of frame 150 is %g both ways", own)
	}
}

func TestParticlesEpsMovesTheTarget(t *testing.T) {
	p := playParticles(t)
	p.apply(seekCommand, "", "0")
	before := slices.Max(p.picture().Numbers("q"))
	p.apply(wire.Set, "eps", "0.3")
	if after := slices.Max(p.picture().Numbers("q")); !(after < before/2) {
		t.Errorf("the target's peak went from %g to %g", before, after)
	}
	if w := p.state().Warning; !strings.Contains(w, "ε = 0.01") {
		t.Errorf("warning %q", w)
	}
}

func TestParticlesLink(t *testing.T) {
	p := playParticles(t)
	p.apply(wire.Set, "preset", "eye")
	p.apply(wire.Set, "seed", "12345678901234567890")
	p.apply(wire.Set, "samples", "on")
	p.apply(wire.Set, "density", "difference")
	p.apply(seekCommand, "", "70")
	p.settle()
	p.apply(wire.Set, "source", "prediction")
	want := p.picture()
	other := openParticles(t)
	other.apply(wire.Link, "", p.Fragment())
	other.deliver()
	other.settle()
	got := other.picture()
	if p.Fragment() != other.Fragment() {
		t.Errorf("the link became %s and was %s", other.Fragment(), p.Fragment())
	}
	for _, row := range []string{"now", "x", "z", "kl", "energy", "pred", "error", "zhat", "samples"} {
		if !slices.Equal(got.Numbers(row), want.Numbers(row)) {
			t.Errorf("row %s differs", row)
		}
	}
}

func TestParseParticlesFragment(t *testing.T) {
	own := DefaultParticlesSettings()
	for _, tc := range []struct {
		fragment string
		want     func(s *ParticlesSettings)
		wrong    string
	}{
		{"", func(*ParticlesSettings) {}, ""},
		{"#v=1&lab=particles&a=6&b=-0.3&n=50&frame=12&samples=on", func(s *ParticlesSettings) {
			s.A, s.B, s.N, s.Frame, s.Samples = 6, -0.3, 50, 12, true
		}, ""},
		{"model=scratch&stage=2&step=40&eps=1e-8&zdim=16&size=laptop&tseed=9&workers=2&from=model", func(s *ParticlesSettings) {
			s.Scratch, s.Stage, s.Step, s.Eps, s.ZDim, s.Size, s.TrainFor, s.Workers, s.From = true, 2, 40, 1e-8, 16, "laptop", 9, 2, "model"
		}, ""},
		{"a=banana&n=50", func(s *ParticlesSettings) { s.N = 50 }, "a of the force cannot be"},
		{"dt=9&n=50&zdim=3", func(s *ParticlesSettings) { s.ZDim = 3 }, "cannot be played"},
		{"n=5000&steps=5000", func(*ParticlesSettings) {}, "room"},
		{"frame=400", func(s *ParticlesSettings) { s.Frame = 300 }, "no frame 400"},
		{"v=2&n=50", func(*ParticlesSettings) {}, "version"},
		{"lab=demo&n=50", func(*ParticlesSettings) {}, "lab called"},
		{"wind=3&n=50", func(s *ParticlesSettings) { s.N = 50 }, `"wind"`},
		{"%zz", func(*ParticlesSettings) {}, "cannot be read"},
		{strings.Repeat("a", 5000), func(*ParticlesSettings) {}, "longer"},
	} {
		want := own
		tc.want(&want)
		got, err := ParseParticlesFragment(tc.fragment)
		if got != want || (err == nil) != (tc.wrong == "") || err != nil && !strings.Contains(err.Error(), tc.wrong) {
			t.Errorf("%.40q: got %+v, %v; want %+v, %q", tc.fragment, got, err, want, tc.wrong)
		}
		if again, err := ParseParticlesFragment(got.Fragment()); err != nil || again != got {
			t.Errorf("%.40q: written again it is %+v, %v", tc.fragment, again, err)
		}
	}
}

func FuzzParseParticlesFragment(f *testing.F) {
	f.Add(DefaultParticlesSettings().Fragment())
	f.Add("v=1&lab=particles&model=scratch&stage=1&step=5&frame=3&dt=1e-3")
	f.Fuzz(func(t *testing.T, fragment string) {
		s, _ := ParseParticlesFragment(fragment)
		if s.N*s.Steps > 100_000 {
			return // right, and too slow to try twice
		}
		if again, err := ParseParticlesFragment(s.Fragment()); err != nil || again != s {
			t.Errorf("%+v became %+v, %v", s, again, err)
		}
	})
}

func TestParticlesWithoutTheShippedModel(t *testing.T) {
	p := openParticles(t)
	n := p.Fetched(p.Wants(), nil, errors.New("404"))
	if n == nil || !n.Error || p.Wants() != "" {
		t.Errorf("notice %v, wants %q", n, p.Wants())
	}
	p.turns(10)
	if p.play.now == 0 || p.picture().Numbers("x") == nil {
		t.Error("the simulation does not play")
	}
}

// TestParticlesPanel wants every control to have a value or an answer, and
// every figure to be described.
func TestParticlesPanel(t *testing.T) {
	p := playParticles(t)
	panel, st := p.Panel(), p.state()
	described := map[string]bool{}
	for _, f := range panel.Figures {
		described[f.ID] = f.Label != "" && f.Hint != ""
	}
	for _, f := range st.Figures {
		if !described[f.ID] {
			t.Errorf("figure %s is not described", f.ID)
		}
	}
	controls := slices.Clone(panel.Transport)
	for _, g := range panel.Groups {
		controls = append(controls, g.Controls...)
	}
	ids, keys := map[string]bool{}, map[string]string{}
	for _, c := range controls {
		if c.ID == "" || c.Label == "" || c.Hint == "" || ids[c.ID] {
			t.Errorf("control %+v", c)
		}
		if c.Key != "" && keys[c.Key] != "" {
			t.Errorf("the key %q is of %s and of %s", c.Key, keys[c.Key], c.ID)
		}
		ids[c.ID], keys[c.Key] = true, c.ID
		switch c.Kind {
		case wire.Slider, wire.Range, wire.Number, wire.Field, wire.Choice, wire.Switch:
			v, ok := st.Values[c.ID]
			if !ok {
				t.Errorf("control %s has no value", c.ID)
			}
			if st.Off[c.ID] != "" {
				continue
			}
			if n := p.Apply(wire.Command{Kind: wire.Set, Name: c.ID, Value: v}); n != nil && n.Error {
				t.Errorf("control %s does not take its own value %q: %s", c.ID, v, n.Text)
			}
		}
	}
}

// TestParticlesWindow wants the window to be about the particles, to grow with
// them, and to stay where it is under the hand.
func TestParticlesWindow(t *testing.T) {
	p := playParticles(t)
	p.apply(seekCommand, "", "0")
	before := slices.Clone(p.picture().Numbers("window"))
	if w := before[1] - before[0]; math.Abs(float64(w-(before[3]-before[2]))) > 1e-6 || w < 2*leastWindow-1e-6 || w > 4 {
		t.Errorf("window %v", before)
	}
	x, outside := p.play.frame(0), 0
	for i, v := range x {
		if v < before[2*(i%2)] || v > before[2*(i%2)+1] {
			outside++
		}
	}
	if outside > 0 {
		t.Errorf("%d coordinates are outside of the window %v", outside, before)
	}
	p.apply(dragCommand, "", "0 0.1 0.1")
	p.apply(wire.Remove, "", "0.1 0.1")
	if got := p.picture().Numbers("window"); !slices.Equal(got, before) {
		t.Errorf("the window moved from %v to %v under the hand", before, got)
	}
	p.apply(wire.Add, "", "5 0")
	if got := p.picture().Numbers("window"); got[1] < 5 || math.Abs(float64(got[0]+got[1]-before[0]-before[1])) > 1e-5 {
		t.Errorf("a particle at 5 is not in the window %v", got)
	}
	p.apply(wire.Set, "preset", "expansion")
	p.apply(seekCommand, "", "300")
	p.settle()
	if w := p.picture().Numbers("window"); w[1]-w[0] < 5 {
		t.Errorf("the window %v did not grow", w)
	}
}
