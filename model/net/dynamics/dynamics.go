package dynamics

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/nn"
	"macroscope/model/compute/tensor"
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

// Title returns a drift's name in a text.
func (f Form) Title() string {
	switch f {
	case FormOnsager:
		return "OnsagerNet"
	case FormResNet:
		return "residual OnsagerNet"
	}
	return "MLP"
}

// Config describes a drift.
type Config struct {
	Dim      int // D, the length of z
	Form     Form
	Hidden   []int             // widths of the MLP's hidden layers; none for a linear drift
	Act      kernel.Activation // of the MLP's hidden layers
	Onsager  OnsagerConfig     // only for FormOnsager
	ResNet   ResNetConfig      // only for FormResNet
	Confined bool              // whether the drift is confined to Box
	Box      Box
}

// Default returns the drift of the paper's interacting particles, for the energy
// and eight closure variables: an MLP 64-64 with ReLU.
func Default() Config {
	return Config{
		Dim: 9, Form: FormMLP, Hidden: []int{64, 64}, Act: kernel.ReLU,
		Onsager: DefaultOnsager(), ResNet: DefaultResNet(), Box: DefaultBox(),
	}
}

// Validate returns an error that says why the configuration is invalid. It
// ignores fields that the form does not use.
func (c Config) Validate() error {
	if c.Dim < 1 || c.Dim > 64 {
		return fmt.Errorf("sde: %d macroscopic variables; use 1 to 64", c.Dim)
	}
	switch c.Form {
	case FormMLP:
		if len(c.Hidden) > 16 {
			return fmt.Errorf("sde: a drift of %d hidden layers; use at most 16", len(c.Hidden))
		}
		for _, w := range c.Hidden {
			if w < 1 || w > 4096 {
				return fmt.Errorf("sde: hidden layer of width %d; use 1 to 4096", w)
			}
		}
		if _, err := kernel.ParseActivation(c.Act.String()); err != nil {
			return fmt.Errorf("sde: %w", err)
		}
	case FormOnsager:
		if err := c.Onsager.Validate(); err != nil {
			return err
		}
	case FormResNet:
		if err := c.ResNet.Validate(); err != nil {
			return err
		}
	default:
		return fmt.Errorf("sde: no drift has the form %q; use %s", c.Form, strings.Join(Forms(), ", "))
	}
	if c.Confined {
		return c.Box.Validate()
	}
	return nil
}

// Dynamics is a drift's place in a layout.
type Dynamics struct {
	cfg     Config
	mlp     *nn.MLP  // for FormMLP
	onsager *Onsager // for FormOnsager
	resnet  *ResNet  // for FormResNet
}

// New enters the drift's parameters into the layout under prefix. The
// configuration must be valid.
func New(c Config, l *tensor.Layout, prefix string) *Dynamics {
	switch c.Form {
	case FormOnsager:
		return &Dynamics{cfg: c, onsager: NewOnsager(c.Onsager, c.Dim, l, prefix)}
	case FormResNet:
		return &Dynamics{cfg: c, resnet: NewResNet(c.ResNet, c.Dim, l, prefix)}
	}
	sizes := append(append([]int{c.Dim}, c.Hidden...), c.Dim)
	return &Dynamics{cfg: c, mlp: nn.NewMLP(l, prefix, sizes, c.Act, kernel.Identity)}
}

// Config returns the drift's configuration.
func (l *Dynamics) Config() Config { return l.cfg }

// Init draws the drift's weights.
func Init[T tensor.Float](params []T, l *Dynamics, rng *rand.Rand) {
	switch {
	case l.onsager != nil:
		InitOnsager(params, l.onsager, rng)
	case l.resnet != nil:
		InitResNet(params, l.resnet, rng)
	default:
		nn.InitMLP(params, l.mlp, rng)
	}
}

// NewDrift makes room to evaluate the drift on up to maxRows rows.
func NewDrift[T tensor.Float](l *Dynamics, maxRows int) Drift[T] {
	var d Drift[T]
	switch {
	case l.onsager != nil:
		d = NewOnsagerNet[T](l.onsager, maxRows)
	case l.resnet != nil:
		d = NewOnsagerResNet[T](l.resnet, maxRows)
	default:
		d = NewMLP[T](l.mlp, maxRows)
	}
	if l.cfg.Confined {
		d = NewConfined(d, l.cfg.Box, maxRows)
	}
	return d
}
