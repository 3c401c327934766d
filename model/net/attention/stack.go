package attention

import (
	"fmt"
	"math"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
)

// Stack is a series of transformer blocks that normalise their input (Xiong et al., 2020),
// with a norm at the end. All tokens of a sequence attend to one another:
//
//	h ← h + attention(norm(h))
//	h ← h + W₂ gelu(W₁ norm(h) + b₁) + b₂
//
// The cost is O(n²) for n tokens, here the patches of a picture.
type Stack struct {
	width, hidden int
	blocks        []*selfBlock
	last          norm
}

// selfBlock is a block of a Stack.
type selfBlock struct {
	before, between norm
	heads
	up, down *nn.Linear
}

// NewStack adds a Stack to the layout under the prefix. The width must be a multiple of the number
// of heads.
func NewStack(l *tensor.Layout, prefix string, width, heads, hidden, blocks int) *Stack {
	s := &Stack{width: width, hidden: hidden}
	c := Config{Width: width, Heads: heads}
	for i := range blocks {
		name := fmt.Sprintf("%s.%d", prefix, i)
		s.blocks = append(s.blocks, &selfBlock{
			before: newNorm(width, l, name+".before"), heads: newHeads(c, l, name), between: newNorm(width, l, name+".between"),
			up:   nn.NewLinear(l, name+".up", width, hidden, kernel.Identity),
			down: nn.NewLinear(l, name+".down", hidden, width, kernel.Identity),
		})
	}
	s.last = newNorm(width, l, prefix+".norm")
	return s
}

// InitStack draws the weights. Norms start as the identity.
func InitStack[T tensor.Float](params []T, s *Stack, r *rand.Rand) {
	for _, b := range s.blocks {
		initNorm(params, b.before)
		initHeads(params, &b.heads, r)
		initNorm(params, b.between)
		nn.InitLinear(params, b.up, r)
		nn.InitLinear(params, b.down, r)
	}
	initNorm(params, s.last)
}

// StackWorkspace is the workspace of a Stack, for sequences of one length. It is not safe for
// concurrent use.
type StackWorkspace[T tensor.Float] struct {
	net    *Stack
	s      *kernel.Scratch
	tokens int // tokens in a sequence
	blocks []*selfSpace[T]
	last   *normSpace[T]
	none   []T // (rows, width): zeros, for norms that have no second term
}

// selfSpace keeps the results of a block for its backward pass. Rows run over all sequences.
type selfSpace[T tensor.Float] struct {
	*selfBlock
	before, between *normSpace[T]
	whole           []T // (rows, width): queries, keys or values before the split
	q, k, v         []T // (sequences, heads, tokens, each)
	share           []T // (sequences, heads, tokens, tokens): attention weights
	few             []T // (heads, tokens, each): weighted values of one sequence
	found, att      []T // (rows, width): weighted values with the heads merged, before the projection o (found) and after it (att)
	middle          []T // (rows, width): h after attention
	pre, act        []T // (rows, hidden): hidden layer before and after its activation
	out             []T // (rows, width): the block's output

	// Gradients: dq is the gradient of q, and so on.
	dq, dk, dv []T // (heads, tokens, each)
	dshare     []T // (tokens, tokens)
	dwhole     [3][]T
	d, dx      []T // (rows, width): gradients of the output and of the input of a part of the block
	dact       []T // (rows, hidden)
}

// NewStackWorkspace makes a workspace for at most the given number of sequences, each with the
// given number of tokens.
func NewStackWorkspace[T tensor.Float](net *Stack, sequences, tokens int) *StackWorkspace[T] {
	rows := sequences * tokens
	w := &StackWorkspace[T]{net: net, s: new(kernel.Scratch), tokens: tokens, last: newNormSpace[T](net.last, net.width, rows), none: make([]T, rows*net.width)}
	for _, b := range net.blocks {
		n := func() []T { return make([]T, rows*net.width) }
		of := func() []T { return make([]T, tokens*net.width) }
		wide := func() []T { return make([]T, rows*net.hidden) }
		w.blocks = append(w.blocks, &selfSpace[T]{
			selfBlock: b, before: newNormSpace[T](b.before, net.width, rows), between: newNormSpace[T](b.between, net.width, rows),
			whole: n(), q: n(), k: n(), v: n(), share: make([]T, sequences*b.heads.heads*tokens*tokens), few: of(), found: n(), att: n(), middle: n(),
			pre: wide(), act: wide(), out: n(),
			dq: of(), dk: of(), dv: of(), dshare: make([]T, tokens*tokens), dwhole: [3][]T{n(), n(), n()}, d: n(), dx: n(), dact: wide(),
		})
	}
	return w
}

// Forward returns the stack's result for x (sequences, tokens, width), which must
// stay unchanged until Backward. The result is valid until the next call.
func (w *StackWorkspace[T]) Forward(params, x []T, sequences int) []T {
	for _, b := range w.blocks {
		x = w.block(b, params, x, sequences)
	}
	rows := sequences * w.tokens
	w.last.forward(params, x, w.none, 0, rows)
	return w.last.y[:rows*w.net.width]
}

func (w *StackWorkspace[T]) block(b *selfSpace[T], params, x []T, sequences int) []T {
	n, rows := w.tokens, sequences*w.tokens
	one, size, square := n*b.width, rows*b.width, n*n
	b.before.forward(params, x, w.none, 0, rows)
	of := b.before.y[:size]
	apart := func(dst []T) {
		for i := range sequences {
			split(&b.heads, dst[i*one:], b.whole[i*one:], n)
		}
	}
	nn.LinearForward(w.s, b.selfBlock.q, params, b.whole, nil, of, rows)
	apart(b.q)
	kernel.GemmNT(w.s, b.whole, of, tensor.Of(params, b.selfBlock.k), rows, b.width, b.width, false)
	apart(b.k)
	nn.LinearForward(w.s, b.selfBlock.v, params, b.whole, nil, of, rows)
	apart(b.v)
	kernel.Scale(b.q[:size], T(b.scale()))
	for i := range sequences {
		for head := range b.heads.heads {
			at := i*one + head*n*b.each
			share, to := b.share[(i*b.heads.heads+head)*square:][:square], at+n*b.each
			kernel.GemmNT(w.s, share, b.q[at:to], b.k[at:to], n, n, b.each, false)
			kernel.SoftmaxRows(share, share, n, n)
			kernel.GemmNN(w.s, b.few[head*n*b.each:][:n*b.each], share, b.v[at:to], n, b.each, n, false)
		}
		merge(&b.heads, b.found[i*one:], b.few, n)
	}
	nn.LinearForward(w.s, b.o, params, b.att, nil, b.found, rows)
	copy(b.middle, x[:size])
	kernel.Axpy(b.middle[:size], 1, b.att[:size])
	b.between.forward(params, b.middle, w.none, 0, rows)
	nn.LinearForward(w.s, b.up, params, b.pre, nil, b.between.y, rows)
	hidden := rows * w.net.hidden
	gelu(b.act[:hidden], b.pre[:hidden])
	nn.LinearForward(w.s, b.down, params, b.out, nil, b.act, rows)
	kernel.Axpy(b.out[:size], 1, b.middle[:size])
	return b.out[:size]
}

// Backward computes the gradients of the last Forward, with the same number of sequences. It
// replaces the gradient d (sequences, tokens, width) of the result with the gradient of x, and
// adds the gradients of the parameters to grads.
func (w *StackWorkspace[T]) Backward(params, grads, d []T, sequences int) {
	w.last.backward(params, grads, d, d, 0, sequences*w.tokens)
	for i := len(w.blocks) - 1; i >= 0; i-- {
		w.blockBackward(w.blocks[i], params, grads, d, sequences)
	}
}

func (w *StackWorkspace[T]) blockBackward(b *selfSpace[T], params, grads, d []T, sequences int) {
	n, rows := w.tokens, sequences*w.tokens
	one, size, square, hidden := n*b.width, rows*b.width, n*n, rows*w.net.hidden
	copy(b.d, d[:size])
	nn.LinearBackward(w.s, b.down, params, grads, b.dact, b.d, b.out, nil, b.act, rows)
	geluGrad(b.dact[:hidden], b.pre[:hidden], b.act)
	nn.LinearBackward(w.s, b.up, params, grads, b.dx, b.dact, b.pre, nil, b.between.y, rows)
	b.between.backward(params, grads, b.dx, b.dx, 0, rows)
	kernel.Axpy(d[:size], 1, b.dx[:size])

	copy(b.d, d[:size])
	nn.LinearBackward(w.s, b.o, params, grads, b.dx, b.d, b.att, nil, b.found, rows)
	scale := T(b.scale())
	for i := range sequences {
		split(&b.heads, b.few, b.dx[i*one:], n)
		for head := range b.heads.heads {
			at, in := i*one+head*n*b.each, head*n*b.each
			to, share := at+n*b.each, b.share[(i*b.heads.heads+head)*square:][:square]
			dfew := b.few[in:][:n*b.each]
			kernel.GemmTN(w.s, b.dv[in:][:n*b.each], share, dfew, n, b.each, n, false)
			kernel.GemmNT(w.s, b.dshare, dfew, b.v[at:to], n, n, b.each, false)
			kernel.SoftmaxRowsGrad(b.dshare, b.dshare, share, n, n)
			kernel.GemmNN(w.s, b.dq[in:][:n*b.each], b.dshare, b.k[at:to], n, b.each, n, false)
			kernel.GemmTN(w.s, b.dk[in:][:n*b.each], b.dshare, b.q[at:to], n, b.each, n, false)
		}
		kernel.Scale(b.dq, scale)
		for k, of := range [][]T{b.dq, b.dk, b.dv} {
			merge(&b.heads, b.dwhole[k][i*one:], of, n)
		}
	}
	of := b.before.y[:size]
	dq, dk, dv := b.dwhole[0], b.dwhole[1], b.dwhole[2]
	nn.LinearBackward(w.s, b.selfBlock.q, params, grads, b.dx, dq, b.whole, nil, of, rows)
	kernel.GemmTN(w.s, tensor.Of(grads, b.selfBlock.k), dk, of, b.width, b.width, rows, true)
	kernel.GemmNN(w.s, b.dx, dk, tensor.Of(params, b.selfBlock.k), rows, b.width, b.width, true)
	nn.LinearBackward(w.s, b.selfBlock.v, params, grads, b.d, dv, b.whole, nil, of, rows)
	kernel.Axpy(b.dx[:size], 1, b.d[:size])
	b.before.backward(params, grads, b.dx, b.dx, 0, rows)
	kernel.Axpy(d[:size], 1, b.dx[:size])
}

// gelu writes x·Φ(x) to y (Hendrycks and Gimpel, 2016). Φ is the distribution function of the
// standard normal distribution.
func gelu[T tensor.Float](y, x []T) {
	exact := bells(y, x)
	for i, v := range x {
		y[i] = v * normalCDF(v, y[i], exact)
	}
}

// geluGrad multiplies d by the derivative of gelu at x; bell is scratch memory.
func geluGrad[T tensor.Float](d, x, bell []T) {
	exact := bells(bell, x)
	for i, v := range x {
		d[i] *= normalCDF(v, bell[i], exact) + T(v*(bell[i]*T(1/math.Sqrt(2*math.Pi))))
	}
}

// bells writes exp(-x²/2) to dst, and reports whether T is float64.
func bells[T tensor.Float](dst, x []T) (exact bool) {
	for i, v := range x {
		dst[i] = v * v * -0.5
	}
	kernel.ExpTo(dst[:len(x)], dst[:len(x)])
	_, exact = any(dst).([]float64)
	return exact
}

// normalCDF returns Φ(x), given bell = exp(-x²/2). If `exact` is false, it uses the approximation
// 26.2.17 of Abramowitz and Stegun, which has an error below 7.5e-8 and takes a fraction of the
// time.
func normalCDF[T tensor.Float](x, bell T, exact bool) T {
	if exact {
		return T(math.Erfc(-float64(x)/math.Sqrt2) / 2)
	}
	const p, b1, b2, b3, b4, b5 = 0.2316419, 0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429
	t := 1 / (1 + T(p*max(x, -x)))
	poly := b4 + T(t*b5)
	poly = b3 + T(t*poly)
	poly = b2 + T(t*poly)
	poly = b1 + T(t*poly)
	beyond := T(t*poly) * (bell * T(1/math.Sqrt(2*math.Pi)))
	if x < 0 {
		return beyond
	}
	return 1 - beyond
}
