package nn

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// MLP is a chain of Linear layers.
type MLP struct {
	Layers []*Linear
	// blocks is the number of residual blocks, each of two layers. first is the index in Layers of
	// the first block's first layer. See NewResidual.
	first, blocks int
	act           kernel.Activation // activation at the input of a block
}

// NewMLP adds the layers name.0, name.1, … to the layout. sizes lists the widths from input to
// output. The last layer has the activation `out`. All other layers have the activation `hidden`.
func NewMLP(l *tensor.Layout, name string, sizes []int, hidden, out kernel.Activation) *MLP {
	m := &MLP{}
	for i := range len(sizes) - 1 {
		act := hidden
		if i == len(sizes)-2 {
			act = out
		}
		m.Layers = append(m.Layers, NewLinear(l, fmt.Sprintf("%s.%d", name, i), sizes[i], sizes[i+1], act))
	}
	return m
}

// NewResidual adds a network of residual blocks (He, Zhang, Ren and Sun, Identity Mappings in
// Deep Residual Networks, 2016) to the layout. sizes lists the widths of input, blocks and
// output. The blocks lie between an affine map from the input and an affine map to the output.
// A block is
//
//	h ← h + W₂ act(W₁ act(h) + b₁) + b₂
//
// If direct is set, there is no first affine map, and the input must be as wide as the blocks.
func NewResidual(l *tensor.Layout, name string, sizes [3]int, blocks int, direct bool, act kernel.Activation) *MLP {
	m := &MLP{blocks: blocks, act: act}
	add := func(in, out int, act kernel.Activation) {
		m.Layers = append(m.Layers, NewLinear(l, fmt.Sprintf("%s.%d", name, len(m.Layers)), in, out, act))
	}
	width := sizes[1]
	if !direct {
		add(sizes[0], width, kernel.Identity)
		m.first = 1
	} else if sizes[0] != width {
		panic(fmt.Sprintf("nn: residual blocks of width %d on an input of %d", width, sizes[0]))
	}
	for range blocks {
		add(width, width, act)
		add(width, width, kernel.Identity)
	}
	add(width, sizes[2], kernel.Identity)
	return m
}

// A block has two layers. enters(i) is true if layer i is the first layer of a block. leaves(i) is
// true if layer i is the second layer of a block.
func (m *MLP) enters(i int) bool { return m.inBlock(i) && (i-m.first)%2 == 0 }
func (m *MLP) leaves(i int) bool { return m.inBlock(i) && (i-m.first)%2 == 1 }

func (m *MLP) inBlock(i int) bool { return i >= m.first && i < m.first+2*m.blocks }

// In returns the width of the input.
func (m *MLP) In() int { return m.Layers[0].In }

// Out returns the width of the output.
func (m *MLP) Out() int { return m.Layers[len(m.Layers)-1].Out }

// blockScale multiplies the initial weights and biases of a block's second layer.
const blockScale = 0.01

// InitMLP initialises every layer with InitLinear. Residual blocks start close to the identity.
func InitMLP[T tensor.Float](params []T, m *MLP, rng *rand.Rand) {
	for i, l := range m.Layers {
		InitLinear(params, l, rng)
		if m.leaves(i) {
			kernel.Scale(tensor.Of(params, l.W), blockScale)
			kernel.Scale(tensor.Of(params, l.B), blockScale)
		}
	}
}

// MLPWorkspace holds the activations of one MLP and their gradients, for at most a fixed number
// of rows. It is not safe for concurrent use.
type MLPWorkspace[T tensor.Float] struct {
	scratch *kernel.Scratch
	rows    int
	y       [][]T  // output of each layer (rows, Out)
	slope   [][]T  // slopes of each layer's activation, if its gradient needs them
	enter   [][]T  // act(h) for each layer that is the first of a block (rows, In), otherwise nil
	rise    [][]T  // slopes of act at h, if its gradient needs them
	d       [2][]T // gradients of activations; layers use the two in turn
	around  []T    // gradient of a block's input along the skip connection
	end     end[T] // last two layers of a residual network
}

// NewMLPWorkspace allocates the memory for maxRows rows.
func NewMLPWorkspace[T tensor.Float](m *MLP, maxRows int) *MLPWorkspace[T] {
	ws := &MLPWorkspace[T]{scratch: new(kernel.Scratch), rows: maxRows}
	ws.makeActivations(m)
	widest := 0
	for _, l := range m.Layers {
		widest = max(widest, l.In)
	}
	if m.blocks > 0 {
		ws.around = make([]T, maxRows*m.Layers[m.first].In)
		ws.end = newEnd[T](m)
	}
	for i := range ws.d {
		ws.d[i] = make([]T, maxRows*widest)
	}
	return ws
}

// Another returns a workspace of the same network with its own activations, so a Forward in one
// workspace leaves the other ready for Backward. The two share the rest of their memory and
// must not be used concurrently.
func (ws *MLPWorkspace[T]) Another(m *MLP) *MLPWorkspace[T] {
	another := &MLPWorkspace[T]{scratch: ws.scratch, rows: ws.rows, d: ws.d, around: ws.around, end: ws.end}
	another.makeActivations(m)
	return another
}

func (ws *MLPWorkspace[T]) makeActivations(m *MLP) {
	maxRows := ws.rows
	for i, l := range m.Layers {
		ws.y = append(ws.y, make([]T, maxRows*l.Out))
		ws.slope = append(ws.slope, Slopes[T](l.Act, maxRows*l.Out))
		var enter, rise []T
		if m.enters(i) {
			enter, rise = make([]T, maxRows*l.In), Slopes[T](m.act, maxRows*l.In)
		}
		ws.enter, ws.rise = append(ws.enter, enter), append(ws.rise, rise)
	}
}

// Slopes returns n zeros for the slopes of an activation that needs slopes for its gradient.
// For other activations it returns nil.
func Slopes[T tensor.Float](act kernel.Activation, n int) []T {
	if act != kernel.SiLU {
		return nil
	}
	return make([]T, n)
}

// Forward evaluates the network on x (rows, In). The result (rows, Out) lies in the workspace
// and is valid until the next call; Backward reads it there.
func Forward[T tensor.Float](m *MLP, ws *MLPWorkspace[T], params, x []T, rows int) []T {
	if rows > ws.rows {
		panic(fmt.Sprintf("nn: %d rows in a workspace for %d", rows, ws.rows))
	}
	var h []T // input of the current block
	for i, l := range m.Layers {
		if m.enters(i) {
			h = x[:rows*l.In]
			x = ws.enter[i][:rows*l.In]
			kernel.Activate(x, ws.rise[i], h, m.act)
		}
		if m.joins(i, rows) {
			y := ws.y[i+1][:rows*m.Out()]
			ws.end.forward(m, ws.scratch, params, y, x, h, rows, rows)
			return y
		}
		y := ws.y[i][:rows*l.Out]
		LinearForward(ws.scratch, l, params, y, ws.slope[i], x, rows)
		if m.leaves(i) {
			kernel.Axpy(y, 1, h)
		}
		x = y
	}
	return x
}

// Backward computes the gradients of a Forward on the same x. It overwrites dy (rows, Out), the
// gradient of the result. It adds the gradients of the parameters to grads. It writes the
// gradient of x to dx, unless dx is nil.
func Backward[T tensor.Float](m *MLP, ws *MLPWorkspace[T], params, grads, x, dx, dy []T, rows int) {
	for i := len(m.Layers) - 1; i >= 0; i-- {
		if m.joins(i-1, rows) {
			i--
			h := ws.enteredBy(i-1, x)
			din := ws.d[i%2][:rows*m.Layers[i].In]
			ws.end.backward(m, ws.scratch, params, grads, din, ws.around, dy, ws.y[i-1], h, rows, rows)
			dy = din
			continue
		}
		l := m.Layers[i]
		in, din := x, dx
		if i > 0 {
			in, din = ws.y[i-1], ws.d[i%2][:rows*l.In]
		}
		if m.leaves(i) {
			copy(ws.around, dy[:rows*l.Out])
		}
		if m.enters(i) {
			in = ws.enter[i]
		}
		LinearBackward(ws.scratch, l, params, grads, din, dy, ws.y[i], ws.slope[i], in, rows)
		if m.enters(i) && din != nil {
			kernel.ActivationGrad(din, din[:rows*l.In], in, ws.rise[i], m.act)
			kernel.Axpy(din, 1, ws.around[:rows*l.In])
		}
		dy = din
	}
}

// enteredBy returns the input of the block that starts with layer i, in a network with input x.
func (ws *MLPWorkspace[T]) enteredBy(i int, x []T) []T {
	if i == 0 {
		return x
	}
	return ws.y[i-1]
}
