// Package deepset holds permutation-invariant encoders, which turn a set of particles into a
// short vector ẑ.
//
// DeepSet (Zaheer et al., 2017) is ẑ = ρ( mean_i φ(x_i) ) with two networks φ and ρ. The mean
// does not depend on the order of the particles, and its scale does not depend on their number.
// The cost is linear in the number of particles.
package deepset

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/setting"
)

// Config describes a DeepSet.
type Config struct {
	Dim    int   // d, coordinates of a particle
	Hidden []int // widths of φ's layers; the last layer's outputs are averaged
	Head   []int // widths of ρ's hidden layers
	ZDim   int   // length of ẑ
	Act    kernel.Activation
	Nodes  int // if above 0, Encode computes φ at this number of points on the line and interpolates between them; otherwise it computes φ at each particle
}

// Validate returns an error if the settings contradict each other.
func (c *Config) Validate() error {
	switch {
	case c.Nodes == 0:
		return nil
	case c.Dim != 1:
		return fmt.Errorf("nodes are for particles on a line, and these have %d coordinates; set encoder.nodes=0", c.Dim)
	case c.Nodes < minNodes:
		return fmt.Errorf("the encoder has %d nodes; use at least %d, or 0", c.Nodes, minNodes)
	}
	return nil
}

// Table lists the settings other than Dim and ZDim, by their names in checkpoints.
func (c *Config) Table() setting.Table {
	return setting.Table{
		{Name: "encoder.hidden", Value: &c.Hidden, Low: 1, High: 4096, Least: 1, Most: 16},
		{Name: "encoder.head", Value: &c.Head, Low: 1, High: 4096, Most: 16},
		{Name: "encoder.act", Value: &c.Act}, {Name: "encoder.nodes", Value: &c.Nodes, High: 1 << 14, Absent: "0"},
	}
}

// DeepSet is the encoder ẑ = ρ(mean φ(x)).
type DeepSet struct {
	cfg      Config
	phi, rho *nn.MLP
}

// New adds the encoder's parameters to the layout under the prefix. The configuration must be
// valid.
func New(c Config, l *tensor.Layout, prefix string) *DeepSet {
	phi := append([]int{c.Dim}, c.Hidden...)
	rho := append([]int{c.Hidden[len(c.Hidden)-1]}, c.Head...)
	rho = append(rho, c.ZDim)
	return &DeepSet{
		cfg: c,
		phi: nn.NewMLP(l, prefix+".phi", phi, c.Act, c.Act),
		rho: nn.NewMLP(l, prefix+".rho", rho, c.Act, kernel.Identity),
	}
}

// Init draws the encoder's weights.
func Init[T tensor.Float](params []T, e *DeepSet, rng *rand.Rand) {
	nn.InitMLP(params, e.phi, rng)
	nn.InitMLP(params, e.rho, rng)
}

// Workspace keeps the results of an Encode for Backward. It is not safe for concurrent use.
type Workspace[T tensor.Float] struct {
	phi, rho *nn.MLPWorkspace[T]
	pooled   []T       // means of phi's outputs over each set (B, H)
	dpooled  []T       // gradient of pooled (B, H)
	dphi     []T       // gradient of phi's outputs (Σn, H)
	points   int       // number of particles for which phi has memory
	nodes    *nodes[T] // nil if φ is computed at each particle
	scratch  kernel.Scratch
}

// NewWorkspace makes a workspace for up to maxSets sets with maxPoints particles in total.
func NewWorkspace[T tensor.Float](e *DeepSet, maxSets, maxPoints int) *Workspace[T] {
	var n *nodes[T]
	if count := e.cfg.Nodes; count > 0 {
		n, maxPoints = newNodes[T](count, maxSets), count
	}
	h := e.phi.Out()
	return &Workspace[T]{
		phi: nn.NewMLPWorkspace[T](e.phi, maxPoints), rho: nn.NewMLPWorkspace[T](e.rho, maxSets),
		pooled: make([]T, maxSets*h), dpooled: make([]T, maxSets*h), dphi: make([]T, maxPoints*h),
		points: maxPoints, nodes: n,
	}
}

// Encode returns ẑ (B, ZDim) for B = len(ends) sets. The array `points` (Σn, Dim) contains the
// particles of one set after another; set b ends before particle ends[b]. The mean over an empty set
// is 0. The result lies in the workspace and is valid until the next call.
func Encode[T tensor.Float](e *DeepSet, ws *Workspace[T], params, points []T, ends []int) []T {
	h := e.phi.Out()
	pooled := ws.pooled[:len(ends)*h]
	if n := ws.nodes; n != nil {
		n.place(points, ends)
		n.mean(&ws.scratch, pooled, nn.Forward(e.phi, ws.phi, params, n.x, len(n.x)), len(ends), h)
		return nn.Forward(e.rho, ws.rho, params, pooled, len(ends))
	}
	features := nn.Forward(e.phi, ws.phi, params, points, ends[len(ends)-1])
	clear(pooled)
	begin := 0
	for b, end := range ends {
		mean := pooled[b*h : b*h+h]
		kernel.ColSum(mean, features[begin*h:end*h], end-begin, h)
		kernel.Scale(mean, 1/T(max(1, end-begin)))
		begin = end
	}
	return nn.Forward(e.rho, ws.rho, params, pooled, len(ends))
}

// EncodeOnly is Encode without a Backward. It processes the particles in parts. A set may therefore
// be larger than the workspace. A small workspace stays in the cache.
func EncodeOnly[T tensor.Float](e *DeepSet, ws *Workspace[T], params, points []T, ends []int) []T {
	h := e.phi.Out()
	pooled := ws.pooled[:len(ends)*h]
	clear(pooled)
	begin := 0
	for b, end := range ends {
		mean := pooled[b*h : b*h+h]
		for from := begin; from < end; from += ws.points {
			n := min(ws.points, end-from)
			kernel.ColSum(mean, nn.Forward(e.phi, ws.phi, params, points[from*e.cfg.Dim:], n), n, h)
		}
		kernel.Scale(mean, 1/T(max(1, end-begin)))
		begin = end
	}
	return nn.Forward(e.rho, ws.rho, params, pooled, len(ends))
}

// Backward must be called after Encode with the same sets. It overwrites dz (B, ZDim), the
// gradient of ẑ. It adds the parameters' gradients to grads.
func Backward[T tensor.Float](e *DeepSet, ws *Workspace[T], params, grads, points []T, ends []int, dz []T) {
	h := e.phi.Out()
	dpooled := ws.dpooled[:len(ends)*h]
	nn.Backward(e.rho, ws.rho, params, grads, ws.pooled[:len(ends)*h], dpooled, dz, len(ends))
	if n := ws.nodes; n != nil {
		n.spread(&ws.scratch, ws.dphi, dpooled, len(ends), h)
		nn.Backward(e.phi, ws.phi, params, grads, n.x, nil, ws.dphi, len(n.x))
		return
	}
	begin := 0
	for b, end := range ends {
		d := dpooled[b*h : b*h+h]
		kernel.Scale(d, 1/T(max(1, end-begin)))
		for i := begin; i < end; i++ {
			copy(ws.dphi[i*h:i*h+h], d)
		}
		begin = end
	}
	rows := ends[len(ends)-1]
	nn.Backward(e.phi, ws.phi, params, grads, points, nil, ws.dphi[:rows*h], rows)
}

// Combine writes to dst the parameters of an encoder that computes one code of a tunable encoder
// (see encoder.Tunable). `from` is the tunable encoder, with the parameters `params`; `to` is the
// new encoder. They differ only in ZDim. Output j of the new encoder is the sum over g of
// weights[g] · y, where y is the output of `from` with index first + g·stride + j.
func Combine[T tensor.Float](dst []T, to *DeepSet, params []T, from *DeepSet, first, stride int, weights []T) {
	last := from.rho.Layers[len(from.rho.Layers)-1]
	out := to.rho.Layers[len(to.rho.Layers)-1]
	copy(dst[:out.W.Offset], params[:last.W.Offset]) // both layouts have the same beginning
	w, b := tensor.Of(dst, out.W), tensor.Of(dst, out.B)
	clear(w)
	clear(b)
	for g, v := range weights {
		at := first + g*stride
		kernel.Axpy(w, v, tensor.Of(params, last.W)[at*last.In:][:len(w)])
		kernel.Axpy(b, v, tensor.Of(params, last.B)[at:][:len(b)])
	}
}
