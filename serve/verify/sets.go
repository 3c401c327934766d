package verify

import (
	"fmt"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
	"macroscope/model/net/attention"
	"macroscope/model/net/encoder/deepset"
)

// deepSet checks ẑ and the gradients of Σ ẑ².
func deepSet[T tensor.Float](c *check[T]) {
	n := c.lengths["n"]
	ends, x := c.ends(n), c.data("points")
	names, widths := c.layers("w%d", "b%d")
	cfg := deepset.Config{Dim: c.lengths["d"], Hidden: widths[:2], Head: widths[2:3], ZDim: widths[3], Act: kernel.Softplus}
	must(cfg.Table().Check())
	var net network[T]
	e := deepset.New(cfg, &net.layout, "e")
	c.fill(&net, names)
	ws := deepset.NewWorkspace[T](e, len(ends), n)
	z := deepset.Encode(e, ws, net.params, x, ends)
	c.equal("z", z)
	deepset.Backward(e, ws, net.params, net.grads, x, ends, doubled(z))
	c.gradients(&net)
}

// doubled returns the gradient of Σ z².
func doubled[T tensor.Float](z []T) []T {
	dz := make([]T, len(z))
	for i, v := range z {
		dz[i] = 2 * v
	}
	return dz
}

// attentionNames lists the arrays of one attention layer. The key bias is not among them,
// because it has no effect on the result.
var attentionNames = []string{"_q_w", "_q_b", "_k_w", "_v_w", "_v_b", "_o_w", "_o_b"}

// setTransformerNames returns the arrays of an encoder's parameters in the layout's order.
func setTransformerNames(blocks int) (names []string) {
	add := func(prefix string, of ...string) {
		for _, name := range of {
			names = append(names, prefix+name)
		}
	}
	feed := []string{"_ff0_w", "_ff0_b", "_ff1_w", "_ff1_b"}
	add("in", "_w", "_b")
	for i := range blocks {
		b := fmt.Sprintf("isab%d", i)
		add(b, "_inducing")
		add(b+"_a1", attentionNames...)
		add(b, "_ln1_g", "_ln1_b")
		add(b+"_a2", attentionNames...)
		add(b, "_ln2_g", "_ln2_b")
		add(b, feed...)
		add(b, "_ln3_g", "_ln3_b")
	}
	add("pma", "_seed")
	add("pma_a", attentionNames...)
	add("pma", "_ln1_g", "_ln1_b")
	add("pma", feed...)
	add("pma", "_ln2_g", "_ln2_b")
	add("out", "_w", "_b")
	return names
}

// setTransformer checks ẑ and the gradients of Σ ẑ² for sets that lie one after another. If the
// case also has the same sets with padding, setTransformer checks the padded sets too.
func setTransformer[T tensor.Float](c *check[T]) {
	n, dim := c.lengths["n"], c.lengths["d"]
	ends, x := c.ends(n), c.data("points")
	rows := func(name string) int { return c.array(name).Shape[0] }
	cfg := attention.Config{
		Dim: dim, Width: rows("in_w"), Heads: int(c.scalar("heads")), Inducing: rows("isab0_inducing"), Seeds: rows("pma_seed"),
		Hidden: rows("isab0_ff0_b"), ZDim: rows("out_b"),
	}
	for c.has(fmt.Sprintf("isab%d_inducing", cfg.Blocks)) {
		cfg.Blocks++
	}
	must(cfg.Validate())
	var net network[T]
	e := attention.New(cfg, &net.layout, "e")
	c.fill(&net, setTransformerNames(cfg.Blocks))
	w := attention.NewWorkspace[T](e, len(ends), n)
	evaluate := func(z string) (dx []T) {
		got := attention.Encode(w, net.params, x, ends)
		c.equal(z, got)
		dx = make([]T, len(x))
		attention.Backward(w, net.params, net.grads, dx, x, ends, doubled(got))
		return dx
	}
	dx := evaluate("z")
	c.equal("grad_points", dx)
	c.gradients(&net)
	if !c.has("padded") || !c.has("mask") || c.size("padded") != c.size("mask")*dim {
		return
	}
	// The mask selects the rows of `padded` that are particles.
	padded, mask := c.data("padded"), c.values("mask")
	x = x[:0]
	for i, m := range mask {
		if m != 0 {
			x = append(x, padded[i*dim:(i+1)*dim]...)
		}
	}
	if len(x) != n*dim {
		failf("the mask leaves %d coordinates, and there are %d", len(x), n*dim)
	}
	dx = evaluate("z_padded")
	scattered := make([]T, len(padded))
	for i, m := range mask {
		if m != 0 {
			copy(scattered[i*dim:], dx[:dim])
			dx = dx[dim:]
		}
	}
	c.equal("grad_padded", scattered)
}
