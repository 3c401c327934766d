package fit

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"macroscope/model/system"
)

// Kinds of jobs. The message of a job is its kind, followed by the data named in the comment on
// the kind. Sender and receiver are the same program on the same machine, so a slice is sent as
// its bytes in memory. Most of the data are gradients; writing them number by number would take
// a tenth of the time needed to compute them.
const (
	// jobModel sends a checkpoint of the model. The answer is empty.
	jobModel uint32 = iota
	// jobTrajectory sends a trajectoryJob. The answer is the trajectory's item.
	jobTrajectory
	// jobShards sends a shardsJob and the data drawn for each shard. If the job's field `fresh` is
	// 1, the phase's parameters come between the two. The answer is the loss and the gradient of
	// each shard.
	jobShards
)

// message is a job or an answer. Each format is defined only once, by a function that both writes
// and reads messages. The function reads a message if the field `reads` is true, and writes a
// message otherwise. Reading beyond the end sets the field `short` to true. The method `end` then
// returns an error.
type message struct {
	b            []byte
	reads, short bool
	finite       bool // whether reading NaN or an infinite number sets `short` to true
}

// reading returns a message with the bytes b. The message is set to be read.
func reading(b []byte) *message { return &message{b: b, reads: true} }

// take reads n bytes.
func (m *message) take(n int) []byte {
	if m.short || n < 0 || n > len(m.b) {
		m.short = true
		return nil
	}
	b := m.b[:n]
	m.b = m.b[n:]
	return b
}

// The method `numbers` writes or reads 32-bit integers.
func (m *message) numbers(all ...*uint32) {
	for _, n := range all {
		if !m.reads {
			m.b = binary.LittleEndian.AppendUint32(m.b, *n)
		} else if b := m.take(4); b != nil {
			*n = binary.LittleEndian.Uint32(b)
		} else {
			*n = 0
		}
	}
}

// element is the type of a number in messages.
type element interface {
	uint8 | int | float32 | float64
}

// values writes or reads a slice. Sender and receiver know its length.
func values[T element](m *message, v []T) {
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(*new(T))))
	if m.reads {
		copy(raw, m.take(len(raw)))
		for _, x := range v {
			m.short = m.short || m.finite && x-x != 0
		}
	} else {
		m.b = append(m.b, raw...)
	}
}

// counted writes or reads the length of a slice, and then the slice. Reading allocates a new slice.
// This slice never has more bytes than the rest of the message.
func counted[T element](m *message, v *[]T) {
	n := uint32(len(*v))
	m.numbers(&n)
	if m.reads {
		if uint64(n) > uint64(len(m.b))/uint64(unsafe.Sizeof(*new(T))) {
			n, m.short = 0, true
		}
		*v = nil
		if n > 0 {
			*v = make([]T, n)
		}
	}
	values(m, *v)
}

// end returns an error unless the message was read exactly up to its end.
func (m *message) end() error {
	if m.short || len(m.b) > 0 {
		return errors.New("a message between the tab's workers has another length than its content; reload the page")
	}
	return nil
}

// trajectoryJob requests the item of one trajectory. The fields `purpose` and `index` select the
// trajectory. If the field `given` is 1, the message contains the trajectory, which is from the
// user's file. If `given` is 0, the helper simulates the trajectory.
type trajectoryJob struct {
	purpose, index, given uint32
	of                    system.Trajectory
}

func (j *trajectoryJob) pass(m *message) {
	m.numbers(&j.purpose, &j.index, &j.given)
	if j.given == 1 {
		counted(m, &j.of.Points)
		counted(m, &j.of.Species)
		counted(m, &j.of.Macro)
		counted(m, &j.of.Params)
	}
}

// shardsJob requests the gradients of `count` shards of a phase. If the field `fresh` is 1, the
// phase's parameters follow; otherwise the helper uses the parameters that it received last.
type shardsJob struct{ phase, fresh, count uint32 }

func (j *shardsJob) pass(m *message) { m.numbers(&j.phase, &j.fresh, &j.count) }
