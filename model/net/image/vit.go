package image

import (
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/attention"
)

// tiling cuts pictures into patches.
type tiling struct {
	channels, rows, cols, patch int
}

func (c Config) tiling() tiling { return tiling{c.Channels, c.Rows, c.Cols, c.Patch} }

// inside returns the number of values in a patch.
func (t tiling) inside() int { return t.channels * t.patch * t.patch }

// The method `runs` calls f for every row of pixels of every patch. f gets two indices of the row's
// first pixel: its index in a picture, and its index in an array of patches.
func (t tiling) runs(f func(picture, patches int)) {
	at := 0
	for top := 0; top < t.rows; top += t.patch {
		for left := 0; left < t.cols; left += t.patch {
			for channel := range t.channels {
				for y := range t.patch {
					f((channel*t.rows+top+y)*t.cols+left, at)
					at += t.patch
				}
			}
		}
	}
}

// vitEncoder is a stack of attention blocks on the patches of a picture.
type vitEncoder struct {
	tiling
	tokens int          // number of tokens: the patches and the class token
	embed  *nn.Linear   // affine map from a patch to a token
	class  tensor.Param // (width), the class token
	places tensor.Param // (tokens, width): position embeddings
	stack  *attention.Stack
	head   *nn.Linear
}

func newViTEncoder(c Config, l *tensor.Layout, prefix string) *vitEncoder {
	t := c.tiling()
	return &vitEncoder{
		tiling: t, tokens: c.patches() + 1, embed: nn.NewLinear(l, prefix+".embed", t.inside(), c.Width, kernel.Identity),
		class: l.Add(prefix+".class", c.Width), places: l.Add(prefix+".places", c.patches()+1, c.Width),
		stack: attention.NewStack(l, prefix, c.Width, c.Heads, c.Hidden, c.Blocks),
		head:  nn.NewLinear(l, prefix+".head", c.Width, c.ZDim, kernel.Identity),
	}
}

// Standard deviations of the normal numbers with which the class token and the position embeddings
// start. The tokens of the encoder also differ in their patches. The tokens of the decoder differ
// only in their position embeddings, which therefore start larger.
const (
	encoderPlaces = 0.02
	decoderPlaces = 1
)

func initPlaces[T tensor.Float](places []T, sd float64, r *rand.Rand) {
	for i := range places {
		places[i] = T(sd * r.NormFloat64())
	}
}

func initViTEncoder[T tensor.Float](params []T, e *vitEncoder, r *rand.Rand) {
	nn.InitLinear(params, e.embed, r)
	initPlaces(tensor.Of(params, e.class), encoderPlaces, r)
	initPlaces(tensor.Of(params, e.places), encoderPlaces, r)
	attention.InitStack(params, e.stack, r)
	nn.InitLinear(params, e.head, r)
}

// vitEncoding is the workspace of a vitEncoder.
type vitEncoding[T tensor.Float] struct {
	*vitEncoder
	s          *kernel.Scratch
	patches, d []T // the pixels of the patches, and their gradient (count, patches, inside)
	embedded   []T // the output of embed (count, patches, width)
	h, dh      []T // the stack's input and its gradient (count, tokens, width)
	stack      *attention.StackWorkspace[T]
	whole, z   []T // whole (count, width): the stack's output for the class token; z (count, ZDim)
	dwhole     []T // shaped like whole
}

func newViTEncoding[T tensor.Float](e *vitEncoder, count int) *vitEncoding[T] {
	width, patches := e.embed.Out, count*(e.tokens-1)
	return &vitEncoding[T]{
		vitEncoder: e, s: new(kernel.Scratch), patches: make([]T, patches*e.inside()), d: make([]T, patches*e.inside()),
		embedded: make([]T, patches*width), h: make([]T, count*e.tokens*width), dh: make([]T, count*e.tokens*width),
		stack: attention.NewStackWorkspace[T](e.stack, count, e.tokens), whole: make([]T, count*width), dwhole: make([]T, count*width), z: make([]T, count*e.head.Out),
	}
}

// Encode implements Encoder.
func (w *vitEncoding[T]) Encode(params, x []T, count int) []T {
	picture, width, rest := w.channels*w.rows*w.cols, w.embed.Out, w.tokens-1
	for k := range count {
		from, to := x[k*picture:][:picture], w.patches[k*picture:][:picture]
		w.runs(func(p, at int) { copy(to[at:at+w.patch], from[p:]) })
	}
	nn.LinearForward(w.s, w.embed, params, w.embedded, nil, w.patches, count*rest)
	class, places := tensor.Of(params, w.class), tensor.Of(params, w.places)
	for k := range count {
		h := w.h[k*w.tokens*width:][:w.tokens*width]
		copy(h, class)
		copy(h[width:], w.embedded[k*rest*width:][:rest*width])
		kernel.Axpy(h, 1, places)
	}
	y := w.stack.Forward(params, w.h, count)
	for k := range count {
		copy(w.whole[k*width:][:width], y[k*w.tokens*width:])
	}
	nn.LinearForward(w.s, w.head, params, w.z, nil, w.whole, count)
	return w.z[:count*w.head.Out]
}

// Backward implements Encoder.
func (w *vitEncoding[T]) Backward(params, grads, dx, dz []T, count int) {
	picture, width, rest := w.channels*w.rows*w.cols, w.embed.Out, w.tokens-1
	nn.LinearBackward(w.s, w.head, params, grads, w.dwhole, dz, w.z, nil, w.whole, count)
	dh := w.dh[:count*w.tokens*width]
	clear(dh)
	for k := range count {
		copy(dh[k*w.tokens*width:][:width], w.dwhole[k*width:])
	}
	w.stack.Backward(params, grads, dh, count)
	class, places := tensor.Of(grads, w.class), tensor.Of(grads, w.places)
	for k := range count {
		d := dh[k*w.tokens*width:][:w.tokens*width]
		kernel.Axpy(places, 1, d)
		kernel.Axpy(class, 1, d[:width])
		copy(w.embedded[k*rest*width:], d[width:]) // the values in embedded are no longer needed, so their gradient overwrites them
	}
	var d []T
	if dx != nil {
		d = w.d
	}
	nn.LinearBackward(w.s, w.embed, params, grads, d, w.embedded, w.embedded, nil, w.patches, count*rest)
	if dx == nil {
		return
	}
	for k := range count {
		from, to := w.d[k*picture:][:picture], dx[k*picture:][:picture]
		w.runs(func(p, at int) { copy(to[p:p+w.patch], from[at:]) })
	}
}

// vitDecoder is a stack of attention blocks on tokens made from ẑ.
type vitDecoder struct {
	tiling
	tokens int // number of patches
	from   *nn.Linear
	places tensor.Param // (tokens, width): position embeddings
	stack  *attention.Stack
	pixels *nn.Linear
}

func newViTDecoder(c Config, l *tensor.Layout, prefix string) *vitDecoder {
	t := c.tiling()
	return &vitDecoder{
		tiling: t, tokens: c.patches(), from: nn.NewLinear(l, prefix+".from", c.ZDim, c.Width, kernel.Identity),
		places: l.Add(prefix+".places", c.patches(), c.Width),
		stack:  attention.NewStack(l, prefix, c.Width, c.Heads, c.Hidden, c.Restoring),
		pixels: nn.NewLinear(l, prefix+".pixels", c.Width, t.inside(), kernel.Identity),
	}
}

func initViTDecoder[T tensor.Float](params []T, d *vitDecoder, r *rand.Rand) {
	nn.InitLinear(params, d.from, r)
	initPlaces(tensor.Of(params, d.places), decoderPlaces, r)
	attention.InitStack(params, d.stack, r)
	nn.InitLinear(params, d.pixels, r)
}

// vitDecoding is the workspace of a vitDecoder.
type vitDecoding[T tensor.Float] struct {
	*vitDecoder
	s               *kernel.Scratch
	z               []T // the input of Decode
	token, dtoken   []T // (count, width)
	h, dh           []T // (count, tokens, width)
	stack           *attention.StackWorkspace[T]
	out             []T // (count·tokens, width): output of the stack
	patches, y, pic []T // patches and y (count, tokens, inside); pic (count, picture)
}

func newViTDecoding[T tensor.Float](d *vitDecoder, count int) *vitDecoding[T] {
	width, rows := d.from.Out, count*d.tokens
	return &vitDecoding[T]{
		vitDecoder: d, s: new(kernel.Scratch), token: make([]T, count*width), dtoken: make([]T, count*width), h: make([]T, rows*width), dh: make([]T, rows*width),
		stack: attention.NewStackWorkspace[T](d.stack, count, d.tokens), patches: make([]T, rows*d.inside()), y: make([]T, rows*d.inside()), pic: make([]T, rows*d.inside()),
	}
}

// Decode implements Decoder.
func (w *vitDecoding[T]) Decode(params, z []T, count int) []T {
	w.z = z
	width, picture := w.from.Out, w.tokens*w.inside()
	nn.LinearForward(w.s, w.from, params, w.token, nil, z, count)
	places := tensor.Of(params, w.places)
	for k := range count {
		h := w.h[k*w.tokens*width:][:w.tokens*width]
		copy(h, places)
		for t := range w.tokens {
			kernel.Axpy(h[t*width:][:width], 1, w.token[k*width:][:width])
		}
	}
	w.out = w.stack.Forward(params, w.h, count)
	nn.LinearForward(w.s, w.pixels, params, w.y, nil, w.out, count*w.tokens)
	for k := range count {
		from, to := w.y[k*picture:][:picture], w.pic[k*picture:][:picture]
		w.runs(func(p, at int) { copy(to[p:p+w.patch], from[at:]) })
	}
	return w.pic[:count*picture]
}

// Backward implements Decoder.
func (w *vitDecoding[T]) Backward(params, grads, dz, dy []T, count int) {
	width, picture := w.from.Out, w.tokens*w.inside()
	for k := range count {
		from, to := dy[k*picture:][:picture], w.patches[k*picture:][:picture]
		w.runs(func(p, at int) { copy(to[at:at+w.patch], from[p:]) })
	}
	nn.LinearBackward(w.s, w.pixels, params, grads, w.dh, w.patches, w.y, nil, w.out, count*w.tokens)
	w.stack.Backward(params, grads, w.dh, count)
	places := tensor.Of(grads, w.places)
	clear(w.dtoken[:count*width])
	for k := range count {
		d := w.dh[k*w.tokens*width:][:w.tokens*width]
		kernel.Axpy(places, 1, d)
		kernel.ColSum(w.dtoken[k*width:][:width], d, w.tokens, width)
	}
	nn.LinearBackward(w.s, w.from, params, grads, dz, w.dtoken, w.token, nil, w.z, count)
}
