package attention

import (
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// feed is a feed-forward layer of every row: norm(x + W₂ relu(W₁ x + b₁) + b₂).
type feed struct {
	up, down *nn.Linear
	norm     norm
}

func newFeed(c Config, l *tensor.Layout, name string) *feed {
	return &feed{
		up:   nn.NewLinear(l, name+".up", c.Width, c.Hidden, kernel.ReLU),
		down: nn.NewLinear(l, name+".down", c.Hidden, c.Width, kernel.Identity),
		norm: newNorm(c.Width, l, name+".norm"),
	}
}

func initFeed[T tensor.Float](params []T, f *feed, r *rand.Rand) {
	nn.InitLinear(params, f.up, r)
	nn.InitLinear(params, f.down, r)
	initNorm(params, f.norm)
}

// feedSpace is the workspace of a feed.
type feedSpace[T tensor.Float] struct {
	*feed
	s       *kernel.Scratch
	hidden  []T // (Σn, Hidden): output of `up`
	down    []T // (n, width): output of `down`
	norm    *normSpace[T]
	dhidden []T // (n, Hidden): gradient of the hidden layer
	dx      []T // (n, width): gradient of x through `up`
}

func newFeedSpace[T tensor.Float](f *feed, s *kernel.Scratch, rows int, learns bool) *feedSpace[T] {
	w := &feedSpace[T]{
		feed: f, s: s, hidden: make([]T, rows*f.up.Out), down: make([]T, rows*f.up.In), norm: newNormSpace[T](f.norm, f.up.In, rows),
	}
	if learns {
		w.dhidden, w.dx = make([]T, rows*f.up.Out), make([]T, rows*f.up.In)
	}
	return w
}

// forward evaluates the rows of x (n, width). It writes the results to the rows of norm.y from
// begin to end, and returns these rows.
func (w *feedSpace[T]) forward(params, x []T, begin, end int) []T {
	n, width := end-begin, w.up.In
	hidden := w.hidden[begin*w.up.Out : end*w.up.Out]
	nn.LinearForward(w.s, w.up, params, hidden, nil, x, n)
	nn.LinearForward(w.s, w.feed.down, params, w.down, nil, hidden, n)
	w.norm.forward(params, w.down, x, begin, end)
	return w.norm.y[begin*width : end*width]
}

// backward replaces d (n, width), the gradient of forward's result, with the gradient of x.
func (w *feedSpace[T]) backward(params, grads, d, x []T, begin, end int) {
	n, width := end-begin, w.up.In
	hidden := w.hidden[begin*w.up.Out : end*w.up.Out]
	w.norm.backward(params, grads, d, d, begin, end)
	nn.LinearBackward(w.s, w.feed.down, params, grads, w.dhidden, d, w.down, nil, hidden, n)
	nn.LinearBackward(w.s, w.up, params, grads, w.dx, w.dhidden, hidden, nil, x, n)
	kernel.Axpy(d, 1, w.dx[:n*width])
}
