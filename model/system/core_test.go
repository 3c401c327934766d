package system

import (
	"slices"
	"testing"

	"macroscope/model/wire"
)

// alone is the least that a system needs which is played and not learned.
type alone struct{ Unlearned }

func (alone) Traits() Traits { return Traits{Name: "alone", Dim: 2} }
func (alone) Live() Live     { return &still{NewCore(alone{}, nil, Kind{Max: 1, Called: "particles"})} }

// still is the least that is played: a run of one frame.
type still struct{ Core }

func (s *still) Page() *Page                  { return &Page{} }
func (s *still) Set(name, value string) error { return s.Settings().Set(name, value) }
func (s *still) Generate() error              { s.Simulate(nowhere{}, 1, 1, Run{Particles: 1}); return nil }
func (s *still) Put(f *wire.Frame)            {}
func (s *still) Summary(Prediction) string    { return "It stands still." }

// nowhere is a particle that stays where it is.
type nowhere struct{}

func (nowhere) Index() int                          { return 0 }
func (nowhere) Step() error                         { return nil }
func (nowhere) Frame(points []float32, _ []float64) { copy(points, []float32{1, 2}) }

// TestCore wants what Core and Unlearned add to be harmless.
func TestCore(t *testing.T) {
	var sys System = alone{}
	if _, err := sys.Open(File{}, ""); err == nil {
		t.Error("a file is opened")
	}
	if err := sys.Finish(&Trajectory{}, 2, ""); err == nil {
		t.Error("macroscopic variables are computed")
	}
	if sys.Simulated(Choice{}) != nil || sys.Tests(0) != nil || sys.Variables("") != nil || !sys.KeepFrame(7) {
		t.Error("there is something to learn from")
	}
	var f Frame
	sys.Frame(&f, &Trajectory{Points: []float32{0, 1, 2, 3, 4, 5, 6, 7}, Species: []uint8{1, 1}}, 1, 2)
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
	if handled, err := l.Press("another"); handled || err != nil {
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
