package fit

import (
	"encoding/binary"
	"errors"
	"unsafe"

	"macroscope/model/system"
)

// What a training sends its helpers is a kind and then what its comment says.
// Both ends are one program on one machine, so that slices travel as they lie in
// memory: gradients are most of what is sent, and writing them out number by
// number would take a tenth of the time that they take to compute.
const (
	// jobModel: a checkpoint. The answer is empty.
	jobModel uint32 = iota
	// jobTrajectory: a trajectoryJob. The answer is the item that its purpose asks for.
	jobTrajectory
	// jobShards: a shardsJob; the phase's parameters if they are fresh; and what was
	// drawn for each shard. The answer is the loss and the gradient of each.
	jobShards
)

// message is a job or an answer. The same calls write it or, if reads is set, read it
// from its beginning, so that the form of a message stands in one place. Once it is too
// short, reading gives nothing, and end says so.
type message struct {
	b            []byte
	reads, short bool
}

// reading returns a message to be read.
func reading(b []byte) *message { return &message{b: b, reads: true} }

// take reads so many bytes.
func (m *message) take(n int) []byte {
	if m.short || n < 0 || n > len(m.b) {
		m.short = true
		return nil
	}
	b := m.b[:n]
	m.b = m.b[n:]
	return b
}

// numbers passes whole numbers of 32 bits.
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

// element is what slices in messages are of.
type element interface {
	uint8 | int | float32 | float64
}

// values passes a slice: both ends know its length.
func values[T element](m *message, v []T) {
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(*new(T))))
	if m.reads {
		copy(raw, m.take(len(raw)))
	} else {
		m.b = append(m.b, raw...)
	}
}

// counted passes a slice with its length before it. One that is read is new, and no
// longer than the message.
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

// end returns an error unless the message was read exactly to its end.
func (m *message) end() error {
	if m.short || len(m.b) > 0 {
		return errors.New("a message between the tab's workers has another length than its content; reload the page")
	}
	return nil
}

// trajectoryJob asks for an item of a trajectory, by its number among those for the
// purpose. The trajectory is given as it is in the user's file, or it is simulated.
type trajectoryJob struct {
	purpose, index, given uint32 // given: 0 or 1
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

// shardsJob asks for the gradients of so many shards of a phase, by its number. The
// parameters follow if they are fresh; otherwise they are the ones of the last job.
type shardsJob struct{ phase, fresh, count uint32 }

func (j *shardsJob) pass(m *message) { m.numbers(&j.phase, &j.fresh, &j.count) }
