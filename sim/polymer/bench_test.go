package polymer

import (
	"fmt"
	"testing"
)

// BenchmarkStep times a step of one chain, and of Side() chains together. It reports the time
// per chain.
func BenchmarkStep(b *testing.B) {
	for _, bonds := range []Bonds{StiffRods, Rods} {
		for _, repulsion := range []float64{0, 200} {
			for _, chains := range []int{Side(), 1} {
				cfg := Default()
				cfg.Bonds, cfg.Repulsion = bonds, repulsion
				b.Run(fmt.Sprintf("bonds=%d/repulsion=%g/chains=%d", bonds, repulsion, chains), func(b *testing.B) {
					all := make([]Chain, chains)
					for k := range all {
						all[k] = Chain{NewKey(1, uint64(k)), InitialPositions(cfg, 1, k)}
					}
					s, err := New(cfg, all...)
					if err != nil {
						b.Fatal(err)
					}
					for b.Loop() {
						if err := s.Step(); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e6/float64(b.N*chains), "µs/chain-step")
				})
			}
		}
	}
}
