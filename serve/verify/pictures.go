package verify

import (
	"fmt"
	"slices"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/image"
)

// convolutions checks a convolutional autoencoder of images.
func convolutions[T tensor.Float](c *check[T]) {
	first, widths := c.layers("conv%d_w", "conv%d_b")
	last, _ := c.layers("deconv%d_w", "deconv%d_b")
	autoencoder(c, image.Config{Kind: image.CNN, Widths: widths}, slices.Concat(first, []string{"enc_w", "enc_b", "dec_w", "dec_b"}, last))
}

// patches checks an autoencoder of image patches.
func patches[T tensor.Float](c *check[T]) {
	cfg := image.Config{
		Kind: image.ViT, Patch: int(c.scalar("patch")), Heads: int(c.scalar("heads")), Width: c.size("embed_b"), Hidden: c.size("enc0_ff0_b"),
	}
	blocks := func(prefix string) (count int, names []string) {
		for ; c.has(fmt.Sprintf("%s%d_a_q_w", prefix, count)); count++ {
			b := fmt.Sprintf("%s%d_", prefix, count)
			names = append(names, b+"ln1_g", b+"ln1_b")
			for _, name := range attentionNames {
				names = append(names, b+"a"+name)
			}
			names = append(names, b+"ln2_g", b+"ln2_b", b+"ff0_w", b+"ff0_b", b+"ff1_w", b+"ff1_b")
		}
		return count, append(names, prefix+"_ln_g", prefix+"_ln_b")
	}
	var first, last []string
	cfg.Blocks, first = blocks("enc")
	cfg.Restoring, last = blocks("dec")
	autoencoder(c, cfg, slices.Concat([]string{"embed_w", "embed_b", "cls", "pos"}, first,
		[]string{"to_z_w", "to_z_b", "from_z_w", "from_z_b", "dec_pos"}, last, []string{"pixels_w", "pixels_b"}))
}

// autoencoder checks ẑ, the restored pictures, the squared error and all of its gradients. `names`
// contains the names of the arrays in the layout's order. The gradient with respect to the pictures
// includes only the path through the encoder.
func autoencoder[T tensor.Float](c *check[T], cfg image.Config, names []string) {
	count := c.lengths["n"]
	cfg.Channels, cfg.Rows, cfg.Cols, cfg.ZDim = c.lengths["c"], c.lengths["h"], c.lengths["w"], c.lengths["d"]
	must(cfg.Validate())
	var net network[T]
	e := image.NewEncoder[T](image.NewEncoderNet(cfg, &net.layout, "e"), count)
	d := image.NewDecoder[T](image.NewDecoderNet(cfg, &net.layout, "d"), count)
	c.fill(&net, names)
	x := c.data("x")
	z := e.Encode(net.params, x, count)
	c.equal("z", z)
	y := d.Decode(net.params, z, count)
	c.equal("y", y)
	dy, dz, dx := make([]T, len(y)), make([]T, len(z)), make([]T, len(x))
	c.equal64("loss", image.SquaredError(dy, y, x))
	d.Backward(net.params, net.grads, dz, dy, count)
	e.Backward(net.params, net.grads, dx, dz, count)
	c.gradients(&net)
	c.equal("grad_x", dx)
}
