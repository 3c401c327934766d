package lj

import (
	"slices"
	"strings"
	"testing"
)

// TestLeft checks that exactly the Config.Left leftmost atoms become species 1. One case begins
// after a relaxation. The other begins on the initial lattice, where atoms of one column have equal
// x.
func TestLeft(t *testing.T) {
	for _, relaxation := range []int{0, 40} {
		for _, left := range []int{1, 40, 41, 80} {
			cfg := small()
			cfg.Relaxation, cfg.Left = relaxation, left
			s := start(t, cfg, 3)
			if err := s.Relax(); err != nil {
				t.Fatal(err)
			}
			state := save(s)
			order := make([]int, len(state.X))
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(i, j int) int {
				switch {
				case state.X[i] < state.X[j]:
					return -1
				case state.X[i] > state.X[j]:
					return 1
				}
				return 0
			})
			for k, atom := range order {
				if want := uint8(1 + min(1, k/left)); state.Species[atom] != want {
					t.Fatalf("relaxation %d, left %d: atom %d, number %d from the left, is of species %d, want %d",
						relaxation, left, atom, k, state.Species[atom], want)
				}
			}
		}
	}
}

// TestLeftIsABoundary checks that Config.Left and a boundary that separates the same atoms give
// the same run.
func TestLeftIsABoundary(t *testing.T) {
	cfg := small()
	cfg.Left = 41
	s := start(t, cfg, 3)
	if err := s.Relax(); err != nil {
		t.Fatal(err)
	}
	x := slices.Sorted(slices.Values(save(s).X))
	cfg.Left, cfg.Boundary = 0, (x[40]+x[41])/2
	plain := start(t, cfg, 3)
	run(t, plain, 40+20)
	run(t, s, 20)
	a, b := save(s), save(plain)
	if !slices.Equal(a.X, b.X) || !slices.Equal(a.Species, b.Species) {
		t.Error("the runs differ")
	}
}

func TestLeftIsValidated(t *testing.T) {
	for _, left := range []int{-1, 81, 100} {
		cfg := small()
		cfg.Left = left
		if err := cfg.Validate(); err == nil || !strings.Contains(err.Error(), "choose 1 to 80") {
			t.Errorf("left %d: %v", left, err)
		}
	}
	cfg := small()
	cfg.Left = 41
	s := start(t, cfg, 3)
	if err := s.Relax(); err != nil {
		t.Fatal(err)
	}
	cfg.Left = 40
	if err := s.Retune(cfg); err == nil {
		t.Error("Left is changed while the species mix")
	}
}
