package metric

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestKLOfGaussians compares the estimate with KL(N(0,1) || N(1,2²)) = log 2 + (1+1)/8 - ½. The
// tolerance is six standard errors: the standard deviation of log q - log p is 0.59, and there are
// 200 000 samples. Chance makes the test fail once in 5·10⁸ runs.
func TestKLOfGaussians(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 200000
	q, p := make([]float64, n), make([]float64, n)
	for i := range q {
		x := rng.NormFloat64()
		q[i] = -x*x/2 - math.Log(2*math.Pi)/2
		p[i] = -(x-1)*(x-1)/8 - math.Log(2) - math.Log(2*math.Pi)/2
	}
	if got, want := KL(q, p), math.Log(2)+0.25-0.5; !(math.Abs(got-want) <= 6*0.59/math.Sqrt(n)) {
		t.Errorf("got %g, want %g", got, want)
	}
}

func ExampleMRE() {
	each := make([]float64, 2)
	mean := MRE(each, []float64{1, 2, 0, 0}, []float64{1, 1, 3, 4})
	fmt.Println(mean, each)
	// Output: 0.75 [0.5 1]
}
