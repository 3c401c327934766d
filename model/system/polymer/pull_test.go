package polymer

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// TestPull pulls beads of a chain that has been played. Each pull must begin a new run with the
// same bond lengths and the bead at its new place.
func TestPull(t *testing.T) {
	l := played(t, 7, "n", "40", "start", "coil")
	for _, p := range []struct{ bead, x, y float64 }{{0, -12, 3}, {39, 12, 3}, {20, 0, -8}, {20, 0, -8}} {
		was := l.Run().Generation
		if handled, err := l.Edit(pullCommand, fmt.Sprint(p.bead, p.x, p.y)); !handled || err != nil {
			t.Fatal(handled, err)
		}
		x := l.Points(0)
		if l.Run().Generation == was || l.Player().Now() != 0 || l.Run().Known != 0 || l.Run().Note != pulledNote {
			t.Errorf("frame %d of %d of run %d, %q", l.Player().Now(), l.Run().Known, l.Run().Generation, l.Run().Note)
		}
		for i := range 39 {
			var d [dim]float64
			for axis := range d {
				d[axis] = float64(x[dim*i+dim+axis] - x[dim*i+axis])
			}
			if length := math.Hypot(math.Hypot(d[0], d[1]), d[2]); math.Abs(length-1) > 1e-4 {
				t.Fatalf("bond %d is %g long", i, length)
			}
		}
	}
	if e := l.Macro(0)[0]; e < 15 { // the ends were pulled apart
		t.Errorf("it is %g long", e)
	}

	// A saved state contains the pulled chain. A change of the flow keeps the chain; a change
	// of the start discards it.
	saved, note := l.Save()
	other := played(t, 0, "n", "40")
	if err := other.Restore(saved, note); err != nil || !slices.Equal(other.Points(0), l.Points(0)) || other.Player().Busy() {
		t.Error("not the same chain in another session: ", err)
	}
	if err := l.Set("rate", "0.05"); err != nil || !slices.Equal(l.Points(0), other.Points(0)) {
		t.Error("another flow takes another chain: ", err)
	}
	if b, err := Realise(l.Texts(), l.Start(), 0, 1); err != nil || !slices.Equal(b.Chains[0].At(0)[:2], l.Places()[:2]) {
		t.Error("a realisation begins elsewhere: ", err)
	}
	if c, err := l.Counterpart(); err != nil || !slices.Equal(c.Points(0), l.Points(0)) || c.Called() != "other kicks" {
		t.Error("the counterpart begins elsewhere: ", err)
	}
	if err := l.Set("seed", "9"); err != nil || slices.Equal(l.Points(0), other.Points(0)) || l.Run().Note != "" {
		t.Error("another seed keeps the chain: ", err)
	}
	if saved, _ := l.Save(); saved != nil {
		t.Error("what was not pulled is saved")
	}
}

// TestPulledOnItself pulls a bead onto its neighbour, and checks that invalid places are
// rejected.
func TestPulledOnItself(t *testing.T) {
	l := played(t, 0, "n", "10", "start", "strand")
	x := l.Places()
	if _, err := l.Edit(pullCommand, fmt.Sprint(4, x[10], x[11])); err != nil {
		t.Error(err)
	}
	generation := l.Run().Generation
	for _, value := range []string{"", "0 1", "-1 0 0", "10 0 0", "0.5 0 0", "0 NaN 0", "0 1e9 0", "0 0 0 0", "x 0 0"} {
		if handled, err := l.Edit(pullCommand, value); !handled || err == nil {
			t.Errorf("a bead is pulled to %q", value)
		}
	}
	if handled, _ := l.Edit("add", "0 0"); handled || l.Run().Generation != generation {
		t.Error("a bead is added")
	}
	for _, positions := range [][]float32{{1, 2, 3}, slices.Repeat([]float32{float32(math.NaN())}, 30), make([]float32, 30)} {
		if l.Restore(positions, "x") == nil {
			t.Errorf("%d numbers are a chain", len(positions))
		}
	}
	if l.Run().Generation != generation {
		t.Error("what was refused has begun a run")
	}
}
