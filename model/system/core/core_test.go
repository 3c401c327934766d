package core

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// alone is a minimal System with a page and without a model.
func alone() *system.System {
	return &system.System{Traits: system.Traits{Name: "alone", Dim: 2}, Live: func() system.Live { return &still{New(alone(), nil, Kind{Max: 1, Called: "particles"})} }}
}

// still is a minimal Live with a run of one frame.
type still struct{ Core }

func (s *still) Page() *system.Page               { return &system.Page{} }
func (s *still) Set(name, value string) error     { return s.Settings().Set(name, value) }
func (s *still) Generate() error                  { s.Simulate(nowhere{}, 1, 1, system.Run{Particles: 1}); return nil }
func (s *still) Put(f *wire.Frame)                {}
func (s *still) Summary(system.Prediction) string { return "It stands still." }

// nowhere is a Simulation of a particle at rest.
type nowhere struct{}

func (nowhere) Index() int                          { return 0 }
func (nowhere) Step() error                         { return nil }
func (nowhere) Frame(points []float32, _ []float64) { copy(points, []float32{1, 2}) }

// TestCore checks the defaults of Core, and a System that is only played.
func TestCore(t *testing.T) {
	sys := alone()
	if _, err := sys.Open(system.File{}, ""); err == nil {
		t.Error("a file is opened")
	}
	if err := sys.Finish(&system.Trajectory{}, 2, ""); err == nil {
		t.Error("macroscopic variables are computed")
	}
	if sys.Variables("") != nil || sys.Variables("speed") != nil || !sys.Keep.Has(7) {
		t.Error("there is something to learn from")
	}
	var f system.Frame
	sys.Frame(&f, &system.Trajectory{Points: []float32{0, 1, 2, 3, 4, 5, 6, 7}, Species: []uint8{1, 1}}, 1, 2)
	if !slices.Equal(f.Points, []float32{4, 5, 6, 7}) || !slices.Equal(f.Ends, []int{2}) {
		t.Errorf("frame 1 is %v", f)
	}

	l := sys.Live()
	if err := l.Check(); err != nil {
		t.Error(err)
	}
	if what, _ := l.Preparing(); what != "" || l.Recorded() || l.Foreign(true) != "" {
		t.Error("the run is prepared, recorded or foreign")
	}
	if handled, err := l.Edit("move", "1"); handled || err != nil {
		t.Errorf("a command is handled: %v, %v", handled, err)
	}
	if handled, err := Press(l, "another"); handled || err != nil {
		t.Errorf("a button is handled: %v, %v", handled, err)
	}
	positions, note := l.Save()
	if err := l.Restore(positions, note); err != nil || positions != nil || note != "" {
		t.Errorf("%v, %q, %v", positions, note, err)
	}
	if err := l.Restore([]float32{1, 2}, ""); err == nil {
		t.Error("positions are restored")
	}
}

// counting is a Simulation of one particle. Its position and its variable are the number of
// steps.
type counting struct{ at int }

func (c *counting) Index() int  { return c.at }
func (c *counting) Step() error { c.at++; return nil }
func (c *counting) Frame(points []float32, macro []float64) {
	points[0], points[1], macro[0] = float32(c.at), 0, float64(c.at)
}

// TestRunOfACore first plays a simulated run with several pieces of work per frame. It then plays a
// recording. A later simulated run must not change the recording.
func TestRunOfACore(t *testing.T) {
	set := 7
	table := setting.Table{{Name: "set", What: "the set", Value: &set, High: 10}}
	l := &still{New(alone(), table, Kind{Max: 3, Called: "dots"})}
	if l.Begun() || l.Run().Known != 0 {
		t.Error("there is a run before the first")
	}
	about := system.Run{Particles: 1, Horizon: 4, Dt: 0.5, Variables: []string{"steps"}}
	l.Simulate(&counting{}, 10, 4, about)
	if err := l.Player().Seek(4); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	for turns := 0; l.Player().Busy(); turns++ {
		if _, err := l.Player().Advance(func() time.Time { return now }, 1, 0); err != nil || turns > 12 {
			t.Fatalf("turn %d: %v", turns, err)
		}
	}
	r := *l.Run()
	if r.Known != 4 || r.Particles != 1 || r.Dt != 0.5 || l.Time() != 2 || !slices.Equal(l.Frames.Macro, []float64{0, 10, 20, 30, 40}) || l.Points(3)[0] != 30 || l.Macro(2)[0] != 20 {
		t.Errorf("the run %+v has %v", r, l.Frames)
	}
	if points, _ := l.Keep(2); len(points) != 2 || len(l.Frames.Macro) != 3 {
		t.Errorf("after frame 2 there are %v", l.Frames)
	}

	recorded := &system.Trajectory{Points: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, Species: []uint8{1}, Macro: []float64{5, 6, 7, 8, 9}} // as long as the run after it
	kept := recorded.Clone()
	l.Edited = []float32{1, 1}
	l.Replay(recorded, 30, system.Run{Note: "mine", Variables: []string{"steps"}})
	if r := l.Run(); r.Known != 4 || r.Particles != 1 || r.Note != "mine" || !l.Recorded() || !slices.Equal(l.Idle(), []string{"set"}) || l.Edited != nil {
		t.Errorf("the recording is %+v", r)
	}
	was := l.Run().Generation
	l.Simulate(&counting{}, 1, 1, about)
	l.Player().Next()
	if !reflect.DeepEqual(recorded, kept) || l.Run().Generation == was || l.Recorded() || l.Idle() != nil {
		t.Error("the recording goes on")
	}

	if handled, err := Press(l, "another"); err != nil || !handled || set != 8 {
		t.Errorf("set %d, %v", set, err)
	}
	if handled, err := Press(l, "another"); err != nil || !handled || set != 9 {
		t.Errorf("set %d, %v", set, err)
	}
	if handled, err := Press(l, "another"); err != nil || !handled || set != 0 {
		t.Errorf("set %d, %v", set, err)
	}
	for says, s := range map[string]system.Shape{
		"3 coordinates": {Trajectories: 1, Frames: 2, Particles: 1, Dim: 3}, "4 dots": {Trajectories: 1, Frames: 2, Particles: 4, Dim: 2}, "take at most": {Trajectories: 1, Frames: 16 << 20, Particles: 2, Dim: 2},
	} {
		if err := l.Playable(s); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%+v: error %v, want one that says %q", s, err, says)
		}
	}
	many := New(&system.System{Traits: system.Traits{Dim: 4}}, nil, Kind{Max: 3})
	if err := many.Playable(system.Shape{Trajectories: 1, Frames: 2, Particles: 1, Dim: 2}); err == nil || !strings.Contains(err.Error(), "those with 4;") {
		t.Errorf("a page of four coordinates: %v", err)
	}
	if l.Restorable([]float32{1, 2}, 1) != nil || l.Restorable([]float32{1, 2}, 2) == nil || l.Restorable([]float32{1, float32(math.NaN())}, 1) == nil {
		t.Error("other positions can be restored")
	}
}
