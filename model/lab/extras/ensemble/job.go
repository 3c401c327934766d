package ensemble

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"macroscope/model/system/polymer"
)

// errJob is what a helper says to a job that it cannot read.
var errJob = errors.New("a helper was given realisations that it cannot read; reload the page")

// appendJob writes what a helper is to do: n realisations from number first on, of a
// start (N, 3).
func appendJob(dst []byte, physics []string, start []float32, first, n int) []byte {
	for _, v := range []int{first, n, len(start)} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	return append(appendNumbers(dst, start), strings.Join(physics, "\n")...)
}

func appendNumbers(dst []byte, numbers []float32) []byte {
	for _, v := range numbers {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(v))
	}
	return dst
}

// numbers reads n numbers from the beginning of b, and returns what comes after them.
func numbers(b []byte, n int) (list []float32, rest []byte, err error) {
	if n < 0 || n > len(b)/4 {
		return nil, nil, errJob
	}
	for i := range n {
		list = append(list, math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	}
	return list, b[4*n:], nil
}

// Helper simulates whole batches in a worker of its own.
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
		h.out = binary.LittleEndian.AppendUint32(h.out, uint32(int32(r.Passed)))
		h.out = binary.LittleEndian.AppendUint32(h.out, uint32(len(r.Outline)))
		h.out = appendNumbers(h.out, r.Outline)
	}
	return h.out, nil
}

// take reads what a helper answers into realisations.
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
