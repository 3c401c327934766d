package session_test

import (
	"slices"
	"strconv"
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
	v := visiting(t, list.Open(lab).(wire.Pooled), lab)
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
		if note := string(f.Text("portraitNote")); !strings.Contains(note, "2 constant modes, decay times τ up to ") {
			t.Errorf("the note is %q", note)
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
	v.set("axisx", "z1") // both axes show z1
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

// TestHoldNumber drags a bar of ẑ. The density must follow. When the bar is released, ẑ must again
// be the ẑ of the particles.
func TestHoldNumber(t *testing.T) {
	for _, file := range []string{"", "models/demo-eps0.1-z8.safetensors", "models/line-ae-aug.safetensors"} {
		in(t, wire.Demo, func(t *testing.T, v *visitor) { holdNumber(t, v, file) })
	}
	for _, file := range []string{"", "models/particles-laptop.safetensors"} {
		in(t, "particles", func(t *testing.T, v *visitor) { holdNumber(t, v, file) })
	}
	for _, lab := range names[1:] { // these labs have a portrait
		t.Run(lab, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := visitPortrait(t, lab)
				v.set("portrait", "on")
				v.fetch()
				v.settle()
				at := v.row("portraitRun")
				holdNumber(t, v, "")
				v.apply("holdz", "", "1 0.4")
				if held := v.row("portraitHeld"); len(held) != 2 || slices.Equal(held, at[len(at)-2:]) {
					t.Errorf("the portrait holds z at %v", held)
				}
			})
		})
	}
}

func holdNumber(t *testing.T, v *visitor, file string) {
	t.Helper()
	if file != "" {
		if v.sampler() {
			v.set("n", "200") // one of the models is for sets of 200 particles
		}
		v.drop("one.safetensors", asset(t, file))
	}
	if v.sampler() {
		v.set("drift", "on")
		v.turns(3)
	} else {
		v.press("play")
		v.settle()
	}
	drawn := func() []float32 {
		f := v.picture()
		return slices.Concat(density32(f), f.Numbers("restored"))
	}
	st, z, p := v.State(), v.row("z"), drawn()
	if !st.Hidden["release"] || st.Off["release"] == "" || v.row("zown") != nil {
		t.Error("there is nothing to return")
	}
	for i, x := range []string{"0.4", "-0.3"} {
		v.apply("holdz", "", strconv.Itoa(i+1)+" "+x)
		v.settle()
		if v.State().Playing {
			t.Error("it goes on to play, so that z returns at once")
		}
	}
	if held := v.row("z"); abs(held[0]-0.4) > 1e-6 || abs(held[1]+0.3) > 1e-6 || !slices.Equal(held[2:], z[2:]) {
		t.Errorf("ẑ is %v, and was %v", held, z)
	}
	own := v.row("zown")
	if st = v.State(); slices.Equal(drawn(), p) || len(own) != len(z) || st.Hidden["release"] || st.Off["release"] != "" {
		t.Errorf("the density does not follow; of the particles is %v", own)
	}
	v.press("release")
	v.settle()
	if !slices.Equal(v.row("z"), own) || v.row("zown") != nil || !v.State().Hidden["release"] {
		t.Errorf("ẑ does not return: %v, of the particles %v", v.row("z"), own)
	}
	for _, bad := range []string{"", "1", "0 1", "99 1", "1.5 1", "1 x", "1 NaN", "1 Inf", "1 1 1"} {
		v.refuses("", "holdz", "", bad)
	}
	if v.sampler() {
		return
	}
	// Moving to another frame must release ẑ. The same move releases z in the portrait.
	v.apply("holdz", "", "1 0.4")
	v.seek(1)
	if v.settle(); v.row("zown") != nil {
		t.Error("ẑ is held in another frame")
	}
}
