package particle_test

import (
	"context"
	"fmt"
	"log"

	"macroscope/sim/particle"
)

func Example() {
	cfg := particle.Default()
	s, err := particle.New(context.Background(), cfg, particle.InitialPositions(cfg, 1, 0))
	if err != nil {
		log.Fatal(err)
	}
	run := particle.NewTrajectory(cfg)
	if err := s.Record(context.Background(), run); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d frames, energy per pair %.2f at first, %.4f at last\n",
		len(run.Energy), run.Energy[0], run.Energy[cfg.Steps])
	// Output: 301 frames, energy per pair 0.56 at first, 0.2286 at last
}
