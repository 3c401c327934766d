package attention

import (
	"fmt"
	"math/rand/v2"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
	"macroscope/model/setting"
)

// Config describes a SetTransformer.
type Config struct {
	Dim      int // coordinates of a particle
	Width    int // width of a particle's representation, a multiple of Heads
	Heads    int
	Inducing int // learned queries of each block
	Blocks   int
	Seeds    int // learned queries after the last block
	Hidden   int // width of the hidden layer in the feed-forward layers
	ZDim     int // length of ẑ
}

// Default returns the settings that the paper's authors use.
func Default() Config {
	return Config{Dim: 2, Width: 64, Heads: 4, Inducing: 16, Blocks: 2, Seeds: 1, Hidden: 128, ZDim: 8}
}

// Table lists the settings other than Dim and ZDim, by their names in checkpoints.
func (c *Config) Table() setting.Table {
	return setting.Table{
		{Name: "encoder.width", Value: &c.Width, Low: 1, High: 1024}, {Name: "encoder.heads", Value: &c.Heads, Low: 1, High: 64},
		{Name: "encoder.inducing", Value: &c.Inducing, Low: 1, High: 256}, {Name: "encoder.blocks", Value: &c.Blocks, Low: 1, High: 16},
		{Name: "encoder.seeds", Value: &c.Seeds, Low: 1, High: 64}, {Name: "encoder.feed", Value: &c.Hidden, Low: 1, High: 4096},
	}
}

// Validate returns an error that says why the configuration is invalid.
func (c Config) Validate() error {
	t := append(c.Table(), setting.Field{Name: "dim", Value: &c.Dim, Low: 1, High: 16}, setting.Field{Name: "zdim", Value: &c.ZDim, Low: 1, High: 64})
	if err := t.Check(); err != nil {
		return err
	}
	if c.Width%c.Heads != 0 {
		return fmt.Errorf("attention: %d numbers a particle inside cannot be shared by %d heads; use a multiple of their number", c.Width, c.Heads)
	}
	return nil
}

// SetTransformer is the encoder.
type SetTransformer struct {
	cfg    Config
	in     *nn.Linear
	blocks []*block
	pool   *gather
	after  *feed
	out    *nn.Linear
}

// block lets particles interact through learned queries.
type block struct {
	gather *gather
	spread *spread
	feed   *feed
}

// New adds the encoder's parameters to the layout under the prefix. The configuration must be
// valid.
func New(c Config, l *tensor.Layout, prefix string) *SetTransformer {
	e := &SetTransformer{cfg: c, in: nn.NewLinear(l, prefix+".in", c.Dim, c.Width, kernel.Identity)}
	for i := range c.Blocks {
		name := fmt.Sprintf("%s.%d", prefix, i)
		e.blocks = append(e.blocks, &block{
			gather: newGather(c, l, name+".gather", c.Inducing),
			spread: newSpread(c, l, name+".spread"),
			feed:   newFeed(c, l, name+".feed"),
		})
	}
	e.pool = newGather(c, l, prefix+".pool", c.Seeds)
	e.after = newFeed(c, l, prefix+".after")
	e.out = nn.NewLinear(l, prefix+".out", c.Width, c.ZDim, kernel.Identity)
	return e
}

// Init draws the encoder's weights; layer norms start as the identity.
func Init[T tensor.Float](params []T, e *SetTransformer, r *rand.Rand) {
	nn.InitLinear(params, e.in, r)
	for _, b := range e.blocks {
		initGather(params, b.gather, r)
		initSpread(params, b.spread, r)
		initFeed(params, b.feed, r)
	}
	initGather(params, e.pool, r)
	initFeed(params, e.after, r)
	nn.InitLinear(params, e.out, r)
}

// Workspace keeps the results of an Encode for Backward. It is not safe for concurrent use.
type Workspace[T tensor.Float] struct {
	net    *SetTransformer
	s      *kernel.Scratch
	sets   int
	points int
	h      []T // (Σn, Width), the particles' input to the first block
	blocks []blockSpace[T]
	pool   *gatherSpace[T]
	after  *feedSpace[T]
	mean   []T // (B, Width), mean of the seeds' outputs
	z      []T // (B, ZDim), the result
	one    [1]int

	dh, dmean, dseeds, dfew []T // gradients (Σn, Width), (B, Width), (B·Seeds, Width), (B·Inducing, Width)
}

// blockSpace is the workspace of a block.
type blockSpace[T tensor.Float] struct {
	gather *gatherSpace[T]
	spread *spreadSpace[T]
	feed   *feedSpace[T]
}

// The result of `of` is a workspace for block b. It shares the memory of w.
func (w blockSpace[T]) of(b *block) blockSpace[T] {
	g, p, f := *w.gather, *w.spread, *w.feed
	g.gather, p.spread, f.feed = b.gather, b.spread, b.feed
	g.norm, p.norm, f.norm = g.norm.of(b.gather.norm), p.norm.of(b.spread.norm), f.norm.of(b.feed.norm)
	return blockSpace[T]{&g, &p, &f}
}

// NewWorkspace makes a workspace to train on up to maxSets sets with maxPoints particles in
// total.
func NewWorkspace[T tensor.Float](e *SetTransformer, maxSets, maxPoints int) *Workspace[T] {
	w := newWorkspace[T](e, maxSets, maxPoints, true)
	width := e.cfg.Width
	w.dh, w.dmean = make([]T, maxPoints*width), make([]T, maxSets*width)
	w.dseeds, w.dfew = make([]T, maxSets*e.cfg.Seeds*width), make([]T, maxSets*e.cfg.Inducing*width)
	return w
}

// NewFrozen makes a workspace for EncodeOnly, for up to maxSets sets with the given number of
// points each. It grows for larger sets.
func NewFrozen[T tensor.Float](e *SetTransformer, maxSets, points int) *Workspace[T] {
	w := newWorkspace[T](e, 1, points, false)
	w.z = make([]T, maxSets*e.cfg.ZDim)
	return w
}

// newWorkspace makes a workspace for Encode and, if `learns` is true, for Backward. Otherwise all
// blocks except the first share memory.
func newWorkspace[T tensor.Float](e *SetTransformer, sets, points int, learns bool) *Workspace[T] {
	c, s := e.cfg, new(kernel.Scratch)
	w := &Workspace[T]{
		net: e, s: s, sets: sets, points: points,
		h: make([]T, points*c.Width), mean: make([]T, sets*c.Width), z: make([]T, sets*c.ZDim),
		pool:  newGatherSpace[T](e.pool, nil, s, sets, points, learns),
		after: newFeedSpace[T](e.after, s, sets*c.Seeds, learns),
	}
	for i, b := range e.blocks {
		if i > 1 && !learns {
			w.blocks = append(w.blocks, w.blocks[1].of(b))
			continue
		}
		in := e.in
		if i > 0 {
			in = nil
		}
		w.blocks = append(w.blocks, blockSpace[T]{
			gather: newGatherSpace[T](b.gather, in, s, sets, points, learns),
			spread: newSpreadSpace[T](b.spread, in, s, sets, points, learns),
			feed:   newFeedSpace[T](b.feed, s, points, learns),
		})
	}
	return w
}

// Encode returns ẑ (B, ZDim) of B = len(ends) sets. The sets lie end to end in the slice points
// (Σn, Dim): set b ends before particle ends[b]. No set may be empty. The result lies in the
// workspace and is valid until the next call.
func Encode[T tensor.Float](w *Workspace[T], params, points []T, ends []int) []T {
	w.check(ends)
	e, c := w.net, w.net.cfg
	nn.LinearForward(w.s, e.in, params, w.h, nil, points, ends[len(ends)-1])
	x, rank, h := points, c.Dim, w.h // h is the set before the current block; x is the coordinates in the first block, and h in later blocks
	for i := range w.blocks {
		b := &w.blocks[i]
		b.spread.prepare(params, b.gather.forward(params, x, ends), len(ends))
		begin := 0
		for set, end := range ends {
			y := b.spread.forward(params, x[begin*rank:end*rank], h[begin*c.Width:end*c.Width], set, begin, end)
			b.feed.forward(params, y, begin, end)
			begin = end
		}
		h = b.feed.norm.y
		x, rank = h, c.Width
	}
	seeds := w.after.forward(params, w.pool.forward(params, h, ends), 0, len(ends)*c.Seeds)
	mean := w.mean[:len(ends)*c.Width]
	clear(mean)
	for b := range ends {
		kernel.ColSum(mean[b*c.Width:], seeds[b*c.Seeds*c.Width:], c.Seeds, c.Width)
	}
	kernel.Scale(mean, 1/T(c.Seeds))
	z := w.z[:len(ends)*c.ZDim]
	nn.LinearForward(w.s, e.out, params, z, nil, mean, len(ends))
	return z
}

func (w *Workspace[T]) check(ends []int) {
	if rows := ends[len(ends)-1]; rows > w.points || len(ends) > w.sets {
		panic(fmt.Sprintf("attention: %d sets of %d particles in a workspace for %d of %d", len(ends), rows, w.sets, w.points))
	}
}

// EncodeOnly returns the same ẑ as Encode, but Backward cannot be called afterwards. The workspace
// w comes from NewFrozen. EncodeOnly processes one set at a time.
func EncodeOnly[T tensor.Float](w *Workspace[T], params, points []T, ends []int) []T {
	c := w.net.cfg
	z := w.z
	begin := 0
	for b, end := range ends {
		if n := end - begin; n > w.points {
			*w = *newWorkspace[T](w.net, 1, n, false)
		}
		w.z = z[b*c.ZDim : (b+1)*c.ZDim]
		w.one[0] = end - begin
		Encode(w, params, points[begin*c.Dim:end*c.Dim], w.one[:])
		begin = end
	}
	w.z = z
	return z[:len(ends)*c.ZDim]
}

// Backward computes the gradients of the last Encode, which must have had the same sets. It
// overwrites dz (B, ZDim), the gradient of ẑ. It adds the parameters' gradients to grads, and
// writes the gradient of the points to dpoints, unless dpoints is nil.
func Backward[T tensor.Float](w *Workspace[T], params, grads, dpoints, points []T, ends []int, dz []T) {
	w.check(ends)
	e, c, sets := w.net, w.net.cfg, len(ends)
	rows := ends[sets-1]
	nn.LinearBackward(w.s, e.out, params, grads, w.dmean, dz, w.z, nil, w.mean, sets)
	kernel.Scale(w.dmean[:sets*c.Width], 1/T(c.Seeds))
	for i := range sets * c.Seeds {
		copy(w.dseeds[i*c.Width:][:c.Width], w.dmean[i/c.Seeds*c.Width:])
	}
	dh, dseeds := w.dh[:rows*c.Width], w.dseeds[:sets*c.Seeds*c.Width]
	clear(dh)
	clear(dpoints)
	w.after.backward(params, grads, dseeds, w.pool.norm.y, 0, sets*c.Seeds)
	w.pool.backward(params, grads, dh, dseeds, w.blocks[len(w.blocks)-1].feed.norm.y, ends)
	for i := len(w.blocks) - 1; i >= 0; i-- {
		b, x, dx, rank := &w.blocks[i], points, dpoints, c.Dim
		if i > 0 {
			x, dx, rank = w.blocks[i-1].feed.norm.y, dh, c.Width
		}
		begin := 0
		for set, end := range ends {
			d, to := dh[begin*c.Width:end*c.Width], dx
			if dx != nil {
				to = dx[begin*rank : end*rank]
			}
			b.feed.backward(params, grads, d, b.spread.norm.y[begin*c.Width:], begin, end)
			b.spread.backward(params, grads, d, to, x[begin*rank:end*rank], set, begin, end)
			begin = end
		}
		dfew := w.dfew[:sets*c.Inducing*c.Width]
		b.spread.finish(params, grads, dfew, b.gather.norm.y, sets)
		b.gather.backward(params, grads, dx, dfew, x, ends)
	}
	nn.LinearBackward(w.s, e.in, params, grads, nil, dh, w.h, nil, points, rows)
	if dpoints != nil {
		kernel.GemmNN(w.s, dpoints, dh, tensor.Of(params, e.in.W), rows, c.Dim, c.Width, true)
	}
}
