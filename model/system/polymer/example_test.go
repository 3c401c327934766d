package polymer_test

import (
	"context"
	"fmt"

	"macroscope/model/system"
	"macroscope/model/system/polymer"
	"macroscope/model/work"
)

// A chain of 20 beads that unfolds, as labelled beads and as pixels.
func Example() {
	src := polymer.System().Simulated(system.Choice{Purpose: system.Train, Seed: 1, Count: 1, Particles: 20})
	err := system.Each(work.Until(context.Background()), src, 1, 1, func(_ int, t *system.Trajectory) error {
		last := t.Frames(1) - 1
		var beads, pixels system.Frame
		polymer.System().Frame(&beads, t, last, 3)
		polymer.FromVideo().Frame(&pixels, t, last, 3)
		fmt.Println(beads.Ends[0], "beads; more pixels:", pixels.Ends[0] > 100, "; unfolded:", t.Macro[0] < 12, t.Macro[last] > 12)
		return nil
	})
	fmt.Println(err)
	// Output:
	// 20 beads; more pixels: true ; unfolded: true true
	// <nil>
}
