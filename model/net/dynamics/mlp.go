package dynamics

import (
	"fmt"

	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// MLP is the drift g(z) = net(z).
type MLP[T tensor.Float] struct {
	net *nn.MLP
	ws  *nn.MLPWorkspace[T]
}

var _ Drift[float32] = (*MLP[float32])(nil)

// NewMLP makes an MLP for up to maxRows rows. The network's input and output must have equal
// widths.
func NewMLP[T tensor.Float](net *nn.MLP, maxRows int) *MLP[T] {
	if net.In() != net.Out() {
		panic(fmt.Sprintf("dynamics: a drift from %d to %d dimensions", net.In(), net.Out()))
	}
	return &MLP[T]{net, nn.NewMLPWorkspace[T](net, maxRows)}
}

// Another implements Drift.
func (d *MLP[T]) Another() Drift[T] { return &MLP[T]{d.net, d.ws.Another(d.net)} }

// Dim implements Drift.
func (d *MLP[T]) Dim() int { return d.net.In() }

// Forward implements Drift.
func (d *MLP[T]) Forward(dst, params, z []T, rows int) {
	copy(dst[:rows*d.Dim()], nn.Forward(d.net, d.ws, params, z, rows))
}

// Backward implements Drift.
func (d *MLP[T]) Backward(dz, params, grads, z, dg []T, rows int) {
	nn.Backward(d.net, d.ws, params, grads, z, dz, dg, rows)
}
