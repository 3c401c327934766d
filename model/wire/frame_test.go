package wire

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

func fill(f *Frame) {
	f.Begin("particles")
	f.Put("x", 1, 2, 3, 4)
	f.Put("now", 7)
	f.PutText("note", "ẑ has left")
	f.Put("none")
}

func TestFrameRoundTrip(t *testing.T) {
	var sent, got Frame
	fill(&sent)
	b := sent.AppendTo(nil)
	if LabOf(b) != "particles" {
		t.Errorf("a frame of %q", LabOf(b))
	}
	if err := got.Decode(b); err != nil {
		t.Fatal(err)
	}
	if got.Lab != "particles" || got.Number("now") != 7 || !got.On("now") || len(got.Numbers("x")) != 4 || got.Numbers("x")[3] != 4 ||
		string(got.Text("note")) != "ẑ has left" || len(got.Numbers("none")) != 0 {
		t.Errorf("got %+v", got)
	}
	if !math.IsNaN(got.Number("none")) || got.On("none") || got.Numbers("note") != nil || got.Text("x") != nil || got.Numbers("missing") != nil {
		t.Error("a row that is not there was found")
	}
	// A later frame with fewer rows must not bring earlier rows back.
	sent.Begin("particles")
	sent.Put("now", 8)
	if err := got.Decode(sent.AppendTo(nil)); err != nil || got.Numbers("x") != nil || got.Number("now") != 8 {
		t.Errorf("an earlier frame's row is still there (%v)", err)
	}
}

func TestLabOf(t *testing.T) {
	for b, want := range map[string]string{
		"": "", "MSF": "", "MSF3": "", "MSF3\x05abc": "", "what": "", "MSF3\x03abc": "abc",
	} {
		if got := LabOf([]byte(b)); got != want {
			t.Errorf("%.8q is of %q, want %q", b, got, want)
		}
	}
}

// equal reports whether two frames have the same rows, bit by bit.
func equal(a, b *Frame) bool {
	return a.Lab == b.Lab && slices.EqualFunc(a.rows[:a.used], b.rows[:b.used], func(x, y row) bool {
		if x.name != y.name || x.isText != y.isText {
			return false
		}
		if x.isText {
			return bytes.Equal(x.text, y.text)
		}
		return slices.EqualFunc(x.numbers, y.numbers, func(v, w float32) bool { return math.Float32bits(v) == math.Float32bits(w) })
	})
}

// TestFrameSendsWhatChanged checks the length of an encoding for each way in which a row can
// change.
func TestFrameSendsWhatChanged(t *testing.T) {
	var f, g Frame
	x := make([]float32, 1000)
	f.Begin("lab")
	f.Put("x", x...)
	if err := g.Decode(f.AppendChanges(nil)); err != nil {
		t.Fatal(err)
	}
	const head = 4 + 1 + 3 + 4 + 4 + 2
	for _, tc := range []struct {
		name string
		edit func()
		want int
	}{
		{"nothing", func() {}, 1},
		{"the end grew", func() { x = append(x, 1, 2) }, 1 + 2 + 1 + 2 + 8 + 1},
		{"the end went", func() { x = x[:900] }, 1 + 2 + 1},
		{"the middle", func() { x[500] = 7 }, 1 + 2 + 1 + 2 + 4 + 1},
		{"two places", func() { x[3], x[700] = 8, 8 }, 1 + 2 + (1 + 1 + 4) + (1 + 2 + 4) + 1},
		{"two neighbours", func() { x[3], x[5] = 9, 9 }, 1 + 2 + (1 + 1 + 12) + 1},
		{"the sign of a zero", func() { x[10] = float32(math.Copysign(0, -1)) }, 1 + 2 + (1 + 1 + 4) + 1},
		{"a NaN", func() { x[11] = float32(math.NaN()) }, 1 + 2 + (1 + 1 + 4) + 1},
		{"the same NaN", func() {}, 1},
		{"all of it", func() {
			for i := range x {
				x[i]++
			}
			x[11] = 3
		}, 1 + 2 + 2 + 1 + 4*900 + 1},
	} {
		f.Begin("lab")
		tc.edit()
		f.Put("x", x...)
		b := f.AppendChanges(nil)
		if len(b) != head+tc.want {
			t.Errorf("%s: %d bytes, want %d", tc.name, len(b)-head, tc.want)
		}
		if err := g.Decode(b); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if !equal(&f, &g) {
			t.Fatalf("%s: another frame arrived", tc.name)
		}
	}
}

// picture lists the rows that a lab passes to Put and Extend.
type picture []pictureRow

type pictureRow struct {
	name       string
	numbers    []float32
	text       string
	isText     bool
	generation uint64 // generation passed to Extend; 0: the row is passed to Put
}

// change changes p at random.
func (p *picture) change(r *rand.Rand, generation *uint64) {
	switch n := len(*p); r.IntN(5) {
	case 0:
		if n > 0 {
			i := r.IntN(n)
			*p = slices.Delete(*p, i, i+1)
		}
	case 1:
		if n > 1 {
			i, j := r.IntN(n), r.IntN(n)
			(*p)[i], (*p)[j] = (*p)[j], (*p)[i]
		}
	case 2:
		fresh := pictureRow{name: string(rune('a' + r.IntN(8))), isText: r.IntN(4) == 0}
		if !fresh.isText && r.IntN(2) == 0 {
			*generation++
			fresh.generation = *generation
		}
		if !slices.ContainsFunc(*p, func(o pictureRow) bool { return o.name == fresh.name }) {
			*p = slices.Insert(*p, r.IntN(n+1), fresh)
		}
	}
	for i := range *p {
		(*p)[i].change(r, generation)
	}
}

func (p *pictureRow) change(r *rand.Rand, generation *uint64) {
	n := len(p.numbers)
	if p.isText {
		p.text = []string{"", "a", "another", p.text, p.text}[r.IntN(5)]
		return
	}
	switch r.IntN(8) {
	case 0, 1, 2:
		for range r.IntN(20) {
			p.numbers = append(p.numbers, r.Float32())
		}
	case 3:
		p.numbers = p.numbers[:r.IntN(n+1)]
	case 4, 5:
		for range min(n, r.IntN(4)) {
			p.numbers[r.IntN(n)] = []float32{float32(math.NaN()), 0, float32(math.Copysign(0, -1)), r.Float32()}[r.IntN(4)]
		}
	default:
		return
	}
	if p.generation != 0 && len(p.numbers) <= n {
		*generation++
		p.generation = *generation
	}
}

// fill puts the picture into f.
func (p picture) fill(f *Frame) {
	f.Begin("lab")
	for _, r := range p {
		switch {
		case r.isText:
			f.PutText(r.name, r.text)
		case r.generation != 0 && len(r.name)*len(r.numbers)%2 == 0:
			f.ExtendBy(r.name, r.generation, r.numbers...)
		case r.generation != 0:
			f.Extend(r.name, r.generation, len(r.numbers), func(i int) float32 { return r.numbers[i] })
		default:
			f.Put(r.name, r.numbers...)
		}
	}
}

// TestFrameChangesAddUp changes a picture at random. A receiver that decodes only the changes must
// have the same frame as a receiver that decodes the whole frame.
func TestFrameChangesAddUp(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 0))
		var p picture
		var f, g Frame
		var generation uint64
		for n := range 60 {
			for range 1 + r.IntN(2) { // several pictures may be filled before one is encoded
				p.change(r, &generation)
				p.fill(&f)
			}
			if r.IntN(20) == 0 {
				f.Forget()
			}
			if r.IntN(20) == 0 {
				g = Frame{}
				f.Forget()
			}
			if err := g.Decode(f.AppendChanges(nil)); err != nil {
				t.Fatalf("seed %d, frame %d: %v", seed, n, err)
			}
			var whole, want Frame
			p.fill(&whole)
			if err := want.Decode(whole.AppendTo(nil)); err != nil {
				t.Fatalf("seed %d, frame %d: %v", seed, n, err)
			}
			if !equal(&g, &want) {
				t.Fatalf("seed %d, frame %d: got %+v\nwant %+v", seed, n, g.rows[:g.used], want.rows[:want.used])
			}
		}
	}
}

// TestFrameNeedsTheOneBefore checks that after a missing or unreadable frame the picture stays
// unchanged until a whole frame arrives.
func TestFrameNeedsTheOneBefore(t *testing.T) {
	var f, g, late Frame
	next := func(v float32) []byte {
		f.Begin("lab")
		f.Put("x", 1, 2, 3, v)
		return f.AppendChanges(nil)
	}
	first, second := next(1), next(2)
	if err := late.Decode(second); !errors.Is(err, ErrBase) {
		t.Errorf("a frame without the one before: %v", err)
	}
	if err := g.Decode(first); err != nil {
		t.Fatal(err)
	}
	third := next(3)
	if err := g.Decode(third); !errors.Is(err, ErrBase) || g.Numbers("x")[3] != 1 {
		t.Errorf("a frame after one that was missed: %v, %v", err, g.Numbers("x"))
	}
	if err := g.Decode(second); !errors.Is(err, ErrBase) {
		t.Errorf("after one that could not be read: %v", err)
	}
	if err := g.Decode(f.AppendTo(nil)); err != nil || g.Numbers("x")[3] != 3 {
		t.Errorf("a whole frame: %v, %v", err, g.Numbers("x"))
	}
	b := next(4)
	if err := g.Decode(b[:len(b)-1]); err == nil || g.Numbers("x")[3] != 3 {
		t.Errorf("a frame cut short: %v, %v", err, g.Numbers("x"))
	}
	if err := g.Decode(b); !errors.Is(err, ErrBase) {
		t.Errorf("after one that was cut short: %v", err)
	}
	if f.Forget(); g.Decode(next(5)) != nil || g.Numbers("x")[3] != 5 {
		t.Error("a whole frame was not taken")
	}
	// The first frame of another lab contains all its rows, because the receiver cannot use rows of
	// the previous lab.
	f.Begin("other")
	f.Put("x", 1)
	if err := late.Decode(f.AppendChanges(nil)); err != nil || late.Lab != "other" {
		t.Errorf("another lab: %v", err)
	}
}

// TestFrameLies decodes messages that contain false lengths. Decode must not allocate more memory
// than the size of the message. A series of frames must not allocate more memory than the largest
// picture needs.
func TestFrameLies(t *testing.T) {
	head := func(sequence, base byte, rows byte) []byte {
		return []byte{'M', 'S', 'F', '3', 0, sequence, 0, 0, 0, base, 0, 0, 0, rows, 0}
	}
	var g Frame
	if err := g.Decode(append(head(1, 0, 1), opNumbers, 1, 'x', 2, 2, 0, 0, 0, 128, 63, 0, 0, 0, 64, 0)); err != nil || !slices.Equal(g.Numbers("x"), []float32{1, 2}) {
		t.Fatalf("%v, %v", err, g.Numbers("x"))
	}
	base := g
	for name, b := range map[string][]byte{
		"a row of 2²⁰ numbers that do not come": append(head(2, 0, 1), opNumbers, 1, 'x', 128, 128, 64, 0),
		"the same as a change":                  append(head(2, 1, 1), opChange, 128, 128, 64, 0),
		"numbers that there were not stay":      append(head(2, 1, 1), opChange, 4, 1, 3, 0, 0, 0, 0, 0),
		"a stretch beyond the end":              append(head(2, 1, 1), opChange, 2, 1, 2, 0, 0, 0, 0, 0),
		"a stretch of 2²⁰ numbers":              append(head(2, 1, 1), opChange, 128, 128, 64, 128, 128, 64, 0),
		"a count of too many bytes":             append(head(2, 1, 1), opChange, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0),
		"a row that there was not":              append(head(2, 1, 2), opSame, opSame),
		"fewer rows than were said":             append(head(2, 1, 2), opSame),
		"more rows than were said":              append(head(2, 1, 0), opSame),
		"text of numbers":                       append(head(2, 1, 1), opRetext, 0),
		"an operation that there is not":        append(head(2, 1, 1), opText+1),
		"no number of its own":                  append(head(0, 0, 1), opNumbers, 1, 'x', 0, 0),
		"too long a name":                       append(head(2, 0, 1), opNumbers, 65),
	} {
		g := Frame{Lab: base.Lab, rows: slices.Clone(base.rows), used: base.used, decoded: base.decoded}
		if g.Decode(b) == nil {
			t.Errorf("accepted: %s", name)
		}
		if !slices.Equal(g.Numbers("x"), []float32{1, 2}) || cap(g.Numbers("x")) != cap(base.Numbers("x")) {
			t.Errorf("%s: left %v", name, g.Numbers("x"))
		}
	}
	if err := g.Decode(append(head(2, 1, 1), opSame)); err != nil {
		t.Errorf("what the lies were made of: %v", err)
	}
	var f Frame
	big := make([]float32, maxSlice)
	f.Begin("lab")
	for i := range maxNumbers/maxSlice + 1 {
		f.Put(string(rune('a'+i)), big...)
		if err := g.Decode(f.AppendTo(nil)); (err == nil) != (i < maxNumbers/maxSlice) {
			t.Errorf("%d rows of %d numbers: %v", i+1, maxSlice, err)
		}
	}
}

// TestFrameForgetsRows checks that names that keep changing do not fill the memory of sender or
// receiver.
func TestFrameForgetsRows(t *testing.T) {
	var f, g Frame
	for i := range 4 * maxRows {
		f.Begin("lab")
		f.Put("stays", 1)
		f.Put("row "+strconv.Itoa(i), float32(i))
		if err := g.Decode(f.AppendChanges(nil)); err != nil || !equal(&f, &g) {
			t.Fatalf("frame %d: %v", i, err)
		}
	}
	if len(f.rows) > maxRows || len(g.rows) > maxRows {
		t.Errorf("%d and %d rows are kept, at most %d can be", len(f.rows), len(g.rows), maxRows)
	}
}

func TestFrameRejects(t *testing.T) {
	var f, g Frame
	fill(&f)
	b := f.AppendTo(nil)
	for n := range len(b) {
		if g.Decode(b[:n]) == nil {
			t.Fatalf("accepted %d of %d bytes", n, len(b))
		}
	}
	if g.Decode(append(bytes.Clone(b), 0)) == nil {
		t.Error("accepted a trailing byte")
	}
}

// TestFrameDoesNotAllocate plays a picture with a growing row, a changing row, and a row of text
// that is present in some frames only.
func TestFrameDoesNotAllocate(t *testing.T) {
	var f, g Frame
	x := make([]float32, 1000)
	var b []byte
	n := 0
	again := func() {
		n++
		f.Begin("particles")
		if n%3 == 0 {
			f.PutText("note", "a note")
			f.Put("beside", x[:10]...)
		}
		x[n%len(x)]++
		f.Put("x", x...)
		f.Extend("history", 1, n%100, func(i int) float32 { return float32(i) })
		b = f.AppendChanges(b[:0])
		if g.Decode(b) != nil || !equal(&f, &g) {
			t.Fatal("decode failed")
		}
	}
	for range 200 {
		again()
	}
	if n := testing.AllocsPerRun(200, again); n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// FuzzFrame decodes any bytes, as a first message and after a valid frame.
func FuzzFrame(f *testing.F) {
	var s Frame
	fill(&s)
	f.Add(s.AppendTo(nil))
	base := s.AppendTo(nil)
	s.Begin("particles")
	s.Put("new", 1, 2)
	s.Put("x", 1, 2, 5, 4, 6)
	s.PutText("note", "another")
	f.Add(s.AppendChanges(nil))
	f.Add([]byte(frameMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, after := range [][]byte{nil, base} {
			var g, again Frame
			if after != nil && g.Decode(after) != nil {
				t.Fatal("the base was refused")
			}
			was := g
			was.rows = slices.Clone(g.rows)
			if g.Decode(b) != nil {
				if !equal(&was, &g) {
					t.Fatal("a frame that was refused has changed the picture")
				}
				continue
			}
			if err := again.Decode(g.AppendTo(nil)); err != nil || !equal(&g, &again) {
				t.Fatalf("decode, encode, decode: %v, %+v became %+v", err, g, again)
			}
		}
	})
}
