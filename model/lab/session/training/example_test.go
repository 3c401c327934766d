package training_test

import (
	"fmt"
	"time"

	"macroscope/model/lab"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session/training"
)

// What Train begins with under the settings that a lab opens with, and others.
func Example() {
	of := catalogue.Particles()
	settings := lab.Defaults(&of)
	p := training.Plan{Lab: &of, Settings: &settings, Live: of.System.Live(), Seed: 3, Now: time.Now}
	for _, zdim := range []int{settings.ZDim, 2} {
		settings.ZDim = zdim
		c, err := p.Config()
		fmt.Println(c.Spec, c.ZDim(), c.Seed, p.Recipe().ZDim, p.Ready(), err)
	}
	// Output:
	// particles/flow@browser 8 3 8 true <nil>
	// particles/flow@browser 2 3 2 true <nil>
}
