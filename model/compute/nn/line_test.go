package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"macroscope/model/compute/kernel"
	"macroscope/model/compute/tensor"
)

// onLines is a network of residual blocks with inputs on lines.
type onLines[T tensor.Float] struct {
	net           *MLP
	layout        tensor.Layout
	params        []T
	x, w, c, dy   []T
	sets, samples int
}

// newOnLines draws a network and inputs. Some units of the first ReLU have the same breakpoint.
// Other units have no breakpoint: each is on for all x or off for all x. Some samples coincide.
// Some samples lie at a breakpoint. Some samples lie far away from all breakpoints.
func newOnLines[T tensor.Float](blocks, sets, samples int) *onLines[T] {
	const width, out = 20, 7
	l := &onLines[T]{sets: sets, samples: samples}
	l.net = NewResidual(&l.layout, "net", [3]int{width, width, out}, blocks, true, kernel.ReLU)
	r := rand.New(rand.NewPCG(uint64(blocks), uint64(samples)))
	draw := func(n int, scale float64) []T {
		x := make([]T, n)
		for i := range x {
			x[i] = T(float32(scale * r.NormFloat64()))
		}
		return x
	}
	l.params = draw(l.layout.Size(), 0.4)
	l.x, l.w, l.c, l.dy = draw(sets*samples, 1), draw(width, 1), draw(sets*width, 1), draw(sets*samples*out, 1)
	l.w[0], l.w[1] = 0, T(math.Copysign(0, -1))
	for b := range sets {
		c, x := l.c[b*width:], l.x[b*samples:][:samples]
		l.w[2], l.w[4], c[2], c[4] = 2*l.w[3], -l.w[3], 2*c[3], -c[3]
		for i := range x {
			switch i % 10 {
			case 1:
				x[i] = x[0]
			case 2:
				x[i] = -c[3] / l.w[3]
			case 3:
				x[i] *= 100
			}
		}
	}
	return l
}

// rows evaluates every sample as a separate row.
func (l *onLines[T]) rows() (y, grads, dx, dw, dc []T) {
	width, n := l.net.In(), l.sets*l.samples
	h := make([]T, n*width)
	for i, x := range l.x {
		for j, w := range l.w {
			h[i*width+j] = x*w + l.c[i/l.samples*width+j]
		}
	}
	ws := NewMLPWorkspace[T](l.net, n)
	y = append(y, Forward(l.net, ws, l.params, h, n)...)
	grads, dh := make([]T, len(l.params)), make([]T, len(h))
	Backward(l.net, ws, l.params, grads, h, dh, append([]T{}, l.dy...), n)
	dx, dw, dc = make([]T, n), make([]T, width), make([]T, len(l.c))
	for i, x := range l.x {
		for j, w := range l.w {
			d := dh[i*width+j]
			dx[i] += d * w
			dw[j] += d * x
			dc[i/l.samples*width+j] += d
		}
	}
	return y, grads, dx, dw, dc
}

// pieces evaluates all samples with LineForward and LineBackward.
func (l *onLines[T]) pieces(ws *LineWorkspace[T]) (y, grads, dx, dw, dc []T) {
	y = append(y, LineForward(l.net, ws, l.params, l.x, l.w, l.c, l.sets, l.samples)...)
	grads, dx, dw, dc = make([]T, len(l.params)), make([]T, len(l.x)), make([]T, len(l.w)), make([]T, len(l.c))
	LineBackward(l.net, ws, l.params, grads, dx, dw, dc, l.dy)
	return y, grads, dx, dw, dc
}

// TestLine checks that evaluating pieces gives the same results as evaluating rows. Where a
// unit turns, the left and the right slope are both correct, so gradients are compared only for
// samples elsewhere.
func TestLine(t *testing.T) {
	for _, tc := range []struct{ blocks, sets, samples int }{{1, 1, 1}, {1, 3, 2}, {2, 2, 100}, {3, 1, 400}} {
		t.Run(fmt.Sprint(tc), func(t *testing.T) {
			l := newOnLines[float64](tc.blocks, tc.sets, tc.samples)
			for i, x := range l.x {
				if i%tc.samples%10 == 2 {
					l.x[i] = x + 1e-3
				}
			}
			ws := NewLineWorkspace[float64](l.net, len(l.x))
			for range 2 { // the second time in a used workspace
				compareLines(t, l, ws, 1e-11)
			}
			if most := len(l.x) * 2 / 3; tc.samples >= 100 && len(ws.bends[0].begin) > most {
				t.Errorf("%d samples make %d pieces at the first ReLU, want no more than %d", len(l.x), len(ws.bends[0].begin), most)
			}
		})
	}
}

// TestLineAtTurns checks the network's results for samples that lie at turns. A turn is a point at
// which a ReLU switches on or off.
func TestLineAtTurns(t *testing.T) {
	l := newOnLines[float64](2, 2, 100)
	want, _, _, _, _ := l.rows()
	got, _, _, _, _ := l.pieces(NewLineWorkspace[float64](l.net, len(l.x)))
	compareValues(t, "result", got, want, 1e-11)
}

// TestLineFloat32 compares pieces in float32 with rows in float64. One sample is so far away
// that the distances between all other samples are negligible.
func TestLineFloat32(t *testing.T) {
	l, exact := newOnLines[float32](2, 1, 100), newOnLines[float64](2, 1, 100)
	l.x[7], exact.x[7] = -1e9, -1e9
	want, _, _, _, _ := exact.rows()
	got, _, _, _, _ := l.pieces(NewLineWorkspace[float32](l.net, len(l.x)))
	out := l.net.Out()
	for i := range l.x {
		row := make([]float64, out)
		for j := range row {
			row[j] = float64(got[i*out+j])
		}
		compareValues(t, fmt.Sprintf("x = %g, result", l.x[i]), row, want[i*out:][:out], 1e-5)
	}
}

func compareLines(t *testing.T, l *onLines[float64], ws *LineWorkspace[float64], tolerance float64) {
	t.Helper()
	y, grads, dx, dw, dc := l.rows()
	gotY, gotGrads, gotX, gotW, gotC := l.pieces(ws)
	compareValues(t, "result", gotY, y, tolerance)
	compareValues(t, "gradient of x", gotX, dx, tolerance)
	compareValues(t, "gradient of w", gotW, dw, tolerance)
	compareValues(t, "gradient of c", gotC, dc, tolerance)
	for _, p := range l.layout.Params() {
		compareValues(t, "gradient of "+p.Name, tensor.Of(gotGrads, p), tensor.Of(grads, p), tolerance)
	}
}

// compareValues fails unless values agree within a tolerance relative to the largest value.
func compareValues(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	largest := 0.0
	for _, v := range want {
		largest = max(largest, math.Abs(v))
	}
	for i, v := range want {
		if !(math.Abs(got[i]-v) <= tolerance*(1+largest)) {
			t.Errorf("%s %d is %g, want %g", what, i, got[i], v)
		}
	}
}

func TestLineDoesNotAllocate(t *testing.T) {
	l := newOnLines[float32](2, 3, 80)
	ws := NewLineWorkspace[float32](l.net, len(l.x))
	grads, dx, dw, dc := make([]float32, len(l.params)), make([]float32, len(l.x)), make([]float32, len(l.w)), make([]float32, len(l.c))
	step := func() {
		LineForward(l.net, ws, l.params, l.x, l.w, l.c, l.sets, l.samples)
		LineBackward(l.net, ws, l.params, grads, dx, dw, dc, l.dy)
	}
	step() // the workspace grows to its final size
	if n := testing.AllocsPerRun(5, step); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

func TestLineWants(t *testing.T) {
	var layout tensor.Layout
	for name, m := range map[string]*MLP{
		"blocks": NewMLP(&layout, "a", []int{4, 4, 2}, kernel.ReLU, kernel.Identity),
		"ReLU":   NewResidual(&layout, "b", [3]int{4, 4, 2}, 1, true, kernel.SiLU),
		"direct": NewResidual(&layout, "c", [3]int{3, 4, 2}, 1, false, kernel.ReLU),
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a network without %s has a line through it", name)
				}
			}()
			NewLineWorkspace[float64](m, 1)
		}()
	}
}
