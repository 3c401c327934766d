package encoder

import "macroscope/model/setting"

// Table lists what can be set of the encoder, by the names that checkpoints and -set
// on the command line have for it. Sizes are in it where a frame has several sets. What a
// kind leaves out is not in checkpoints, so that all presets of a pair must agree on it.
func (c *Config) Table() setting.Table {
	zdim := setting.Field{Name: "encoder.zdim", Value: &c.ZDim}
	t := setting.Table{{Name: "encoder.dim", Value: &c.Dim}}
	switch c.Kind {
	case Flat:
		t = setting.Table{
			{Name: "hidden", Value: &c.Hidden}, {Name: "zdim", Value: &c.ZDim},
			{Name: "dim", Value: &c.Dim, Absent: "2"},
		}
		if len(c.Sizes) > 1 {
			t = append(t, setting.Field{Name: "sizes", Value: &c.Sizes})
		}
		return t
	case SetTransformer:
		a := &c.Attention
		return append(t, setting.Table{
			{Name: "encoder.width", Value: &a.Width}, {Name: "encoder.heads", Value: &a.Heads},
			{Name: "encoder.inducing", Value: &a.Inducing}, {Name: "encoder.blocks", Value: &a.Blocks}, {Name: "encoder.seeds", Value: &a.Seeds},
			{Name: "encoder.feed", Value: &a.Hidden}, zdim,
		}...)
	case CNN, ViT:
		return append(append(t, zdim), c.pictureTable()...)
	}
	return append(t, setting.Table{
		{Name: "encoder.hidden", Value: &c.Hidden}, {Name: "encoder.head", Value: &c.Head}, zdim, {Name: "encoder.act", Value: &c.Act},
	}...)
}

// pictureTable lists what both halves of an autoencoder of pictures have in common.
func (c *Config) pictureTable() setting.Table {
	r, i := &c.Raster, &c.Image
	t := setting.Table{
		{Name: "picture.rows", Value: &r.Rows}, {Name: "picture.cols", Value: &r.Cols}, {Name: "picture.left", Value: &r.Left}, {Name: "picture.top", Value: &r.Top},
		{Name: "picture.pixel", Value: &r.Pixel}, {Name: "picture.marked", Value: &r.Marked},
	}
	if c.Kind == CNN {
		return append(t, setting.Field{Name: "cnn.widths", Value: &i.Widths})
	}
	return append(t, setting.Table{
		{Name: "vit.patch", Value: &i.Patch}, {Name: "vit.width", Value: &i.Width}, {Name: "vit.heads", Value: &i.Heads}, {Name: "vit.hidden", Value: &i.Hidden},
		{Name: "vit.blocks", Value: &i.Blocks}, {Name: "vit.restoring", Value: &i.Restoring},
	}...)
}
