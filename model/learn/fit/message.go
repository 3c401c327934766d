package fit

import (
	"encoding/binary"
	"errors"
	"slices"
	"unsafe"

	"macroscope/model/compute/tensor"
	"macroscope/model/system"
)

// What a training sends its helpers is a kind and then what its comment says.
// Both ends are one program on one machine, so that slices travel as they lie in
// memory: gradients are most of what is sent, and writing them out number by
// number would take a tenth of the time that they take to compute. Positions,
// gradients and parameters have 32 bits and all other reals 64.
const (
	// jobModel: a checkpoint. The answer is empty.
	jobModel uint32 = iota
	// jobTrajectory: a purpose and the trajectory's number; 0 if it is to be
	// simulated, or 1 and the trajectory as it is in the user's file, see
	// appendTrajectory. The answer is what the purpose asks for: the frames that
	// stage I keeps, z before its scaling (T, V), or frame 0, with its parameters,
	// and the macroscopic variables.
	jobTrajectory
	// jobShards: the phase; 1 and its parameters, or 0 if they are those of the
	// last job; the number of shards, and what was drawn for each. The answer is
	// the loss and the gradient of each.
	jobShards
)

// appendNumbers appends whole numbers of 32 bits.
func appendNumbers(b []byte, numbers ...uint32) []byte {
	for _, n := range numbers {
		b = binary.LittleEndian.AppendUint32(b, n)
	}
	return b
}

func appendFloats(b []byte, v []float32) []byte { return append(b, inMemory(v)...) }

func appendDoubles(b []byte, v []float64) []byte { return append(b, inMemory(v)...) }

// inMemory returns the bytes of a slice, which are the slice's own.
func inMemory[T tensor.Float](v []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(T(0))))
}

// unpacker reads a message from its beginning. Once it is too short all reads
// give nothing, and end says so.
type unpacker struct {
	b     []byte
	short bool
}

func (u *unpacker) take(n int) []byte {
	if u.short || n < 0 || n > len(u.b) {
		u.short = true
		return nil
	}
	b := u.b[:n]
	u.b = u.b[n:]
	return b
}

func (u *unpacker) number() uint32 {
	b := u.take(4)
	if b == nil {
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// count reads a whole number that things of so many bytes each follow; it is
// short if they cannot be there.
func (u *unpacker) count(size int) int {
	n := int(u.number())
	if u.short || n < 0 || n > len(u.b)/size {
		u.short = true
		return 0
	}
	return n
}

func (u *unpacker) floats(dst []float32) { copy(inMemory(dst), u.take(4*len(dst))) }

func (u *unpacker) doubles(dst []float64) { copy(inMemory(dst), u.take(8*len(dst))) }

// newFloats reads a count and as many numbers.
func (u *unpacker) newFloats() []float32 {
	v := make([]float32, u.count(4))
	u.floats(v)
	return v
}

func (u *unpacker) newDoubles() []float64 {
	v := make([]float64, u.count(8))
	u.doubles(v)
	return v
}

// newInts reads a count and as many whole numbers.
func (u *unpacker) newInts() []int {
	v := make([]int, u.count(4))
	for i := range v {
		v[i] = int(u.number())
	}
	return v
}

// end returns an error unless the message was read exactly to its end.
func (u *unpacker) end() error {
	if u.short || len(u.b) > 0 {
		return errors.New("a message between the tab's workers has another length than its content; reload the page")
	}
	return nil
}

// floatsWithCount appends a count and the numbers.
func floatsWithCount(b []byte, v []float32) []byte {
	return appendFloats(appendNumbers(b, uint32(len(v))), v)
}

// doublesWithCount appends a count and the numbers.
func doublesWithCount(b []byte, v []float64) []byte {
	return appendDoubles(appendNumbers(b, uint32(len(v))), v)
}

func intsWithCount(b []byte, v []int) []byte {
	b = appendNumbers(b, uint32(len(v)))
	for _, n := range v {
		b = appendNumbers(b, uint32(n))
	}
	return b
}

// appendTrajectory appends a trajectory: its points, species and macroscopic
// variables and parameters, each with their number before them.
func appendTrajectory(b []byte, t *system.Trajectory) []byte {
	b = floatsWithCount(b, t.Points)
	b = append(appendNumbers(b, uint32(len(t.Species))), t.Species...)
	return doublesWithCount(doublesWithCount(b, t.Macro), t.Params)
}

func (u *unpacker) trajectory() *system.Trajectory {
	t := &system.Trajectory{Points: u.newFloats()}
	if n := u.count(1); n > 0 {
		t.Species = slices.Clone(u.take(n))
	}
	t.Macro, t.Params = u.newDoubles(), u.newDoubles()
	return t
}
