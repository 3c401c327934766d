package companion

import (
	"errors"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/extras"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/system/polymer"
	"macroscope/model/wire"
)

// shipped returns a file of the page.
func shipped(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("../../../../assets/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const filmFile = "models/polymer-video-flow.safetensors"

// stage is a run with its shipped model and its companion.
type stage struct {
	*testing.T
	live *polymer.Live
	twin *Twin
	now  extras.Now
}

func newStage(t *testing.T, settings ...string) *stage {
	t.Helper()
	s := &stage{T: t, live: polymer.System().Live().(*polymer.Live)}
	s.twin = New(s.live, map[string]string{"flow": filmFile, "flow-memory": "models/polymer-video-flow-memory.safetensors"})
	s.set(settings...)
	if err := s.live.Generate(); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open("../../../../assets/models/polymer-flow.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, err := ckpt.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(method.Systems{polymer.System()}, c)
	if err != nil {
		t.Fatal(err)
	}
	var generations uint64
	run := &view.Run{Live: s.live, Seed: 1, Predicts: func(*model.Model) bool { return true }, Next: func() uint64 { generations++; return generations }}
	s.now = extras.Now{Run: run, A: view.NewShown(m, "", 39), Members: 39}
	s.now.A.Begin(run)
	for stepped := true; stepped; {
		stepped, _ = s.now.A.StepAhead()
	}
	return s
}

func (s *stage) set(settings ...string) {
	s.Helper()
	for i := 0; i+1 < len(settings); i += 2 {
		if err := s.live.Set(settings[i], settings[i+1]); err != nil {
			s.Fatal(err)
		}
	}
}

// play brings the run to a frame.
func (s *stage) play(k int) {
	s.Helper()
	p := s.live.Player()
	err := p.Seek(k)
	for err == nil && p.Now() != k {
		_, err = p.Advance(time.Now, 1, time.Minute)
	}
	if err != nil {
		s.Fatal(err)
	}
}

// settle calls Look and Work until no work is left, and returns the frame.
func (s *stage) settle() *wire.Frame {
	s.Helper()
	for range 10_000 {
		s.twin.Look(s.now)
		if name := s.twin.Wants(); name != "" {
			if err := s.twin.Fetched(shipped(s.T, name), nil); err != nil {
				s.Fatal(err)
			}
			continue
		}
		if busy, changed := s.twin.Work(time.Now, time.Millisecond); !busy && !changed {
			f := new(wire.Frame)
			f.Begin("polymer")
			s.twin.Put(f)
			return f
		}
	}
	s.Fatal("never done")
	return nil
}

// TestFutures checks that the model of labelled beads predicts different futures for a hairpin
// and a strand of equal extension, and that the film model predicts similar futures.
func TestFutures(t *testing.T) {
	s := newStage(t, "start", "hairpin", "beside", "second", "film", "flow", "frames", "500")
	f := s.settle()
	if own, other := s.live.Macro(0)[0], f.Number("extensionTwin"); math.Abs(own-other) > 1 {
		t.Errorf("a hairpin %.1f long beside a strand of %.1f", own, other)
	}
	own, other := halfway(s.now.A, s.live), halfway(s.twin.marked, s.twin.other)
	if other < 40 || own < 2*other {
		t.Errorf("by labelled beads half unfolded at %d and %d", own, other)
	}
	own, other = halfway(s.twin.films[0], s.live), halfway(s.twin.films[1], s.twin.other)
	if own < 40 || other < 40 || own > 3*other/2 || other > 3*own/2 {
		t.Errorf("by film half unfolded at %d and %d", own, other)
	}
	if n, z := len(f.Numbers("zTwin")), len(f.Numbers("zFilmTwin")); n != 3 || z != 3 || string(f.Text("nameTwin")) != "strand" {
		t.Errorf("ẑ of %d and %d numbers of a %s", n, z, f.Text("nameTwin"))
	}
	if s.twin.Summary() == "" {
		t.Error("nothing to say")
	}
}

// TestMemory checks that a film model with a memory predicts as soon as the run reaches the
// frame at which its predictions begin. At that frame its predictions must distinguish a
// hairpin from a strand. A film model without a memory cannot do so.
func TestMemory(t *testing.T) {
	s := newStage(t, "start", "hairpin", "beside", "second", "film", "flow-memory", "frames", "400")
	if f := s.settle(); f.Numbers("meanFilm") != nil || len(f.Numbers("zFilm")) != 3 {
		t.Errorf("%d frames are predicted from frame 0", len(f.Numbers("meanFilm")))
	}
	begin := s.twin.films[0].Model.Config.Dynamics.Begin
	s.play(begin - 1)
	if f := s.settle(); f.Numbers("meanFilm") != nil {
		t.Errorf("a prediction is there at frame %d", begin-1)
	}
	s.play(begin)
	f := s.settle()
	of := func(name string, k int) float64 { return float64(f.Numbers(name)[k]) }
	for name, span := range map[string]string{"meanFilm": "span", "meanFilmTwin": "spanTwin"} {
		if p := f.Numbers(name); len(p) != 401 || !math.IsNaN(of(name, begin-1)) || math.Abs(of(name, begin)-of(span, begin)) > 1e-3 {
			t.Fatalf("%s: %d frames, of which %d and %d are %g and %g", name, len(p), begin-1, begin, of(name, begin-1), of(name, begin))
		}
	}
	if own, other := of("meanFilm", begin+50), of("meanFilmTwin", begin+50); own > other-15 {
		t.Errorf("50 frames later the hairpin is %.0f long and the strand %.0f", own, other)
	}
}

// TestClock checks that the second chain follows the first in both directions of time, and that
// the first chain stays unchanged.
func TestClock(t *testing.T) {
	s, alone := newStage(t, "n", "20", "start", "coil", "beside", "second"), newStage(t, "n", "20", "start", "coil")
	for _, k := range []int{5, 2, 9, 0} {
		s.play(k)
		alone.play(k)
		f := s.settle()
		var p, q system.Frame
		s.live.Packed(&p, k)
		alone.live.Packed(&q, k)
		if s.twin.other.Player().Now() != k || !slices.Equal(p.Points, q.Points) {
			t.Fatalf("frame %d: the second is at %d", k, s.twin.other.Player().Now())
		}
		if k > 0 && slices.Equal(f.Numbers("xTwin"), s.live.Places()) {
			t.Errorf("frame %d: both chains are one", k)
		}
	}
	s.set("beside", "none")
	if f := s.settle(); f.Numbers("xTwin") != nil || s.twin.Summary() != "" {
		t.Error("the second chain stays")
	}
}

// TestPictures changes the pictures that the film model encodes: ẑ must not depend on the order
// of the pixels, but must depend on shifts and crops.
func TestPictures(t *testing.T) {
	s := newStage(t, "start", "strand", "film", "flow", "frames", "10")
	first := s.settle()
	whole, film := slices.Clone(first.Numbers("zFilm")), slices.Clone(first.Numbers("film"))
	for picture, holds := range map[string]bool{"scrambled": true, "moved": false, "cropped": false} {
		s.set("picture", picture)
		most := 0.0
		f := s.settle()
		for i, v := range f.Numbers("zFilm") {
			most = max(most, math.Abs(float64(v-whole[i])))
		}
		if same := slices.Equal(f.Numbers("film"), film); same != holds {
			t.Errorf("%s: the picture is the same: %v", picture, same)
		}
		if holds != (most < 1e-4) {
			t.Errorf("%s: ẑ moves by %g", picture, most)
		}
	}
	if f := s.settle(); len(f.Numbers("film")) != int(f.Numbers("filmSize")[0]*f.Numbers("filmSize")[1]) || len(f.Numbers("film")) == 0 {
		t.Errorf("a film of %d pixels", len(f.Numbers("film")))
	}
}

// TestMissed checks that a model that cannot be loaded is not requested again, and that an
// unknown film model is rejected.
func TestMissed(t *testing.T) {
	s := newStage(t, "n", "20", "film", "flow")
	if s.twin.Wants() != filmFile {
		t.Fatalf("wants %q", s.twin.Wants())
	}
	if err := s.twin.Fetched(nil, errors.New("no network")); err == nil {
		t.Error("a model of nothing")
	}
	if s.twin.Wants() != "" || len(s.settle().Numbers("film")) != 0 {
		t.Error("it is asked for again")
	}
	s.set("film", "none")
	if err := s.live.Set("film", "oracle"); err == nil {
		t.Error("a film read by an oracle")
	}
}

// TestPutAllocatesNothing checks that filling a frame again allocates no memory.
func TestPutAllocatesNothing(t *testing.T) {
	s := newStage(t, "start", "hairpin", "beside", "second", "film", "flow", "frames", "20")
	f := s.settle()
	fill := func() {
		f.Begin("polymer")
		s.twin.Put(f)
	}
	fill()
	if n := testing.AllocsPerRun(10, fill); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
