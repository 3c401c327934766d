package rng

import (
	"fmt"
	"testing"
)

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for seed := range uint64(20) {
		for _, name := range []string{"sets", "samples", "weights"} {
			for i := range uint64(20) {
				for j := range uint64(5) {
					v := New(seed, name, i, j).Uint64()
					at := fmt.Sprint(seed, name, i, j)
					if other, ok := seen[v]; ok {
						t.Fatalf("streams %s and %s begin alike", at, other)
					}
					seen[v] = at
				}
			}
		}
	}
}

func TestSeedRewindsWithoutAllocating(t *testing.T) {
	s := New(1, "sets", 3)
	want := [2]float64{s.NormFloat64(), s.NormFloat64()}
	n := testing.AllocsPerRun(10, func() {
		s.Seed(1, "sets", 3)
		if got := [2]float64{s.NormFloat64(), s.NormFloat64()}; got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations a rewind", n)
	}
}

// The first draws of a stream never change: links and checkpoints depend on them.
func ExampleNew() {
	s := New(1, "sets", 0)
	fmt.Println(s.Uint64(), s.IntN(100))
	// Output: 12788134576885709602 4
}
