package mixing

import (
	"errors"
	"math"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/lj"
)

// page drives a Live like a session. Each time the method `now` is called, the clock advances by a
// tenth of a millisecond.
type page struct {
	*Live
	t     *testing.T
	clock time.Time
}

// openPage returns a page with a box of 207 atoms that mix for 10 frames.
func openPage(t *testing.T) *page {
	p := &page{Live: System().Live().(*Live), t: t, clock: time.Unix(0, 0)}
	p.settings.height, p.settings.frames = 12, 10
	p.check(p.Generate())
	p.prepared()
	return p
}

func (p *page) now() time.Time {
	p.clock = p.clock.Add(100 * time.Microsecond)
	return p.clock
}

func (p *page) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) put(name, value string) {
	p.t.Helper()
	p.check(p.Set(name, value))
}

// prepared waits until there is a run.
func (p *page) prepared() {
	p.t.Helper()
	for p.relax.under() {
		p.check(p.Prepare(p.now, 10*time.Millisecond))
	}
}

// advance lets 30 ms pass and advances the player with a budget of 10 ms.
func (p *page) advance() (moved bool, err error) {
	p.clock = p.clock.Add(30 * time.Millisecond)
	return p.Player().Advance(p.now, 1, 10*time.Millisecond)
}

// settle advances until no work is left.
func (p *page) settle() {
	p.t.Helper()
	for range 100_000 {
		if !p.Player().Busy() {
			return
		}
		if _, err := p.advance(); err != nil && !errors.Is(err, play.ErrEnded) {
			p.t.Fatal(err)
		}
	}
	p.t.Fatal("the run is never at its end")
}

func (p *page) playOut() {
	p.t.Helper()
	p.check(p.Player().Play())
	p.settle()
}

func (p *page) goTo(k int) {
	p.t.Helper()
	p.check(p.Player().Seek(k))
	p.settle()
}

// shown returns the displayed positions (N, 2).
func (p *page) shown() []float32 {
	p.run.look()
	return slices.Clone(p.run.x)
}

// picture returns the rows that the system adds to a frame.
func (p *page) picture() *wire.Frame {
	p.t.Helper()
	f, back := new(wire.Frame), new(wire.Frame)
	f.Begin("mixing")
	p.Put(f)
	p.check(back.Decode(f.AppendTo(nil)))
	return back
}

// TestPrepares follows the atoms from the lattice to frame 0.
func TestPrepares(t *testing.T) {
	p := &page{Live: System().Live().(*Live), t: t, clock: time.Unix(0, 0)}
	if what, _ := p.Preparing(); what != "" || p.Player().Begun() {
		t.Errorf("before it is asked for, there is %q", what)
	}
	if f := p.picture(); f.Number("boundary") != 16 || f.Numbers("x") != nil {
		t.Error("there is a picture of no run")
	}
	p.settings.height = 12
	p.check(p.Generate())
	what, last := p.Preparing()
	if what == "" || last != 0 {
		t.Errorf("%q, %g", what, last)
	}
	turns := 0
	for p.relax.under() {
		p.check(p.Prepare(p.now, 10*time.Millisecond))
		what, share := p.Preparing()
		if what != "" {
			if !(share > last && share < 1) {
				t.Fatalf("the share goes from %g to %g", last, share)
			}
			f, r := p.picture(), p.Run()
			if float64(f.Number("relaxing")) != float64(float32(share)) || len(f.Numbers("x")) != 2*207 || slices.ContainsFunc(f.Numbers("kind"), func(k float32) bool { return k != 1 }) || len(f.Numbers("kind")) != 207 {
				t.Fatalf("relaxing %g: %d coordinates", f.Number("relaxing"), len(f.Numbers("x")))
			}
			if f.Numbers("ratios") != nil || r.Particles != 207 || r.Horizon != 500 || r.Known != 0 || r.Hi != [2]float64{32, 12} || r.Dt != 0.4 {
				t.Fatalf("a run %+v", r)
			}
			last = share
		}
		turns++
	}
	if turns < 3 {
		t.Errorf("the relaxation takes %d turns", turns)
	}
	if p.Prepare(p.now, time.Millisecond) != nil || !p.Player().Begun() || p.Player().Playing() {
		t.Error("after it the run does not stand at its beginning")
	}
	f, r := p.picture(), p.Run()
	for name, want := range map[string]int{"x": 2 * 207, "kind": 207, "boundary": 1, "time": 1, "ratios": 2, "temperature": 1, "energy": 1, "relaxing": 0} {
		if got := len(f.Numbers(name)); got != want {
			t.Errorf("row %s has %d numbers, want %d", name, got, want)
		}
	}
	if r.Particles != 207 || r.Known != 0 || r.Horizon != 500 || r.Generation == 0 || !slices.Equal(r.Variables, []string{"R_AB", "R_BA"}) || r.Note != "" {
		t.Errorf("run %+v", r)
	}
	p.check(p.Player().Play())
	for range 100 { // three seconds of the page's clock
		p.advance()
	}
	at := make(map[string]string)
	p.Figures(at)
	for _, fig := range p.Page().Figures {
		if at[fig.ID] == "" {
			t.Errorf("figure %s is not there", fig.ID)
		}
	}
	if len(at) != len(p.Page().Figures) {
		t.Errorf("figures %v", at)
	}
	if p.Run().Known < 20 {
		t.Errorf("after three seconds there are %d frames", p.Run().Known)
	}
	p.Player().Pause()
	clear(at)
	p.Figures(at)
	if at["steps"] != "" {
		t.Errorf("a run that stands takes %s steps a second", at["steps"])
	}
}

// TestRunIsWhatIsSimulated compares a run of the page with a trajectory of the command line. Both
// have the same boundary. On the page, the boundary is chosen after the atoms have relaxed.
func TestRunIsWhatIsSimulated(t *testing.T) {
	p := openPage(t)
	p.put("set", "3")
	p.prepared()
	p.put("boundary", "12")
	if p.relax.under() {
		t.Error("another boundary relaxes the atoms again")
	}
	p.playOut()
	src := NewSimulated(1, 4)
	src.Box, src.Boundaries = p.settings.config(), nil
	want, _ := readAlone(t, src, 3)
	var got, frame system.Frame
	for k := range 11 {
		p.Frame(&got, k)
		System().Frame(&frame, want, k, 2)
		if !slices.Equal(got.Points, frame.Points) || !slices.Equal(got.Ends, frame.Ends) {
			t.Fatalf("frame %d differs", k)
		}
		if !slices.Equal(p.Macro(k), want.At(k, 2)) {
			t.Errorf("frame %d has ratios %v, want %v", k, p.Macro(k), want.At(k, 2))
		}
	}
	if !slices.Equal(p.Frames.Species, want.Species) {
		t.Error("other species")
	}
	places := p.Shown(&got)
	for j, i := range places {
		if !slices.Equal(got.Points[2*j:2*j+2], p.run.x[2*i:2*i+2]) || (j < got.Ends[0]) != (p.Frames.Species[i] == 1) {
			t.Fatalf("particle %d is not that in place %d", j, i)
		}
	}
	if slices.Sort(places); len(places) != 207 || places[0] != 0 || places[206] != 206 || len(slices.Compact(places)) != 207 {
		t.Error("the places are not those of all atoms")
	}
}

// TestGoesBackAndForth seeks back and forth, and checks that the frames are the same.
func TestGoesBackAndForth(t *testing.T) {
	p := openPage(t)
	p.playOut()
	last := p.shown()
	generation := p.Run().Generation
	p.goTo(3)
	if f := p.picture(); p.Player().Now() != 3 || p.Run().Known != 10 || len(f.Numbers("ratios")) != 22 {
		t.Errorf("frame %d of %d, %d ratios", p.Player().Now(), p.Run().Known, len(f.Numbers("ratios")))
	}
	if want := float32(3 * 0.4); p.picture().Numbers("time")[0] != want {
		t.Errorf("time %g, want %g", p.picture().Numbers("time")[0], want)
	}
	for k := 4; k <= 10; k++ {
		p.Player().Next()
		if p.Player().Now() != k {
			t.Fatalf("a step leads to %d, want %d", p.Player().Now(), k)
		}
	}
	if !slices.Equal(p.shown(), last) || p.Run().Generation != generation {
		t.Error("what happens again is not what happened")
	}
	p.goTo(0)
	p.check(p.Player().Play())
	p.advance()
	p.advance()
	if !p.run.between() {
		t.Error("a run that plays does not stand between two frames")
	}
	var between, frame system.Frame
	p.Shown(&between)
	if p.Frame(&frame, 0); slices.Equal(between.Points, frame.Points) {
		t.Error("what is shown between two frames is a frame")
	}
	p.Player().Pause()
	if p.run.between() || p.Player().Playing() {
		t.Error("a run that is paused stands between two frames")
	}
	if err := p.Player().Seek(11); err == nil {
		t.Error("there is a frame 11 of 10")
	}
}

// TestIsRetuned heats a run while it plays, and goes back to a frame before the change.
func TestIsRetuned(t *testing.T) {
	p := openPage(t)
	p.put("frames", "60")
	p.goTo(20)
	before, was := p.shown(), *p.Run()
	p.put("temperature", "5")
	p.put("e12", "2")
	r := p.Run()
	if p.Player().Now() != 20 || r.Known != 20 || !slices.Equal(before, p.shown()) || r.Generation == was.Generation || r.Note != "changed at frame 20" {
		t.Fatalf("after the change %+v", r)
	}
	if p.run.drift() != 0 {
		t.Errorf("the conserved quantity has changed by %g as the forces did", p.run.drift())
	}
	if w := p.Foreign(false); !strings.Contains(w, "changed in mid-run") {
		t.Errorf("warning %q", w)
	}
	p.playOut()
	mean := 0.0
	for _, o := range p.run.seen[30:] {
		mean += o.Temperature / float64(len(p.run.seen[30:]))
	}
	// The standard deviation of the temperature of 207 atoms is 5·√(1/206) = 0.35 in one frame. In
	// the mean of 31 frames it is smaller.
	if math.Abs(mean-5) > 0.3 {
		t.Errorf("mean temperature %g after it was set to 5", mean)
	}
	generation := p.Run().Generation
	p.goTo(10)
	text := func(name string) string { return p.Settings().Find(name).Text() }
	if text("temperature") != "1" || text("e12") != "0.7" || p.Run().Known != 60 {
		t.Errorf("back before the change: temperature %s, ε %s, %d frames", text("temperature"), text("e12"), p.Run().Known)
	}
	if d := p.run.drift(); math.Abs(d) > 0.05 {
		t.Errorf("the conserved quantity has changed by %g an atom", d)
	}
	for p.Player().Now() < 30 {
		p.Player().Next()
	}
	if text("temperature") != "5" || p.Run().Generation != generation {
		t.Errorf("after it again: temperature %s", text("temperature"))
	}
	var again system.Frame
	p.Frame(&again, 30)
	var shown system.Frame
	if p.Shown(&shown); !slices.Equal(shown.Points, again.Points) {
		t.Error("what happens again is not what happened")
	}
	if d := p.run.drift(); math.Abs(d) > 0.1 {
		t.Errorf("the conserved quantity has changed by %g an atom since the change", d)
	}
	p.goTo(0)
	p.put("temperature", "2")
	if !p.relax.under() {
		t.Error("another temperature at frame 0 does not begin anew")
	}
	p.prepared()
	if p.Run().Known != 0 || p.run.cfg.Temperature != 2 || p.Run().Note != "" {
		t.Errorf("a change at frame 0: %+v", p.Run())
	}
	p.put("e11", "1")
	if p.relax.under() || p.run.cfg.AA.Epsilon != 1 || p.Run().Known != 0 {
		t.Error("the depth of a well at frame 0 does not begin anew from the same atoms")
	}
}

// TestIsRetunedBetweenFrames checks that a change between two frames applies from the next
// frame. If the run goes to another frame first, the change applies from the last known frame.
func TestIsRetunedBetweenFrames(t *testing.T) {
	p := openPage(t)
	p.goTo(4)
	p.check(p.Player().Play())
	for !p.run.between() {
		p.advance()
	}
	p.put("temperature", "3")
	if !p.Player().Playing() || p.Run().Known != 4 || p.run.sim.Config().Temperature != 1 || p.settings.temperature != 3 {
		t.Fatalf("between two frames: temperature %g", p.run.sim.Config().Temperature)
	}
	p.Player().Next()
	if p.Run().Known != 5 || p.run.sim.Config().Temperature != 3 || p.run.tuned[4].Temperature != 1 {
		t.Errorf("at the next frame: temperature %g", p.run.sim.Config().Temperature)
	}

	p.check(p.Player().Play())
	for !p.run.between() {
		p.advance()
	}
	p.put("temperature", "4")
	p.goTo(2)
	if p.settings.temperature != 1 {
		t.Errorf("at frame 2 the temperature is %g", p.settings.temperature)
	}
	p.goTo(5)
	if p.settings.temperature != 4 || p.run.sim.Config().Temperature != 4 {
		t.Errorf("at frame 5 it is %g, want what was chosen after it", p.settings.temperature)
	}
	p.playOut()
	for k, c := range p.run.tuned {
		want := 1.0
		if k >= 5 {
			want = 4
		}
		if c.Temperature != want {
			t.Errorf("frame %d goes on at %g, want %g", k, c.Temperature, want)
		}
	}
	last := p.shown()
	p.goTo(3)
	p.playOut()
	if !slices.Equal(p.shown(), last) {
		t.Error("what happens again is not what happened")
	}
}

// TestTurned checks that a run has the same bits when it is repeated with all its changes of
// parameters.
func TestTurned(t *testing.T) {
	between := func(p *page) {
		t.Helper()
		p.check(p.Player().Play())
		for !p.run.between() {
			p.advance()
		}
	}
	for name, change := range map[string]func(p *page){
		"at frames and between them": func(p *page) {
			p.goTo(3)
			p.put("temperature", "2")
			p.goTo(6)
			p.put("e12", "1.5")
			p.put("e11", "0.25")
			between(p)
			p.put("temperature", "0.5")
		},
		"at the beginning": func(p *page) {
			between(p)
			p.put("temperature", "3")
			p.goTo(0)
		},
		"and what is yet to come": func(p *page) {
			p.goTo(8)
			p.put("e22", "1")
			p.goTo(2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := openPage(t)
			change(p)
			text, at := p.Turned(), p.Run().Known
			again := openPage(t)
			for i, text := range p.Settings().Texts() {
				p.check(again.Settings()[i].Set(text))
			}
			p.check(again.Turn(text))
			if got := again.Turned(); got != text {
				t.Errorf("while it relaxes %q, want %q", got, text)
			}
			again.prepared()
			again.goTo(at)
			if got := again.Turned(); got != text {
				t.Errorf("repeated %q, want %q", got, text)
			}
			p.playOut()
			again.playOut()
			if p.Turned() != text || again.Turned() != text || again.settings != p.settings || again.Run().Note == "" {
				t.Errorf("at the end %q and %q, want %q; note %q", p.Turned(), again.Turned(), text, again.Run().Note)
			}
			var one, other system.Frame
			for k := range p.Run().Known + 1 {
				p.Frame(&one, k)
				again.Frame(&other, k)
				if !slices.Equal(one.Points, other.Points) || p.run.tuned[k] != again.run.tuned[k] {
					t.Fatalf("frame %d is another", k)
				}
			}
			again.goTo(1)
			again.put("e12", "2")
			if got := again.Turned(); !strings.HasSuffix(got, ",2") || strings.Count(got, "~") > 2 {
				t.Errorf("after another change at frame 1: %q", got)
			}
			again.goTo(0)
			again.put("boundary", "10")
			if got := again.Turned(); got != "" {
				t.Errorf("another run has %q", got)
			}
		})
	}
	p := openPage(t)
	p.goTo(2)
	was, shown := p.settings, p.shown()
	for _, text := range []string{
		"", "1,1,1,1", "1,1,1,1~3,2,1,1", "1,1,1,1~3,2,1,1,1,1", "1,1,1,1~-1,2,1,1,1", "1,1,1,1~1001,2,1,1,1", "1,1,1,1~3,nan,1,1,1",
		"1,1,1,1~3,1,1,1,100", "0,1,1,1~3,1,1,1,1", "1,1,1,1~3,2,1,1,1~3,1,1,1,1", "1,1,1,1" + strings.Repeat("~1,1,1,1,1", maxFrames+2),
	} {
		if err := p.Turn(text); err == nil || p.settings != was || !slices.Equal(p.shown(), shown) || p.Turned() != "" {
			t.Errorf("%.40q: error %v, %+v", text, err, p.settings)
		}
	}
}

// TestRefuses tries all kinds of bad input. The last good state must stay.
func TestRefuses(t *testing.T) {
	p := openPage(t)
	p.goTo(5)
	x, was := p.shown(), *p.Run()
	texts := p.Settings().Texts()
	for _, tc := range []struct{ name, value, says string }{
		{"boundary", "33", "outside the box, so that one species would be empty"},
		{"boundary", "-1", "give a number between 0 and 32"},
		{"boundary", "NaN", "give a number between 0 and 32"},
		{"boundary", "left", "the boundary cannot be \"left\""},
		{"boundary", "0.000001", "all atoms on one side"},
		{"boundary", "31.9", "leaves species 2 empty"},
		{"temperature", "0", "the temperature cannot be \"0\": give a number from 0.01 to 100"},
		{"temperature", "1e9", "from 0.01 to 100"},
		{"e11", "-1", "from 0.001 to 20"},
		{"e22", "a lot", "well depth of species B with itself"},
		{"e12", "21", "from 0.001 to 20"},
		{"dt", "5", "from 1e-5 to 0.1"},
		{"height", "500", "from 12 to 40"},
		{"frames", "1", "from 10 to 1000"},
		{"seed", "-1", "give a whole number from 0 to"},
		{"set", "1000001", "the run cannot be \"1000001\": give a whole number from 0 to 1"},
		{"nothing", "1", "no setting called"},
	} {
		err := p.Set(tc.name, tc.value)
		refuses(t, err, tc.says)
		if err != nil && strings.Contains(err.Error(), "lj:") {
			t.Errorf("%s %s: error %q names a package", tc.name, tc.value, err)
		}
		if p.relax.under() || !slices.Equal(p.shown(), x) || !slices.Equal(p.Settings().Texts(), texts) || p.Run().Generation != was.Generation || p.Run().Known != 5 {
			t.Fatalf("%s %s has changed the run", tc.name, tc.value)
		}
	}
	handled, err := p.Edit("boundary", "33")
	if refuses(t, err, "outside the box"); !handled {
		t.Error("the boundary is not moved by hand")
	}
	for _, command := range []string{"add", "remove", ""} {
		if handled, err := p.Edit(command, "1"); handled || err != nil {
			t.Errorf("command %q: %v, %v", command, handled, err)
		}
		if handled, err := p.Press(command); handled || err != nil {
			t.Errorf("button %q: %v, %v", command, handled, err)
		}
	}
	if handled, err := p.Edit("boundary", "10"); !handled || err != nil || p.settings.boundary != 10 || p.Run().Known != 0 {
		t.Errorf("boundary by hand: %v, %v, %g", handled, err, p.settings.boundary)
	}
}

// TestSettingsWhilePreparing checks that setting the present value changes nothing. If the changed
// settings need the same relaxation, the current relaxation must continue.
func TestSettingsWhilePreparing(t *testing.T) {
	p := openPage(t)
	p.goTo(3)
	generation := p.Run().Generation
	p.put("boundary", "16")
	p.put("temperature", "1")
	if p.Run().Generation != generation || p.Run().Known != 3 {
		t.Error("settings that are the same begin a run")
	}
	p.put("height", "14")
	p.check(p.Prepare(p.now, time.Millisecond))
	_, share := p.Preparing()
	p.put("boundary", "11")
	p.put("e11", "0.7")
	if _, s := p.Preparing(); s != share || share == 0 {
		t.Errorf("another boundary takes the relaxation from %g to %g", share, s)
	}
	refuses(t, p.Set("boundary", "40"), "outside")
	if _, s := p.Preparing(); s != share {
		t.Error("a refusal ends the relaxation")
	}
	p.put("height", "12") // the relaxation of this box is stored
	if p.relax.under() || p.Run().Hi[1] != 12 || p.run.cfg.Boundary != 11 || p.run.cfg.AA.Epsilon != 0.7 {
		t.Errorf("back to a box that is there: %+v", p.Run())
	}
	// This boundary leaves one side without atoms. The error comes only after the relaxation.
	generation = p.Run().Generation
	p.put("height", "14")
	p.put("boundary", "1e-9")
	var err error
	for p.relax.under() && err == nil {
		err = p.Prepare(p.now, time.Second)
	}
	refuses(t, err, "leaves all atoms on one side")
	if p.relax.under() || p.settings != p.good || p.settings.height != 12 || p.Run().Generation != generation {
		t.Errorf("after that: %+v", p.Run())
	}
}

func TestAnother(t *testing.T) {
	p := openPage(t)
	x := p.shown()
	for want := range 2 {
		handled, err := core.Press(p, "another")
		p.check(err)
		p.prepared()
		if !handled || p.settings.set != want+1 || slices.Equal(p.shown(), x) {
			t.Errorf("handled %v, run %d", handled, p.settings.set)
		}
		x = p.shown()
	}
	p.put("set", "0")
	if p.relax.under() {
		t.Error("what has relaxed relaxes again")
	}
	p.settings.set = maxSet - 1
	if _, err := core.Press(p, "another"); err != nil || p.settings.set != 0 {
		t.Errorf("run %d after the last: %v", p.settings.set, err)
	}
}

// TestRelaxationsAreRemembered checks that the last few relaxations are kept.
func TestRelaxationsAreRemembered(t *testing.T) {
	var r relaxation
	s := defaults()
	s.height = 12
	for k := range maxRelaxed + 2 {
		s.set = k
		if err := r.begin(s); err != nil {
			t.Fatal(err)
		}
		for ended := false; !ended; {
			var err error
			if ended, err = r.advance(time.Now, time.Second); err != nil {
				t.Fatal(err)
			}
		}
	}
	for k := range maxRelaxed + 2 {
		s.set = k
		if got, want := r.find(s) != nil, k >= 2; got != want {
			t.Errorf("relaxation %d is remembered: %v, want %v", k, got, want)
		}
	}
	if s.boundary = 3; r.find(s) == nil {
		t.Error("another boundary is another relaxation")
	}
	if s.dt = 0.001; r.find(s) != nil {
		t.Error("another time step is the same relaxation")
	}
}

// TestExplodes sets a time step that scatters the atoms. The displayed run must stay. If there is
// no displayed run, a run with default settings must be prepared.
func TestExplodes(t *testing.T) {
	p := openPage(t)
	p.playOut()
	x, generation := p.shown(), p.Run().Generation
	explode := func() (err error) {
		for range 10_000 {
			if err = p.Prepare(p.now, 10*time.Millisecond); err != nil || !p.relax.under() {
				return err
			}
		}
		return nil
	}
	p.put("dt", "0.1")
	err := explode()
	refuses(t, err, "time step")
	if !errors.Is(err, lj.ErrUnstable) || strings.Contains(err.Error(), "lj:") {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(x, p.shown()) || p.settings.dt != 0.002 || p.Run().Generation != generation || p.relax.under() {
		t.Errorf("the run is gone, the time step %g", p.settings.dt)
	}

	p = &page{Live: System().Live().(*Live), t: t, clock: time.Unix(0, 0)}
	p.settings.dt, p.settings.height = 0.1, 12
	p.check(p.Generate())
	refuses(t, explode(), "time step")
	if p.settings != defaults() || !p.relax.under() {
		t.Errorf("after settings that explode: %+v", p.settings)
	}
	p.prepared()
	if p.Run().Particles != 529 {
		t.Errorf("%+v", p.Run())
	}

	p.settings.boundary = 31.9
	refuses(t, p.Check(), "leaves species 2 empty")
	refuses(t, p.Generate(), "leaves species 2 empty")
	if p.settings != defaults() || p.relax.under() {
		t.Errorf("after settings that cannot begin: %+v", p.settings)
	}
}

// TestRunStops heats a run until its time step is too long.
func TestRunStops(t *testing.T) {
	p := openPage(t)
	p.put("dt", "0.01")
	p.prepared()
	p.goTo(2)
	p.put("e11", "20")
	p.put("e22", "20")
	p.put("temperature", "100")
	p.check(p.Player().Play())
	var err error
	for p.Player().Busy() && err == nil {
		_, err = p.advance()
	}
	if !errors.Is(err, lj.ErrUnstable) {
		t.Fatalf("error %v, want one of the time step", err)
	}
	known := p.Run().Known
	p.goTo(min(2, known))
	p.put("temperature", "1")
	p.put("e11", "0.5")
	p.put("e22", "0.6")
	p.playOut()
	if p.Run().Known != 10 {
		t.Errorf("other settings take it to frame %d", p.Run().Known)
	}
}

// TestRecord plays a trajectory of the user.
func TestRecord(t *testing.T) {
	p := openPage(t)
	p.goTo(2)
	generation := p.Run().Generation
	own := readAll(t, small(4, 1), 1)[0]
	own.Points[0] = -2.5
	p.Record(own, "own.npz, trajectory 1 of 1")
	r := p.Run()
	if !p.Recorded() || r.Generation == generation || r.Horizon != 3 || r.Known != 3 || r.Particles != 36 || r.Note != "own.npz, trajectory 1 of 1" {
		t.Errorf("run %+v", r)
	}
	if r.Lo != [2]float64{-3, 0} || r.Hi[0] < 7 || r.Hi[0] > 8 || r.Dt != 0.4 {
		t.Errorf("shown from %v to %v, dt %g", r.Lo, r.Hi, r.Dt)
	}
	if p.Player().Now() != 0 || p.Player().Playing() {
		t.Error("it does not stand at its beginning")
	}
	f := p.picture()
	if len(f.Numbers("x")) != 72 || len(f.Numbers("ratios")) != 8 || f.Numbers("temperature") != nil || f.Numbers("energy") != nil {
		t.Errorf("%d coordinates, %d ratios", len(f.Numbers("x")), len(f.Numbers("ratios")))
	}
	if p.Foreign(false) != "" {
		t.Errorf("warning %q", p.Foreign(false))
	}
	p.check(p.Player().Play())
	for range 12 { // 330 ms pass from the first call to the last. The run ends at frame 3, after 200 ms at 15 frames a second
		p.advance()
	}
	if !p.Player().AtEnd() || p.Player().Playing() {
		t.Errorf("it stands at frame %d", p.Player().Now())
	}
	var got, want system.Frame
	for _, k := range []int{3, 0, 2} {
		p.check(p.Player().Seek(k))
		System().Frame(&want, own, k, 2)
		if p.Shown(&got); !slices.Equal(got.Points, want.Points) || !slices.Equal(got.Ends, want.Ends) {
			t.Errorf("frame %d is shown otherwise", k)
		}
		if p.Frame(&got, k); !slices.Equal(got.Points, want.Points) || !slices.Equal(p.Macro(k), own.At(k, 2)) {
			t.Errorf("frame %d differs", k)
		}
		if p.picture().Number("time") != float64(float32(0.4*float64(k))) {
			t.Errorf("frame %d is at %g", k, p.picture().Number("time"))
		}
	}
	at := make(map[string]string)
	if p.Figures(at); len(at) != 3 || at["time"] != "0.8" {
		t.Errorf("figures %v", at)
	}
	if s := p.Summary(system.Prediction{}); !strings.Contains(s, "atoms of A and") {
		t.Errorf("summary %q", s)
	}
	p.check(p.Generate())
	if p.Recorded() || p.Run().Particles != 207 || p.Run().Known != 0 {
		t.Errorf("back to the simulation: %+v", p.Run())
	}
	p.Record(own, "")
	p.put("temperature", "1") // the temperature is 1 already. Even a setting that changes nothing must end the recording
	if p.Recorded() {
		t.Error("a setting does not lead back to the simulation")
	}
	p.Record(own, "")
	refuses(t, p.Set("boundary", "50"), "outside")
	if !p.Recorded() || p.Player().Now() != 0 {
		t.Error("a refusal ends the recording")
	}
	for _, tc := range []struct {
		shape system.Shape
		says  string
	}{
		{system.Shape{Trajectories: 9, Frames: 501, Particles: 529, Dim: 2}, ""},
		{system.Shape{Trajectories: 1, Frames: 2, Particles: 5000, Dim: 2}, ""},
		{system.Shape{Trajectories: 1, Frames: 2, Particles: 5001, Dim: 2}, "5001 atoms, and the page has room for 5000"},
		{system.Shape{Trajectories: 1, Frames: 20_000, Particles: 529, Dim: 2}, "take at most 15856 steps"},
	} {
		if err := p.Playable(tc.shape); tc.says == "" && err != nil {
			t.Errorf("%v does not fit: %v", tc.shape, err)
		} else if tc.says != "" {
			refuses(t, err, tc.says)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a trajectory that is too large is played")
		}
	}()
	p.Record(&system.Trajectory{Points: make([]float32, 2*2*5001), Species: make([]uint8, 5001), Macro: make([]float64, 4)}, "")
}

func TestSummary(t *testing.T) {
	p := &page{Live: System().Live().(*Live), t: t, clock: time.Unix(0, 0)}
	if s := p.Summary(system.Prediction{Coming: true}); !strings.Contains(s, "leave their lattice") {
		t.Errorf("summary %q", s)
	}
	p = openPage(t)
	says := func(prediction system.Prediction, want ...string) {
		t.Helper()
		s := p.Summary(prediction)
		for _, w := range want {
			if !strings.Contains(s, w) {
				t.Errorf("summary %q, want one that says %q", s, w)
			}
		}
		if !strings.HasSuffix(s, ".") || strings.Count(s, "**")%2 != 0 {
			t.Errorf("summary %q", s)
		}
	}
	ensemble := system.Prediction{OK: true, Mean: 0.125, Low: 0.1, High: 0.15}
	says(ensemble, "** of B: |intro]**", "%** of the neighbours of A are B", "From this frame alone")
	p.goTo(1)
	says(ensemble, "; predicted[ from frame 0 alone|intro]: **12.5 %**[ (90 % band 10.0 to 15.0)|intro].")
	says(system.Prediction{OK: true, Mean: 0.125, Low: math.NaN()}, " **12.5 %**.")
	says(system.Prediction{Coming: true}, "is loading")
	says(system.Prediction{Learning: true}, "The prediction returns with stage II.")
	says(system.Prediction{}, "of A are B.")
}

func TestForeign(t *testing.T) {
	p := openPage(t)
	if w := p.Foreign(false); w != "" {
		t.Errorf("warning %q", w)
	}
	p.put("boundary", "5")
	if w := p.Foreign(false); !strings.Contains(w, "boundaries from 10 to 22") {
		t.Errorf("warning %q", w)
	}
	if w := p.Foreign(true); w != "" {
		t.Errorf("warning %q", w)
	}
}

func TestSave(t *testing.T) {
	l := System().Live()
	positions, note := l.Save()
	if positions != nil || note != "" {
		t.Errorf("%v, %q", positions, note)
	}
	if err := l.Restore(positions, note); err != nil {
		t.Error(err)
	}
	if err := l.Restore([]float32{1, 2}, ""); err == nil {
		t.Error("positions are restored")
	}
}

// TestLink writes and reads every setting.
func TestLink(t *testing.T) {
	from, to := System().Live().(*Live), System().Live().(*Live)
	from.settings = settings{11.5, true, 26, 1.5, 0.4, 0.9, 1.1, 0.001, 300, 9, 4}
	values := make(url.Values)
	for _, f := range from.Settings() {
		values.Set(f.Name, f.Text())
	}
	if wrong := to.Settings().Take(values); len(wrong) > 0 || len(values) > 0 || to.settings != from.settings {
		t.Errorf("got %+v, %v, want %+v", to.settings, wrong, from.settings)
	}
	names := "boundary halves height temperature e11 e22 e12 dt frames seed set"
	var got []string
	for _, f := range to.Settings() {
		got = append(got, f.Name)
	}
	if strings.Join(got, " ") != names {
		t.Errorf("settings %v, want %s", got, names)
	}
}

func FuzzSettings(f *testing.F) {
	f.Add("boundary=1&dt=0.1&e11=20&height=12&seed=18446744073709551615")
	f.Add("boundary=1e-300&frames=10&temperature=+Inf")
	f.Fuzz(func(t *testing.T, fragment string) {
		values, err := setting.ParseLink(fragment, "mixing")
		if err != nil {
			return
		}
		l, again := System().Live().(*Live), System().Live().(*Live)
		l.Settings().Take(values)
		texts := l.Settings().Texts()
		for i, f := range again.Settings() {
			if err := f.Set(texts[i]); err != nil {
				t.Fatal(err)
			}
		}
		if again.settings != l.settings {
			t.Errorf("there and back: %+v, want %+v", again.settings, l.settings)
		}
	})
}

// TestPresets checks that every preset can be simulated, and that no two presets are equal.
func TestPresets(t *testing.T) {
	seen := make(map[settings]string)
	for _, preset := range System().Live().Page().Systems {
		l := System().Live().(*Live)
		for name, value := range preset.Values {
			if err := l.Settings().Set(name, value); err != nil {
				t.Errorf("%s: %v", preset.Name, err)
			}
		}
		if err := l.Check(); err != nil {
			t.Errorf("%s: %v", preset.Name, err)
		}
		if other, ok := seen[l.settings]; ok {
			t.Errorf("%s is %s", preset.Name, other)
		}
		seen[l.settings] = preset.Name
		if preset.Name == "apart" && (l.settings.temperature != 0.8 || l.settings.e12 != 0.1 || l.settings.boundary != 16) || preset.Name == "paper" && l.settings != defaults() {
			t.Errorf("%s is %+v", preset.Name, l.settings)
		}
	}
}

// TestPage checks that every name in a group exists, and that every control has a description.
func TestPage(t *testing.T) {
	l := System().Live().(*Live)
	page := l.Page()
	shown := make(map[string]wire.Control)
	for _, g := range page.Groups {
		for _, c := range g.Controls {
			shown[c.ID] = c
			if is := c.ID == "preset" || c.ID == "tool"; c.Hint == "" && page.Hints[c.ID] == "" || !is && c.Kind != wire.Button && l.Settings().Find(c.ID) == nil {
				t.Errorf("group %s has %q", g.ID, c.ID)
			}
		}
	}
	for _, f := range l.Settings() {
		c := shown[f.Name]
		if (c.Kind == "") != f.Hidden {
			t.Errorf("setting %s has a control %q", f.Name, c.Kind)
		}
		if c.Kind == wire.Slider && f.High != 0 && (c.Min < f.Low || c.Max > f.High) {
			t.Errorf("slider %s goes from %g to %g, and the setting from %g to %g", f.Name, c.Min, c.Max, f.Low, f.High)
		}
	}
	for _, id := range []string{"play", "step", "restart", "at", "speed", "preset", "tool"} {
		if page.Hints[id] == "" {
			t.Errorf("%s has no hint", id)
		}
	}
}

// TestDoesNotAllocate checks that an unchanged picture and a step allocate nothing.
func TestDoesNotAllocate(t *testing.T) {
	p := openPage(t)
	p.playOut()
	var f wire.Frame
	var frame system.Frame
	fill := func() {
		p.run.stale = true
		f.Begin("mixing")
		p.Put(&f)
		p.Shown(&frame)
		p.Frame(&frame, 3)
	}
	fill()
	if n := testing.AllocsPerRun(5, fill); n != 0 {
		t.Errorf("%v allocations a picture", n)
	}
	p.goTo(0)
	if n := testing.AllocsPerRun(100, func() {
		if p.run.now == 9 {
			p.run.Show(0)
		}
		p.run.Forward()
		p.run.look()
	}); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
