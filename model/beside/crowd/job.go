package crowd

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"

	"macroscope/model/system/polymer"
)

// errJob is what a helper says to a job that it cannot read.
var errJob = errors.New("a helper was given realisations that it cannot read; reload the page")

// appendJob writes what a helper is to do: n realisations from number first on.
func appendJob(dst []byte, physics []string, first, n int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(first))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(n))
	return append(dst, strings.Join(physics, "\n")...)
}

// Helper simulates whole batches in a worker of its own.
type Helper struct{ out []byte }

// Do implements wire.Helper.
func (h *Helper) Do(job []byte) ([]byte, error) {
	if len(job) < 8 {
		return nil, errJob
	}
	first, n := binary.LittleEndian.Uint32(job), binary.LittleEndian.Uint32(job[4:])
	if first > most || n < 1 || n > most {
		return nil, errJob
	}
	b, err := polymer.Realise(strings.Split(string(job[8:]), "\n"), int(first), int(n))
	for ended := false; err == nil && !ended; {
		ended, err = b.Advance()
	}
	if err != nil {
		return nil, err
	}
	h.out = h.out[:0]
	for _, r := range b.Chains {
		h.out = binary.LittleEndian.AppendUint32(h.out, uint32(int32(r.Passed)))
		h.out = binary.LittleEndian.AppendUint32(h.out, uint32(len(r.Outline)))
		for _, v := range r.Outline {
			h.out = binary.LittleEndian.AppendUint32(h.out, math.Float32bits(v))
		}
	}
	return h.out, nil
}

// take reads what a helper answers into realisations.
func take(dst []*polymer.Realisation, b []byte) error {
	for _, r := range dst {
		if len(b) < 8 {
			return errJob
		}
		passed, n := int(int32(binary.LittleEndian.Uint32(b))), int(binary.LittleEndian.Uint32(b[4:]))
		if b = b[8:]; n > len(b)/4 {
			return errJob
		}
		outline := make([]float32, n)
		for i := range outline {
			outline[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
		}
		b = b[4*n:]
		*r = polymer.Realisation{Passed: passed, Ended: true, Outline: outline}
	}
	return nil
}
