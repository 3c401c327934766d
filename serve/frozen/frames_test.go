package frozen

import (
	"bytes"
	"encoding/binary"
	"testing"
	"time"

	"macroscope/model/wire"
)

// As the worker of the page has it: see wasm/bridge.
const (
	workSlice = 10 * time.Millisecond
	framePace = 33 * time.Millisecond
)

// BenchmarkFrames plays each lab by the clock as the worker does and reports
// what it sends the canvas and the time that takes, without the copy into
// JavaScript: bytes of a frame, milliseconds of AppendFrame, which paints and
// encodes it, and milliseconds of Work between two frames; of a wire.Frame also
// the bytes of those rows that the frame before had otherwise. Run it with
// -benchtime 300x: iterations are frames, of which a run of particles has 300.
func BenchmarkFrames(b *testing.B) {
	for _, c := range []struct {
		name, lab string
		begin     []wire.Command
	}{
		{"demo drifts", wire.Demo, []wire.Command{{Kind: wire.Drift, Value: "on"}}},
		{"demo trains", wire.Demo, []wire.Command{{Kind: wire.Train}}},
		{"particles play", "particles", nil},
		{"mixing plays", "mixing", nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := open(b, c.lab)
			for s.Wants() != "" {
				if n := s.Fetched(s.Wants(), asset(b, s.Wants()), nil); n != nil {
					b.Fatal(n.Text)
				}
			}
			for _, command := range c.begin {
				if n := s.Apply(command); n != nil {
					b.Fatal(n.Text)
				}
			}
			for waiting(s) {
				s.Work(workSlice)
			}
			var buf []byte
			var sent, fresh, frames int
			before := make(map[string][]byte)
			var made, worked time.Duration
			for last := time.Now(); frames < b.N; {
				began := time.Now()
				s.Work(workSlice)
				worked += time.Since(began)
				if st, ok := s.State().(wire.State); ok && !st.Playing {
					s.Apply(wire.Command{Kind: wire.Press, Name: "play"})
				}
				if wait := framePace - time.Since(last); wait > 0 {
					time.Sleep(min(wait, 16*time.Millisecond))
					continue
				}
				began = time.Now()
				buf = s.AppendFrame(buf[:0])
				made += time.Since(began)
				if len(buf) > 0 {
					last = began
					sent += len(buf)
					frames++
					if c.lab != wire.Demo {
						now := rawRows(bytes.Clone(buf))
						for name, row := range now {
							if !bytes.Equal(before[name], row) {
								fresh += len(row)
							}
						}
						before = now
					}
				}
			}
			n := float64(frames)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(sent)/n, "bytes/frame")
			if c.lab != wire.Demo {
				b.ReportMetric(float64(fresh)/n, "changed-bytes/frame")
			}
			b.ReportMetric(made.Seconds()*1e3/n, "ms-frame/frame")
			b.ReportMetric(worked.Seconds()*1e3/n, "ms-work/frame")
		})
	}
}

// waiting says whether something has to end before the lab plays.
func waiting(s wire.Session) bool {
	st, ok := s.State().(wire.State)
	return ok && st.Task != ""
}

// rawRows cuts the rows of an encoded wire.Frame, which can be decoded, by name.
func rawRows(b []byte) map[string][]byte {
	rows := make(map[string][]byte)
	b = b[4:]
	b = b[1+int(b[0]):]
	n := int(binary.LittleEndian.Uint16(b))
	b = b[2:]
	for range n {
		name, rest := string(b[1:1+int(b[0])]), b[1+int(b[0]):]
		size := int(binary.LittleEndian.Uint32(rest[1:]))
		if rest[0] == 0 {
			size *= 4
		}
		rest = rest[5+size:]
		rows[name], b = b[:len(b)-len(rest)], rest
	}
	return rows
}
