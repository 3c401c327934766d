package lab

import (
	"encoding/binary"
	"errors"
	"math"
)

// What a training and its helpers send each other is a kind, as a number of 32
// bits, and what its comment says, all of it little-endian.
const (
	// jobModel: a checkpoint. There is no answer to it but an empty one.
	jobModel uint32 = iota
	// jobTrajectory: a purpose and the trajectory's number. Then 0 if it is to be
	// simulated; or 1, the number of frames, that of particles, and the positions
	// of own data (T, N, Dim); or 2, the same, and the observable (T). The answer
	// is what the purpose asks for: the frames that stage I keeps (F, N, Dim) and
	// the observable (T); z before its scaling (T, D); or frame 0 (N, Dim) and the
	// observable (T).
	jobTrajectory
	// jobShards: the stage; 1 and its parameters, or 0 if they are those of the
	// last job; the number of shards, and what was drawn for each. The answer is
	// the loss and the gradient of each.
	jobShards
)

// Positions, gradients and parameters are 32-bit floats, all others 64-bit ones.

func appendFloats(b []byte, v []float32) []byte {
	at := len(b)
	b = grown(b, 4*len(v))
	for i, x := range v {
		binary.LittleEndian.PutUint32(b[at+4*i:], math.Float32bits(x))
	}
	return b
}

func appendDoubles(b []byte, v []float64) []byte {
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// grown returns b, longer by n bytes whose content is left open.
func grown(b []byte, n int) []byte {
	if cap(b)-len(b) < n {
		b = append(make([]byte, 0, len(b)+n+(len(b)+n)/8), b...)
	}
	return b[:len(b)+n]
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

func (u *unpacker) floats(dst []float32) {
	b := u.take(4 * len(dst))
	if b == nil {
		return
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

func (u *unpacker) doubles(dst []float64) {
	b := u.take(8 * len(dst))
	if b == nil {
		return
	}
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

// end returns an error unless the message was read exactly to its end.
func (u *unpacker) end() error {
	if u.short || len(u.b) > 0 {
		return errors.New("a message between the tab's workers has another length than its content; reload the page")
	}
	return nil
}
