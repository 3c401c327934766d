package scene

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"macroscope/model/wire"
	"macroscope/ui/glyph"
	"macroscope/ui/plot"
)

// still is a Source that holds one frame.
type still struct{ f *wire.DemoFrame }

func (s *still) Latest() *wire.DemoFrame { return s.f }

func demo() *wire.DemoFrame {
	f := &wire.DemoFrame{
		Status: wire.Training, Step: 300, Total: 3000, Eps: 0.1, FitEps: 0.1, KL: 0.0153, Lo: -2, Hi: 2,
		Particles: []float32{-0.75, -0.5, 0, 0.25, 0.26}, Z: []float32{0.5, -1.5, 0.1},
	}
	for i := range 401 {
		x := -2 + 0.01*float64(i)
		f.Mixture = append(f.Mixture, float32(math.Exp(-x*x)))
		f.Target = append(f.Target, float32(math.Exp(-2*x*x)))
		f.Fit = append(f.Fit, float32(0.9*math.Exp(-2*x*x)))
	}
	for i := range 300 {
		f.LossStep, f.Loss = append(f.LossStep, float32(i+1)), append(f.Loss, float32(1+math.Exp(-float64(i)/40)))
	}
	for i := range 6 {
		f.KLStep, f.ValKL = append(f.KLStep, float32(50*(i+1))), append(f.ValKL, float32(math.Exp(-float64(i))))
	}
	return f
}

type sent struct{ kind, value string }

func open(f *wire.DemoFrame) (*Scene, *still, *[]sent) {
	source, commands := &still{f}, &[]sent{}
	s := New(source, glyph.New(), func(kind, value string) { *commands = append(*commands, sent{kind, value}) })
	s.Resize(1280, 800, 1)
	s.Advance(0)
	return s, source, commands
}

func draw(t *testing.T, s *Scene) *plot.Batch {
	t.Helper()
	var b plot.Batch
	s.Draw(&b)
	if len(b.Indices)%3 != 0 {
		t.Fatalf("%d indices", len(b.Indices))
	}
	for _, i := range b.Indices {
		if int(i) >= len(b.Vertices) {
			t.Fatalf("index %d of %d vertices", i, len(b.Vertices))
		}
	}
	for i, v := range b.Vertices {
		for _, x := range [...]float32{v.DstX, v.DstY, v.SrcX, v.SrcY, v.ColorA, v.Custom0, v.Custom1, v.Custom2, v.Custom3} {
			if x-x != 0 {
				t.Fatalf("vertex %d is %+v", i, v)
			}
		}
	}
	return &b
}

func TestPanelsFitEverySize(t *testing.T) {
	for _, size := range [][3]float32{
		{1280, 800, 1}, {1280, 800, 2}, {1920, 1080, 1}, {3840, 2160, 1}, {390, 760, 3}, {360, 640, 2}, {820, 620, 1.25}, {700, 1000, 1}, {940, 480, 1},
	} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			l := arrange(size[0], size[1], size[2])
			if l.textSize < minText*size[2] {
				t.Errorf("text of %v pixels, want at least %v", l.textSize, minText*size[2])
			}
			panels := []plot.Rect{l.main, l.latent, l.loss, l.kl}
			for i, p := range panels {
				if p.X < 0 || p.Y < 0 || p.Right() > size[0]*size[2] || p.Bottom() > size[1]*size[2] || p.W <= 0 || p.H <= 0 {
					t.Errorf("panel %d is %+v", i, p)
				}
				for j, q := range panels[:i] {
					if p.X < q.Right() && q.X < p.Right() && p.Y < q.Bottom() && q.Y < p.Bottom() {
						t.Errorf("panels %d and %d overlap: %+v, %+v", i, j, p, q)
					}
				}
			}
			s, _, _ := open(demo())
			s.Resize(size[0], size[1], size[2])
			s.Advance(0.1)
			for _, a := range []*axes{&s.main, &s.latent, &s.loss, &s.kl} {
				if a.area.W < 80*size[2] || a.area.H < 24*size[2] {
					t.Errorf("a plot has %v×%v pixels left", a.area.W, a.area.H)
				}
			}
			draw(t, s)
		})
	}
}

// Whatever decodes can be drawn.
func TestDrawsEveryFrame(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	change := func(f func(*wire.DemoFrame)) *wire.DemoFrame {
		w := demo()
		f(w)
		return w
	}
	for _, tc := range []struct {
		name string
		f    *wire.DemoFrame
	}{
		{"none", nil},
		{"empty", &wire.DemoFrame{}},
		{"refitting", change(func(f *wire.DemoFrame) { f.Refitting, f.FitEps = true, 0.3 })},
		{"own data", change(func(f *wire.DemoFrame) { f.OwnData, f.Mixture = true, nil })},
		{"no range", change(func(f *wire.DemoFrame) { f.Lo, f.Hi = 1, 1 })},
		{"range of NaN", change(func(f *wire.DemoFrame) { f.Lo = nan })},
		{"infinite range", change(func(f *wire.DemoFrame) { f.Hi = inf })},
		{"tiny eps", change(func(f *wire.DemoFrame) { f.Eps = 1e-8 })},
		{"huge eps", change(func(f *wire.DemoFrame) { f.Eps = 1e30 })},
		{"eps of NaN", change(func(f *wire.DemoFrame) { f.Eps = nan })},
		{"curves of NaN", change(func(f *wire.DemoFrame) {
			for i := range f.Target {
				f.Target[i], f.Fit[i], f.Mixture[i] = nan, inf, nan
			}
		})},
		{"curves of zero", change(func(f *wire.DemoFrame) { clear(f.Target); clear(f.Fit); clear(f.Mixture) })},
		{"one sample", change(func(f *wire.DemoFrame) { f.Target, f.Fit, f.Mixture = f.Target[:1], f.Fit[:1], f.Mixture[:1] })},
		{"particles outside", change(func(f *wire.DemoFrame) { f.Particles = []float32{-9, nan, inf, 1e30} })},
		{"latent of NaN", change(func(f *wire.DemoFrame) { f.Z = []float32{nan, inf, 0} })},
		{"latent of zero", change(func(f *wire.DemoFrame) { clear(f.Z) })},
		{"wide latent", change(func(f *wire.DemoFrame) { f.Z = make([]float32, 500) })},
		{"diverged", change(func(f *wire.DemoFrame) { f.Loss[299], f.ValKL[5], f.KL = nan, inf, nan })},
		{"steps of NaN", change(func(f *wire.DemoFrame) { f.LossStep[299], f.KLStep[0] = nan, inf })},
		{"KL below zero", change(func(f *wire.DemoFrame) { f.ValKL = []float32{-1, 0, -2, -1, 0, -1e-30} })},
		{"one loss", change(func(f *wire.DemoFrame) { f.Loss, f.LossStep = f.Loss[:1], f.LossStep[:1] })},
		{"constant loss", change(func(f *wire.DemoFrame) { clear(f.Loss) })},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, _, _ := open(tc.f)
			s.Advance(0.016)
			draw(t, s)
			for y := float32(2); y < 800; y += 66 {
				for x := float32(2); x < 1280; x += 98 {
					s.Pointer(Move, x, y, false)
					s.Shape()
					s.Spoken()
					var b plot.Batch
					s.Draw(&b)
				}
			}
			s.Key("ArrowRight", true)
			draw(t, s)
		})
	}
}

func TestDrawDoesNotAllocate(t *testing.T) {
	s, source, _ := open(demo())
	other := demo()
	for i := range other.Target {
		other.Target[i] *= 1.5
	}
	frames := []*wire.DemoFrame{source.f, other}
	var b plot.Batch
	n := 0
	frame := func() {
		n++
		source.f = frames[n/40%2]
		s.Pointer(Move, 300+float32(n%40), 300, false)
		s.Advance(0.016)
		b.Reset()
		s.Draw(&b)
	}
	for range 400 {
		frame() // every glyph at every fraction of a pixel that comes up
	}
	if got := testing.AllocsPerRun(80, frame); got != 0 {
		t.Errorf("%v allocations a picture", got)
	}
}

func TestDensityAxisGlides(t *testing.T) {
	s, source, _ := open(demo())
	if got, want := s.main.y.Hi, 1.1; math.Abs(got-want) > 1e-6 {
		t.Fatalf("the axis begins at %v, want %v at once", got, want)
	}
	tall := demo()
	for i := range tall.Target {
		tall.Target[i] *= 8
	}
	source.f = tall
	last, n := s.main.y.Hi, 0
	for s.Advance(0.016) {
		if s.main.y.Hi < last || s.main.y.Hi/last > 1.5 {
			t.Fatalf("the axis jumped from %v to %v", last, s.main.y.Hi)
		}
		last = s.main.y.Hi
		if n++; n > 500 {
			t.Fatal("the axis never arrives")
		}
	}
	if math.Abs(last-8.8) > 0.05 {
		t.Errorf("the axis ends at %v, want 8.8", last)
	}
	source.f = demo()
	s.SetTheme(Dark(), true)
	if s.Advance(0.016) || math.Abs(s.main.y.Hi-1.1) > 1e-6 {
		t.Errorf("with reduced motion the axis is at %v, want 1.1 at once", s.main.y.Hi)
	}
}

func TestDensityTop(t *testing.T) {
	for _, tc := range []struct {
		name                 string
		target, fit, mixture []float32
		eps                  float32
		want                 float64
	}{
		{"target", []float32{0, 2, 0}, []float32{0, 1, 0}, nil, 1, 2.2},
		{"mixture", []float32{0, 2, 0}, []float32{0, 1, 0}, []float32{0, 3, 0}, 1, 3.3},
		{"fit overshoots", []float32{0, 2, 0}, []float32{0, 900, 0}, nil, 1, 3.3},
		{"spiky", []float32{0, 4e7, 0}, []float32{0, 1, 0}, []float32{0, 2, 0}, 1e-8, 2.2},
		{"spiky own data", []float32{0, 4e7, 0}, []float32{0, 1, 0}, nil, 1e-8, 1.1},
		{"nothing", nil, nil, nil, 1, 1},
		{"zero", []float32{0, 0}, []float32{0, 0}, nil, 1, 1},
	} {
		f := &wire.DemoFrame{Lo: 0, Hi: 1, Eps: tc.eps, Target: tc.target, Fit: tc.fit, Mixture: tc.mixture}
		if got := densityTop(f); math.Abs(got-tc.want) > 1e-6 {
			t.Errorf("%s: got %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestSpikyTargetIsExact(t *testing.T) {
	f := demo()
	f.Eps = 1e-8
	want := 1 / (5 * 1e-8 * math.Sqrt(2*math.Pi))
	// ε is a float32.
	if got := target(f, float64(f.Particles[3])); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("q_X at a particle: got %v, want %v", got, want)
	}
	if got := target(f, 0.2); got != 0 {
		t.Errorf("q_X between particles: got %v, want 0", got)
	}
}

func TestHistoryRanges(t *testing.T) {
	for _, tc := range []struct {
		last  float32
		total uint32
		want  float64
	}{
		{3000, 3000, 3000}, {1400, 3000, 1500}, {1600, 3000, 2000}, {2100, 2500, 2500}, {12, 3000, 20}, {500, 0, 500}, {5001, 3000, 7500},
	} {
		if got := stepEnd([]float32{1, tc.last}, tc.total); got != tc.want {
			t.Errorf("step %v of %v: axis ends at %v, want %v", tc.last, tc.total, got, tc.want)
		}
	}
	if got := stepEnd(nil, 3000); got != 3000 {
		t.Errorf("before the first step the axis ends at %v, want 3000", got)
	}
	f := demo()
	f.Loss[0] = 1e6 // an untrained model
	if lo, hi := lossRange(f.LossStep, f.Loss); lo > 1 || lo < 0.8 || hi < 1.9 || hi > 2.2 {
		t.Errorf("the loss axis is %v to %v", lo, hi)
	}
	if lo, hi := logRange(f.ValKL); math.Pow(10, hi) < 1 || math.Pow(10, lo) > math.Exp(-5) {
		t.Errorf("the KL axis is 10^%v to 10^%v", lo, hi)
	}
	f.ValKL = []float32{0.02, 0.021}
	if lo, hi := logRange(f.ValKL); hi-lo < 1-1e-9 {
		t.Errorf("the KL axis is only %v decades", hi-lo)
	}
}

// rugAt returns where the position x is on the rug, in CSS pixels.
func rugAt(s *Scene, x float64) (px, py float32) {
	band := s.rugBand()
	return s.main.x.Pos(x) / s.unit, (band.Y + band.H/2) / s.unit
}

func TestRug(t *testing.T) {
	type step struct {
		e  Event
		x  float64
		dy float32 // CSS pixels above the rug
	}
	remove := func(x float32) sent { return sent{wire.Remove, strconv.FormatFloat(float64(x), 'g', -1, 32)} }
	for _, tc := range []struct {
		name  string
		touch bool
		steps []step
		want  []sent
		at    float64 // of a final Add
	}{
		{"add", false, []step{{Down, 1, 0}, {Up, 1, 0}}, []sent{{wire.Add, ""}}, 1},
		{"add on the axis", false, []step{{Down, 1, 12}, {Up, 1, 12}}, []sent{{wire.Add, ""}}, 1},
		{"add by finger", true, []step{{Down, -1.5, 0}, {Up, -1.5, 0}}, []sent{{wire.Add, ""}}, -1.5},
		{"remove", false, []step{{Down, -0.74, 0}, {Up, -0.74, 0}}, []sent{remove(-0.75)}, 0},
		{"remove of two", false, []step{{Down, 0.265, 0}, {Up, 0.265, 0}}, []sent{remove(0.26)}, 0},
		{"move", false, []step{{Down, -0.5, 0}, {Move, 0.4, 0}, {Move, 1.2, 60}, {Up, 1.2, 60}}, []sent{remove(-0.5), {wire.Add, ""}}, 1.2},
		{"move past the end", false, []step{{Down, -0.5, 0}, {Move, 2.5, 0}, {Up, 2.5, 0}}, []sent{remove(-0.5), {wire.Add, ""}}, 2},
		{"swipe", true, []step{{Down, 1, 0}, {Move, 1.5, 0}, {Up, 1.5, 0}}, nil, 0},
		{"scroll", true, []step{{Down, 1, 0}, {Cancel, 1, 30}}, nil, 0},
		{"scroll, then lift", true, []step{{Down, 1, 0}, {Cancel, 1, 30}, {Up, 1, 30}}, nil, 0},
		{"in the plot", false, []step{{Down, 1, 100}, {Up, 1, 100}}, nil, 0},
		{"press in the plot, release on the rug", false, []step{{Down, 1, 100}, {Up, 1, 0}}, nil, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, unit := range []float32{1, 2} {
				s, _, commands := open(demo())
				s.Resize(1280, 800, unit)
				s.Advance(0.016)
				for _, st := range tc.steps {
					x, y := rugAt(s, st.x)
					s.Pointer(st.e, x, y-st.dy, tc.touch)
					draw(t, s)
				}
				got := slices.Clone(*commands)
				if n := len(got); n > 0 && got[n-1].kind == wire.Add {
					// A pixel is 1/187 of a unit here, and it is hit exactly.
					if v, err := strconv.ParseFloat(got[n-1].value, 64); err != nil || math.Abs(v-tc.at) > 1e-3 {
						t.Errorf("added at %s, want %v", got[n-1].value, tc.at)
					}
					got[n-1].value = ""
				}
				if !slices.Equal(got, tc.want) {
					t.Errorf("got %v, want %v", got, tc.want)
				}
			}
		})
	}
}

func TestShapes(t *testing.T) {
	s, _, _ := open(demo())
	at := func(x, y float32) Shape {
		s.Pointer(Move, x, y, false)
		return s.Shape()
	}
	x, y := rugAt(s, 1)
	if got := at(x, y); got != Hand {
		t.Errorf("over the empty rug %v, want %v", got, Hand)
	}
	x, y = rugAt(s, 0)
	if got := at(x, y); got != Slide {
		t.Errorf("over a particle %v, want %v", got, Slide)
	}
	if got := at(400, 300); got != Cross {
		t.Errorf("over the densities %v, want %v", got, Cross)
	}
	if got := at(2, 2); got != Arrow {
		t.Errorf("in the margin %v, want %v", got, Arrow)
	}
}

func TestSpoken(t *testing.T) {
	s, _, _ := open(demo())
	centre := func(a *axes, x float64) {
		s.Pointer(Move, a.x.Pos(x), a.area.Y+a.area.H/2, false)
	}
	for _, tc := range []struct {
		a    *axes
		x    float64
		want string
	}{
		{&s.main, 0, "x 0, target 1.00, learned 0.900, mixture 1.00"},
		{&s.latent, 2, "dimension 2, latent −1.50"},
		{&s.loss, 41, "step 41, loss 1.37"},
		{&s.kl, 104, "step 100, KL 0.368"},
	} {
		centre(tc.a, tc.x)
		if got := s.Spoken(); got != tc.want {
			t.Errorf("got %q, want %q", got, tc.want)
		}
	}
	x, y := rugAt(s, 0.01)
	s.Pointer(Move, x, y, false)
	if got, want := s.Spoken(), "remove 0"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Pointer(Leave, x, y, false)
	if got := s.Spoken(); got != "" {
		t.Errorf("after the pointer left: %q", got)
	}
	s.Pointer(Move, 400, 300, true)
	s.Pointer(Leave, 400, 300, true)
	if s.Spoken() == "" {
		t.Error("a lifted finger took its reading along")
	}
}

func TestKeys(t *testing.T) {
	s, source, commands := open(demo())
	if s.Key("Enter", false) || s.Key("Delete", false) || s.Key("Escape", false) {
		t.Error("a key was used before there was a crosshair")
	}
	for _, k := range []string{"ArrowRight", "ArrowRight", "ArrowLeft"} {
		if !s.Key(k, false) {
			t.Errorf("%s was not used", k)
		}
	}
	if got := s.cursor.x; math.Abs(got-0.02) > 1e-9 {
		t.Errorf("the crosshair is at %v, want 0.02", got)
	}
	s.Key("ArrowRight", true)
	s.Key("Enter", false)
	s.Key("Delete", false)
	want := []sent{{wire.Add, "0.22"}, {wire.Remove, "0.25"}}
	if !slices.Equal(*commands, want) {
		t.Errorf("got %v, want %v", *commands, want)
	}
	if got, want := s.Spoken(), "x 0.220, target 0.908, learned 0.817, mixture 0.953"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	s.Key("End", false)
	s.Key("ArrowRight", true)
	if s.cursor.x != 2 {
		t.Errorf("the crosshair left the axis: %v", s.cursor.x)
	}
	draw(t, s)
	if !s.Key("Escape", false) || s.Spoken() != "" {
		t.Error("Escape left the crosshair")
	}
	if s.Key("s", false) || s.Key("Tab", false) {
		t.Error("a key of the page was used")
	}
	source.f = nil
	if s.Key("ArrowLeft", false) {
		t.Error("a key was used with nothing to show")
	}
}

func ExampleScene() {
	source := &still{demo()}
	s := New(source, glyph.New(), func(kind, value string) { fmt.Println(kind, value) })
	s.Resize(1280, 800, 2)
	s.Advance(0)
	var batch plot.Batch
	s.Draw(&batch)
	s.Key("Home", false)
	s.Key("Enter", false)
	// Output: add -2
}

func BenchmarkPicture(b *testing.B) {
	s, _, _ := open(demo())
	var batch plot.Batch
	for b.Loop() {
		s.Advance(0.016)
		batch.Reset()
		s.Draw(&batch)
	}
}
