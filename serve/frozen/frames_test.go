package frozen

import (
	"testing"
	"time"

	"macroscope/model/wire"
)

// The duration of one call of Work and the time between two frames, as in the page's worker
// (wasm/bridge).
const (
	workSlice = 10 * time.Millisecond
	framePace = 33 * time.Millisecond
)

// BenchmarkFrames plays each lab in real time, like the worker. It reports the bytes of a
// frame, the milliseconds of AppendFrame, which paints and encodes the frame, and the
// milliseconds of Work between two frames. The copy into JavaScript is not included. Run the
// benchmark with -benchtime 300x: iterations are frames, and a run of particles has 300 frames.
func BenchmarkFrames(b *testing.B) {
	play := []wire.Command{{Kind: wire.Press, Name: "play"}}
	for _, c := range []struct {
		name, lab string
		begin     []wire.Command
		again     []wire.Command // commands that replay the run after its end
	}{
		{"demo drifts", wire.Demo, []wire.Command{{Kind: wire.Set, Name: "drift", Value: "on"}},
			[]wire.Command{{Kind: wire.Set, Name: "drift", Value: "off"}, {Kind: wire.Set, Name: "drift", Value: "on"}}},
		{"demo trains", wire.Demo, []wire.Command{{Kind: wire.Train}}, nil},
		{"particles play", "particles", nil, play},
		{"mixing plays", "mixing", nil, play},
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
			var sent, frames int
			var made, worked time.Duration
			for last := time.Now(); frames < b.N; {
				began := time.Now()
				s.Work(workSlice)
				worked += time.Since(began)
				for _, command := range c.again {
					if !s.State().Playing {
						s.Apply(command)
					}
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
				}
			}
			n := float64(frames)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(sent)/n, "bytes/frame")
			b.ReportMetric(made.Seconds()*1e3/n, "ms-frame/frame")
			b.ReportMetric(worked.Seconds()*1e3/n, "ms-work/frame")
		})
	}
}

// waiting reports whether the lab has a task to finish before it plays.
func waiting(s wire.Session) bool { return s.State().Task != "" }
