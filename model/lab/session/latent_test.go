package session_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/view"
	"macroscope/model/lab/view/portrait/linalg"
	"macroscope/model/wire"
)

// TestLatentPortrait shows the portrait, moves z to another place and releases it.
func TestLatentPortrait(t *testing.T) {
	for _, lab := range names[1:] {
		t.Run(lab, func(t *testing.T) {
			if testing.Short() {
				t.Skip("sessions are tested with SIMD")
			}
			synctest.Test(t, func(t *testing.T) { latentPortrait(t, visitPortrait(t, lab)) })
		})
	}
}

// visitPortrait is like visit, but the lab has linear algebra.
func visitPortrait(t *testing.T, lab string) *visitor {
	list := catalogue.All()
	for i := range list {
		list[i].Algebra = linalg.Gonum{}
	}
	v := &visitor{t: t, Pooled: list.Open(lab).(wire.Pooled), lab: lab}
	v.apply(wire.Link, "", small[lab])
	v.fetch()
	v.prepare()
	v.settle()
	return v
}

func latentPortrait(t *testing.T, v *visitor) {
	if v.row("portrait") != nil || v.Wants() != "" {
		t.Fatalf("a portrait that nobody asked for, %q is wanted", v.Wants())
	}
	if n := v.try("hold", "", "0 0"); n == nil || !n.Error {
		t.Error("z is held in no portrait")
	}
	v.set("portrait", "on")
	if want := labOf(t, v.lab).States; v.Wants() != want {
		t.Fatalf("%q is wanted, want %q", v.Wants(), want)
	}
	if v.row("portrait") != nil || !v.picture().On("portraitWaits") {
		t.Error("a portrait before the states of training are there")
	}
	v.fetch()
	v.settle()
	f := v.picture()
	arrows, fixed, modes := f.Numbers("portraitArrows"), f.Numbers("portraitFixed"), f.Numbers("portraitModes")
	if len(arrows) != 4*13*9 || len(f.Numbers("portraitPaths")) == 0 || len(f.Numbers("portraitRun")) < 2 || len(fixed)/3 != len(modes)/view.ModesWidth {
		t.Errorf("%d arrows, %d of paths, %d of the run, %d fixed points, %d of modes", len(arrows), len(f.Numbers("portraitPaths")), len(f.Numbers("portraitRun")), len(fixed), len(modes))
	}
	if v.lab == "particles" {
		// The particles of this lab interact in pairs, so the centre of mass stays fixed. ẑ
		// encodes the two coordinates of the centre of mass, so there are two constant
		// modes.
		if len(fixed) == 0 || modes[0] != 2 || modes[1] != 0 || !(modes[2] > 0.2 && modes[2] < 3) {
			t.Errorf("fixed points %v with modes %v", fixed, modes)
		}
	} else if noise := f.Numbers("portraitNoise"); len(noise) != 3*13*9 || !(noise[0] > 0 && noise[2] > 0) {
		t.Errorf("noise %v", noise)
	}
	p, z := density32(f), slices.Clone(f.Numbers("z"))
	at := f.Numbers("portraitRun")
	v.apply("hold", "", "0.4 0.3")
	v.settle()
	f = v.picture()
	held := f.Numbers("portraitHeld")
	if len(held) != 2 || abs(held[0]-0.4)+abs(held[1]-0.3) > 1e-5 || len(f.Numbers("portraitFlow")) < 4 || slices.Equal(held, at[len(at)-2:]) {
		t.Errorf("held at %v", held)
	}
	if slices.Equal(density32(f), p) || slices.Equal(f.Numbers("z"), z) || v.lab == "particles" && len(f.Numbers("samples")) == 0 {
		t.Error("the density does not follow the z that is held")
	}
	if st := v.State(); st.Off["release"] != "" {
		t.Errorf("z cannot be let go: %s", st.Off["release"])
	}
	v.press("release")
	v.settle()
	if f = v.picture(); f.Numbers("portraitHeld") != nil || !slices.Equal(density32(f), p) || v.State().Off["release"] == "" {
		t.Error("it is not as before after z was let go")
	}
	v.set("axisy", "z1")
	if got := string(v.picture().Text("portraitY")); !strings.HasPrefix(got, "ẑ") {
		t.Errorf("upwards is %s", got)
	}
	v.set("axisx", "z1") // both axes show the same variable
	if x, y := string(v.picture().Text("portraitX")), string(v.picture().Text("portraitY")); x == y || y == "" {
		t.Errorf("axes %q and %q", x, y)
	}
	for _, bad := range []string{"", "1", "1 x", "NaN 0", "1 Inf", "1 2 3"} {
		if n := v.try("hold", "", bad); n == nil || !n.Error {
			t.Errorf("held at %q", bad)
		}
	}
	v.set("portrait", "off")
	if v.row("portrait") != nil {
		t.Error("the portrait stays")
	}
}

// density32 returns the learned density of the first set.
func density32(f *wire.Frame) []float32 {
	return slices.Clone(append(f.Numbers("p"), f.Numbers("pA")...))
}

func abs(x float32) float32 { return max(x, -x) }
