package nn

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/kernel"
	"macroscope/model/tensor"
)

// MLP is a chain of Linear layers.
type MLP struct{ Layers []*Linear }

// NewMLP enters the layers name.0, name.1, … into the layout. sizes lists the
// widths from input to output; the last layer has activation out, the others
// hidden.
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

// In returns the width of the input.
func (m *MLP) In() int { return m.Layers[0].In }

// Out returns the width of the output.
func (m *MLP) Out() int { return m.Layers[len(m.Layers)-1].Out }

// InitMLP initialises every layer by InitLinear.
func InitMLP[T tensor.Float](params []T, m *MLP, rng *rand.Rand) {
	for _, l := range m.Layers {
		InitLinear(params, l, rng)
	}
}

// MLPWorkspace holds the activations of one MLP and their gradients for up to
// a fixed number of rows. It serves one goroutine at a time.
type MLPWorkspace[T tensor.Float] struct {
	scratch *kernel.Scratch
	rows    int
	y, pre  [][]T  // of each layer (rows, Out); pre only where the activation needs it
	d       [2][]T // gradients of activations, alternating
}

// NewMLPWorkspace makes room for maxRows rows.
func NewMLPWorkspace[T tensor.Float](m *MLP, maxRows int) *MLPWorkspace[T] {
	ws := &MLPWorkspace[T]{scratch: new(kernel.Scratch), rows: maxRows}
	widest := 0
	for _, l := range m.Layers {
		ws.y = append(ws.y, make([]T, maxRows*l.Out))
		var pre []T
		if l.Act == kernel.SiLU {
			pre = make([]T, maxRows*l.Out)
		}
		ws.pre = append(ws.pre, pre)
		widest = max(widest, l.In)
	}
	for i := range ws.d {
		ws.d[i] = make([]T, maxRows*widest)
	}
	return ws
}

// Forward evaluates the network on x (rows, In). The result (rows, Out) lies
// in the workspace and holds until the next call; Backward needs it there.
func Forward[T tensor.Float](m *MLP, ws *MLPWorkspace[T], params, x []T, rows int) []T {
	if rows > ws.rows {
		panic(fmt.Sprintf("nn: %d rows in a workspace for %d", rows, ws.rows))
	}
	for i, l := range m.Layers {
		var pre []T
		if l.Act == kernel.SiLU {
			pre = ws.pre[i][:rows*l.Out]
		}
		LinearForward(ws.scratch, l, params, ws.y[i], pre, x, rows)
		x = ws.y[i][:rows*l.Out]
	}
	return x
}

// Backward follows a Forward on the same x. It takes the gradient dy (rows,
// Out) of the result, which it overwrites, adds the gradients of the
// parameters to grads, and writes the gradient of x to dx unless dx is nil.
func Backward[T tensor.Float](m *MLP, ws *MLPWorkspace[T], params, grads, x, dx, dy []T, rows int) {
	for i := len(m.Layers) - 1; i >= 0; i-- {
		l := m.Layers[i]
		in, din := x, dx
		if i > 0 {
			in, din = ws.y[i-1], ws.d[i%2][:rows*l.In]
		}
		LinearBackward(ws.scratch, l, params, grads, din, dy, ws.y[i], ws.pre[i], in, rows)
		dy = din
	}
}
