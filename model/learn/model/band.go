package model

import (
	"fmt"
	"slices"

	"macroscope/model/file/ckpt"
	"macroscope/model/setting"
)

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

func (m *Model) stretchTensors() []ckpt.Tensor {
	stretches := m.Stretches
	if m.Stretch != 1 {
		stretches = []float64{m.Stretch}
	}
	if stretches == nil {
		return nil
	}
	return []ckpt.Tensor{{Name: stretchTensor, Shape: []int{len(stretches)}, F64: stretches}}
}

func (m *Model) readStretch(f *ckpt.File) error {
	t := f.Tensor(stretchTensor)
	if t == nil {
		return nil
	}
	n := len(m.Config.Tuning().Codes())
	if len(t.F64) != n || slices.ContainsFunc(t.F64, func(s float64) bool { return CheckStretch(s) != nil }) {
		return fmt.Errorf("the checkpoint's %s is not %s above 0 and at most %d; choose one that was saved whole", stretchTensor, setting.Count(n, "number", "numbers"), maxStretch)
	}
	if m.Config.Tunable() {
		m.Stretches = t.F64
	} else {
		m.Stretch = t.F64[0]
	}
	return nil
}

// Uncalibrate discards the stretch and the support of the model. Call it before you change the
// dynamics or the encoder.
func (m *Model) Uncalibrate() { m.Stretch, m.Stretches, m.Support = 1, nil, nil }
