package ensemble

import (
	"encoding/binary"
	"errors"
	"strings"

	"macroscope/model/system/polymer"
)

// errJob is a helper's answer to a job that it cannot read.
var errJob = errors.New("a helper was given realisations that it cannot read; reload the page")

// appendJob appends a job for a helper: to simulate n realisations with the indices first, first+1
// and so on. Every realisation starts from the frame `start` (N, 3).
func appendJob(dst []byte, physics []string, start []float32, first, n int) []byte {
	dst = appendAll(appendAll(dst, []uint32{uint32(first), uint32(n), uint32(len(start))}), start)
	return append(dst, strings.Join(physics, "\n")...)
}

func appendAll[T float32 | uint32](dst []byte, numbers []T) []byte {
	dst, _ = binary.Append(dst, binary.LittleEndian, numbers) // an error is possible only for other types
	return dst
}

// numbers reads n numbers from the start of b. It also returns the rest of b.
func numbers(b []byte, n int) (list []float32, rest []byte, err error) {
	if n < 0 || n > len(b)/4 {
		return nil, nil, errJob
	}
	list = make([]float32, n)
	_, err = binary.Decode(b, binary.LittleEndian, list)
	return list, b[4*n:], err
}

// Helper simulates batches of realisations in a separate worker.
type Helper struct{ out []byte }

// Do implements wire.Helper.
func (h *Helper) Do(job []byte, alive func()) ([]byte, error) {
	if len(job) < 12 {
		return nil, errJob
	}
	first, n := binary.LittleEndian.Uint32(job), binary.LittleEndian.Uint32(job[4:])
	start, physics, err := numbers(job[12:], int(binary.LittleEndian.Uint32(job[8:])))
	if err != nil || first > most || n < 1 || n > most {
		return nil, errJob
	}
	b, err := polymer.Realise(strings.Split(string(physics), "\n"), start, int(first), int(n))
	for ended := false; err == nil && !ended; alive() {
		ended, err = b.Advance()
	}
	if err != nil {
		return nil, err
	}
	h.out = h.out[:0]
	for _, r := range b.Chains {
		h.out = appendAll(appendAll(h.out, []uint32{uint32(int32(r.Passed)), uint32(len(r.Outline))}), r.Outline)
	}
	return h.out, nil
}

// take reads a helper's answer into dst.
func take(dst []*polymer.Realisation, b []byte) (err error) {
	for _, r := range dst {
		if len(b) < 8 {
			return errJob
		}
		passed, n := int(int32(binary.LittleEndian.Uint32(b))), int(binary.LittleEndian.Uint32(b[4:]))
		*r = polymer.Realisation{Passed: passed, Ended: true}
		if r.Outline, b, err = numbers(b[8:], n); err != nil {
			return err
		}
	}
	return nil
}
