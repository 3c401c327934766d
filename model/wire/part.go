package wire

import (
	"fmt"
	"hash/crc64"
)

// Part is a piece of a saved session. The page stores a part under its key. The page may already
// have the bytes under a key. The worker then does not send these bytes. Keys of the user's files
// begin with "data ", and keys of simulated data with "item ". The user's files may be large.
type Part struct {
	Key   string        // equal keys mean equal bytes; "": the bytes are always sent
	Bytes func() []byte // makes the bytes, which are valid until the session changes
}

// Whole returns the data of a Restore command: the bytes of all parts, joined. Without parts it
// returns nil.
func Whole(parts []Part) (b []byte) {
	for _, p := range parts {
		b = append(b, p.Bytes()...)
	}
	return b
}

var keys = crc64.MakeTable(crc64.ECMA)

// Key returns a hash of b. It processes b in pieces. Unless `pause` is nil, Key calls it after each
// piece. The argument of `pause` is the share of b that lies before this piece.
func Key(b []byte, pause func(done float64)) string {
	const piece = 1 << 20
	sum := uint64(0)
	for at := 0; at < len(b); at += piece {
		sum = crc64.Update(sum, keys, b[at:min(len(b), at+piece)])
		if pause != nil {
			pause(float64(at) / float64(len(b)))
		}
	}
	return fmt.Sprintf("%d-%016x", len(b), sum)
}
