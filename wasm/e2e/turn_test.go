//go:build !js

package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/serve/httpd"
)

// TestTurn drags ε and ẑ dim in all labs. The KL on the page must equal the KL of the shipped
// tunable model at the sliders' places, to three digits. The expected KL is computed natively. In
// the lab of the line, `macroscope eval` measures it. In the other labs it is the KL of the
// displayed particles. After opening, the page must request nothing.
func TestTurn(t *testing.T) {
	t.Parallel()
	site, err := httpd.New(distDir, nil)
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		site.ServeHTTP(w, r)
	})}
	go func() { _ = srv.Serve(ln) }()
	t.Cleanup(func() { _ = srv.Close() })
	p := newTab(t, newBrowser(t), 1280, 800, 1)
	p.addScript(probe)
	for _, tc := range []struct {
		lab, link string
		at        float64 // the displayed frame, 0 for a lab without frames
		model     string
		row       string
		kl        func(f *wire.Frame, m *model.Model) float64
	}{
		{"demo", "#v=1&lab=demo&drift=off&seed=1", 0, "line", "klVal", nil},
		{"particles", "#v=1&lab=particles&frame=40", 40, "particles", "kl", func(f *wire.Frame, m *model.Model) float64 {
			return klOf(f, m, f.Numbers("x"), []int{len(f.Numbers("x")) / 2})
		}},
		{"mixing", "#v=1&lab=mixing&height=12&frame=10", 10, "mixing", "klA", func(f *wire.Frame, m *model.Model) float64 {
			var a, b []float32
			for i, x := range f.Numbers("x") {
				if f.Numbers("kind")[i/2] == 1 {
					a = append(a, x)
				} else {
					b = append(b, x)
				}
			}
			return klOf(f, m, append(a, b...), []int{len(a) / 2, (len(a) + len(b)) / 2})
		}},
		{"polymer", "#v=1&lab=polymer&frame=200", 200, "polymer", "kl", func(f *wire.Frame, m *model.Model) float64 {
			var marked []float32
			beads := len(f.Numbers("x")) / 2
			for i := range beads {
				marked = append(marked, f.Numbers("x")[2*i], f.Numbers("x")[2*i+1], float32(i)/float32(beads-1))
			}
			return klOf(f, m, marked, []int{beads})
		}},
	} {
		p.visit(t, tc.lab, "http://"+ln.Addr().String()+"/"+tc.link)
		p.waitFrame("the shipped model", func(f *wire.Frame) bool {
			return len(f.Numbers(tc.row)) > 0 && (tc.at == 0 || f.Number("now") == tc.at)
		})
		file := filepath.Join("..", "..", "assets", "models", tc.model+"-flow-tunable.safetensors")
		before := requests.Load()
		for k, place := range []struct {
			eps  string
			zdim int
		}{{"0.05", 2}, {"0.02", 3}, {"0.1", 1}} {
			if k == 0 { // drags both sliders on the way to the first place
				for step := range 8 {
					p.slide("eps-slider", 0.4+0.02*float64(step))
					p.slide("zdim-slider", 0.2+0.02*float64(step))
				}
				// The page sends a slider's last input with a delay.
				p.waitFrame("the end of the drag", func(f *wire.Frame) bool { return math.Abs(f.Number("eps")-0.0438) < 1e-4 })
			}
			p.set("c-eps", place.eps)
			p.set("c-zdim", strconv.Itoa(place.zdim))
			var want float64
			f := p.waitFrame(fmt.Sprint("KL at ", place), func(f *wire.Frame) bool {
				if len(f.Numbers("z")) != place.zdim*max(1, len(catalogueSets(tc.lab))) || len(f.Numbers(tc.row)) == 0 || fmt.Sprint(f.Numbers("eps")[0]) != place.eps {
					return false
				}
				if want == 0 {
					want = measured(t, f, file, place.eps, place.zdim, tc.kl)
				}
				return math.Abs(f.Number(tc.row)/want-1) < 5e-4
			})
			t.Logf("%s at ε = %s, ẑ dim %d: KL %.6g on the page, %.6g measured", tc.lab, place.eps, place.zdim, f.Number(tc.row), want)
		}
		if n := requests.Load() - before; n != 0 {
			t.Errorf("%s: %d requests while the sliders moved", tc.lab, n)
		}
		p.quiet()
	}
}

// catalogueSets lists the names of a lab's sets.
func catalogueSets(name string) []string {
	for _, l := range catalogue.All() {
		if l.Link() == name {
			return l.System.Traits.Sets
		}
	}
	return nil
}

// measured returns the KL of a tunable model at given ε and ẑ dim. `kl` computes it for the
// displayed frame. If `kl` is nil, `macroscope eval` measures it.
func measured(t *testing.T, f *wire.Frame, file, eps string, zdim int, kl func(*wire.Frame, *model.Model) float64) float64 {
	t.Helper()
	if kl == nil {
		out, err := exec.Command(filepath.Join("..", "..", "bin", "macroscope"), "eval", "-json", "-model", file, "-eps", eps, "-zdim", strconv.Itoa(zdim), "-sets", "32", "-samples", "128", "-seed", "1").Output()
		var of struct{ KL float64 }
		if err == nil {
			err = json.Unmarshal(out, &of)
		}
		if err != nil {
			t.Fatal(err)
		}
		return of.KL
	}
	r, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c, err := ckpt.Decode(r)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Open(catalogue.Systems(), c)
	if err != nil {
		t.Fatal(err)
	}
	e, _ := strconv.ParseFloat(eps, 64)
	at, err := m.At(e, zdim)
	if err != nil {
		t.Fatal(err)
	}
	return kl(f, at)
}

// klOf returns the KL of a model for the first set of the particles x (n, d).
func klOf(f *wire.Frame, m *model.Model, x []float32, ends []int) float64 {
	c := m.NewCoder()
	frame := c.Canonical(&system.Frame{Points: x, Ends: ends})
	z := make([]float32, m.Config.Sets()*m.Config.ZDim())
	c.Encode(z, frame)
	w := f.Numbers("window")
	window := view.Window{Lo: [2]float64{float64(w[0]), float64(w[2])}, Hi: [2]float64{float64(w[1]), float64(w[3])}}
	dim := m.Config.Dim()
	target := view.NewTarget(dim, nil)
	target.Take(frame.Set(0, dim), view.Sigma(m, m.Config.Eps()), window)
	d := view.NewDensity(m)
	n := m.Config.ZDim()
	d.Aim(window, z[:n])
	return d.KL(target, z[:n])
}
