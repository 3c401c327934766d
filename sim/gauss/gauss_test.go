package gauss

import (
	"fmt"
	"math"
	"testing"

	"macroscope/sim/rng"
)

func TestDensityIntegratesToOne(t *testing.T) {
	m := Draw(rng.New(1, "test").Rand)
	const lo, hi, n = -3, 3, 6000
	var sum float64
	for i := range n {
		sum += m.Density(lo+(float64(i)+0.5)*(hi-lo)/n) * (hi - lo) / n
	}
	if math.Abs(sum-1) > 1e-9 { // the interval ends ten standard deviations beyond the outermost means
		t.Errorf("integral %g", sum)
	}
}

// TestMoments compares the mean and the mean square of a large sample with the exact values for
// the mixture. Each may differ by at most six standard errors. With a correct program, the test
// fails for one of 2.5·10⁸ seeds.
func TestMoments(t *testing.T) {
	r := rng.New(2, "test").Rand
	m := Draw(r)
	x := make([]float32, 400000)
	m.Sample(x, r)
	var mean, second, fourth, wantMean, wantSecond float64
	for k := range Components {
		wantMean += m.Mean[k] / Components
		wantSecond += (m.Mean[k]*m.Mean[k] + m.Std[k]*m.Std[k]) / Components
	}
	for _, v := range x {
		mean += float64(v) / float64(len(x))
		square := float64(v) * float64(v)
		second += square / float64(len(x))
		fourth += square * square / float64(len(x))
	}
	by := 6 / math.Sqrt(float64(len(x)))
	if math.Abs(mean-wantMean) > by*math.Sqrt(wantSecond-wantMean*wantMean) || math.Abs(second-wantSecond) > by*math.Sqrt(fourth-second*second) {
		t.Errorf("mean %g (want %g), second moment %g (want %g)", mean, wantMean, second, wantSecond)
	}
}

func TestDrawStaysInTheFamily(t *testing.T) {
	r := rng.New(3, "test").Rand
	for range 1000 {
		m := Draw(r)
		for k := range Components {
			lo := -1 + 0.5*float64(k)
			if m.Mean[k] < lo || m.Mean[k] > lo+0.5 || m.Std[k] < 0.1 || m.Std[k] > 0.2 {
				t.Fatalf("component %d: mean %g, std %g", k, m.Mean[k], m.Std[k])
			}
		}
	}
}

func ExampleMixture_Blend() {
	a := Mixture{Mean: [4]float64{-1, -0.5, 0, 0.5}, Std: [4]float64{0.1, 0.1, 0.1, 0.1}}
	b := Mixture{Mean: [4]float64{-0.5, 0, 0.5, 1}, Std: [4]float64{0.2, 0.2, 0.2, 0.2}}
	fmt.Println(a.Blend(b, 0.5).Mean)
	// Output: [-0.75 -0.25 0.25 0.75]
}
