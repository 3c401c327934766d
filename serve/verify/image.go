package verify

import (
	"fmt"

	"macroscope/model/compute/tensor"
	"macroscope/model/net/image"
)

func runCNN(c Case) ([]Result, error) { return both(c, cnnCase[float64], cnnCase[float32]) }
func runViT(c Case) ([]Result, error) { return both(c, vitCase[float64], vitCase[float32]) }

// cnnCase checks an autoencoder of convolutions.
func cnnCase[T tensor.Float](c Case, cmp *comparison) error {
	cfg := image.Config{Kind: image.CNN}
	var first, last []string
	for i := 0; c[fmt.Sprintf("conv%d_w", i)] != nil; i++ {
		bias := c[fmt.Sprintf("conv%d_b", i)]
		if bias == nil {
			return fmt.Errorf("there is no conv%d_b", i)
		}
		cfg.Widths = append(cfg.Widths, bias.Len())
		first = append(first, fmt.Sprintf("conv%d_w", i), fmt.Sprintf("conv%d_b", i))
		last = append(last, fmt.Sprintf("deconv%d_w", i), fmt.Sprintf("deconv%d_b", i))
	}
	return pictures[T](c, cmp, cfg, append(first, "enc_w", "enc_b"), append([]string{"dec_w", "dec_b"}, last...))
}

// vitCase checks an autoencoder of patches. Biases of keys are left out: they
// change nothing.
func vitCase[T tensor.Float](c Case, cmp *comparison) error {
	heads, err := c.scalar("heads")
	if err != nil {
		return err
	}
	patch, err := c.scalar("patch")
	if err != nil {
		return err
	}
	cfg := image.Config{Kind: image.ViT, Patch: int(patch), Heads: int(heads), Width: c["embed_b"].Len(), Hidden: c["enc0_ff0_b"].Len()}
	blocks := func(prefix string) (count int, names []string) {
		for ; c[fmt.Sprintf("%s%d_a_q_w", prefix, count)] != nil; count++ {
			for _, name := range []string{
				"ln1_g", "ln1_b", "a_q_w", "a_q_b", "a_k_w", "a_v_w", "a_v_b", "a_o_w", "a_o_b", "ln2_g", "ln2_b", "ff0_w", "ff0_b", "ff1_w", "ff1_b",
			} {
				names = append(names, fmt.Sprintf("%s%d_%s", prefix, count, name))
			}
		}
		return count, append(names, prefix+"_ln_g", prefix+"_ln_b")
	}
	first, last := []string{"embed_w", "embed_b", "cls", "pos"}, []string{"from_z_w", "from_z_b", "dec_pos"}
	var inside []string
	cfg.Blocks, inside = blocks("enc")
	first = append(append(first, inside...), "to_z_w", "to_z_b")
	cfg.Restoring, inside = blocks("dec")
	last = append(append(last, inside...), "pixels_w", "pixels_b")
	return pictures[T](c, cmp, cfg, first, last)
}

// pictures checks ẑ, what is restored, the loss and all gradients of an
// autoencoder whose arrays are named in the layouts' order: of the squared error
// those of the parameters, and that of the pictures through the encoder.
func pictures[T tensor.Float](c Case, cmp *comparison, cfg image.Config, first, last []string) error {
	shape := c["x"].Shape
	if len(shape) != 4 || shape[0] < 1 || len(c["z"].Shape) != 2 {
		return fmt.Errorf("x has the shape %v and z %v; they should be (pictures, channels, rows, columns) and (pictures, numbers)", shape, c["z"].Shape)
	}
	count := shape[0]
	cfg.Channels, cfg.Rows, cfg.Cols, cfg.ZDim = shape[1], shape[2], shape[3], c["z"].Shape[1]
	if err := cfg.Validate(); err != nil {
		return err
	}
	names := append(first, last...)
	for _, name := range names {
		if c[name] == nil {
			return fmt.Errorf("there is no %s", name)
		}
	}
	var layout tensor.Layout
	encoder := image.NewEncoderNet(cfg, &layout, "e")
	decoder := image.NewDecoderNet(cfg, &layout, "d")
	if len(layout.Params()) != len(names) {
		return fmt.Errorf("there are %d arrays for the %d of such an autoencoder", len(names), len(layout.Params()))
	}
	params, err := fill[T](c, &layout, names...)
	if err != nil {
		return err
	}
	x := to[T](c.values("x"))
	e, d := image.NewEncoder[T](encoder, count), image.NewDecoder[T](decoder, count)
	z := e.Encode(params, x, count)
	cmp.addIf(c, "z", from(z))
	y := d.Decode(params, z, count)
	cmp.addIf(c, "y", from(y))
	grads, dy, dz, dx := make([]T, len(params)), make([]T, len(y)), make([]T, len(z)), make([]T, len(x))
	cmp.addIf(c, "loss", []float64{image.SquaredError(dy, y, x)})
	d.Backward(params, grads, dz, dy, count)
	e.Backward(params, grads, dx, dz, count)
	for i, p := range layout.Params() {
		cmp.addIf(c, "grad_"+names[i], from(tensor.Of(grads, p)))
	}
	cmp.addIf(c, "grad_x", from(dx))
	return nil
}
