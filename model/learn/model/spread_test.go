package model

import "testing"

func TestAgainst(t *testing.T) {
	a := Spread{3, 10, 3}
	for _, tc := range []struct {
		name string
		b    Spread
		want Order
	}{
		{"equal, within √(3² + 4²)", Spread{3, 14.9, 4}, Equal},
		{"better", Spread{3, 15, 4}, Better},
		{"worse", Spread{2, 5, 4}, Worse},
		{"unknown, a single training", Spread{1, 100, 0}, Unknown},
		{"unknown, no training", Spread{}, Unknown},
	} {
		opposite := map[Order]Order{Equal: Equal, Better: Worse, Worse: Better, Unknown: Unknown}
		if got, back := a.Against(tc.b), tc.b.Against(a); got != tc.want || back != opposite[tc.want] {
			t.Errorf("%s: %d, and %d the other way round, want %d", tc.name, got, back, tc.want)
		}
	}
}
