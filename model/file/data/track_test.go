package data

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestReadTrack(t *testing.T) {
	two := Track{Frames: 2, Particles: 3, Dim: 2, Timed: true, Positions: []float32{1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16}}
	typed := two
	typed.Types = []int64{1, 2, 1}
	one := Track{Frames: 1, Particles: 3, Dim: 2, Positions: []float32{1, 2, 3, 4, 5, 6}}
	for _, tc := range []struct {
		name, text string
		want       Track
	}{
		{"two columns", "1 2\n3 4\n5 6\n", one},
		{"other names", "\ufeffa,b\n1,2\n3,4\n5,6\n", one},
		{"y before x", "y,x\n2,1\n4,3\n6,5\n", one},
		{"an index", ",x,y\n0,1,2\n1,3,4\n2,5,6\n", one},
		{"frames in their order", "frame,x,y\n0,1,2\n0,3,4\n0,5,6\n1,11,12\n1,13,14\n1,15,16\n", two},
		{"frames by time", "x;y;Time\n11;12;0.5\n13;14;0.5\n15;16;0.5\n1;2;-3\n3;4;-3\n5;6;-3\n", two},
		{"particles in any order", "step,id,type,x,y\n10,7,2,3,4\n10,2,1,1,2\n10,9,1,5,6\n20,9,1,15,16\n20,7,2,13,14\n20,2,1,11,12\n", typed},
	} {
		got, err := ReadTrack([]byte(tc.text), nil)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
		} else if !reflect.DeepEqual(*got, tc.want) {
			t.Errorf("%s: %+v, want %+v", tc.name, *got, tc.want)
		}
	}
}

// TestReadTrackPauses reads unordered rows. Both the reading and the sorting must pause every few
// thousand numbers. The reported share of the work must never fall.
func TestReadTrackPauses(t *testing.T) {
	const rows = 8 * pauseEvery
	var text strings.Builder
	text.WriteString("frame,x\n")
	for i := range rows {
		fmt.Fprintf(&text, "%d,1\n", i*7919%rows)
	}
	reading, sorting, last := 0, 0, 0.0
	_, err := ReadTrack([]byte(text.String()), func(done float64) {
		if done < last || done > 1 {
			t.Fatalf("the share goes from %g to %g", last, done)
		}
		if last = done; done < 1 {
			reading++
		} else {
			sorting++
		}
	})
	if err != nil || reading < 2*rows/pauseEvery-1 || sorting < 3*rows/pauseEvery {
		t.Errorf("%d pauses while it is read, %d while it is sorted; %v", reading, sorting, err)
	}
}

func TestReadTrackRefuses(t *testing.T) {
	for _, tc := range []struct{ name, text, says string }{
		{"no coordinates", "frame,id\n0,1\n", "no column of coordinates"},
		{"two columns of one name", "frame,x,y,x\n0,1,2,3\n", "two columns have the name “x”"},
		{"velocities", "frame,x,y,vx\n0,1,2,3\n", "the column “vx” is none of frame, particle, type, x, y and z; leave it out"},
		{"two columns of frames", "frame,time,x\n0,1,2\n", "“frame” and “time” say the same"},
		{"another number of particles", "frame,x\n0,1\n0,2\n1,3\n", "3 rows, which are no frames of 2"},
		{"one more and one fewer", "frame,x\n0,1\n0,2\n1,3\n2,4\n2,5\n2,6\n", "frame 2 has another number of particles than the 2"},
		{"one fewer and one more", "frame,x\n0,1\n0,2\n1,3\n1,4\n1,5\n2,6\n", "frame 1 has another number"},
		{"a particle twice", "frame,id,x\n0,1,1\n0,1,2\n", "id 1 comes twice in one frame"},
		{"another particle", "frame,id,x\n0,1,1\n0,2,2\n1,1,1\n1,3,2\n", "id 3 is not in every frame"},
		{"a missing frame", "time,x\n0.03,1\n0.07,2\n0.1,3\n0.17,4\n", "time 0.17 comes 0.07 after 0.1"},
		{"unequal frames", "time,x\n0,1\n0.1,2\n0.3,3\n", "time 0.3 comes 0.2 after 0.1, and the first two are 0.1 apart; keep frames at equal distances"},
		{"half a type", "type,x\n1.5,2\n", "the type 1.5 is not a whole number"},
		{"another type", "frame,id,type,x\n0,1,1,1\n1,1,2,1\n", "a particle of type 1 becomes type 2 later"},
		{"too large a number", "x\n1e300\n", "1e+300 is not a finite number in single precision"},
		{"a first line that is not all numbers", "1.5e,2\n1,2\n", "line 1, column 1"},
		{"too much", strings.Repeat(" ", MaxFileBytes+1), "over the limit of 16 MB"},
	} {
		if got, err := ReadTrack([]byte(tc.text), nil); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: error %v, track %+v, want %q", tc.name, err, got, tc.says)
		}
	}
}

func FuzzReadTrack(f *testing.F) {
	f.Add([]byte("step,id,type,x,y\n10,7,2,3,4\n10,2,1,1,2\n20,7,2,13,14\n20,2,1,11,12\n"))
	f.Add([]byte("x;y;Time\n11;12;0.5\n1;2;-3\n"))
	f.Add([]byte(",x,y\n0,1,2\n"))
	f.Add([]byte("\ufeff1 2\r3 4"))
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := ReadTrack(b, nil)
		if err != nil {
			checkSentence(t, err)
			return
		}
		if got.Frames < 1 || got.Particles < 1 || got.Dim < 1 || len(got.Positions) != got.Frames*got.Particles*got.Dim || got.Types != nil && len(got.Types) != got.Particles {
			t.Fatalf("impossible track %+v", got)
		}
		for i, v := range got.Positions {
			if v-v != 0 {
				t.Fatalf("coordinate %d is %v", i, v)
			}
		}
	})
}
