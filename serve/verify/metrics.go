package verify

import (
	"macroscope/model/compute/tensor"
	"macroscope/model/net/metric"
)

// relativeError checks the mean relative error of every trajectory, and the mean over
// trajectories. The check is in float64, like the sums of the metric: with float32
// trajectories, rounding would dominate the error.
func relativeError(c *check[float64]) {
	got := make([]float64, c.lengths["n"])
	c.equal64("mre", metric.MRE(got, c.values("pred"), c.values("true")))
	c.equal("per_trajectory", got)
}

// discrepancy checks the MMD of two ensembles at every time, and its mean.
func discrepancy(c *check[float64]) {
	got := make([]float64, c.lengths["t"])
	mean, err := metric.MMD(c.ctx, got, c.values("pred"), c.values("true"), c.lengths["d"])
	must(err)
	c.equal64("mmd", mean)
	c.equal("per_step", got)
}

// chamfer checks the distance from a to b and the distance from b to a.
func chamfer[T tensor.Float](c *check[T]) {
	a, b := c.data("a"), c.data("b")
	distance := metric.NewChamfer[T](c.lengths["d"], max(c.lengths["n"], c.lengths["m"]), 0)
	c.equal64("chamfer", distance.Value(a, b))
	c.equal64("chamfer", distance.Value(b, a))
}
