package particles

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/system/formula"
	"macroscope/model/system/play"
	"macroscope/model/wire"
	"macroscope/sim/particle"
)

// stage is a Live with a clock that the test controls.
type stage struct {
	*Live
	t  *testing.T
	at time.Time
}

func newStage(t *testing.T) *stage {
	s := &stage{newLive(), t, time.Unix(0, 0)}
	if err := s.Generate(); err != nil {
		t.Fatal(err)
	}
	return s
}

// Each call of `now` advances the clock, so time budgets end.
func (s *stage) now() time.Time {
	s.at = s.at.Add(time.Millisecond)
	return s.at
}

func (s *stage) set(name, value string) {
	s.t.Helper()
	if err := s.Set(name, value); err != nil {
		s.t.Fatal(err)
	}
}

// preset does what the page does when the user chooses the preset with this name: it changes the
// settings and plays a run.
func (s *stage) preset(name string) {
	s.t.Helper()
	all := s.Page().Systems
	for id, value := range all[slices.IndexFunc(all, func(p system.Preset) bool { return p.Name == name })].Values {
		if err := s.Table.Set(id, value); err != nil {
			s.t.Fatal(err)
		}
	}
	if err := errors.Join(s.Check(), s.Generate(), s.Player().Play()); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) press(id string) {
	s.t.Helper()
	if handled, err := core.Press(s, id); !handled || err != nil {
		s.t.Fatalf("%s: handled %v, error %v", id, handled, err)
	}
}

func (s *stage) edited(command, value string) {
	s.t.Helper()
	if handled, err := s.Edit(command, value); !handled || err != nil {
		s.t.Fatalf("%s %s: handled %v, error %v", command, value, handled, err)
	}
}

// seek goes to a frame, however long it takes.
func (s *stage) seek(k int) {
	s.t.Helper()
	if err := s.Player().Seek(k); err != nil {
		s.t.Fatal(err)
	}
	for s.Player().Busy() {
		if _, err := s.Player().Advance(s.now, 1, 3*time.Millisecond); err != nil {
			s.t.Fatal(err)
		}
	}
	if s.Player().Now() != k {
		s.t.Fatalf("frame %d, want %d", s.Player().Now(), k)
	}
}

func (s *stage) picture() *wire.Frame {
	f := new(wire.Frame)
	f.Begin("particles")
	s.Put(f)
	return f
}

// TestLiveIsTheSimulation checks that a run that is played, sought and stepped has the
// simulator's frames.
func TestLiveIsTheSimulation(t *testing.T) {
	s := newStage(t)
	for _, set := range [][2]string{{"n", "40"}, {"steps", "60"}, {"seed", "3"}, {"set", "2"}} {
		s.set(set[0], set[1])
	}
	if !s.Player().Playing() {
		t.Error("a new setting does not play")
	}
	s.Player().Pause()
	c := particle.Default()
	c.N, c.Steps = 40, 60
	want := particle.NewTrajectory(c)
	sim, err := particle.New(t.Context(), c, particle.InitialPositions(c, 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	if err := sim.Record(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	s.Player().Next()
	s.Player().Next()
	if r := s.Run(); s.Player().Now() != 2 || r.Known != 2 || r.Horizon != 60 || r.Dt != 0.02 || r.Particles != 40 || !slices.Equal(r.Variables, []string{"energy"}) {
		t.Fatalf("two steps led to frame %d of %+v", s.Player().Now(), r)
	}
	s.seek(20)
	s.seek(5)
	if s.Run().Known != 20 || s.Player().Busy() {
		t.Fatalf("going back left %d frames", s.Run().Known)
	}
	var f system.Frame
	places := s.Shown(&f)
	if !slices.Equal(f.Points, want.Frames[5*80:6*80]) || !slices.Equal(f.Ends, []int{40}) || len(places) != 40 || places[39] != 39 {
		t.Error("another frame is on show")
	}
	if p := s.picture(); !slices.Equal(p.Numbers("x"), f.Points) || len(p.Numbers("energy")) != 21 || string(p.Text("macro")) != "energy per pair" {
		t.Error("another picture")
	}
	if err := s.Player().Play(); err != nil {
		t.Fatal(err)
	}
	for s.Player().Playing() {
		if _, err = s.Player().Advance(s.now, 1, 5*time.Millisecond); err != nil && !errors.Is(err, play.ErrEnded) {
			t.Fatal(err)
		}
		s.at = s.at.Add(30 * time.Millisecond)
	}
	if s.Player().Now() != 60 || !errors.Is(err, play.ErrEnded) || !slices.Equal(s.Frames.Macro, want.Energy) {
		t.Errorf("at frame %d (%v) the run is not the simulation's", s.Player().Now(), err)
	}
	for k := range 61 {
		if s.Frame(&f, k); !slices.Equal(f.Points, want.Frames[k*80:(k+1)*80]) || s.Macro(k)[0] != want.Energy[k] {
			t.Errorf("frame %d is another", k)
		}
	}
	if err := s.Player().Play(); err != nil || s.Player().Now() != 0 || s.Run().Known != 60 {
		t.Error("playing at the end does not begin again")
	}
	if s.Player().Seek(61) == nil {
		t.Error("a frame that is not known is shown")
	}
}

// TestLiveKeepsTime checks that a run plays thirty frames a second, independent of how often
// the clock is read.
func TestLiveKeepsTime(t *testing.T) {
	s := newStage(t)
	s.set("n", "10")
	at := time.Unix(0, 0)
	now := func() time.Time { return at }
	s.Player().Advance(now, 1, time.Second)
	for range 100 {
		at = at.Add(10 * time.Millisecond)
		s.Player().Advance(now, 1, time.Second)
	}
	if k := s.Player().Now(); k < 29 || k > 30 {
		t.Errorf("frame %d after a second", k)
	}
}

func TestLiveStopsWhereItIsUnstable(t *testing.T) {
	s := newStage(t)
	s.settings.A, s.settings.Dt, s.settings.N = 20, 0.9, 30 // values that Set would reject
	if err := s.Check(); err == nil || strings.HasPrefix(err.Error(), "particle") {
		t.Errorf("check: %v", err)
	}
	if err := s.Generate(); err != nil {
		t.Fatal(err)
	}
	s.Player().Play()
	var err error
	for range 20000 {
		s.at = s.at.Add(20 * time.Millisecond)
		if _, err = s.Player().Advance(s.now, 1, time.Millisecond); err != nil {
			break
		}
	}
	if !errors.Is(err, particle.ErrUnstable) || strings.HasPrefix(err.Error(), "particle") || s.Player().Playing() || s.Player().Now() != s.Run().Known {
		t.Fatalf("error %v at frame %d of %d", err, s.Player().Now(), s.Run().Known)
	}
}

func TestLiveRefuses(t *testing.T) {
	s := newStage(t)
	s.seek(10)
	settings, generation, frame := s.settings, s.Run().Generation, slices.Clone(s.Points(10))
	same := func(what string) {
		t.Helper()
		if s.settings != settings || s.Run().Generation != generation || s.Player().Now() != 10 || !slices.Equal(s.Points(10), frame) || s.Player().Busy() {
			t.Errorf("%s changed something", what)
		}
	}
	for _, c := range [][2]string{
		{"a", "0"}, {"a", "NaN"}, {"b", "1e9"}, {"n", "9"}, {"n", "5001"}, {"dt", "5"}, {"dt", "-1"}, {"steps", "0"}, {"components", "17"},
		{"seed", "-1"}, {"set", "-1"}, {"colour", "1"},
	} {
		if err := s.Set(c[0], c[1]); err == nil || len(err.Error()) < 20 || strings.Contains(err.Error(), "particle:") {
			t.Errorf("%s = %s: error %v", c[0], c[1], err)
		}
		same(c[0] + " = " + c[1])
	}
	for _, c := range [][2]string{
		{Drag, "300 0 0"}, {Drag, "-1 0 0"}, {Drag, "0.5 0 0"}, {Drag, "0 0"}, {wire.Add, "NaN 1"}, {wire.Add, "1e9 1"},
		{wire.Remove, "1"}, {Draw, ""}, {Draw, "1 2 3"}, {Draw, strings.Repeat("1 ", 4098)},
	} {
		if handled, err := s.Edit(c[0], c[1]); !handled || err == nil || len(err.Error()) < 20 {
			t.Errorf("%s %s: error %v", c[0], c[1], err)
		}
		same(c[0] + " " + c[1])
	}
	if handled, _ := s.Edit("dance", ""); handled {
		t.Error("particles dance")
	}
	if handled, _ := s.Press("explode"); handled {
		t.Error("there is a button explode")
	}
	nan := float32(math.NaN())
	for _, p := range [][]float32{nil, make([]float32, 10), append(make([]float32, 599), nan)} {
		if s.Restore(p, "") == nil {
			t.Errorf("%d numbers are restored", len(p))
		}
		same("restoring")
	}
	s.set("n", "5000")
	if err := s.Set("steps", "5000"); err == nil || !strings.Contains(err.Error(), "room") || s.settings.Steps != 300 {
		t.Errorf("error %v", err)
	}
	if _, err := s.Edit(wire.Add, "0 0"); err == nil || !strings.Contains(err.Error(), "room for 5000") {
		t.Errorf("error %v", err)
	}
	s.set("n", "10")
	if _, err := s.Edit(wire.Remove, "0 0"); err == nil || !strings.Contains(err.Error(), "10 at least") {
		t.Errorf("error %v", err)
	}
}

// TestPresetsDiffer plays every preset to its end. None may be unstable, and their results must
// differ.
func TestPresetsDiffer(t *testing.T) {
	type end struct{ near, far, energy float64 }
	var ends []end
	names := map[string]bool{}
	for _, preset := range newLive().Page().Systems {
		s := newStage(t)
		s.preset(preset.Name)
		for name, want := range preset.Values {
			if got := s.Table.Find(name).Text(); got != want {
				t.Errorf("%s: %s is %s, want %s", preset.Name, name, got, want)
			}
		}
		if len(preset.Values) != 7 || names[preset.Name] || preset.Label == "" {
			t.Errorf("preset %+v", preset)
		}
		names[preset.Name] = true
		if preset.Name == "crowd" {
			continue // this preset is the annulus with more particles
		}
		steps := s.settings.Steps
		if testing.Short() {
			steps = 50
		}
		s.seek(steps)
		e := end{energy: s.Macro(steps)[0]}
		xy := s.Points(steps)
		for i := 0; i < len(xy); i += 2 {
			r := math.Hypot(float64(xy[i]), float64(xy[i+1]))
			e.far, e.near = max(e.far, r), e.near+r/float64(s.settings.N)
		}
		t.Logf("%-10s mean radius %.3f, largest %.3f, energy %.4f", preset.Name, e.near, e.far, e.energy)
		ends = append(ends, e)
	}
	if testing.Short() {
		return
	}
	for i, a := range ends {
		for _, b := range ends[:i] {
			// Differences of a hundredth of the unit of length or energy are visible in the
			// picture.
			if math.Abs(a.near-b.near) < 0.01 && math.Abs(a.far-b.far) < 0.01 && math.Abs(a.energy-b.energy) < 0.01 {
				t.Errorf("%+v and %+v are alike", a, b)
			}
		}
	}
}

func TestEdit(t *testing.T) {
	s := newStage(t)
	s.seek(30)
	was := slices.Clone(s.Points(30))
	s.edited(Drag, "7 0.5 -0.25")
	got := s.Points(0)
	if s.Player().Now() != 0 || s.Run().Known != 0 || got[14] != 0.5 || got[15] != -0.25 || !slices.Equal(got[16:], was[16:]) || s.About.Note != "edited" || s.Player().Busy() {
		t.Errorf("a dragged particle is at (%g, %g) of frame %d", got[14], got[15], s.Player().Now())
	}
	s.edited(wire.Add, "1 1")
	if r := s.Run(); r.Particles != 301 || s.settings.N != 301 {
		t.Errorf("%d particles after adding one", r.Particles)
	}
	s.edited(wire.Remove, "0.98 1.01")
	if r := s.Run(); r.Particles != 300 || slices.Contains(s.Points(0), 1) {
		t.Errorf("%d particles after removing one", r.Particles)
	}
	// With another force, the edited set stays. With another seed, it is replaced.
	generation := s.Run().Generation
	s.set("a", "5")
	if got := s.Points(0); got[14] != 0.5 || s.About.Note != "edited" || !s.Player().Playing() || s.Run().Generation == generation {
		t.Error("another force took the edited set away, or does not play")
	}
	saved, note := s.Save()
	s.set("seed", "2")
	if got := s.Points(0); got[14] == 0.5 || s.About.Note != "" {
		t.Error("another seed kept the edited set")
	}
	if p, _ := s.Save(); p != nil {
		t.Error("what was not edited is saved")
	}
	other := newStage(t)
	other.settings = s.settings
	other.settings.A = 5
	if err := other.Restore(saved, note); err != nil || !slices.Equal(other.Points(0), saved) || other.About.Note != "edited" || other.Player().Busy() {
		t.Errorf("restored with error %v", err)
	}
}

func TestDraw(t *testing.T) {
	s := newStage(t)
	s.seek(3)
	s.edited(Drag, "0 0 0") // the run to be cleared must be an edited run
	s.press("clear")
	if p := s.picture(); len(p.Numbers("x")) != 0 || p.Numbers("energy") != nil || !s.Run().Blank || s.Run().Particles != 0 {
		t.Errorf("cleared, and there are %d coordinates", len(p.Numbers("x")))
	}
	if p, _ := s.Save(); p != nil {
		t.Error("an empty plane is saved")
	}
	if r := s.Run(); r.Lo != [2]float64{-1.25, -1.25} || r.Hi != [2]float64{1.25, 1.25} {
		t.Errorf("the empty plane is shown from %v to %v", r.Lo, r.Hi)
	}
	if s.set("a", "6"); !s.About.Blank || s.settings.A != 6 {
		t.Error("another force brought particles back that had been cleared away")
	}
	if err := s.Set("dt", "5"); err == nil || !s.About.Blank {
		t.Error("an unstable system is taken")
	}
	s.preset("annulus")
	if s.About.Blank || s.About.Particles != 300 || !s.Player().Playing() {
		t.Error("choosing a system brings no particles")
	}
	s.press("clear")
	s.edited(wire.Add, "0.25 0.25")
	if p := s.picture(); !slices.Equal(p.Numbers("x"), []float32{0.25, 0.25}) || s.About.Note != "1 of at least 10 particles" {
		t.Errorf("one particle is %v, %s", p.Numbers("x"), s.About.Note)
	}
	s.edited(Drag, "0 0.5 0.5")
	s.edited(wire.Remove, "0 0")
	if _, err := s.Edit(wire.Remove, "0 0"); err == nil {
		t.Error("nothing was removed")
	}
	s.edited(Draw, "0 0 0.05 0")
	if p := s.picture(); len(p.Numbers("x")) != 10 || !s.About.Blank {
		t.Errorf("a short stroke has %d particles", len(p.Numbers("x"))/2)
	}
	s.edited(Draw, "0 0 1 0 1 1")
	n := s.About.Particles
	if want := int(math.Round(2/strokeSpacing)) + 5; s.About.Blank || n < want-6 || n > want+6 || s.About.Note != "drawn" || s.Player().Busy() {
		t.Errorf("%d particles along a stroke of length 2, want about %d; %s", n, want, s.About.Note)
	}
	s.press("clear")
	for range MinParticles {
		s.edited(wire.Add, "0.1 0.1")
	}
	if s.About.Blank || s.About.Note != "edited" {
		t.Errorf("ten particles that were added are %q", s.About.Note)
	}
	s.press("another")
	if s.Run().Note != "" || s.About.Particles != MinParticles || s.settings.Set != 1 || !s.Player().Playing() {
		t.Errorf("another run has %d particles", s.About.Particles)
	}
}

// TestWindow checks that the window encloses the particles, grows with them, and stays the same
// during a drag.
func TestWindow(t *testing.T) {
	s := newStage(t)
	before := *s.Run()
	side := before.Hi[0] - before.Lo[0]
	if math.Abs(side-(before.Hi[1]-before.Lo[1])) > 1e-12 || side < 2*leastHalf-1e-6 || side > 4 {
		t.Errorf("window %v to %v", before.Lo, before.Hi)
	}
	for i, v := range s.Points(0) {
		if float64(v) < before.Lo[i%2] || float64(v) > before.Hi[i%2] {
			t.Fatalf("particle %d is outside", i/2)
		}
	}
	s.edited(Drag, "0 0.1 0.1")
	s.edited(wire.Remove, "0.1 0.1")
	if r := s.Run(); r.Lo != before.Lo || r.Hi != before.Hi {
		t.Errorf("the window moved to %v, %v under the hand", r.Lo, r.Hi)
	}
	s.edited(wire.Add, "5 0")
	if r := s.Run(); r.Hi[0] < 5 || math.Abs(r.Lo[0]+r.Hi[0]-before.Lo[0]-before.Hi[0]) > 1e-9 {
		t.Errorf("a particle at 5 is not in %v to %v", r.Lo, r.Hi)
	}
	s.preset("expansion")
	s.seek(300)
	if r := s.Run(); r.Hi[0]-r.Lo[0] < 5 {
		t.Errorf("the window %v to %v did not grow", r.Lo, r.Hi)
	}
	wide := *s.Run()
	if s.seek(0); s.Run().Hi != wide.Hi {
		t.Error("the window shrank within a run")
	}
}

// TestRecord plays a trajectory of the user, and starts a simulation from one of its frames.
func TestRecord(t *testing.T) {
	recorded := all(t, small(t, 7, 1))[0]
	s := newStage(t)
	var f system.Frame
	if err := s.Playable(small(t, 7, 1).Shape()); err != nil {
		t.Error(err)
	}
	for _, shape := range []system.Shape{{Trajectories: 1, Frames: 2, Particles: 5001, Dim: 2}, {Trajectories: 1, Frames: 5000, Particles: 5000, Dim: 2}} {
		if err := s.Playable(shape); err == nil || !strings.Contains(err.Error(), "room") {
			t.Errorf("%+v: error %v", shape, err)
		}
	}
	generation := s.Run().Generation
	s.Record(clone(recorded), "mine.npz, trajectory 1 of 1")
	r := s.Run()
	if !s.Recorded() || r.Known != 12 || r.Horizon != 12 || r.Particles != 20 || r.Dt != 0.02 || r.Generation == generation || r.Note != "mine.npz, trajectory 1 of 1" || s.Player().Now() != 0 || s.Player().Busy() {
		t.Errorf("run %+v", r)
	}
	for i, v := range recorded.Points {
		if float64(v) < r.Lo[i%2] || float64(v) > r.Hi[i%2] {
			t.Fatalf("coordinate %d is outside", i)
		}
	}
	s.seek(10)
	if s.Frame(&f, 10); !slices.Equal(f.Points, recorded.Points[400:440]) || s.Macro(10)[0] != recorded.Macro[10] {
		t.Error("another frame")
	}
	s.RecordAs(clone(recorded), Gyration, usualForce, "mine.npz")
	if got := s.picture(); string(got.Text("macro")) != "radius of gyration" || s.Run().Variables[0] != Gyration || len(got.Numbers("energy")) != 13 {
		t.Errorf("the observable is %s", got.Text("macro"))
	}
	if got := s.Summary(system.Prediction{}); !strings.Contains(got, "Radius of gyration[ of **20** particles at t = **0.00**|intro]: **") {
		t.Errorf("summary %q", got)
	}
	mine := clone(recorded)
	s.RecordAs(mine, "speed", usualForce, "mine.npz")
	if got := string(s.picture().Text("macro")); got != "speed" {
		t.Errorf("the observable is %s", got)
	}
	s.seek(10)
	s.edited(Drag, "0 1 1")
	if got := s.Points(0); s.Recorded() || got[0] != 1 || !slices.Equal(got[2:], recorded.Points[402:440]) || s.Run().Variables[0] != Energy {
		t.Error("the edited frame is not the first of a simulation")
	}
	s.seek(20)
	if !slices.Equal(mine.Points, recorded.Points) || !slices.Equal(mine.Macro, recorded.Macro) {
		t.Error("the simulation wrote over the recording")
	}
	s.Record(clone(recorded), "mine.npz")
	if s.set("a", "4"); s.Recorded() {
		t.Error("a setting does not bring the simulation back")
	}
}

func TestWords(t *testing.T) {
	s := newStage(t)
	if got := s.Summary(system.Prediction{}); !strings.HasPrefix(got, "Energy per pair[ of **300** particles at t = **0.00**|intro]: **") || !strings.HasSuffix(got, "**.") {
		t.Errorf("summary %q", got)
	}
	if got := s.Summary(system.Prediction{OK: true, Mean: 0.25}); !strings.HasSuffix(got, "; predicted[ from frame 0 alone|intro]: **0.2500**.") {
		t.Errorf("summary %q", got)
	}
	if got := s.Summary(system.Prediction{Coming: true}); !strings.HasSuffix(got, "is loading.") {
		t.Errorf("summary %q", got)
	}
	if got := s.Summary(system.Prediction{Learning: true}); !strings.HasSuffix(got, "The prediction returns with stage II.") {
		t.Errorf("summary %q", got)
	}
	at := map[string]string{}
	if s.Figures(at); at["time"] != "0.00" || at["energy"] != setting.Short(s.Macro(0)[0]) {
		t.Errorf("figures %v", at)
	}
	if got := s.Foreign(false); got != "" {
		t.Errorf("the paper's system is foreign: %q", got)
	}
	if got := s.Foreign(true); !strings.Contains(got, "trajectories of a file") {
		t.Errorf("foreign %q", got)
	}
	s.set("b", "0.2")
	var f system.Frame
	if s.Frame(&f, 0); !slices.Equal(f.Params, []float64{4, 0.2}) || s.Foreign(false) != "" {
		t.Errorf("the parameters %v are foreign: %q", f.Params, s.Foreign(false))
	}
	s.set("dt", "0.01")
	if got := s.Foreign(false); !strings.Contains(got, "Δt = 0.02, and this run has 0.01") {
		t.Errorf("foreign %q", got)
	}
	s.Record(all(t, small(t, 7, 1))[0], "")
	if got := s.Foreign(false); !strings.Contains(got, "simulated particles") {
		t.Errorf("foreign %q", got)
	}
	if got := s.Foreign(true); got != "" {
		t.Errorf("foreign %q", got)
	}
	s.press("clear")
	if got := s.Summary(system.Prediction{}); !strings.Contains(got, "An empty plane") || s.Foreign(true)+s.Foreign(false) != "" {
		t.Errorf("summary %q", got)
	}
	at = map[string]string{}
	if s.Figures(at); len(at) != 0 {
		t.Errorf("figures %v", at)
	}
}

// TestLink checks the names and the texts of the settings in a link.
func TestLink(t *testing.T) {
	s := newStage(t)
	link := map[string]string{}
	if s.Table.Write(link, ""); len(link) != 7 || link["a"] != "4" || link["dt"] != "0.02" || link["components"] != "2" || link["seed"] != "1" {
		t.Errorf("a link says %v", link)
	}
	s.press("another")
	if s.Table.Write(link, ""); link["set"] != "1" {
		t.Errorf("a link says %v", link)
	}
	if err := s.Set("a", "2000"); err == nil || err.Error() != `the steepness a of the force cannot be "2000": give a number from 0.1 to 1000` {
		t.Errorf("error %v", err)
	}
	if err := s.Set("n", "many"); err == nil || err.Error() != `the number of particles cannot be "many": give a whole number from 10 to 5000` {
		t.Errorf("error %v", err)
	}
}

// TestPage checks that every control has a label and a hint, that every button works, and that
// the hint of the force names all functions.
func TestPage(t *testing.T) {
	s := newStage(t)
	p := s.Page()
	for _, g := range p.Groups {
		for _, c := range g.Controls {
			if c.Hint == "" && p.Hints[c.ID] == "" || c.Label == "" {
				t.Errorf("%s is not explained", c.ID)
			}
			if handled, err := core.Press(s, c.ID); c.Kind == wire.Button && (!handled || err != nil) {
				t.Errorf("%s: handled %v, error %v", c.ID, handled, err)
			}
		}
	}
	for _, name := range formula.Functions() {
		if c := p.Groups[0].Controls[1]; c.ID != "force" || !strings.Contains(c.Hint, name) {
			t.Errorf("the hint of %s does not name %s: %s", c.ID, name, c.Hint)
		}
	}
	for _, text := range []string{p.Tagline, p.Picture, p.Drop, p.Hints["open"], p.Hints["observable"], p.Hints["play"], p.Hints["step"], p.Hints["restart"], p.Hints["at"], p.Hints["speed"]} {
		if text == "" {
			t.Error("something is not explained")
		}
	}
	for _, text := range append(slices.Clone(p.Try), p.Hints["observable"], p.Hints["open"]) {
		if strings.Contains(text, " law") || strings.Contains(text, "foretell") {
			t.Errorf("%q", text)
		}
	}
}

func TestFrameDoesNotAllocate(t *testing.T) {
	s := newStage(t)
	s.seek(5)
	var f system.Frame
	picture := s.picture()
	s.Shown(&f)
	if v := testing.AllocsPerRun(20, func() {
		picture.Begin("particles")
		s.Put(picture)
		s.Shown(&f)
		s.Run()
		s.Player().Next()
	}); v != 0 {
		t.Errorf("%v allocations a frame", v)
	}
}
