package lj_test

import (
	"context"
	"fmt"
	"log"

	"macroscope/sim/lj"
)

func Example() {
	cfg := lj.Default()
	cfg.Steps, cfg.Every = 8000, 200 // the paper has 100 000 steps
	s, err := lj.Start(cfg, 1, 0)
	if err != nil {
		log.Fatal(err)
	}
	run := lj.NewTrajectory(cfg)
	if err := s.Record(context.Background(), run); err != nil {
		log.Fatal(err)
	}
	first, last := run.Ratios[:2], run.Ratios[len(run.Ratios)-2:]
	fmt.Printf("%d atoms, %d frames; R_AB rises: %t, R_BA rises: %t\n",
		s.N(), cfg.Frames(), last[0] > first[0], last[1] > first[1])
	// Output: 529 atoms, 41 frames; R_AB rises: true, R_BA rises: true
}
