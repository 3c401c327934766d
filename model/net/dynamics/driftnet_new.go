//go:build !first

package dynamics

import (
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// NewDriftNet adds the parameters of a drift of `dim` variables to the layout under the prefix. The configuration
// must be valid, and dim at least 1 and at most MaxDim.
func NewDriftNet(c DriftConfig, dim int, l *tensor.Layout, prefix string) *DriftNet {
	switch c.Form {
	case FormOnsager:
		return &DriftNet{cfg: c, onsager: NewOnsager(c.Onsager, dim, l, prefix)}
	case FormResNet:
		return &DriftNet{cfg: c, resnet: NewResNet(c.ResNet, dim, l, prefix)}
	}
	sizes := append(append([]int{dim}, c.Hidden...), dim)
	return &DriftNet{cfg: c, mlp: nn.NewMLP(l, prefix, sizes, c.Act, kernel.Identity)}
}

// Init draws the drift's weights.
func Init[T tensor.Float](params []T, n *DriftNet, rng *rand.Rand) {
	switch {
	case n.onsager != nil:
		InitOnsager(params, n.onsager, rng)
	case n.resnet != nil:
		InitResNet(params, n.resnet, rng)
	default:
		nn.InitMLP(params, n.mlp, rng)
	}
}

// NewDrift makes a Drift for up to maxRows rows.
func NewDrift[T tensor.Float](n *DriftNet, maxRows int) Drift[T] {
	var d Drift[T]
	switch {
	case n.onsager != nil:
		d = NewOnsagerNet[T](n.onsager, maxRows)
	case n.resnet != nil:
		d = NewOnsagerResNet[T](n.resnet, maxRows)
	default:
		d = NewMLP[T](n.mlp, maxRows)
	}
	if n.cfg.Confined {
		d = NewConfined(d, n.cfg.Box, maxRows)
	}
	return d
}
