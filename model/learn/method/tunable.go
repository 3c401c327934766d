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
func (c *Config) Tunable() bool { return c.Tuning().encoder != nil }

// Tuning is what a model serves: a range of ε, and lengths of ẑ. A model that is not tunable serves one value of each.
type Tuning struct {
	encoder   *encoder.Tunable // the encoder of several codes; nil if the model is not tunable
	low, high float64          // the range of ε
	zdim      int              // the length of ẑ of a model that is not tunable
}

// Tuning returns what the model serves.
func (c *Config) Tuning() Tuning {
	if e, ok := c.Encoder.(*encoder.Tunable); ok {
		d := c.Decoder.Kind.(*decoder.Tunable)
		return Tuning{encoder: e, low: d.Low, high: d.High}
	}
	return Tuning{low: c.Eps(), high: c.Eps(), zdim: c.Shape.ZDim}
}

// Usual returns the default length of ẑ.
func (t Tuning) Usual() int {
	if t.encoder != nil {
		return t.encoder.Usual
	}
	return t.zdim
}

// width returns how many closure variables of a set the encoder computes: those of all codes.
func (t Tuning) width() int {
	if t.encoder != nil {
		return t.encoder.Width()
	}
	return t.zdim
}

// Range returns the values that Config.At accepts: the range of ε, and the lengths of ẑ.
func (t Tuning) Range() (low, high float64, zdims []int) {
	if t.encoder != nil {
		return t.low, t.high, slices.Clone(t.encoder.Lengths)
	}
	return t.low, t.high, []int{t.zdim}
}

// Nearest returns the values in the Range that are nearest to eps and zdim.
func (t Tuning) Nearest(eps float64, zdim int) (float64, int) {
	low, high, zdims := t.Range()
	nearest := slices.MinFunc(zdims, func(a, b int) int { return max(a-zdim, zdim-a) - max(b-zdim, zdim-b) })
	return min(max(eps, low), high), nearest
}

// Codes lists the codes that the encoder computes: one for each length of ẑ.
func (t Tuning) Codes() []encoder.Code {
	if t.encoder != nil {
		return t.encoder.Codes()
	}
	return []encoder.Code{{Length: t.zdim}}
}

// Code returns the index of the code of a length of ẑ. The error says that eps or zdim is outside the Range.
func (t Tuning) Code(eps float64, zdim int) (int, error) {
	low, high, zdims := t.Range()
	code := slices.Index(zdims, zdim)
	switch {
	case code < 0:
		return 0, fmt.Errorf("the model is for ẑ dim %v, and not for %d; train one for it", zdims, zdim)
	case !(eps >= low && eps <= high) && low == high:
		return 0, fmt.Errorf("the model is for ε = %g, and not for %g; train one for it", low, eps)
	case !(eps >= low && eps <= high):
		return 0, fmt.Errorf("the model is for ε from %g to %g, and not for %g; train one for it", low, high, eps)
	}
	return code, nil
}

// check returns an error if the settings of a tunable model do not fit together. `moves` says whether it has dynamics.
func (t Tuning) check(of *decoder.Config, moves bool) error {
	switch {
	case t.encoder == nil:
		return nil
	case !(of.Eps >= t.low && of.Eps <= t.high):
		return fmt.Errorf("ε is %g, and the range is from %g to %g; use one within", of.Eps, t.low, t.high)
	case t.encoder.Orders > 0 && moves:
		return fmt.Errorf("a ẑ that depends on ε would need dynamics for each ε; set encoder.orders=0")
	case of.Step.On():
		return fmt.Errorf("a tunable model has no one-step loss; set step.weight=0")
	}
	return nil
}

// At returns the configuration of the model that model.Model.At returns. The error says that eps or zdim is outside
// the Range.
func (c Config) At(eps float64, zdim int) (Config, error) {
	t := c.Tuning()
	if _, err := t.Code(eps, zdim); err != nil || t.encoder == nil {
		return c, err
	}
	c.Spec.Method = Untuned
	c.Encoder, c.Decoder.Kind = t.encoder.At(), c.Decoder.Kind.(*decoder.Tunable).At()
	c.Shape.ZDim, c.Decoder.Eps = zdim, eps
	return c, nil
}
