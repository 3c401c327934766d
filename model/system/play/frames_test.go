package play

import (
	"errors"
	"testing"
)

// TestFrames plays frames back and forth, including frames made before. Each frame is made
// once, and a frame that fails is not shown.
func TestFrames(t *testing.T) {
	made := 0
	broken := errors.New("broken")
	f := &Frames{Last: 4, Made: 1, PerSecond: 30, Pieces: 1, Make: func(int) error {
		if made == 2 {
			return broken
		}
		made++
		return nil
	}}
	for k := 1; k <= 3; k++ {
		if err := f.Forward(); err != nil {
			t.Fatal(err)
		}
		if at, between := f.At(); at != k || between || f.Known() != max(1, k) || made != k-1 {
			t.Errorf("after %d steps: at %d, between %v, known %d, %d made", k, at, between, f.Known(), made)
		}
	}
	if err := f.Forward(); !errors.Is(err, broken) || f.Shown != 3 || f.Made != 3 {
		t.Errorf("error %v, at frame %d of %d", err, f.Shown, f.Made)
	}
	for _, k := range []int{0, 3} {
		if err := f.Show(k); err != nil || f.Shown != k {
			t.Errorf("shows %d for %d, %v", f.Shown, k, err)
		}
	}
	for _, k := range []int{-1, 4} {
		if err := f.Show(k); err == nil || f.Shown != 3 {
			t.Errorf("shows frame %d, which there is not", k)
		}
	}
	if f.Horizon() != 4 {
		t.Errorf("the horizon is %d", f.Horizon())
	}
	if perSecond, burst := f.Pace(); perSecond != 30 || burst != 1 {
		t.Errorf("%g frames a second, in bursts of %d", perSecond, burst)
	}
}

// TestPieces makes frames in pieces. Between two pieces the last frame stays displayed. Playing an
// existing frame takes the same number of pieces, but does not make the frame again.
func TestPieces(t *testing.T) {
	var made []int
	f := &Frames{Last: 2, PerSecond: 30, Pieces: 3, Make: func(piece int) error {
		made = append(made, piece)
		return nil
	}}
	for range 2 {
		for piece := range 3 {
			if err := f.Forward(); err != nil {
				t.Fatal(err)
			}
			if at, between := f.At(); at != (piece+1)/3 || between != (piece < 2) || f.Known() != max(f.Made, at) {
				t.Errorf("after piece %d: at %d, between %v, known %d", piece, at, between, f.Known())
			}
		}
		if f.Made != 1 || len(made) != 3 {
			t.Errorf("%d frames of the pieces %v", f.Made, made)
		}
		if err := f.Show(0); err != nil {
			t.Fatal(err)
		}
	}
	if perSecond, _ := f.Pace(); perSecond != 90 {
		t.Errorf("%g pieces a second", perSecond)
	}
}
