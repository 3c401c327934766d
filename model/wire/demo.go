package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// DemoFrame is one picture of the 1-D demo. The densities are sampled on a uniform
// grid over [Lo, Hi], both ends included.
type DemoFrame struct {
	Status    Status
	Refitting bool // the model was last trained for FitEps, not Eps
	OwnData   bool // the particles are the visitor's; there is no Mixture
	Step      uint32
	Total     uint32  // steps of the schedule
	Eps       float32 // of the target
	FitEps    float32 // that the model was last trained for
	KL        float32 // KL(q_X || p_θ) of the set shown, nats
	Lo, Hi    float32 // ends of the grid

	Particles []float32
	Mixture   []float32 // density that generated the particles; empty for own data
	Target    []float32 // q_X
	Fit       []float32 // p_θ(x | ẑ)
	Z         []float32 // ẑ

	LossStep, Loss []float32 // training loss, nats a sample, against the step
	KLStep, ValKL  []float32 // KL over held-out sets, nats, against the step
}

const demoMagic = "MSF1"

func (f *DemoFrame) slices() [9]*[]float32 {
	return [9]*[]float32{&f.Particles, &f.Mixture, &f.Target, &f.Fit, &f.Z, &f.LossStep, &f.Loss, &f.KLStep, &f.ValKL}
}

// AppendTo appends the frame's encoding to b and returns the result.
func (f *DemoFrame) AppendTo(b []byte) []byte {
	b = append(b, demoMagic...)
	b = append(b, byte(f.Status), flag(f.Refitting), flag(f.OwnData), 0)
	le := binary.LittleEndian
	b = le.AppendUint32(b, f.Step)
	b = le.AppendUint32(b, f.Total)
	for _, v := range [...]float32{f.Eps, f.FitEps, f.KL, f.Lo, f.Hi} {
		b = le.AppendUint32(b, math.Float32bits(v))
	}
	for _, s := range f.slices() {
		b = le.AppendUint32(b, uint32(len(*s)))
		for _, v := range *s {
			b = le.AppendUint32(b, math.Float32bits(v))
		}
	}
	return b
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Decode replaces f by the frame encoded in b, reusing f's slices. On an error
// f holds no meaningful frame.
func (f *DemoFrame) Decode(b []byte) error {
	const head = len(demoMagic) + 4 + 4*7
	if len(b) < head {
		return errShort
	}
	if string(b[:4]) != demoMagic {
		return fmt.Errorf("wire: frame begins with %q, want %q", b[:4], demoMagic)
	}
	if b[4] > byte(Diverged) || b[5] > 1 || b[6] > 1 || b[7] != 0 {
		return fmt.Errorf("wire: frame has flags %v", b[4:8])
	}
	f.Status, f.Refitting, f.OwnData = Status(b[4]), b[5] == 1, b[6] == 1
	le := binary.LittleEndian
	f.Step, f.Total = le.Uint32(b[8:]), le.Uint32(b[12:])
	for i, p := range [...]*float32{&f.Eps, &f.FitEps, &f.KL, &f.Lo, &f.Hi} {
		*p = math.Float32frombits(le.Uint32(b[16+4*i:]))
	}
	b = b[head:]
	for _, s := range f.slices() {
		if len(b) < 4 {
			return errShort
		}
		n := int(le.Uint32(b))
		b = b[4:]
		if n > maxSlice || n > len(b)/4 {
			return errShort
		}
		if cap(*s) < n {
			*s = make([]float32, n)
		}
		*s = (*s)[:n]
		for i := range *s {
			(*s)[i] = math.Float32frombits(le.Uint32(b[4*i:]))
		}
		b = b[4*n:]
	}
	if len(b) != 0 {
		return fmt.Errorf("wire: %d bytes after the frame", len(b))
	}
	if len(f.Loss) != len(f.LossStep) || len(f.ValKL) != len(f.KLStep) || len(f.Target) != len(f.Fit) ||
		len(f.Mixture) != 0 && len(f.Mixture) != len(f.Target) {
		return errors.New("wire: frame has curves of different lengths")
	}
	return nil
}

// DemoState is what the shell shows of the 1-D demo in its controls and its
// status line.
type DemoState struct {
	Lab       string  `js:"lab"`  // Demo
	Eps       float64 `js:"eps"`  // standard deviation of the kernel
	ZDim      int     `js:"zdim"` // latent dimension
	N         int     `js:"n"`    // particles in a set
	Seed      string  `js:"seed"` // decimal; a uint64 does not fit a JS number
	Set       int     `js:"set"`  // index of the set shown
	Drift     bool    `js:"drift"`
	OwnData   bool    `js:"ownData"`   // the particles are the visitor's
	DataName  string  `js:"dataName"`  // their file's name, if they came from one
	Status    string  `js:"status"`    // Status.String()
	Refitting bool    `js:"refitting"` // the model has not caught up with the target
	FitEps    float64 `js:"fitEps"`    // the ε that the model was last trained for
	Step      int     `js:"step"`
	Total     int     `js:"total"`
	Loss      float64 `js:"loss"`  // nats a sample
	KL        float64 `js:"kl"`    // nats, held-out sets; NaN before the first measurement
	SetKL     float64 `js:"setKL"` // nats, the set shown
	SetsPerS  float64 `js:"setsPerS"`
	SecsLeft  float64 `js:"secsLeft"`
	Fragment  string  `js:"fragment"` // the whole state as a URL fragment, without '#'
	Model     string  `js:"model"`    // where the weights are from, in words
	Kernel    string  `js:"kernel"`   // kernel.Name()
}
