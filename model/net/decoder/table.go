package decoder

import (
	"macroscope/model/net/decoder/flow"
	"macroscope/model/setting"
)

// Table lists what can be set of the decoder, by the names that checkpoints and -set
// on the command line have for it. A Picture has what its encoder has.
func (c *Config) Table() setting.Table {
	density := setting.Table{{Name: "eps", Value: &c.Eps}, {Name: "samples", Value: &c.Samples}}
	switch c.Kind {
	case Flow:
		f := &c.Flow
		return append(density, setting.Table{
			{Name: "flow.dim", Value: &f.Dim}, {Name: "flow.zdim", Value: &f.ZDim}, {Name: "flow.layers", Value: &f.Layers}, {Name: "flow.bins", Value: &f.Bins},
			{Name: "flow.bound", Value: &f.Bound}, {Name: "flow.hidden", Value: &f.Hidden}, {Name: "flow.blocks", Value: &f.Blocks}, {Name: "flow.act", Value: &f.Act},
			{Name: "flow.condbase", Value: &f.CondBase}, {Name: "flow.basehidden", Value: &f.BaseHidden}, {Name: "flow.order", Value: &f.Order, Options: setting.Choices(flow.Alternate, flow.Random)}, {Name: "flow.orderseed", Value: &f.OrderSeed},
		}...)
	case Matching:
		v := &c.Matching
		return append(density, setting.Table{
			{Name: "matching.hidden", Value: &v.Hidden}, {Name: "matching.act", Value: &v.Act},
			{Name: "matching.sigma", Value: &v.Sigma}, {Name: "matching.steps", Value: &v.Steps},
		}...)
	case Pointwise, Chamfer:
		return setting.Table{{Name: "decoder.hidden", Value: &c.Hidden}}
	}
	return nil
}
