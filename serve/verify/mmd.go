package verify

import (
	"context"
	"fmt"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/metric"
)

// runMMD checks the discrepancy of two ensembles at every time and its mean. As
// in runMRE, float64 is all there is to check.
func runMMD(c Case) ([]Result, error) {
	want := c.values("per_step")
	pred, truth := c["pred"].Shape, c["true"].Shape
	if len(pred) != 3 || len(truth) != 3 || pred[0] < 1 || truth[0] < 1 || truth[2] < 1 ||
		pred[1] != len(want) || truth[1] != len(want) || pred[2] != truth[2] || len(want) == 0 {
		return nil, fmt.Errorf("pred has the shape %v and true %v; both should hold trajectories of the same variables at the %d times of per_step", pred, truth, len(want))
	}
	cmp := comparison{floor: floor64}
	got := make([]float64, len(want))
	mean, _ := metric.MMD(context.Background(), got, c.values("pred"), c.values("true"), truth[2])
	cmp.add(got, want)
	cmp.add([]float64{mean}, c.values("mmd"))
	return []Result{cmp.result64()}, nil
}

func runChamfer(c Case) ([]Result, error) { return both(c, chamferCase[float64], chamferCase[float32]) }

// chamferCase checks the distance from a to b and that from b to a.
func chamferCase[T tensor.Float](c Case, cmp *comparison) error {
	n, dim, err := c.matrix("a")
	if err != nil {
		return err
	}
	m, dimB, err := c.matrix("b")
	if err != nil {
		return err
	}
	if dimB != dim {
		return fmt.Errorf("a holds points of %d coordinates and b of %d", dim, dimB)
	}
	a, b := to[T](c.values("a")), to[T](c.values("b"))
	ch := metric.NewChamfer[T](dim, max(n, m))
	for _, d := range []float64{ch.Value(a, b), ch.Value(b, a)} {
		cmp.add([]float64{d}, c.values("chamfer"))
	}
	return nil
}
