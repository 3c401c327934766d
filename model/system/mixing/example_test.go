package mixing_test

import (
	"context"
	"fmt"

	"macroscope/model/system"
	"macroscope/model/system/mixing"
	"macroscope/model/work"
)

// The first trajectory of training, cut to a few frames.
func Example() {
	src := mixing.System().Simulated(system.Choice{Purpose: system.Train, Seed: 1, Count: 1}).(*mixing.Simulated)
	src.Box.Steps = 2 * src.Box.Every
	err := system.Each(work.Until(context.Background()), src, 1, 1, func(_ int, t *system.Trajectory) error {
		var f system.Frame
		mixing.System().Frame(&f, t, 0, 2)
		fmt.Println(len(f.Set(0, 2))/2+len(f.Set(1, 2))/2, "atoms,", t.Frames(2), "frames; R_AB rises:", t.At(2, 2)[0] > t.At(0, 2)[0])
		return nil
	})
	fmt.Println(err)
	// Output:
	// 529 atoms, 3 frames; R_AB rises: true
	// <nil>
}
