package metric

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"macroscope/model/file/data"
)

func reference(t *testing.T, file string) map[string]*data.Array {
	t.Helper()
	b, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := data.ReadNPZ(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	return arrays
}

// TestKLOfGaussians compares the estimate with KL(N(0,1) || N(1,2²)) =
// log 2 + (1+1)/8 - ½, within six standard errors of 200 000 samples, each of the
// standard deviation 0.59: exceeded once in 5·10⁸ times.
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

// TestMREReference reproduces the case that a NumPy program computed.
func TestMREReference(t *testing.T) {
	ref := reference(t, "mre.npz")
	want := ref["per_trajectory"].Float64s()
	got := make([]float64, len(want))
	mean := MRE(got, ref["pred"].Float64s(), ref["true"].Float64s())
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-12*want[i]) {
			t.Errorf("trajectory %d: got %g, want %g", i, got[i], want[i])
		}
	}
	if w := ref["mre"].Float64s()[0]; !(math.Abs(mean-w) <= 1e-12*w) {
		t.Errorf("mean %g, want %g", mean, w)
	}
}

func ExampleMRE() {
	each := make([]float64, 2)
	mean := MRE(each, []float64{1, 2, 0, 0}, []float64{1, 1, 3, 4})
	fmt.Println(mean, each)
	// Output: 0.75 [0.5 1]
}
