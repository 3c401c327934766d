package polymer_test

import (
	"context"
	"fmt"

	"macroscope/sim/polymer"
)

// In this flow the chain, which is initially at rest, would unfold within about 5000 τ_d.
func Example() {
	cfg := polymer.Default()
	s, err := polymer.New(cfg, polymer.Chain{Key: polymer.NewKey(1, 0), Positions: polymer.InitialPositions(cfg, 1, 0)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		fmt.Printf("after %4g τ_d it extends by %.2f\n", float64(s.Index(0))*cfg.Dt, s.Extension(0))
		if err := s.Advance(context.Background(), 1000); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output:
	// after    0 τ_d it extends by 21.07
	// after    2 τ_d it extends by 21.01
	// after    4 τ_d it extends by 21.79
}
