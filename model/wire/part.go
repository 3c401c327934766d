package wire

import (
	"fmt"
	"hash/crc64"
)

// Part is a piece of a saved session. The page stores a part under its key; the worker sends
// the bytes of a part with a key only if the page does not have them. The key of a user's file,
// which may be large, begins with "data ", and that of simulated data with "item ".
type Part struct {
	Key   string        // equal keys mean equal bytes; "": the bytes are always sent
	Bytes func() []byte // makes the bytes, which are valid until the session changes
}

// Whole joins parts into the data of a Restore command. Without parts it returns nil.
func Whole(parts []Part) (b []byte) {
	for _, p := range parts {
		b = append(b, p.Bytes()...)
	}
	return b
}

var keys = crc64.MakeTable(crc64.ECMA)

// Key returns a hash of b. After each piece of b, it passes the share of b that it has hashed to
// the function `pause`, unless that is nil.
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
