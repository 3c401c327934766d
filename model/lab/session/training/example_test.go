package training_test

import (
	"fmt"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session/training"
)

// The configurations of the trainings that the button Train begins: under the lab's default
// settings, and under other settings.
func Example() {
	of := catalogue.Particles()
	settings := lab.Defaults(&of)
	for _, zdim := range []int{settings.ZDim, 2} {
		settings.ZDim, settings.Seed = zdim, 3
		given := &training.Given{Lab: &of, Set: &settings, Live: of.System.Live()}
		c, err := given.Config()
		fmt.Println(c.Spec, c.ZDim(), c.Seed, given.Recipe().ZDim, err)
	}
	// Output:
	// particles/flow@browser 8 3 8 <nil>
	// particles/flow@browser 2 3 2 <nil>
}
