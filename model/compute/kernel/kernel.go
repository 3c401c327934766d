package kernel

import (
	"fmt"
	"unsafe"
)

// Float is the set of element types that the kernels work on.
type Float interface{ float32 | float64 }

// Activation names an elementwise nonlinearity that Affine applies and
// ActivationGrad differentiates.
type Activation uint8

// The activations of the paper's networks.
const (
	Identity Activation = iota
	ReLU                // max(0, x)
	Softplus            // log(1 + e^x)
	Tanh
	SiLU // x·sigmoid(x)
)

// String returns the activation's name in checkpoints.
func (a Activation) String() string {
	if int(a) < len(activationNames) {
		return activationNames[a]
	}
	return fmt.Sprintf("Activation(%d)", uint8(a))
}

var activationNames = [...]string{"identity", "relu", "softplus", "tanh", "silu"}

// ParseActivation is the inverse of Activation.String.
func ParseActivation(name string) (Activation, error) {
	for i, n := range activationNames {
		if n == name {
			return Activation(i), nil
		}
	}
	return 0, fmt.Errorf("kernel: unknown activation %.20q (known: %v)", name, activationNames)
}

// MarshalText writes the activation's name.
func (a Activation) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads the result of MarshalText. On an error the activation stays unchanged.
func (a *Activation) UnmarshalText(b []byte) error {
	v, err := ParseActivation(string(b))
	if err == nil {
		*a = v
	}
	return err
}

// Scratch is the memory in which matrix products pack their operands. It
// grows to the largest product it has seen. A Scratch is not safe for
// concurrent use; the zero value is ready for use.
type Scratch struct{ buf []float32 }

// take returns n floats with arbitrary contents, aligned so that no vector load
// straddles two cache lines.
func (s *Scratch) take(n int) []float32 {
	const line = 64
	if cap(s.buf) < n {
		s.buf = make([]float32, n+line/4)
		skip := -uintptr(unsafe.Pointer(&s.buf[0])) % line / 4
		s.buf = s.buf[skip : int(skip)+n : int(skip)+n]
	}
	return s.buf[:n]
}

// as32 returns x as []float32, without copying, if T is float32. nil stays nil.
func as32[T Float](x []T) ([]float32, bool) {
	var zero T
	if unsafe.Sizeof(zero) != 4 {
		return nil, false
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(x))), len(x)), true
}

// fail panics because of a caller's mistake. Callers test the condition before the call,
// because building the arguments allocates.
func fail(format string, args ...any) { panic("kernel: " + fmt.Sprintf(format, args...)) }
