package method

import (
	"fmt"
	"slices"

	"macroscope/model/net/decoder"
	"macroscope/model/net/encoder"
)

// A tunable model serves every kernel width ε in a range, and several lengths of ẑ. Its encoder
// computes all codes at once, its flow takes ε and the code as inputs, and each code has its own
// dynamics. model.Model.At returns an ordinary model with the method "flow", for one ε and one length. A
// trained model encodes, decodes and predicts through such an ordinary model. If there are
// dynamics, only the flow depends on ε, so ẑ and the dynamics do not change with ε.

// Tunable is the method name of tunable models. Untuned is the method name of the ordinary models
// that come from a tunable model.
const (
	Tunable = "flow-tunable"
	Untuned = "flow"
)

// Tunable reports whether the model serves a range of ε and several lengths of ẑ.
func (c *Config) Tunable() bool {
	_, ok := c.Encoder.(*encoder.Tunable)
	return ok
}

// tuning returns the encoder of several codes and the range of ε. If the model is not tunable,
// e is nil.
func (c *Config) tuning() (e *encoder.Tunable, low, high float64) {
	if e, ok := c.Encoder.(*encoder.Tunable); ok {
		d := c.Decoder.Kind.(*decoder.Tunable)
		return e, d.Low, d.High
	}
	return nil, c.Eps(), c.Eps()
}

// UsualZDim returns the default length of ẑ.
func (c *Config) UsualZDim() int {
	if e, _, _ := c.tuning(); e != nil {
		return e.Usual
	}
	return c.ZDim()
}

// Range returns the values that At accepts: the range of ε, and the lengths of ẑ.
func (c *Config) Range() (low, high float64, zdims []int) {
	if e, low, high := c.tuning(); e != nil {
		return low, high, slices.Clone(e.Lengths)
	}
	return c.Eps(), c.Eps(), []int{c.ZDim()}
}

// Nearest returns the values in the Range that are nearest to eps and zdim.
func (c *Config) Nearest(eps float64, zdim int) (float64, int) {
	low, high, zdims := c.Range()
	nearest := slices.MinFunc(zdims, func(a, b int) int { return max(a-zdim, zdim-a) - max(b-zdim, zdim-b) })
	return min(max(eps, low), high), nearest
}

// Codes lists the codes that the encoder computes: one for each length of ẑ.
func (c *Config) Codes() []encoder.Code {
	if e, _, _ := c.tuning(); e != nil {
		return e.Codes()
	}
	return []encoder.Code{{Length: c.ZDim()}}
}

// checkTuning returns an error if the settings of a tunable model do not fit together.
func (c *Config) checkTuning() error {
	switch e, low, high := c.tuning(); {
	case e == nil:
		return nil
	case !(c.Eps() >= low && c.Eps() <= high):
		return fmt.Errorf("ε is %g, and the range is from %g to %g; use one within", c.Eps(), low, high)
	case e.Orders > 0 && c.HasDynamics():
		return fmt.Errorf("a ẑ that depends on ε would need dynamics for each ε; set encoder.orders=0")
	case c.Decoder.Step.On():
		return fmt.Errorf("a tunable model has no one-step loss; set step.weight=0")
	}
	return nil
}

// At returns the configuration of the model that model.Model.At returns, and the index of
// this model's code.
func (c Config) At(eps float64, zdim int) (Config, int, error) {
	low, high, zdims := c.Range()
	code := slices.Index(zdims, zdim)
	switch {
	case code < 0:
		return c, 0, fmt.Errorf("the model is for ẑ dim %v, and not for %d; train one for it", zdims, zdim)
	case !(eps >= low && eps <= high) && low == high:
		return c, 0, fmt.Errorf("the model is for ε = %g, and not for %g; train one for it", low, eps)
	case !(eps >= low && eps <= high):
		return c, 0, fmt.Errorf("the model is for ε from %g to %g, and not for %g; train one for it", low, high, eps)
	}
	if e, _, _ := c.tuning(); e != nil {
		c.Spec.Method = Untuned
		c.Encoder, c.Decoder.Kind = e.At(), c.Decoder.Kind.(*decoder.Tunable).At()
		c.Shape.ZDim, c.Decoder.Eps = zdim, eps
	}
	return c, code, nil
}
