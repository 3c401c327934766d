package plot

import (
	"math"
	"testing"
)

func TestBandCoverage(t *testing.T) {
	nan := float32(math.NaN())
	var b Batch
	// The first part is 10 wide and 5 high. The second part is 10 wide, and its height rises
	// from 5 to 15. The single point between two gaps has no area.
	low := []Point{{5, 30}, {15, 30}, {25, 35}, {nan, 0}, {30, 20}, {32, nan}, {35, 10}, {40, 10}}
	high := []Point{{5, 25}, {15, 25}, {25, 20}, {28, 3}, {30, 10}, {32, 3}, {35, 10}, {40, 10}}
	b.Band(low, high, white)
	// The rasteriser counts a pixel on a sloping edge fully or not at all.
	if got := total(raster(&b, 50, 40)); math.Abs(got-150) > 6 {
		t.Errorf("covers %v pixels, want 150", got)
	}
	b.Reset()
	b.Band(nil, nil, white)
	if len(b.Vertices) != 0 {
		t.Errorf("a band of nothing has %d vertices", len(b.Vertices))
	}
	defer func() {
		if recover() == nil {
			t.Error("a band with edges of different lengths was drawn")
		}
	}()
	b.Band(low[:2], high[:3], white)
}
