package lab

import (
	"os"
	"slices"
	"testing"
	"time"

	"macroscope/model/wire"
)

// BenchmarkFrame plays every lab as it opens and
// measures what a frame costs besides the densities that it shows: its bytes,
// the worker's time to fill and encode it, and the canvas's to decode it (the
// medians of both). A frame is 33 ms of the lab's time:
//
//	go test ./model/lab -run - -bench Frame -benchtime 250x
func BenchmarkFrame(b *testing.B) {
	for _, lab := range []string{"demo", "particles", "mixing"} {
		b.Run(lab, func(b *testing.B) { benchmarkFrame(b, lab) })
	}
}

func benchmarkFrame(b *testing.B, lab string) {
	c := &clock{t: time.Unix(0, 0)}
	s, paint := openPlaying(b, lab, c)
	var encoded []byte
	var bytes int
	var fill, decode []float64
	canvas := decoder(lab)
	for range b.N {
		s.Work(10 * time.Millisecond)
		c.t = c.t.Add(33 * time.Millisecond)
		paint()
		began := time.Now()
		encoded = s.AppendFrame(encoded[:0])
		fill = append(fill, time.Since(began).Seconds())
		bytes += len(encoded)
		began = time.Now()
		if err := canvas(encoded); err != nil {
			b.Fatal(err)
		}
		decode = append(decode, time.Since(began).Seconds())
	}
	slices.Sort(fill)
	slices.Sort(decode)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(bytes)/float64(b.N), "B/frame")
	b.ReportMetric(1e6*fill[b.N/2], "worker-µs/frame")
	b.ReportMetric(1e6*decode[b.N/2], "canvas-µs/frame")
}

// openPlaying returns a session that plays, with its shipped model, and what
// paints and asks for another frame.
func openPlaying(b *testing.B, lab string, c *clock) (wire.Session, func()) {
	switch lab {
	case wire.Demo:
		s := newDemoSession(c.now)
		fetchAll(b, s)
		s.Apply(wire.Command{Kind: wire.Drift, Value: "on"})
		return s, func() {
			s.paint(s.trainer.Params, s.view.encode(s.trainer.Params, s.particles))
			s.frameStale = true
		}
	case particlesName:
		s := newParticlesSession(c.now)
		fetchAll(b, s)
		return s, func() {
			s.paint()
			s.frameStale = true
		}
	}
	s := newMixingSession(c.now)
	fetchAll(b, s)
	for s.relax.under() {
		s.Work(time.Second)
	}
	return s, func() {
		s.paint()
		s.frameStale = true
	}
}

func fetchAll(b *testing.B, s wire.Session) {
	for name := s.Wants(); name != ""; name = s.Wants() {
		data, err := os.ReadFile("../../assets/" + name)
		if n := s.Fetched(name, data, err); n != nil && n.Error {
			b.Fatal(n.Text)
		}
	}
}

func decoder(lab string) func([]byte) error {
	if lab == wire.Demo {
		return new(wire.DemoFrame).Decode
	}
	return new(wire.Frame).Decode
}
