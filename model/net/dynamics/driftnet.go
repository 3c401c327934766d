package dynamics

import (
	"slices"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/setting"
)

// Form names a kind of drift.
type Form string

// The kinds of drift.
const (
	FormMLP     Form = "mlp"
	FormOnsager Form = "onsager"
	FormResNet  Form = "onsager-resnet"
)

// Forms lists the kinds of drift by their names.
func Forms() []string { return []string{string(FormMLP), string(FormOnsager), string(FormResNet)} }

// Title returns a drift's name for use in a text.
func (f Form) Title() string {
	switch f {
	case FormOnsager:
		return "OnsagerNet"
	case FormResNet:
		return "residual OnsagerNet"
	}
	return "MLP"
}

// MaxDim is the largest length D of z.
const MaxDim = 64

// Addition returns what a model's name says of its drift: nothing if it is an MLP or if there is none.
func (f Form) Addition() string {
	if f == FormMLP || f == "" {
		return ""
	}
	return ", " + f.Title()
}

// DriftConfig describes a drift.
type DriftConfig struct {
	Form     Form
	Hidden   []int             // widths of the MLP's hidden layers; none for a linear drift
	Act      kernel.Activation // activation of the MLP's hidden layers
	Onsager  OnsagerConfig     // used only by FormOnsager
	ResNet   ResNetConfig      // used only by FormResNet
	Confined bool              // whether the drift is confined to Box
	Box      Box
}

// MLPTable lists the form and the settings of an MLP. prefix precedes their names in
// checkpoints.
func (c *DriftConfig) MLPTable(prefix string) setting.Table {
	form := prefix + "form"
	return append(setting.Table{{Name: form, Value: (*string)(&c.Form), Options: setting.Choices(Forms()...)}}, setting.Table{
		{Name: prefix + "hidden", Value: &c.Hidden, Low: 1, High: 4096, Most: 16}, {Name: prefix + "act", Value: &c.Act},
	}.Needing(c.Form == FormMLP, form+"="+string(FormMLP))...)
}

// Table lists the settings of every form.
func (c *DriftConfig) Table(prefix string) setting.Table {
	return slices.Concat(c.MLPTable(prefix),
		c.Onsager.table(prefix+"onsager.").Needing(c.Form == FormOnsager, prefix+"form="+string(FormOnsager)),
		c.ResNet.table(prefix+"resnet.").Needing(c.Form == FormResNet, prefix+"form="+string(FormResNet)),
		setting.Table{{Name: prefix + "confined", Value: &c.Confined}}, c.Box.table(prefix+"box.").Needing(c.Confined, prefix+"confined=true"))
}

// Validate returns an error that says why the configuration is invalid. It ignores
// fields that the form does not use.
func (c DriftConfig) Validate() error {
	t := c.MLPTable("")
	switch c.Form {
	case FormOnsager:
		t = append(t, c.Onsager.table("onsager.")...)
	case FormResNet:
		t = append(t, c.ResNet.table("resnet.")...)
	}
	if c.Confined {
		t = append(t, c.Box.table("box.")...)
	}
	return t.Check()
}

// DriftNet holds a drift's configuration and the offsets of its parameters in a tensor.Layout.
type DriftNet struct {
	cfg     DriftConfig
	mlp     *nn.MLP  // for FormMLP
	onsager *Onsager // for FormOnsager
	resnet  *ResNet  // for FormResNet
}

// Config returns the drift's configuration.
func (n *DriftNet) Config() DriftConfig { return n.cfg }
