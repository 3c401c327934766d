package scene

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// plane is a frame of 40 particles on a ring with all that can be on.
func plane(now int) *wire.Frame {
	const n, horizon, d, cells = 40, 120, 4, 24
	f := new(wire.Frame)
	f.Begin("particles")
	for _, r := range []struct {
		name  string
		value float32
	}{
		{"now", float32(now)}, {"known", 60}, {"horizon", horizon}, {"dt", 0.02}, {"playing", 1}, {"sigma", 0.05}, {"kl", 0.7},
		{"zstride", 3}, {"mre", 4e-4}, {"shown", 7}, {"tool", toolLook},
	} {
		f.Put(r.name, r.value)
	}
	f.PutText("macro", "energy per pair")
	f.PutText("units", "simulation units")
	var x, label, energy, pred, fault, zpast, zfuture, q, p []float32
	for i := range n {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / n)
		x, label = append(x, float32(0.6*cos), float32(0.6*sin)), append(label, float32(i)/n)
	}
	for i := range horizon + 1 {
		e := float32(0.2 + 0.3*math.Exp(-float64(i)/30))
		pred = append(pred, e*1.001)
		for k := range d {
			z := float32(math.Sin(float64(i+k) / 40))
			zfuture = append(zfuture, z)
			if i <= 60 && i%3 == 0 {
				zpast = append(zpast, z)
			}
		}
		if i <= 60 {
			energy, fault = append(energy, e), append(fault, 1e-4*float32(i+1))
		}
	}
	for j := range cells {
		for i := range cells {
			r := math.Hypot(float64(i)-11.5, float64(j)-11.5) / 12
			v := float32(math.Exp(-50 * (r - 0.6) * (r - 0.6)))
			q, p = append(q, v), append(p, 0.9*v)
		}
	}
	f.Put("x", x...)
	f.Put("label", label...)
	f.Put("samples", x[:20]...)
	f.Put("window", -1, 1, -1, 1)
	f.Put("grid", cells, cells)
	f.Put("q", q...)
	f.Put("p", p...)
	f.Put("z", zfuture[:d]...)
	f.Put("zhat", zfuture[d:2*d]...)
	f.Put("zpast", zpast...)
	f.Put("zfuture", zfuture...)
	f.Put("energy", energy...)
	f.Put("pred", pred...)
	f.Put("error", fault...)
	return f
}

// with returns the frame with more rows; of two rows of a name the first counts,
// so these come first.
func with(f *wire.Frame, rows map[string][]float32) *wire.Frame {
	g := new(wire.Frame)
	g.Begin("particles")
	for name, v := range rows {
		g.Put(name, v...)
	}
	for _, name := range numberRows {
		if v := f.Numbers(name); v != nil {
			g.Put(name, v...)
		}
	}
	for _, name := range textRows {
		if v := f.Text(name); v != nil {
			g.PutText(name, string(v))
		}
	}
	return g
}

var numberRows = strings.Fields(`now known horizon dt playing x label window sigma grid q p kl samples source z zhat zpast zstride
	zfuture energy pred error mre lit shown left predB pB zhatB errorB mreB klB shuffles dz dzOrdered orders ordered
	lossStep loss mreStep mreVal tool density`)

var textRows = strings.Fields("macro units leftwhat nameA nameB trainStage note")

func show(t *testing.T, f *wire.Frame) (*particlesPicture, *[]sent) {
	t.Helper()
	commands := &[]sent{}
	s := newParticles(glyph.New(), func(kind, value string) { *commands = append(*commands, sent{kind, value}) })
	s.Resize(900, 560, 1)
	decodeInto(t, s, f)
	s.Advance(0)
	return s, commands
}

func decodeInto(t *testing.T, s *particlesPicture, f *wire.Frame) {
	t.Helper()
	if err := s.Decode(f.AppendTo(nil)); err != nil {
		t.Fatal(err)
	}
}

// check fails unless the picture is drawn from whole, finite triangles of a
// number that software can draw.
func check(t *testing.T, s *particlesPicture) *plot.Batch {
	t.Helper()
	var b plot.Batch
	s.Draw(&b)
	if n := len(b.Vertices); n > 40_000 {
		t.Fatalf("%d vertices", n)
	}
	whole(t, &b)
	return &b
}

// whole fails unless all triangles have their corners, at finite places.
func whole(t *testing.T, b *plot.Batch) {
	t.Helper()
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

func story(rows map[string][]float32, texts ...string) *wire.Frame {
	f := with(plane(30), rows)
	for i := 0; i+1 < len(texts); i += 2 {
		f.PutText(texts[i], texts[i+1])
	}
	return f
}

func curve(n int, v float32) []float32 {
	c := make([]float32, n)
	for i := range c {
		c[i] = v + 0.1*float32(i%7)
	}
	return c
}

var particlesStates = map[string]func() *wire.Frame{
	"playing":    func() *wire.Frame { return plane(60) },
	"scrubbed":   func() *wire.Frame { return plane(10) },
	"difference": func() *wire.Frame { return story(map[string][]float32{"density": {densityDifference}}) },
	"learned":    func() *wire.Frame { return story(map[string][]float32{"density": {densityLearned}}) },
	"target":     func() *wire.Frame { return story(map[string][]float32{"density": {densityTarget}}) },
	"hidden":     func() *wire.Frame { return story(map[string][]float32{"shown": {0}, "lit": {1}}) },
	"left": func() *wire.Frame {
		return story(map[string][]float32{"left": {80}, "lit": {3}}, "leftwhat", "ẑ_3 above 1")
	},
	"compared": func() *wire.Frame {
		return story(map[string][]float32{"predB": curve(121, 0.2), "pB": make([]float32, 24*24), "zhatB": {1, 2, 3, 4}, "errorB": curve(61, 1e-3), "mreB": {1e-2}, "klB": {2}},
			"nameA", "shipped", "nameB", "a name that is far too long for where it has to stand")
	},
	"shuffled": func() *wire.Frame {
		return story(map[string][]float32{"shuffles": {1}, "dz": {3e-8}, "dzOrdered": {0.4}, "orders": curve(363, 0.2), "ordered": curve(363, 0.2)})
	},
	"training": func() *wire.Frame {
		return story(map[string][]float32{"lossStep": curve(400, 1), "loss": curve(400, 1), "mreStep": {100, 200}, "mreVal": {0.1, 0.01}}, "trainStage", "encoder and flow", "note", "drawn by hand")
	},
}

// sizes are those of a laptop, a projector, phones and a tablet.
var sizes = [][3]float32{{900, 560, 1}, {900, 560, 2}, {1400, 840, 1.5}, {390, 480, 3}, {390, 560, 2}, {360, 420, 2}, {700, 1000, 1}, {640, 400, 1}}

func TestParticlesFitEverySize(t *testing.T) {
	for name, make := range particlesStates {
		s, _ := show(t, make())
		for _, size := range sizes {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				s.Resize(size[0], size[1], size[2])
				s.Advance(0.1)
				l := &s.particlesLayout
				if s.size < minText*size[2] || s.size != l.textSize {
					t.Errorf("text of %v pixels, laid out for %v, want at least %v", s.size, l.textSize, minText*size[2])
				}
				panels := []plot.Rect{l.path, l.maps, l.energy, l.fault, l.bars, l.story}
				for i, p := range panels {
					if p.X < 0 || p.Y < 0 || p.Right() > size[0]*size[2]+0.5 || p.Bottom() > size[1]*size[2]+0.5 {
						t.Errorf("panel %d is %+v", i, p)
					}
					for j, q := range panels[:i] {
						// float32 sums of lengths are off by a thousandth.
						if p.X < q.Right()-0.01 && q.X < p.Right()-0.01 && p.Y < q.Bottom()-0.01 && q.Y < p.Bottom()-0.01 && p.H > 0 && q.H > 0 {
							t.Errorf("panels %d and %d overlap: %+v, %+v", i, j, p, q)
						}
					}
				}
				if l.side < 120*size[2] {
					t.Errorf("maps of %v pixels", l.side)
				}
				for i, a := range []*axes{&s.energyAxes, &s.barAxes} {
					if a.area.W < 50*size[2] || a.area.H < 24*size[2] {
						t.Errorf("plot %d has %v×%v pixels left", i, a.area.W, a.area.H)
					}
				}
				// Nothing but the paper leaves the page.
				b := check(t, s)
				for _, v := range b.Vertices[4:] {
					if v.DstX < -3*size[2] || v.DstX > (size[0]+3)*size[2] || v.DstY < -3*size[2] || v.DstY > (size[1]+3)*size[2] {
						t.Fatalf("a vertex at %v, %v", v.DstX, v.DstY)
					}
				}
			})
		}
	}
}

// Whatever decodes can be drawn and pointed at.
func TestParticlesDrawAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	odd := []float32{0, -1, 1, 0.5, 3, 8, 1e9, -1e30, 1e-30, math.MaxFloat32, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	keys := []string{"ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "Enter", "Delete", "Escape"}
	s, _ := show(t, plane(3))
	for trial := range 1500 {
		f := plane(r.IntN(100))
		rows := map[string][]float32{}
		for range 1 + r.IntN(6) {
			name := numberRows[r.IntN(len(numberRows))]
			v := append([]float32(nil), f.Numbers(name)...)
			switch r.IntN(5) {
			case 0:
				v = nil
			case 1:
				v = []float32{odd[r.IntN(len(odd))]}
			case 2:
				for range 1 + r.IntN(400) {
					v = append(v, odd[r.IntN(len(odd))])
				}
			case 3:
				for i := range v {
					if r.IntN(3) == 0 {
						v[i] = odd[r.IntN(len(odd))]
					}
				}
			default:
				v = v[:r.IntN(len(v)+1)]
			}
			rows[name] = v
		}
		g := with(f, rows)
		if r.IntN(4) == 0 {
			g.PutText(textRows[r.IntN(len(textRows))], "ẑ\xff_")
		}
		size := sizes[r.IntN(len(sizes))]
		s.Resize(size[0], size[1], 1)
		decodeInto(t, s, g)
		s.Advance(0.016)
		for range 6 {
			x, y := r.Float32()*size[0], r.Float32()*size[1]
			s.Pointer([]Event{Move, Down, Move, Up, Leave, Cancel}[r.IntN(6)], x, y, r.IntN(2) == 0)
			s.Shape()
			s.Spoken()
		}
		s.Key(keys[r.IntN(len(keys))], r.IntN(2) == 0)
		s.Advance(0.016)
		check(t, s)
		if t.Failed() {
			t.Fatalf("trial %d: %v", trial, rows)
		}
	}
}

func TestParticlesBeforeAFrame(t *testing.T) {
	s := newParticles(glyph.New(), func(kind, value string) { t.Errorf("command %s %s", kind, value) })
	s.Resize(900, 560, 1)
	s.Advance(0)
	s.Pointer(Down, 300, 200, false)
	s.Pointer(Up, 300, 200, false)
	if s.Key("ArrowRight", false) || s.Spoken() != "" || s.Shape() != Arrow {
		t.Error("a picture of nothing can be read")
	}
	s.Advance(0.016)
	check(t, s)
	if err := s.Decode([]byte("MSF2")); err == nil {
		t.Error("a frame cut short was taken")
	}
}

func TestParticlesOfManyAreFewVertices(t *testing.T) {
	x := make([]float32, 10_000)
	label := make([]float32, 5000)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)))
		label[i/2] = float32(i) / 10_000
	}
	grid, ring := make([]float32, 56*56), make([]float32, 56*56)
	for i := range grid {
		grid[i] = float32(math.Sin(float64(i)) + 1)
		r := math.Hypot(float64(i%56)-27.5, float64(i/56)-27.5) / 28
		ring[i] = float32(math.Exp(-100 * (r - 0.5) * (r - 0.5)))
	}
	s, _ := show(t, with(plane(60), map[string][]float32{"x": x, "label": label, "samples": x, "grid": {56, 56}, "q": grid, "p": ring}))
	check(t, s)
	decodeInto(t, s, with(plane(60), map[string][]float32{"x": x, "label": label, "grid": {56, 56}, "p": ring, "pB": ring, "predB": {1, 2}}))
	s.Advance(0.016)
	check(t, s)
}

func TestParticlesDrawDoesNotAllocate(t *testing.T) {
	for name, make := range particlesStates {
		t.Run(name, func(t *testing.T) {
			frame := make()
			frame.Put("lit", 2)
			encoded := frame.AppendTo(nil)
			s, _ := show(t, frame)
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
				picture() // every glyph at every fraction of a pixel that comes up
			}
			if got := testing.AllocsPerRun(80, picture); got != 0 {
				t.Errorf("%v allocations a picture", got)
			}
		})
	}
}

func TestParticlesAxesGlide(t *testing.T) {
	s, _ := show(t, plane(60))
	tall := plane(60)
	energy := append([]float32(nil), tall.Numbers("energy")...)
	energy[0] = 3
	decodeInto(t, s, with(tall, map[string][]float32{"energy": energy}))
	last, n := s.energyAxes.y.Hi, 0
	for s.Advance(0.016) {
		if s.energyAxes.y.Hi < last {
			t.Fatalf("the axis ends at %v after %v on its way up", s.energyAxes.y.Hi, last)
		}
		last = s.energyAxes.y.Hi
		if n++; n > 200 {
			t.Fatal("never arrives")
		}
	}
	if n < 10 || last < 3 {
		t.Errorf("at %v after %d pictures", last, n)
	}
	s.SetTheme(Dark(), true)
	decodeInto(t, s, plane(60))
	if s.Advance(0.016) || s.energyAxes.y.Hi > 0.6 {
		t.Errorf("still: the axis ends at %v", s.energyAxes.y.Hi)
	}
}

func TestTheLightMovesUnlessStill(t *testing.T) {
	s, _ := show(t, with(plane(30), map[string][]float32{"lit": {litFlow}}))
	for range 100 {
		if !s.Advance(0.016) {
			t.Fatal("the light stands")
		}
	}
	s.SetTheme(Light(), true)
	if s.Advance(0.016) {
		t.Error("the light moves though it should not")
	}
}

// pixel returns where a place of the plane is in a map, in CSS pixels.
func (s *particlesPicture) pixel(m int, x, y float32) (px, py float32) {
	p := s.maps[m].point(x, y)
	return p.X / s.unit, p.Y / s.unit
}

func numbersOf(t *testing.T, value string) (v []float64) {
	t.Helper()
	for _, w := range strings.Fields(value) {
		x, err := strconv.ParseFloat(w, 64)
		if err != nil {
			t.Fatal(err)
		}
		v = append(v, x)
	}
	return v
}

func TestParticlesTools(t *testing.T) {
	type event struct {
		e    Event
		x, y float32 // of the plane
	}
	for _, tc := range []struct {
		name   string
		tool   float32
		events []event
		kinds  string
		last   []float64 // the last command's numbers
	}{
		{"look", toolLook, []event{{Down, 0.6, 0}, {Move, 0.5, 0.2}, {Up, 0.5, 0.2}}, "", nil},
		{"drag", toolMove, []event{{Down, 0.6, 0}, {Move, 0.5, 0.1}, {Move, 0.4, 0.2}, {Up, 0.4, 0.2}}, "drag drag", []float64{0, 0.4, 0.2}},
		{"drag nothing", toolMove, []event{{Down, 0, 0}, {Move, 0.5, 0.1}, {Up, 0.5, 0.1}}, "", nil},
		{"drag outside", toolMove, []event{{Down, 0.6, 0}, {Move, 7, 0.5}, {Up, 7, 0.5}}, "drag", []float64{0, 1, 0.5}},
		{"add", toolAdd, []event{{Down, 0.1, -0.3}, {Up, 0.1, -0.3}}, "add", []float64{0.1, -0.3}},
		{"remove", toolRemove, []event{{Down, 0, 0.6}, {Up, 0, 0.6}}, "remove", []float64{0, 0.6}},
		{"wander", toolAdd, []event{{Down, 0.1, -0.3}, {Move, 0.5, 0.5}, {Up, 0.5, 0.5}}, "", nil},
		{"cancel", toolAdd, []event{{Down, 0.1, -0.3}, {Cancel, 0.1, -0.3}, {Up, 0.1, -0.3}}, "", nil},
		{"draw", toolDraw, []event{{Down, 0, 0}, {Move, 0.2, 0}, {Move, 0.2, 0}, {Move, 0.2, 0.4}, {Up, 0.2, 0.4}}, "draw", []float64{0, 0, 0.2, 0, 0.2, 0.4}},
	} {
		for m := range 2 {
			t.Run(fmt.Sprint(tc.name, m), func(t *testing.T) {
				s, commands := show(t, with(plane(30), map[string][]float32{"tool": {tc.tool}}))
				s.Resize(900, 560, 2)
				s.Advance(0)
				for _, e := range tc.events {
					x, y := s.pixel(m, e.x, e.y)
					s.Pointer(e.e, x, y, false)
					if e.e == Move && e.x != 0.4 { // two events can share a picture
						s.Advance(0.016)
					}
					check(t, s)
				}
				s.Advance(0.016)
				var kinds []string
				for _, c := range *commands {
					kinds = append(kinds, c.kind)
				}
				if got := strings.Join(kinds, " "); got != tc.kinds {
					t.Fatalf("commands %q, want %q", got, tc.kinds)
				}
				if tc.last == nil {
					return
				}
				got := numbersOf(t, (*commands)[len(*commands)-1].value)
				if len(got) != len(tc.last) {
					t.Fatalf("got %v, want %v", got, tc.last)
				}
				for i := range got {
					// A pixel of float32 is a thousandth of a pixel, of some 200 in a unit.
					if math.Abs(got[i]-tc.last[i]) > 1e-4 {
						t.Fatalf("got %v, want %v", got, tc.last)
					}
				}
			})
		}
	}
}

func TestLiftedFingersLeaveTheirReading(t *testing.T) {
	for tool, want := range [...]bool{toolLook: true, toolMove: false, toolAdd: false, toolRemove: false, toolDraw: false} {
		s, _ := show(t, with(plane(30), map[string][]float32{"tool": {float32(tool)}}))
		x, y := s.pixel(0, 0.1, 0.1)
		for _, e := range [...]Event{Down, Up, Leave} {
			s.Pointer(e, x, y, true)
		}
		if got := s.Spoken() != ""; got != want {
			t.Errorf("tool %d: a reading is left: %v, want %v", tool, got, want)
		}
	}
}

func TestFingersKeepTheirDrags(t *testing.T) {
	for tool, want := range [...]bool{toolLook: false, toolMove: true, toolAdd: false, toolRemove: false, toolDraw: true} {
		s, _ := show(t, with(plane(30), map[string][]float32{"tool": {float32(tool)}}))
		if got := s.Keeps(); got != want {
			t.Errorf("tool %d: got %v, want %v", tool, got, want)
		}
	}
}

func TestWhatHasLeft(t *testing.T) {
	z := make([]float32, 121*12)
	z[80*12+10] = -1.2
	for _, tc := range []struct {
		rows map[string][]float32
		want string
	}{
		{map[string][]float32{"left": {80}}, "energy per pair"},
		{map[string][]float32{"left": {80}, "z": make([]float32, 12), "zfuture": z}, "ẑ_1_1"},
		{map[string][]float32{"left": {80}, "zfuture": nil}, "energy per pair"},
	} {
		s, _ := show(t, with(plane(30), tc.rows))
		if got := string(s.f.appendLeft(nil)); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
}

func TestParticlesSeek(t *testing.T) {
	s, commands := show(t, plane(30))
	at := func(frame int) (x, y float32) {
		return s.energyAxes.x.Pos(0.02 * float64(frame)), s.energyAxes.area.Y + 40
	}
	x, y := at(12)
	s.Pointer(Down, x, y, false)
	s.Advance(0.016)
	for _, frame := range []int{20, 40, 77} { // only the last is asked for
		x, y = at(frame)
		s.Pointer(Move, x, y+300, false)
	}
	s.Advance(0.016)
	s.Advance(0.016)
	s.Pointer(Up, x, y, false)
	s.Pointer(Move, 400, y, false)
	s.Advance(0.016)
	if got := fmt.Sprint(*commands); got != "[{seek 12} {seek 77}]" {
		t.Errorf("got %v", got)
	}
}

func TestParticlesKeys(t *testing.T) {
	s, commands := show(t, with(plane(30), map[string][]float32{"tool": {toolAdd}}))
	press := func(key string, shift bool) {
		t.Helper()
		if !s.Key(key, shift) {
			t.Fatalf("%s was not used", key)
		}
		s.Advance(0.016)
	}
	press("ArrowRight", false)
	press("ArrowRight", false) // before the first has been answered
	decodeInto(t, s, plane(32))
	press("ArrowLeft", true)
	decodeInto(t, s, plane(22))
	press("Home", false)
	press("End", false)
	if got := fmt.Sprint(*commands); got != "[{seek 31} {seek 32} {seek 22} {seek 0} {seek 60}]" {
		t.Errorf("got %v", got)
	}
	*commands = nil
	decodeInto(t, s, with(plane(30), map[string][]float32{"tool": {toolAdd}}))
	for _, want := range []string{"time 0.600, true 0.310, predicted 0.311", "time 0.600, error 0.00310", "dimension 1, encoded 0, predicted 0.0250"} {
		press("ArrowDown", false)
		if got := s.Spoken(); got != want {
			t.Errorf("reads %q, want %q", got, want)
		}
	}
	press("ArrowRight", false)
	if got := s.Spoken(); !strings.HasPrefix(got, "dimension 2") {
		t.Errorf("reads %q, want the second dimension", got)
	}
	press("ArrowDown", false)
	press("ArrowRight", true)
	press("ArrowUp", true)
	if got, want := s.Spoken(), "x 0.200, y 0.200, target 0.00944, learned 0.00850"; got != want {
		t.Errorf("reads %q, want %q", got, want)
	}
	press("Enter", false)
	press("Delete", false)
	if got := fmt.Sprint(*commands); got != "[{add 0.2 0.2} {remove 0.2 0.2}]" {
		t.Errorf("got %v", got)
	}
	press("Escape", false)
	if s.Key("Escape", false) || s.Key("q", false) || s.Spoken() != "" {
		t.Error("keys without a meaning were used")
	}
}

// A shuffle keeps its place for a while, then training takes it back.
func TestTheNewestStoryIsTold(t *testing.T) {
	s, _ := show(t, plane(30))
	training := func(step float32) map[string][]float32 {
		return map[string][]float32{"lossStep": {1, step}, "loss": {2, 1}}
	}
	both := func(step, shuffles float32) map[string][]float32 {
		m := training(step)
		m["shuffles"], m["orders"] = []float32{shuffles}, curve(363, 0.2)
		return m
	}
	for i, tc := range []struct {
		rows map[string][]float32
		want int
	}{
		{nil, storyLatent}, {training(5), storyTraining}, {training(9), storyTraining}, {both(10, 1), storyOrders},
		{both(11, 1), storyOrders}, {both(12, 1), storyTraining}, {both(12, 2), storyOrders}, {both(12, 2), storyOrders},
		{both(12, 2), storyOrders}, {nil, storyLatent},
	} {
		decodeInto(t, s, with(plane(30), tc.rows))
		s.Advance(holdOrders / 2)
		if s.told != tc.want {
			t.Errorf("frame %d tells %d, want %d", i, s.told, tc.want)
		}
		check(t, s)
	}
}

// light is how light a colour looks, from 0 to 1.
func light(c plot.Color) float64 {
	linear := func(x float32) float64 { return math.Pow(float64(x), 2.2) }
	return math.Cbrt(0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B))
}

// Every density and label can be told from the next one by lightness alone.
func TestRampsAreInOrder(t *testing.T) {
	for name, r := range map[string]*plot.Ramp{
		"light density": Light().Density, "dark density": Dark().Density, "light labels": Light().Labels, "dark labels": Dark().Labels,
		"light A": Light().SpeciesDensity[0], "light B": Light().SpeciesDensity[1], "dark A": Dark().SpeciesDensity[0], "dark B": Dark().SpeciesDensity[1],
	} {
		const n = 16
		whole := light(r.At(1)) - light(r.At(0))
		for i := range n {
			step := (light(r.At(float64(i+1)/n)) - light(r.At(float64(i)/n))) / whole * n
			// Of a scale that is even in lightness every step is 1; the cube root of
			// luminance is within a half of that for colours this vivid.
			if step < 0.4 || step > 1.7 {
				t.Errorf("%s: step %d of %d is %.2f of the mean", name, i, n, step)
			}
		}
	}
}

func TestOrdersAboutTheirMean(t *testing.T) {
	table := []float32{1, 2, 3 /**/, 1, 4, 3 /**/, 1, 6, 0} // three orders of three frames
	if got := spread(table, 3); got != 4 {
		t.Errorf("they are apart by %v, want 4", got)
	}
	for r, want := range []float64{-2, 0, 2} {
		if got := aside(table, 3, r, 1); got != want {
			t.Errorf("order %d is %v from the mean, want %v", r, got, want)
		}
	}
	if got := spread(nil, 3); got != 0 {
		t.Errorf("none are apart by %v", got)
	}
}

func TestTypicalDensity(t *testing.T) {
	nan := float32(math.NaN())
	if got := typical([]float32{0, 2, 2, nan, 0, 2}); got != 2 {
		t.Errorf("got %v, want 2", got)
	}
	if got := typical([]float32{nan, 0}); got != 0 {
		t.Errorf("got %v of nothing", got)
	}
}

func BenchmarkParticlesPicture(b *testing.B) {
	s := newParticles(glyph.New(), func(string, string) {})
	s.Resize(900, 560, 1)
	frame := plane(30).AppendTo(nil)
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
}
