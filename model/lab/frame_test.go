package lab

import (
	"bytes"
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
//	go test ./model/lab -run - -bench Frame -benchtime 200x
//	GOOS=js GOARCH=wasm go test -exec="$(go env GOROOT)/lib/wasm/go_js_wasm_exec" ./model/lab -run - -bench Frame -benchtime 200x
//
// After some 220 frames the particles' run ends.
func BenchmarkFrame(b *testing.B) {
	for _, lab := range []string{"demo", "particles", "mixing"} {
		b.Run(lab, func(b *testing.B) { benchmarkFrame(b, lab) })
	}
}

func benchmarkFrame(b *testing.B, lab string) {
	c := &clock{t: time.Unix(0, 0)}
	s, paint := openPlaying(b, lab, c)
	var encoded []byte
	var size int
	var fill, decode []float64
	canvas := decoder(lab)
	for range b.N {
		s.Work(10 * time.Millisecond)
		c.t = c.t.Add(33 * time.Millisecond)
		paint()
		began := time.Now()
		encoded = s.AppendFrame(encoded[:0])
		fill = append(fill, time.Since(began).Seconds())
		size += len(encoded)
		began = time.Now()
		if err := canvas(encoded); err != nil {
			b.Fatal(err)
		}
		decode = append(decode, time.Since(began).Seconds())
	}
	slices.Sort(fill)
	slices.Sort(decode)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(size)/float64(b.N), "B/frame")
	b.ReportMetric(1e6*fill[b.N/2], "worker-µs/frame")
	b.ReportMetric(1e6*decode[b.N/2], "canvas-µs/frame")
}

// openPlaying returns a session that plays, with its shipped model, and what
// paints and asks for another frame.
func openPlaying(t testing.TB, lab string, c *clock) (wire.Session, func()) {
	switch lab {
	case wire.Demo:
		s := newDemoSession(c.now)
		fetchAll(t, s)
		s.Apply(wire.Command{Kind: wire.Drift, Value: "on"})
		return s, func() {
			s.paint(s.trainer.Params, s.view.encode(s.trainer.Params, s.particles))
			s.frameStale = true
		}
	case particlesName:
		s := newParticlesSession(c.now)
		fetchAll(t, s)
		return s, func() {
			s.paint()
			s.frameStale = true
		}
	}
	s := newMixingSession(c.now)
	fetchAll(t, s)
	for s.relax.under() {
		s.Work(time.Second)
	}
	return s, func() {
		s.paint()
		s.frameStale = true
	}
}

func fetchAll(t testing.TB, s wire.Session) {
	for name := s.Wants(); name != ""; name = s.Wants() {
		data, err := os.ReadFile("../../assets/" + name)
		if n := s.Fetched(name, data, err); n != nil && n.Error {
			t.Fatal(n.Text)
		}
	}
}

// TestFramesAddUp: whatever a visitor does, what the canvas has by changes is what
// a session that never sent a frame would send.
func TestFramesAddUp(t *testing.T) {
	if testing.Short() {
		t.Skip("sessions are tested with SIMD and in the browser")
	}
	set := func(name, value string) wire.Command { return wire.Command{Kind: wire.Set, Name: name, Value: value} }
	seek := func(frame string) wire.Command { return wire.Command{Kind: seekCommand, Value: frame} }
	press := func(name string) wire.Command { return wire.Command{Kind: wire.Press, Name: name} }
	for lab, commands := range map[string][]wire.Command{
		particlesName: {
			seek("3"), press("play"), seek("40"), press("shuffle"), press("play"), set("seed", "7"), set("samples", "on"), set("all", "off"),
			press("encode"), press("decode"), set("all", "on"), set("n", "120"), press("restart"), press("train"),
		},
		mixingName: {
			seek("3"), set("temperature", "1.7"), press("play"), seek("5"), set("e12", "0.6"), press("play"), press("shuffle"), set("all", "off"), press("encode"),
			press("decode"), set("all", "on"), press("restart"), set("frames", "20"), set("boundary", "12"),
		},
	} {
		t.Run(lab, func(t *testing.T) {
			c := &clock{t: time.Unix(0, 0)}
			s, _ := openPlaying(t, lab, c)
			var canvas wire.Frame
			look := func(after string) {
				var whole wire.Frame
				if b := s.AppendFrame(nil); len(b) > 0 {
					if err := canvas.Decode(b); err != nil {
						t.Fatalf("%s: %v", after, err)
					}
				}
				switch s := s.(type) {
				case *ParticlesSession:
					s.frameStale = true
					s.fill(&whole)
				case *MixingSession:
					s.frameStale = true
					s.fill(&whole)
				}
				head := len("MSF3") + 1 + len(lab) + 8 // the numbers of the frame and of the one before
				if got, want := canvas.AppendTo(nil), whole.AppendTo(nil); !bytes.Equal(got[head:], want[head:]) {
					t.Fatalf("%s: the canvas has another picture: %d bytes, want %d", after, len(got), len(want))
				}
			}
			look("opening")
			for _, do := range commands {
				if n := s.Apply(do); n != nil && n.Error {
					t.Fatalf("%s %s: %s", do.Name, do.Value, n.Text)
				}
				for turn := range 25 {
					s.Work(10 * time.Millisecond)
					c.t = c.t.Add(20 * time.Millisecond)
					if turn%4 == 3 { // more than one change may have come together
						look(do.Name + " " + do.Value)
					}
				}
			}
		})
	}
}

func decoder(lab string) func([]byte) error {
	if lab == wire.Demo {
		return new(wire.DemoFrame).Decode
	}
	return new(wire.Frame).Decode
}
