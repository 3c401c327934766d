package lab

import (
	"context"
	"os"
	"testing"
)

// TestShippedParticles wants the model that comes with the lab to predict
// fresh trajectories about as well as it was found to. Over 12 seeds the
// logarithm of the mean error of twenty trajectories is -11.2 ± 0.31, -8.4 ± 0.31
// and -10.8 ± 0.28: the bounds are 6.5 standard deviations above.
func TestShippedParticles(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds without SIMD")
	}
	f, err := os.Open("../../assets/models/particles-laptop.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, _, err := ReadParticles(f)
	if err != nil {
		t.Fatal(err)
	}
	most := map[string]float64{"in-dst": 1.1e-4, "diff-init": 1.8e-3, "diff-N": 1.2e-4}
	for _, test := range TestSets() {
		count := 20
		if testing.Short() {
			count = 2
		}
		r, err := m.Evaluate(context.Background(), test.Source(7, count), count, 2, nothing)
		if err != nil {
			t.Fatal(err)
		}
		if mean, _, _ := r.Summary(); !(mean <= most[test.Name]) {
			t.Errorf("%s: MRE %.2e, want at most %.1e", test.Name, mean, most[test.Name])
		}
	}
}
