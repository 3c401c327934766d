package scene

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// box is a frame of 81 atoms on a lattice in a box of 32×32, divided at 16, with
// all that can be on: 60 of 120 frames are known.
func box(now int) *wire.Frame {
	const side, horizon, known, cells = 9, 120, 60, 24
	f := new(wire.Frame)
	f.Begin("mixing")
	for _, r := range []struct {
		name  string
		value float32
	}{
		{"now", float32(now)}, {"known", known}, {"horizon", horizon}, {"dt", 0.4}, {"playing", 1}, {"boundary", 16},
		{"klA", 1.5}, {"klB", 1.25}, {"coverage", 0.875}, {"nominal", 0.9}, {"shown", 7}, {"zstride", 2}, {"tool", mixingBoundary},
	} {
		f.Put(r.name, r.value)
	}
	var x, kind, label, density []float32
	for i := range side * side {
		px := float32(4 * (i % side))
		x, kind, label = append(x, px, float32(4*(i/side))), append(kind, 1), append(label, float32(i)/(side*side))
		if px >= 16 {
			kind[i] = 2
		}
	}
	for i := range cells * cells {
		density = append(density, 1e-3*float32(i%cells))
	}
	f.Put("x", x...)
	f.Put("kind", kind...)
	f.Put("label", label...)
	f.Put("window", 0, 32, 0, 32)
	f.Put("grid", cells, cells)
	for _, name := range []string{"qA", "qB", "pA", "pB"} {
		f.Put(name, density...)
	}
	var ratios, mean, low, high, paths, z, heat, energy []float32
	for i := range horizon + 1 {
		r := 0.5 * float32(1-math.Exp(-float64(i)/40))
		mean, low, high = append(mean, r, r+0.01), append(low, r-0.02, r-0.01), append(high, r+0.02, r+0.03)
		if i <= known {
			ratios = append(ratios, r+0.005, r+0.015)
			heat, energy = append(heat, 1+0.1*float32(math.Sin(float64(7*i)))), append(energy, -0.6)
			if i%2 == 0 {
				z = append(z, -0.5+0.005*float32(i), 0.6-0.005*float32(i))
			}
		}
	}
	for k := range 6 {
		for i, r := range mean {
			paths = append(paths, r+0.01*float32(math.Sin(float64(5*i+k))))
		}
	}
	f.Put("ratios", ratios...)
	f.Put("mean", mean...)
	f.Put("low", low...)
	f.Put("high", high...)
	f.Put("paths", paths...)
	f.Put("temperature", heat...)
	f.Put("energy", energy...)
	f.Put("z", -0.25, 0.35)
	f.Put("zpast", z...)
	f.PutText("names", "ẑ_A ẑ_B")
	return f
}

var (
	mixingRows = strings.Fields(`now known horizon dt playing x kind label colours window boundary tool grid qA qB pA pB klA klB z zpast zstride
		ratios mean low high paths coverage nominal meanB lowB highB temperature energy relaxing shuffles dz lossStep loss lit shown`)
	mixingTexts = strings.Fields("note names nameA nameB trainStage")
)

// boxWith returns box(30) with other rows; nil takes one away.
func boxWith(rows map[string][]float32, texts ...string) *wire.Frame {
	f, g := box(30), new(wire.Frame)
	g.Begin("mixing")
	for _, name := range mixingRows {
		v, ok := rows[name]
		if !ok {
			v = f.Numbers(name)
		}
		if v != nil {
			g.Put(name, v...)
		}
	}
	for i := 0; i+1 < len(texts); i += 2 {
		g.PutText(texts[i], texts[i+1])
	}
	return g
}

func showMixing(t *testing.T, f *wire.Frame) (*mixingPicture, *[]sent) {
	t.Helper()
	commands := &[]sent{}
	s := newMixing(glyph.New(), func(kind, value string) { *commands = append(*commands, sent{kind, value}) })
	s.Resize(900, 560, 1)
	decodeMixing(t, s, f)
	s.Advance(0)
	return s, commands
}

func decodeMixing(t *testing.T, s *mixingPicture, f *wire.Frame) {
	t.Helper()
	if err := s.Decode(f.AppendTo(nil)); err != nil {
		t.Fatal(err)
	}
}

var mixingStates = map[string]func() *wire.Frame{
	"playing":  func() *wire.Frame { return box(60) },
	"scrubbed": func() *wire.Frame { return box(10) },
	"start":    func() *wire.Frame { return box(0) },
	"hidden":   func() *wire.Frame { return boxWith(map[string][]float32{"shown": {0}, "lit": {1}}) },
	"relaxing": func() *wire.Frame {
		return boxWith(map[string][]float32{"relaxing": {0.4}, "now": {0}, "known": {0}, "ratios": nil, "mean": nil, "low": nil, "high": nil, "paths": nil,
			"z": nil, "zpast": nil, "qA": nil, "qB": nil, "pA": nil, "pB": nil, "temperature": nil, "energy": nil})
	},
	"alone": func() *wire.Frame {
		return boxWith(map[string][]float32{"boundary": nil, "kind": nil, "pA": nil, "pB": nil, "temperature": nil, "energy": nil, "mean": nil, "low": nil, "high": nil, "paths": nil}, "note", "dump.lammpstrj")
	},
	"lower": func() *wire.Frame { return boxWith(map[string][]float32{"window": {0, 32, 0, 26}}) },
	"tall":  func() *wire.Frame { return boxWith(map[string][]float32{"window": {0, 32, 0, 40}}) },
	"compared": func() *wire.Frame {
		return boxWith(map[string][]float32{"meanB": curve(242, 0.2), "lowB": curve(242, 0.1), "highB": curve(242, 0.3)},
			"nameA", "shipped", "nameB", "a name that is far too long for where it has to stand")
	},
	"shuffled": func() *wire.Frame {
		return boxWith(map[string][]float32{"shuffles": {1}, "dz": {3e-8}, "colours": {1}, "lit": {1}})
	},
	"training": func() *wire.Frame {
		return boxWith(map[string][]float32{"lossStep": curve(400, 1), "loss": curve(400, 1)}, "trainStage", "stage II: the law")
	},
}

// checkMixing fails unless the picture is drawn from whole, finite triangles of a
// number that software can draw.
func checkMixing(t *testing.T, s *mixingPicture) *plot.Batch {
	t.Helper()
	var b plot.Batch
	s.Draw(&b)
	if n := len(b.Vertices); n > 50_000 {
		t.Fatalf("%d vertices", n)
	}
	whole(t, &b)
	return &b
}

func TestMixingFitsEverySize(t *testing.T) {
	for name, make := range mixingStates {
		s, _ := showMixing(t, make())
		for _, size := range append([][3]float32{{900, 460, 1}, {1350, 580, 1.4}, {800, 380, 2}}, sizes...) {
			t.Run(fmt.Sprint(name, size), func(t *testing.T) {
				s.Resize(size[0], size[1], size[2])
				s.Advance(0.1)
				if s.size < minText*size[2] {
					t.Errorf("text of %v pixels, want at least %v", s.size, minText*size[2])
				}
				l := &s.mixingLayout
				panels := append([]plot.Rect{l.path, l.box, l.ratio[0], l.ratio[1], l.bench}, l.maps[:]...)
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
				if l.box.W < 130*size[2] || l.maps[0].W < 28*size[2] {
					t.Errorf("the box is %v and a map %v pixels wide", l.box.W, l.maps[0].W)
				}
				for i, a := range s.timePlots() {
					if a != nil && (a.area.W < 60*size[2] || a.area.H < 40*size[2]) {
						t.Errorf("plot %d has %v×%v pixels left", i, a.area.W, a.area.H)
					}
				}
				// Nothing but the paper leaves the page.
				b := checkMixing(t, s)
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
func TestMixingDrawsAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	odd := []float32{0, -1, 1, 0.5, 3, 8, 1e9, -1e30, 1e-30, math.MaxFloat32, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}
	keys := []string{"ArrowDown", "ArrowUp", "ArrowLeft", "ArrowRight", "Home", "End", "Enter", "Delete", "Escape"}
	s, _ := showMixing(t, box(3))
	for trial := range 1500 {
		f := box(r.IntN(100))
		rows := map[string][]float32{"now": {float32(r.IntN(100))}}
		for range 1 + r.IntN(6) {
			name := mixingRows[r.IntN(len(mixingRows))]
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
		g := boxWith(rows)
		if r.IntN(4) == 0 {
			g = boxWith(rows, mixingTexts[r.IntN(len(mixingTexts))], "ẑ\xff_")
		}
		size := sizes[r.IntN(len(sizes))]
		s.Resize(size[0], size[1], 1)
		decodeMixing(t, s, g)
		s.Advance(0.016)
		for range 6 {
			x, y := r.Float32()*size[0], r.Float32()*size[1]
			s.Pointer([]Event{Move, Down, Move, Up, Leave, Cancel}[r.IntN(6)], x, y, r.IntN(2) == 0)
			s.Shape()
			s.Spoken()
		}
		s.Key(keys[r.IntN(len(keys))], r.IntN(2) == 0)
		s.Advance(0.016)
		checkMixing(t, s)
		if t.Failed() {
			t.Fatalf("trial %d: %v", trial, rows)
		}
	}
}

func TestMixingBeforeAFrame(t *testing.T) {
	s := newMixing(glyph.New(), func(kind, value string) { t.Errorf("command %s %s", kind, value) })
	s.Resize(900, 560, 1)
	s.Advance(0)
	s.Pointer(Down, 170, 240, false)
	s.Pointer(Up, 170, 240, false)
	if s.Key("ArrowRight", false) || s.Spoken() != "" || s.Shape() != Arrow {
		t.Error("a picture of nothing can be read")
	}
	s.Advance(0.016)
	checkMixing(t, s)
	if err := s.Decode([]byte("MSF2")); err == nil {
		t.Error("a frame cut short was taken")
	}
}

func TestMixingDrawDoesNotAllocate(t *testing.T) {
	for name, make := range mixingStates {
		t.Run(name, func(t *testing.T) {
			encoded := make().AppendTo(nil)
			s, _ := showMixing(t, make())
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

// pixelX returns where an x of the box is, in CSS pixels, and the middle of its
// height.
func (s *mixingPicture) pixelX(x float64) (px, py float32) {
	return s.box.x.Pos(x) / s.unit, (s.box.area.Y + 0.3*s.box.area.H) / s.unit
}

func TestMixingBoundary(t *testing.T) {
	for _, tc := range []struct {
		name string
		tool float32
		to   []float64 // where the pointer presses, moves and lets go
		want string
	}{
		{"drag", mixingBoundary, []float64{16.1, 14, 12.4}, "[{boundary 14} {boundary 12.5}]"},
		{"miss", mixingBoundary, []float64{19, 14, 12}, "[]"},
		{"look", mixingLook, []float64{16, 14, 12}, "[]"},
		{"press on it", mixingBoundary, []float64{16}, "[]"},
		{"there and back", mixingBoundary, []float64{16, 12, 16}, "[{boundary 12} {boundary 16}]"},
		{"beyond the walls", mixingBoundary, []float64{16, -50, 70}, "[{boundary 2} {boundary 30}]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, commands := showMixing(t, boxWith(map[string][]float32{"tool": {tc.tool}, "now": {0}}))
			s.Resize(900, 560, 2)
			s.Advance(0)
			e := Down
			var x, y float32
			for _, to := range tc.to {
				x, y = s.pixelX(to)
				s.Pointer(e, x, y, false)
				s.Advance(0.016)
				checkMixing(t, s)
				e = Move
			}
			s.Pointer(Up, x, y, false)
			s.Advance(0.016)
			s.Advance(0.016)
			if got := fmt.Sprint(*commands); got != tc.want {
				t.Errorf("commands %s, want %s", got, tc.want)
			}
		})
	}
}

// While the boundary is held its place is the hand's; afterwards the lab's as soon
// as it has followed, or has had the time to.
func TestMixingBoundaryFollowsTheLab(t *testing.T) {
	s, _ := showMixing(t, box(0))
	x, y := s.pixelX(16)
	s.Pointer(Down, x, y, false)
	to, _ := s.pixelX(9)
	s.Pointer(Move, to, y, false)
	s.Advance(0.016)
	decodeMixing(t, s, box(0))
	s.Pointer(Up, to, y, false)
	if got, _ := s.boundary(); got != 9 {
		t.Errorf("at %v after it was let go, want 9", got)
	}
	for range patience {
		decodeMixing(t, s, box(0)) // the lab refuses
	}
	if got, _ := s.boundary(); got != 16 {
		t.Errorf("at %v, want the lab's 16", got)
	}
}

func TestMixingSeek(t *testing.T) {
	s, commands := showMixing(t, box(30))
	at := func(frame int) (x, y float32) {
		return s.ratioAxes[1].x.Pos(0.4 * float64(frame)), s.ratioAxes[1].area.Y + 40
	}
	x, y := at(12)
	s.Pointer(Down, x, y, false)
	s.Advance(0.016)
	for _, frame := range []int{20, 40, 77} { // only the last is asked for
		x, y = at(frame)
		s.Pointer(Move, x, y+100, false)
	}
	s.Advance(0.016)
	s.Advance(0.016)
	s.Pointer(Up, x, y, false)
	s.Pointer(Move, 600, y, false)
	s.Advance(0.016)
	if got := fmt.Sprint(*commands); got != "[{seek 12} {seek 77}]" {
		t.Errorf("got %v", got)
	}
}

func TestMixingKeys(t *testing.T) {
	s, commands := showMixing(t, box(30))
	press := func(key string, shift bool) {
		t.Helper()
		if !s.Key(key, shift) {
			t.Fatalf("%s was not used", key)
		}
		s.Advance(0.016)
	}
	press("ArrowRight", false)
	press("ArrowRight", false) // before the first has been answered
	decodeMixing(t, s, box(32))
	press("ArrowLeft", true)
	decodeMixing(t, s, box(22))
	press("Home", false)
	press("End", false)
	if got := fmt.Sprint(*commands); got != "[{seek 31} {seek 32} {seek 22} {seek 0} {seek 60}]" {
		t.Errorf("got %v", got)
	}
	*commands = nil
	decodeMixing(t, s, box(30))
	for _, want := range []string{
		"time 12.0, true 0.269, predicted 0.264, band from 0.244, band to 0.284",
		"time 12.0, true 0.279, predicted 0.274, band from 0.254, band to 0.294",
		"time 12.0, ẑ_A −0.250, ẑ_B 0.350",
		"time 12.0, temperature 1.05, energy per atom −0.600",
		"boundary 16.0",
	} {
		press("ArrowDown", false)
		if got := s.Spoken(); got != want {
			t.Errorf("reads %q, want %q", got, want)
		}
	}
	press("ArrowLeft", false)
	press("ArrowRight", true)
	if got := fmt.Sprint(*commands); got != "[{boundary 15.5} {boundary 20.5}]" {
		t.Errorf("got %v", got)
	}
	press("ArrowDown", false)
	press("ArrowLeft", true)
	press("ArrowUp", true)
	if got, want := s.Spoken(), "x 12.8, y 19.2, q_A 0.00900, p_θ of A 0.00900, q_B 0.00900, p_θ of B 0.00900"; got != want {
		t.Errorf("reads %q, want %q", got, want)
	}
	press("Escape", false)
	if s.Key("Escape", false) || s.Key("q", false) || s.Spoken() != "" {
		t.Error("keys without a meaning were used")
	}
}

// What is not shown cannot be chosen by keys, nor seeked in.
func TestMixingOnAPhone(t *testing.T) {
	s, _ := showMixing(t, box(30))
	s.Resize(390, 480, 2)
	s.Advance(0)
	if s.benched > 0 {
		t.Fatal("there is room for small plots")
	}
	for range 3 {
		s.Key("ArrowDown", false)
	}
	if got := s.Spoken(); got != "boundary 16.0" {
		t.Errorf("reads %q after R_AB and R_BA, want the boundary", got)
	}
}

// A finger takes the boundary from further off than a mouse, and leaves its reading
// when it is lifted.
func TestMixingFinger(t *testing.T) {
	for touch, want := range map[bool]bool{false: false, true: true} {
		s, _ := showMixing(t, box(0))
		x, y := s.pixelX(17)
		s.Pointer(Down, x, y, touch)
		if s.wall.held != want {
			t.Errorf("touch %v: held %v, want %v", touch, s.wall.held, want)
		}
		s.Pointer(Cancel, x, y, touch)
		if s.wall.held {
			t.Errorf("touch %v: the boundary is still held", touch)
		}
	}
	s, _ := showMixing(t, box(0))
	x, y := s.pixelX(8.2)
	s.Pointer(Move, x, y, true)
	s.Pointer(Leave, x, y, true)
	if got := s.Spoken(); !strings.HasPrefix(got, "x 8.20") {
		t.Errorf("reads %q", got)
	}
}

// At frame 0 atoms take the colours that the boundary in the hand gives them.
func TestMixingPreview(t *testing.T) {
	s, _ := showMixing(t, box(0))
	count := func() (a, b int) {
		for _, v := range checkMixing(t, s).Vertices {
			switch c := (plot.Color{R: v.ColorR, G: v.ColorG, B: v.ColorB, A: v.ColorA}); c {
			case s.theme.Species[0]:
				a++
			case s.theme.Species[1]:
				b++
			}
		}
		return a, b
	}
	a0, b0 := count()
	x, y := s.pixelX(16)
	s.Pointer(Down, x, y, false)
	x, _ = s.pixelX(26)
	s.Pointer(Move, x, y, false)
	s.Advance(0.016)
	// Three more columns of nine atoms are left of 26 than of 16: those at 16, 20
	// and 24, each a square of four vertices.
	if a, b := count(); a-a0 != 4*27 || b0-b != 4*27 {
		t.Errorf("from %d and %d vertices to %d and %d, want 108 more and fewer", a0, b0, a, b)
	}
}

// The species can be told apart by lightness alone, and from the paper.
func TestSpeciesDiffer(t *testing.T) {
	for name, theme := range map[string]Theme{"light": Light(), "dark": Dark()} {
		a, b, paper := light(theme.Species[0]), light(theme.Species[1]), light(theme.Paper)
		// A tenth is what one sees at a glance in discs of ten pixels; the rims add
		// to it where gold is on paper.
		if math.Abs(a-b) < 0.2 || math.Abs(a-paper) < 0.1 || math.Abs(b-paper) < 0.1 {
			t.Errorf("%s: lightness %.2f and %.2f on %.2f", name, a, b, paper)
		}
	}
}
