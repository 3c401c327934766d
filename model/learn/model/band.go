package model

import (
	"fmt"
	"slices"

	"macroscope/model/file/ckpt"
	"macroscope/model/learn/method"
	"macroscope/model/setting"
)

// Calibration is what the subcommand calibrate learns of predictions from runs that were not trained on.
type Calibration struct {
	Stretch   float64   // stretch of the bands of ensembles, see measure.Bounds; 1 if not calibrated
	Stretches []float64 // a tunable model's Stretch for each length of ẑ, in the order of method.Tuning.Codes; nil if not calibrated
	Support   *Support  // nil until it has been computed
}

// Clear discards the calibration. Call it before you change the dynamics or the encoder.
func (c *Calibration) Clear() { *c = Calibration{Stretch: 1} }

// stretch returns the Stretch of one of the models of a tunable model, by the index of its code.
func (c *Calibration) stretch(code int) float64 {
	if c.Stretches == nil {
		return 1
	}
	return c.Stretches[code]
}

// CheckStretch returns an error unless bands may be stretched by s.
func CheckStretch(s float64) error {
	if s > 0 && s <= maxStretch {
		return nil
	}
	return fmt.Errorf("bands would have to be stretched by %g; use dynamics whose ensembles are nearer to what happens", s)
}

// maxStretch is the largest result of a calibration. If a larger stretch is needed, the
// dynamics are wrong.
const maxStretch = 100

// stretchTensor is the name of the stretch in a checkpoint. A tunable model has one for each length of
// ẑ. A file without it has a stretch of 1.
const stretchTensor = "band.stretch"

// tensors lists the calibration as tensors of a checkpoint.
func (c *Calibration) tensors() []ckpt.Tensor {
	stretches := c.Stretches
	if c.Stretch != 1 {
		stretches = []float64{c.Stretch}
	}
	if stretches == nil {
		return c.Support.tensors()
	}
	return append([]ckpt.Tensor{{Name: stretchTensor, Shape: []int{len(stretches)}, F64: stretches}}, c.Support.tensors()...)
}

// read reads the calibration of a model from a checkpoint.
func (c *Calibration) read(f *ckpt.File, of *method.Config) (err error) {
	if t := f.Tensor(stretchTensor); t != nil {
		n := len(of.Tuning().Codes())
		if len(t.F64) != n || slices.ContainsFunc(t.F64, func(s float64) bool { return CheckStretch(s) != nil }) {
			return fmt.Errorf("the checkpoint's %s is not %s above 0 and at most %d; choose one that was saved whole", stretchTensor, setting.Count(n, "number", "numbers"), maxStretch)
		}
		if of.Tunable() {
			c.Stretches = t.F64
		} else {
			c.Stretch = t.F64[0]
		}
	}
	c.Support, err = readSupport(f, of.States())
	return err
}
