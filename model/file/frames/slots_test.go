package frames

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"macroscope/sim/rng"
)

// TestArrange checks that ids are sorted, near each other or not.
func TestArrange(t *testing.T) {
	src := rng.New(1, "test of ids")
	near := make([]int64, 200)
	for i, k := range src.Perm(len(near)) {
		near[i] = int64(3*k - 100)
	}
	var s sorted
	for _, ids := range [][]int64{near, {5, math.MinInt64, math.MaxInt64, 0}, {7, 7, 6}, {3}} {
		var want []numbered
		for i, id := range ids {
			want = append(want, numbered{id, i})
		}
		slices.SortStableFunc(want, func(a, b numbered) int { return cmp.Compare(a.id, b.id) })
		if s.arrange(ids); !slices.Equal(s.order, want) {
			t.Errorf("%v are arranged as %v", ids, s.order)
		}
	}
}
