package verify

import (
	"fmt"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/attention"
)

func runSetTransformer(c Case) ([]Result, error) {
	return both(c, setTransformerCase[float64], setTransformerCase[float32])
}

// setTransformerNames are the arrays of an encoder's parameters in the layout's
// order. Biases of keys are none of them: they change nothing.
func setTransformerNames(blocks int) (names []string) {
	add := func(prefix string, of ...string) {
		for _, name := range of {
			names = append(names, prefix+name)
		}
	}
	heads := []string{"_q_w", "_q_b", "_k_w", "_v_w", "_v_b", "_o_w", "_o_b"}
	feed := []string{"_ff0_w", "_ff0_b", "_ff1_w", "_ff1_b"}
	add("in", "_w", "_b")
	for i := range blocks {
		b := fmt.Sprintf("isab%d", i)
		add(b, "_inducing")
		add(b+"_a1", heads...)
		add(b, "_ln1_g", "_ln1_b")
		add(b+"_a2", heads...)
		add(b, "_ln2_g", "_ln2_b")
		add(b, feed...)
		add(b, "_ln3_g", "_ln3_b")
	}
	add("pma", "_seed")
	add("pma_a", heads...)
	add("pma", "_ln1_g", "_ln1_b")
	add("pma", feed...)
	add("pma", "_ln2_g", "_ln2_b")
	add("out", "_w", "_b")
	return names
}

// setTransformerCase checks ẑ and the gradients of Σ ẑ², of sets laid end to end
// and, where the case has them, of the same sets within padding.
func setTransformerCase[T tensor.Float](c Case, cmp *comparison) error {
	points, ends, err := c.sets()
	if err != nil {
		return err
	}
	count, err := c.scalar("heads")
	if err != nil {
		return err
	}
	rows := func(name string) int { return c[name].Shape[0] }
	cfg := attention.Config{
		Dim: points.Shape[1], Width: rows("in_w"), Heads: int(count), Inducing: rows("isab0_inducing"), Seeds: rows("pma_seed"),
		Hidden: rows("isab0_ff0_b"), ZDim: rows("out_b"),
	}
	for c[fmt.Sprintf("isab%d_inducing", cfg.Blocks)] != nil {
		cfg.Blocks++
	}
	if err := cfg.Validate(); err != nil {
		return err
	}
	var layout tensor.Layout
	e := attention.New(cfg, &layout, "e")
	names := setTransformerNames(cfg.Blocks)
	params, err := fill[T](c, &layout, names...)
	if err != nil {
		return err
	}
	x := to[T](points.Float64s())
	w := attention.NewWorkspace[T](e, len(ends), points.Shape[0])
	evaluate := func(z string) (grads, dx []T) {
		got := attention.Encode(w, params, x, ends)
		cmp.addIf(c, z, from(got))
		dz := make([]T, len(got))
		for i, v := range got {
			dz[i] = 2 * v
		}
		grads, dx = make([]T, layout.Size()), make([]T, len(x))
		attention.Backward(w, params, grads, dx, x, ends, dz)
		return grads, dx
	}
	grads, dx := evaluate("z")
	cmp.addIf(c, "grad_points", from(dx))
	for i, p := range layout.Params() {
		cmp.addIf(c, "grad_"+names[i], from(tensor.Of(grads, p)))
	}
	if c["padded"] == nil || c["mask"] == nil || c["padded"].Len() != c["mask"].Len()*cfg.Dim {
		return nil
	}
	// What the mask leaves of the padded sets are their particles in this order.
	padded, mask := c.values("padded"), c.values("mask")
	x = x[:0]
	for i, m := range mask {
		if m != 0 {
			x = append(x, to[T](padded[i*cfg.Dim:(i+1)*cfg.Dim])...)
		}
	}
	if len(x) != points.Len() {
		return fmt.Errorf("the mask leaves %d coordinates, and there are %d", len(x), points.Len())
	}
	_, dx = evaluate("z_padded")
	scattered := make([]float64, len(padded))
	for i, m := range mask {
		if m != 0 {
			copy(scattered[i*cfg.Dim:], from(dx[:cfg.Dim]))
			dx = dx[cfg.Dim:]
		}
	}
	cmp.addIf(c, "grad_padded", scattered)
	return nil
}
