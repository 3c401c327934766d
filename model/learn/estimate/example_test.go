package estimate_test

import (
	"fmt"
	"time"

	"macroscope/model/learn/estimate"
	"macroscope/model/work"
)

// A job of ten units is tried, and then takes twice as long as in the trial.
func Example() {
	clock := time.Unix(0, 0)
	unit := func(secs float64) { clock = clock.Add(time.Duration(1e9 * secs)) }
	done := 0.0
	e := estimate.New([]estimate.Work{{
		Secs:   1,
		Amount: func() (float64, float64) { return done, 10 },
		Wall:   func(secs float64) float64 { return secs },
		Try:    func(work.Pause) error { unit(3); return nil },
	}}, func() time.Time { return clock })
	for e.Try() {
	}
	fmt.Printf("%.1f s at the usual share of the worker's time\n", e.Left())
	for e.Look(clock, false); done < 5; e.Look(clock, false) {
		unit(6)
		done++
	}
	fmt.Printf("%.0f %% are done, %.1f s are left\n", 100*e.Share(), e.Left())
	// Output:
	// 37.5 s at the usual share of the worker's time
	// 50 % are done, 30.0 s are left
}
