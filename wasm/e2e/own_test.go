//go:build !js

package e2e

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"macroscope/model/file/data"
	"macroscope/model/wire"
	"macroscope/sim/rng"
)

// swarm writes runs of particles in space that attract and repel each other. It is a system that the program does not know.
// The observables are the energy of a pair and the radius of gyration.
func swarm(t testing.TB, runs, n int) (path string) {
	t.Helper()
	const frames = 61
	var points []float32
	var energy, gyration []float64
	src := rng.New(1, "swarm")
	for range runs {
		x := make([][3]float64, n)
		var middle [2][3]float64
		for i := range middle {
			for d := range 3 {
				middle[i][d] = src.NormFloat64()
			}
		}
		for i := range x {
			for d := range 3 {
				x[i][d] = middle[i%2][d] + 0.12*src.NormFloat64()
			}
		}
		for range frames {
			var mean [3]float64
			for _, p := range x {
				for d := range 3 {
					points, mean[d] = append(points, float32(p[d])), mean[d]+p[d]/float64(n)
				}
			}
			e, g := 0.0, 0.0
			next := make([][3]float64, n)
			for i, p := range x {
				next[i] = p
				for d := range 3 {
					g += (p[d] - mean[d]) * (p[d] - mean[d]) / float64(n)
				}
				for j, q := range x {
					if i == j {
						continue
					}
					r := math.Hypot(math.Hypot(p[0]-q[0], p[1]-q[1]), p[2]-q[2])
					e += (math.Log(math.Cosh(4*(1-r)))/4 + 0.1*(1-r)) / float64(n*(n-1))
					for d := range 3 {
						next[i][d] += 0.06 * (math.Tanh(4*(1-r)) + 0.1) * (p[d] - q[d]) / r / float64(n)
					}
				}
			}
			x, energy, gyration = next, append(energy, e), append(gyration, math.Sqrt(g))
		}
	}
	path = filepath.Join(t.TempDir(), "swarm.npz")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := data.WriteNPZ(file, map[string]*data.Array{
		"trajectories": data.NewArray([]int{runs, frames, n, 3}, points),
		"energy":       data.NewArray([]int{runs, frames}, energy), "gyration": data.NewArray([]int{runs, frames}, gyration),
	}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestOwnSystem drops runs of an unknown system in the lab of the particles, which offers the lab of the user's own system.
// There it chooses axes, trains and reloads.
func TestOwnSystem(t *testing.T) {
	t.Parallel()
	source := axe(t)
	p := newProbed(t, newBrowser(t), "own", serve(t, distDir).url+"#lab=own", 1280, 800, 1)
	p.wait("what to bring", `document.getElementById("summary").textContent.includes("trajectories")`)
	p.screens("own-empty")
	p.accessibleInThemes(source, "own, empty")
	path := swarm(t, 12, 40)
	p.use("labs", `e.querySelector('a[href="#lab=particles"]').click()`)
	p.wait("the other lab", `document.documentElement.dataset.panel === "particles"`)
	p.drop("#canvas", path)
	p.take()
	p.wait("the question of the own lab", `document.documentElement.dataset.panel === "own" && document.getElementById("ask").open && document.getElementById("ask").textContent.includes("gyration")`)
	p.shot("own-ask-1280x800")
	p.take()
	f := p.waitFrame("the first run", func(f *wire.Frame) bool { return len(f.Numbers("x")) == 80 && len(f.Numbers("macro")) == 2*61 })
	if got := string(f.Text("title0")) + " " + string(f.Text("title1")); got != "energy gyration" {
		t.Errorf("the plots are %s", got)
	}
	p.screens("own-data")
	p.choose("across", "3")
	p.waitFrame("another axis", func(f *wire.Frame) bool { return string(f.Text("axis0")) == "z" })
	p.choose("size", "quick")
	p.press("train")
	p.waitFrame("some steps of training", func(f *wire.Frame) bool { return len(f.Numbers("loss")) >= 3 })
	p.press("train")
	p.waitFrame("a learned density", func(f *wire.Frame) bool { return len(f.Numbers("p")) == 56*56 })
	p.settled()
	p.accessibleInThemes(source, "own")
	p.screens("own-trained")
	p.turns()
	p.reload() // at once, perhaps before the turn is saved
	f = p.waitFrame("the session after a reload", func(f *wire.Frame) bool { return len(f.Numbers("p")) == 56*56 && len(f.Numbers("loss")) >= 3 })
	if string(f.Text("edge0")) != "z" || len(f.Numbers("box")) != 38 {
		t.Errorf("the axis after a reload is %s, with %d numbers of the box", f.Text("edge0"), len(f.Numbers("box")))
	}
	p.quiet()
}

// turns drags the picture of a set in space, which turns it.
func (p *tab) turns() {
	p.t.Helper()
	at := eval[[]float64](p, `(r => [r.x + 0.15 * r.width, r.y + 0.35 * r.height])(document.getElementById("canvas").getBoundingClientRect())`)
	p.do(chromedp.MouseEvent("mousePressed", at[0], at[1], chromedp.ButtonLeft))
	for k := range 5 {
		p.do(chromedp.MouseEvent("mouseMoved", at[0]+10*float64(k), at[1]+8*float64(k), chromedp.ButtonLeft))
	}
	p.waitFrame("a turned picture", func(f *wire.Frame) bool { return len(f.Numbers("box")) == 38 })
	p.do(chromedp.MouseEvent("mouseReleased", at[0]+40, at[1]+32, chromedp.ButtonLeft))
	f := p.waitFrame("the density of the turned set", func(f *wire.Frame) bool {
		return len(f.Numbers("p")) == 56*56 && len(f.Numbers("turn")) == 2 && f.Numbers("turn")[0] > 5 && f.Numbers("turn")[1] > 5
	})
	p.screens("own-turned")
	if names := string(f.Text("axis0")) + " " + string(f.Text("axis1")); names != "across up" {
		p.t.Errorf("the axes of the turned picture are %s", names)
	}
}

// TestOwnFolder drops a folder of text files with their table of observables, and then the same files one by one.
func TestOwnFolder(t *testing.T) {
	t.Parallel()
	p := newProbed(t, newBrowser(t), "own", serve(t, distDir).url+"#lab=own", 1280, 800, 1)
	p.wait("what to bring", `document.getElementById("summary").textContent.includes("trajectories")`)
	dir := filepath.Join(t.TempDir(), "my runs")
	if err := os.MkdirAll(filepath.Join(dir, "inner"), 0o755); err != nil {
		t.Fatal(err)
	}
	var paths []string
	write := func(name, content string) {
		paths = append(paths, filepath.Join(dir, name))
		if err := os.WriteFile(paths[len(paths)-1], []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	table := "run,frame,height\n"
	for run := range 3 {
		text := "frame,id,x,y\n"
		for frame := range 20 {
			for id := range 6 {
				text += fmt.Sprintf("%d,%d,%g,%g\n", frame, id, float64(id)+0.01*float64(frame), float64((run+1)*frame*id)/20)
			}
			table += fmt.Sprintf("%d,%d,%g\n", run, frame, float64((run+1)*frame*15)/20)
		}
		write(fmt.Sprintf("run%d.csv", run), text)
	}
	write("observables.csv", table)
	for _, drop := range [][]string{{dir}, paths} {
		p.drop("#canvas", drop...)
		name := "my runs"
		if len(drop) > 1 {
			name = "4 files"
		}
		p.wait("the question", fmt.Sprintf(`(text => ask.open && text.includes("%s") && text.includes("height") && text.includes("Inner in the folder") === %v)(ask.textContent)`, name, len(drop) == 1))
		p.shot("own-folder")
		p.take()
		f := p.waitFrame("the run", func(f *wire.Frame) bool { return len(f.Numbers("macro")) == 20 })
		if got := string(f.Text("title0")); got != "height" {
			t.Errorf("the observable is %q", got)
		}
		p.set("c-trajectory", "3")
		p.waitFrame("the third run", func(f *wire.Frame) bool { return len(f.Numbers("macro")) == 20 && f.Numbers("macro")[1] == 2.25 })
	}
	p.quiet()
}

// screens takes screenshots of a phone and of a usual screen, and leaves the usual screen.
func (p *tab) screens(name string) {
	p.t.Helper()
	for _, size := range [][2]int64{{390, 844}, {1280, 800}} {
		p.do(chromedp.EmulateViewport(size[0], size[1]))
		p.wait("the screen", fmt.Sprintf(`innerWidth === %d`, size[0]))
		p.pictures(3)
		p.settled()
		p.narrow(size[0])
		p.shot(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]))
	}
}
