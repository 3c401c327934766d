package line

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/system"
	"macroscope/model/system/core"
	"macroscope/model/wire"
	"macroscope/sim/gauss"
	"macroscope/sim/rng"
)

func live(t *testing.T) *Live {
	t.Helper()
	l := newLive()
	if err := l.Generate(); err != nil {
		t.Fatal(err)
	}
	return l
}

func set(t *testing.T, l *Live, name, value string) {
	t.Helper()
	if err := l.Set(name, value); err != nil {
		t.Fatal(err)
	}
}

func do(t *testing.T, handled bool, err error) {
	t.Helper()
	if !handled || err != nil {
		t.Fatalf("handled %v, error %v", handled, err)
	}
}

func own(l *Live, note string, values ...float32) {
	l.Record(&system.Trajectory{Points: values}, note)
}

// TestShowsTheSet checks that the settings' seed and index determine the displayed set, and
// that the frame has the density of the set's mixture.
func TestShowsTheSet(t *testing.T) {
	l := live(t)
	set(t, l, "seed", "5")
	set(t, l, "set", "2")
	set(t, l, "n", "50")
	m := gauss.Draw(rng.New(5, "demo shown mixtures", 2).Rand)
	want := make([]float32, 50)
	m.Sample(want, rng.New(5, "demo shown particles", 2).Rand)
	var f wire.Frame
	f.Begin(Lab)
	l.Put(&f)
	if !slices.Equal(f.Numbers("x"), want) || f.On("ownData") || !slices.Equal(f.Numbers("unit"), []float32{0, 1}) {
		t.Error("another set is on show")
	}
	mix := f.Numbers("mixture")
	sum := 0.0
	for _, v := range mix {
		sum += float64(v) * (viewHigh - viewLow) / (gridPoints - 1)
	}
	if len(mix) != gridPoints || math.Abs(sum-1) > 1e-3 || mix[0] != float32(m.Density(float64(float32(viewLow)))) {
		t.Errorf("a mixture of %d points integrates to %g", len(mix), sum)
	}
	var shown system.Frame
	if places := l.Shown(&shown); !slices.Equal(shown.Points, want) || len(places) != 50 || places[49] != 49 {
		t.Error("another frame is on show")
	}
	r := l.Run()
	if r.Particles != 50 || r.Lo[0] != -1.8 || r.Hi[0] != 1.8 || r.Blank || r.Note != "" {
		t.Errorf("run %+v", r)
	}
	if got := l.Summary(system.Prediction{}); got != "A set of **50** particles from the [dotted mixture|mixture]" {
		t.Errorf("summary %q", got)
	}
	if handled, err := core.Press(l, "another"); !handled || err != nil || l.settings.Set != 3 {
		t.Errorf("another set is number %d", l.settings.Set)
	}
	generation := l.Run().Generation
	do2, err := l.Press("newseed")
	do(t, do2, err)
	if want := rng.New(5, "demo next seed").Uint64() % 1_000_000; l.settings.Seed != want || l.Run().Generation == generation {
		t.Errorf("the next seed is %d, want %d", l.settings.Seed, want)
	}
	if v := testing.AllocsPerRun(10, func() {
		f.Begin(Lab)
		l.Put(&f)
		l.Shown(&shown)
		l.Run()
	}); v != 0 {
		t.Errorf("%v allocations a frame", v)
	}
}

// TestWanders plays the moving mixture. After four seconds it must have reached the mixture of
// the next set, without a jump.
func TestWanders(t *testing.T) {
	l := live(t)
	at := time.Unix(0, 0)
	now := func() time.Time { return at }
	look := func() {
		at = at.Add(20 * time.Millisecond)
		if _, err := l.Player().Advance(now, 1, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	start := slices.Clone(l.Frames.Points)
	look()
	if l.Player().Playing() || !slices.Equal(l.Frames.Points, start) {
		t.Fatal("it moves before it is asked to")
	}
	set(t, l, "drift", "on")
	if l.settings.Drift != true || !l.Player().Playing() {
		t.Fatal("it does not play")
	}
	before := slices.Clone(l.Frames.Points)
	for range 201 {
		look()
		for i, x := range l.Frames.Points {
			if math.Abs(float64(x-before[i])) > 0.05 {
				t.Fatalf("particle %d jumped from %g to %g in 20 ms", i, before[i], x)
			}
		}
		copy(before, l.Frames.Points)
	}
	if l.step < stepsToNext-1 || l.step > stepsToNext+1 {
		t.Errorf("step %d after four seconds", l.step)
	}
	want := make([]float32, 200)
	next := gauss.Draw(rng.New(1, "demo shown mixtures", 1).Rand)
	next.Sample(want, rng.New(1, "demo shown particles", 0).Rand)
	var f system.Frame
	if l.Frame(&f, stepsToNext); !slices.Equal(f.Points, want) {
		t.Error("after four seconds the mixture is not the next of the stream")
	}
	here := slices.Clone(l.Frames.Points)
	set(t, l, "drift", "off")
	look()
	if l.Player().Busy() || !slices.Equal(l.Frames.Points, here) {
		t.Error("it goes on, or has gone elsewhere to stop")
	}
	if err := l.Player().Play(); err != nil { // a direct call, because the page has no button for playing
		t.Fatal(err)
	}
	l.Player().Advance(now, 1, time.Second)
	if l.Player().Busy() || !slices.Equal(l.Frames.Points, here) {
		t.Error("a set that does not wander plays")
	}
	set(t, l, "drift", "on")
	own(l, "a.csv", 0, 1)
	if l.settings.Drift || l.Player().Busy() {
		t.Error("own data wander")
	}
	set(t, l, "drift", "on")
	if l.Recorded() || !l.Player().Playing() {
		t.Error("wandering does not bring a mixture back")
	}
	if err := l.Generate(); err != nil || !l.Player().Playing() || l.step != 0 || !slices.Equal(l.Frames.Points, start) {
		t.Error("the run of a link that wanders does not begin at its set")
	}
}

func TestOwnParticles(t *testing.T) {
	l := live(t)
	own(l, "a.csv", 0.5, -0.25, 1)
	var f wire.Frame
	f.Begin(Lab)
	l.Put(&f)
	if !l.Recorded() || !f.On("ownData") || !slices.Equal(f.Numbers("x"), []float32{0.5, -0.25, 1}) || len(f.Numbers("mixture")) != 0 {
		t.Errorf("the frame shows %v", f.Numbers("x"))
	}
	if got := l.Summary(system.Prediction{}); got != "A set of **3** particles **of your own** (a.csv)" {
		t.Errorf("summary %q", got)
	}
	handled, err := l.Edit(wire.Add, "-0.75")
	do(t, handled, err)
	handled, err = l.Edit(wire.Remove, "0.9")
	do(t, handled, err)
	if !slices.Equal(l.Frames.Points, []float32{0.5, -0.25, -0.75}) || l.About.Note != "a.csv" {
		t.Errorf("edited to %v", l.Frames.Points)
	}
	for _, name := range []string{"n", "seed"} {
		if set(t, l, name, "77"); !l.Recorded() || len(l.Frames.Points) != 3 {
			t.Errorf("%s took own particles away", name)
		}
	}
	set(t, l, "position", "0.1")
	values := map[string]string{}
	if l.Values(values); values["position"] != "0.1" || values["n"] != "3" {
		t.Errorf("values %v", values)
	}
	handled, err = l.Press("add")
	do(t, handled, err)
	handled, err = l.Press("remove")
	do(t, handled, err)
	if !slices.Equal(l.Frames.Points, []float32{0.5, -0.25, -0.75}) {
		t.Errorf("the buttons led to %v", l.Frames.Points)
	}
	handled, err = core.Press(l, "another")
	do(t, handled, err)
	if l.Recorded() || len(l.Frames.Points) != 77 || l.About.Note != "" {
		t.Error("another set did not bring generated particles back")
	}
	handled, err = l.Edit(wire.Add, "0")
	do(t, handled, err)
	if !l.Recorded() || l.About.Note != "edited" || len(l.Frames.Points) != 78 || l.Frames.Points[77] != 0 {
		t.Error("an edited set is not the user's own")
	}
}

// TestScalesFarData checks that numbers far outside the range of training are shifted and scaled
// into it.
func TestScalesFarData(t *testing.T) {
	for _, tc := range []struct {
		values, points []float32
		unit           unit
	}{
		{[]float32{-1.5, 1.5}, []float32{-1.5, 1.5}, unit{0, 1}},
		{[]float32{100, 200, 300}, []float32{-1, 0, 1}, unit{200, 100}},
		{[]float32{7, 7}, []float32{0, 0}, unit{7, 1}},
		{[]float32{0, 2}, []float32{-1, 1}, unit{1, 1}},
		{[]float32{-3e38, 3e38}, []float32{-1, 1}, unit{0, 3e38}},
	} {
		l := live(t)
		own(l, "far.csv", tc.values...)
		if l.unit != tc.unit || !slices.Equal(l.Frames.Points, tc.points) {
			t.Errorf("%v: unit %v and points %v, want %v and %v", tc.values, l.unit, l.Frames.Points, tc.unit, tc.points)
		}
	}
	rec, err := System().Open(file("far.csv", "100 200 300"), "")
	if err != nil || !strings.Contains(strings.Join(rec.Facts().Remarks, ""), "(x − 200)/100") {
		t.Errorf("error %v", err)
	}
	l := live(t)
	own(l, "far.csv", 100, 200, 300)
	handled, err := l.Edit(wire.Add, "250")
	do(t, handled, err)
	if l.Frames.Points[3] != 0.5 {
		t.Errorf("a particle at 250 is at %g", l.Frames.Points[3])
	}
	if _, err := l.Edit(wire.Add, "500"); err == nil || !strings.Contains(err.Error(), "20 to 380") {
		t.Errorf("error %v", err)
	}
	saved, note := l.Save()
	other := live(t)
	if err := other.Restore(saved, note); err != nil || !slices.Equal(other.Frames.Points, l.Frames.Points) || other.unit != l.unit || other.About.Note != "far.csv" {
		t.Errorf("restored %v in %v, error %v", other.Frames.Points, other.unit, err)
	}
}

func TestLiveRefuses(t *testing.T) {
	l := live(t)
	before, settings := slices.Clone(l.Frames.Points), l.settings
	for _, c := range [][2]string{
		{"n", "many"}, {"n", "9"}, {"n", "5001"}, {"seed", "-1"}, {"set", "-1"}, {"set", "1000001"}, {"drift", "yes"}, {"colour", "1"}, {"position", "NaN"}, {"position", "x"},
	} {
		if err := l.Set(c[0], c[1]); err == nil || len(err.Error()) < 20 {
			t.Errorf("%s = %s: error %v", c[0], c[1], err)
		}
	}
	for _, c := range [][2]string{{wire.Add, "NaN"}, {wire.Add, "1e9"}, {wire.Add, "1.9"}, {wire.Remove, ""}} {
		if handled, err := l.Edit(c[0], c[1]); !handled || err == nil {
			t.Errorf("%s %s: error %v", c[0], c[1], err)
		}
	}
	if handled, _ := l.Edit("drag", "0 0"); handled {
		t.Error("a point on a line is dragged")
	}
	if handled, _ := l.Press("explode"); handled {
		t.Error("there is a button explode")
	}
	nan := float32(math.NaN())
	for _, p := range [][]float32{nil, {0, 1}, {nan, 0, 1}, {1, 0, 0}, {1, nan, 1}, {1, 0, -1}, make([]float32, MaxParticles+3)} {
		if l.Restore(p, "") == nil {
			t.Errorf("%d numbers are restored", len(p))
		}
	}
	if l.settings != settings || !slices.Equal(l.Frames.Points, before) || l.Recorded() {
		t.Error("what was refused has changed something")
	}
	for _, n := range []int{1, MaxParticles, MaxParticles + 1} {
		if err := l.Playable(system.Shape{Trajectories: 1, Frames: 1, Particles: n, Dim: 1}); (err != nil) != (n > MaxParticles) {
			t.Errorf("%d particles: error %v", n, err)
		}
	}
	own(l, "", 0)
	if _, err := l.Edit(wire.Remove, "0"); err == nil {
		t.Error("the last particle was removed")
	}
	own(l, "", make([]float32, MaxParticles)...)
	if _, err := l.Edit(wire.Add, "0"); err == nil {
		t.Error("there are too many particles")
	}
}

// TestPageNamesWhatThereIs checks that every setting has one control with a hint on the page,
// and that a link contains the settings.
func TestPageNamesWhatThereIs(t *testing.T) {
	l := live(t)
	names := map[string]bool{}
	for _, g := range l.Page().Groups {
		for _, c := range g.Controls {
			if l.Table.Find(c.ID) == nil {
				continue
			}
			if c.Hint == "" || names[c.ID] {
				t.Errorf("%s is no setting that can be shown", c.ID)
			}
			names[c.ID] = true
		}
	}
	if len(names) != len(l.Table) {
		t.Errorf("%d of %d settings are on the page", len(names), len(l.Table))
	}
	link := map[string]string{}
	if l.Table.Write(link, ""); len(link) != 3 || link["n"] != "200" || link["seed"] != "1" || link["set"] != "0" {
		t.Errorf("a link says %v", link)
	}
}
