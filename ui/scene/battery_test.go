package scene

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/brush"
	"macroscope/ui/glyph"
	"macroscope/ui/panel"
	"macroscope/ui/plot"
)

// sizes lists pictures on laptops, projectors, phones and tablets: the width and the height in CSS
// pixels, and the device pixels per CSS pixel. On a phone with open controls, the picture is 240 or
// 256 high.
var sizes = [][3]float32{
	{900, 560, 1}, {1280, 800, 2}, {1920, 1080, 1}, {1400, 640, 1.5}, {900, 460, 1}, {800, 380, 2}, {390, 560, 2}, {390, 760, 3}, {360, 480, 2}, {390, 256, 2}, {360, 240, 2}, {700, 1000, 1}, {820, 1000, 1}, {640, 400, 1},
}

// mostVertices is the largest number of vertices that a software renderer can draw fast enough.
const mostVertices = 50_000

// The function `whole` checks that a batch is not too large, and that its triangles have finite
// corners.
func whole(t *testing.T, b *plot.Batch) {
	t.Helper()
	if n := len(b.Vertices); n > mostVertices {
		t.Fatalf("%d vertices", n)
	}
	for _, i := range b.Indices {
		if int(i) >= len(b.Vertices) {
			t.Fatalf("index %d of %d vertices", i, len(b.Vertices))
		}
	}
	for i, v := range b.Vertices {
		for _, x := range [...]float32{v.DstX, v.DstY, v.SrcX, v.SrcY, v.ColorR, v.ColorG, v.ColorB, v.ColorA, v.Custom0, v.Custom1, v.Custom2, v.Custom3} {
			if x-x != 0 {
				t.Fatalf("vertex %d is %+v", i, v)
			}
		}
	}
}

func drawn(t *testing.T, s *Scene) *plot.Batch {
	t.Helper()
	var b plot.Batch
	s.Draw(&b)
	whole(t, &b)
	return &b
}

// apart reports whether two rectangles lie apart. An overlap of at most one pixel is allowed,
// because maps are rounded to whole pixels.
func apart(p, q plot.Rect) bool {
	return p.X >= q.Right()-1 || q.X >= p.Right()-1 || p.Y >= q.Bottom()-1 || q.Y >= p.Bottom()-1
}

// silent reports whether a panel has no values to read.
func silent(p panel.Panel) bool {
	switch p.(type) {
	case *panel.Pipeline, *panel.Ruler:
		return true
	}
	return false
}

// TestScenesFitEverySize checks every panel of every scene in every size. A panel must lie
// within the page, not overlap another panel, draw only within its rectangle, and write no text
// over other text. Text must be large enough.
func TestScenesFitEverySize(t *testing.T) {
	states(t, func(t *testing.T, lab string, r rows) {
		s, _ := open(t, lab, r)
		for _, size := range sizes {
			s.Resize(size[0], size[1], size[2])
			s.Advance(0.1)
			for s.Advance(0.1) && r["active"] == nil {
			}
			c, unit := s.canvas, size[2]
			if c.Size < 12*unit {
				t.Errorf("%v: text of %v pixels", size, c.Size)
			}
			drawn(t, s)
			for i, p := range s.Panels {
				if !shown(p) {
					continue
				}
				r := p.Rect()
				if r.X < 0 || r.Y < 0 || r.Right() > size[0]*unit+0.5 || r.Bottom() > size[1]*unit+0.5 {
					t.Errorf("%v: %T is at %+v", size, p, r)
				}
				for _, q := range s.Panels[:i] {
					if shown(q) && !apart(r, q.Rect()) {
						t.Errorf("%v: %T at %+v lies over %T at %+v", size, p, r, q, q.Rect())
					}
				}
				c.Batch = new(plot.Batch)
				p.Draw(c)
				within(t, fmt.Sprintf("%v: %T", size, p), c.Batch, r.Inset(-4*unit, -4*unit, -4*unit, -4*unit))
				if _, ok := p.(*panel.Pipeline); !ok || c.W > 380 {
					readable(t, fmt.Sprintf("%v: %T", size, p), c.Batch, unit)
				}
			}
		}
	})
}

// The function `within` checks that all vertices are in r.
func within(t *testing.T, name string, b *plot.Batch, r plot.Rect) {
	t.Helper()
	for _, v := range b.Vertices {
		if v.DstX < r.X || v.DstX > r.Right() || v.DstY < r.Y || v.DstY > r.Bottom() {
			t.Errorf("%s draws at %v, %v, outside of %+v", name, v.DstX, v.DstY, r)
			return
		}
	}
}

// readable checks that no two glyphs overlap, except neighbours in a word. A glyph may also lie
// over an earlier glyph if a plate was drawn between the two. A plate is a filled box.
func readable(t *testing.T, name string, b *plot.Batch, unit float32) {
	t.Helper()
	type sign struct {
		r plot.Rect
		i int // index of the sign's first vertex
	}
	var signs []sign
	for i := 0; i+3 < len(b.Vertices); i++ {
		v, w := b.Vertices[i], b.Vertices[i+3]
		if v.SrcY < 0 {
			continue
		}
		r := plot.Rect{X: v.DstX, Y: v.DstY, W: w.DstX - v.DstX, H: w.DstY - v.DstY}
		for _, q := range signs {
			if i-q.i > 8 && !apart(r.Inset(-unit, 0, -unit, 0), q.r.Inset(-unit, 0, -unit, 0)) && !plated(b, q.r, q.i, i) {
				t.Errorf("%s writes text over text at %+v", name, r)
				return
			}
		}
		signs = append(signs, sign{r, i})
		i += 3
	}
}

// plated reports whether a plate overlaps r. It looks for plates among the vertices with indices
// between `from` and `to`.
func plated(b *plot.Batch, r plot.Rect, from, to int) bool {
	for i := from + 4; i+3 < to; i++ {
		v, w := b.Vertices[i], b.Vertices[i+3]
		if v.SrcY == -2 && w.SrcY == -2 && v.ColorA > 0.8 && w.DstX-v.DstX > 4 && !apart(r, plot.Rect{X: v.DstX, Y: v.DstY, W: w.DstX - v.DstX, H: w.DstY - v.DstY}) {
			return true
		}
	}
	return false
}

// TestEveryPanelIsRead checks that every displayed panel has a tip at some position.
func TestEveryPanelIsRead(t *testing.T) {
	for lab, all := range map[string]string{wire.Demo: "plain", "particles": "playing", "mixing": "playing", "polymer": "playing"} {
		s, _ := open(t, lab, pictures[lab][all])
		for _, p := range s.Panels {
			if silent(p) || !shown(p) {
				continue
			}
			r, told := p.Rect(), false
			for k := range 15 {
				x, y := r.X+r.W*(0.5+0.03*float32(k)), r.Y+r.H*(0.3+0.03*float32(k))
				s.Pointer(Move, x, y, false)
				_, ok := p.Probe(s.canvas, x, y)
				told = told || ok && s.Spoken() != "" && s.Shape() >= panel.Arrow
				drawn(t, s)
			}
			if !told {
				t.Errorf("%s: nothing is told of %T", lab, p)
			}
		}
	}
}

// TestScenesDrawAnything checks that the scenes can draw every frame that can be decoded, and
// respond to the pointer and the keys.
func TestScenesDrawAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	odd := []float32{0, -1, 1, 0.5, 3, 8, 1e9, -1e30, 1e-30, math.MaxFloat32, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	keys := []string{"ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "Enter", "Delete", "Escape"}
	trials := 1200
	if testing.Short() {
		trials = 200
	}
	for lab, all := range pictures {
		s, _ := open(t, lab, rows{})
		kinds := slices.Sorted(maps.Keys(all))
		for trial := range trials {
			r := all[kinds[random.IntN(len(kinds))]]
			names := slices.Sorted(maps.Keys(r))
			change := rows{}
			for range 1 + random.IntN(6) {
				name := names[random.IntN(len(names))]
				v, _ := r[name].([]float32)
				v = slices.Clone(v)
				switch random.IntN(6) {
				case 0:
					change[name] = nil
					continue
				case 1:
					v = []float32{odd[random.IntN(len(odd))]}
				case 2:
					for range 1 + random.IntN(400) {
						v = append(v, odd[random.IntN(len(odd))])
					}
				case 3:
					for i := range v {
						if random.IntN(3) == 0 {
							v[i] = odd[random.IntN(len(odd))]
						}
					}
				case 4:
					change[name] = "ẑ\xff_"
					continue
				default:
					v = v[:random.IntN(len(v)+1)]
				}
				change[name] = v
			}
			size := sizes[random.IntN(len(sizes))]
			s.Resize(size[0], size[1], 1)
			decode(t, s, lab, r.with(change))
			s.Advance(0.016)
			for range 6 {
				s.Pointer([]Event{Move, Down, Move, Up, Leave, Cancel}[random.IntN(6)], random.Float32()*size[0], random.Float32()*size[1], random.IntN(2) == 0)
				s.Shape()
				s.Spoken()
			}
			s.Key(keys[random.IntN(len(keys))], random.IntN(2) == 0)
			s.Advance(0.016)
			drawn(t, s)
			s.Keeps()
			if t.Failed() {
				t.Fatalf("%s, trial %d: %v", lab, trial, change)
			}
		}
	}
}

func TestScenesDoNotAllocate(t *testing.T) {
	states(t, func(t *testing.T, lab string, r rows) {
		encoded := r.frame(lab).AppendTo(nil)
		s, _ := open(t, lab, r)
		var b plot.Batch
		n := 0
		picture := func() {
			n++
			if err := s.Decode(encoded); err != nil {
				t.Fatal(err)
			}
			s.Pointer(Move, 30+float32(n*7%20)*42, 50+float32(n*3%20)*25, false)
			s.Advance(0.016)
			b.Reset()
			s.Draw(&b)
		}
		for range 200 {
			picture() // rasterises every glyph at every fraction of a pixel
		}
		if got := testing.AllocsPerRun(80, picture); got != 0 {
			t.Errorf("%v allocations a picture", got)
		}
	})
}

func TestBeforeAFrame(t *testing.T) {
	for lab := range pictures {
		s := Open(lab, glyph.New(), func(kind, value string) { t.Errorf("%s: command %s %s", lab, kind, value) })
		s.Resize(900, 560, 1)
		s.Advance(0)
		s.Pointer(Down, 300, 200, false)
		s.Pointer(Up, 300, 200, false)
		if s.Key("ArrowRight", false) || s.Shape() != panel.Arrow {
			t.Errorf("%s: a picture of nothing can be used", lab)
		}
		s.Pointer(Leave, 300, 200, false)
		if s.Spoken() != "" {
			t.Errorf("%s: a picture of nothing says %q", lab, s.Spoken())
		}
		s.Advance(0.016)
		drawn(t, s)
		if err := s.Decode([]byte("MSF2")); err == nil {
			t.Errorf("%s: a frame cut short was taken", lab)
		}
	}
	if Open("nothing", glyph.New(), nil) != nil {
		t.Error("there is a picture of nothing")
	}
}

// TestScenesComeToRest checks that gliding values reach their goals, and reach them at once for
// users who prefer reduced motion.
func TestScenesComeToRest(t *testing.T) {
	states(t, func(t *testing.T, lab string, r rows) {
		lit := r["active"] != nil
		s, _ := open(t, lab, r)
		for n := 0; s.Advance(0.016) && !lit; n++ {
			if n > 300 {
				t.Fatal("never at rest")
			}
		}
		if lit && !s.Advance(0.016) {
			t.Error("the light stands")
		}
		s.SetTheme(brush.Dark(), true)
		if s.Advance(0.016) {
			t.Error("something moves though it should not")
		}
		drawn(t, s)
	})
}

func ExampleOpen() {
	var f wire.Frame
	f.Begin(wire.Demo)
	f.Put("window", -2, 2)
	f.Put("x", -1, 0.5)
	s := Open(wire.Demo, glyph.New(), func(kind, value string) {})
	s.Resize(1280, 800, 2)
	err := s.Decode(f.AppendTo(nil))
	s.Advance(0)
	var batch plot.Batch
	s.Draw(&batch)
	fmt.Println(err, len(batch.Indices) > 0)
	// Output: <nil> true
}

func BenchmarkScene(b *testing.B) {
	for lab, r := range map[string]rows{wire.Demo: onLine(), "particles": ring(30), "mixing": inBox(30), "polymer": inFlow(30)} {
		b.Run(lab, func(b *testing.B) {
			s, _ := open(b, lab, r)
			frame := r.frame(lab).AppendTo(nil)
			var batch plot.Batch
			for b.Loop() {
				if err := s.Decode(frame); err != nil {
					b.Fatal(err)
				}
				s.Advance(0.016)
				batch.Reset()
				s.Draw(&batch)
			}
			b.ReportMetric(float64(len(batch.Vertices)), "vertices")
		})
	}
}
