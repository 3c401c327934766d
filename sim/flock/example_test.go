package flock_test

import (
	"fmt"
	"log"

	"macroscope/sim/flock"
)

func Example() {
	for _, eta := range []float64{0.1, 0.9} {
		cfg := flock.Default()
		cfg.Noise = eta
		s, err := flock.New(cfg, 1, 0)
		if err != nil {
			log.Fatal(err)
		}
		for range 500 {
			s.Step()
		}
		fmt.Printf("η = %.1f: polarisation %.2f\n", eta, s.Polarisation())
	}
	// Output:
	// η = 0.1: polarisation 0.98
	// η = 0.9: polarisation 0.02
}
