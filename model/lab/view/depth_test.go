package view_test

import (
	"math"
	"slices"
	"testing"

	"macroscope/model/lab/view"
	"macroscope/model/learn/model"
	"macroscope/model/system"
)

// deepened draws the density of a cloud: whole, and then as deep as it becomes.
func deepened(t *testing.T, m *model.Model) (whole, deep []float32, v *view.Density) {
	t.Helper()
	var f system.Frame
	cloud(&f, m, 300)
	z := make([]float32, m.Config.Sets()*m.Config.ZDim())
	m.NewCoder().Encode(z, &f)
	v = view.NewDensity(m)
	v.Aim(view.Window{Lo: [2]float64{-1.3, -1.3}, Hi: [2]float64{1.3, 1.3}}, z[:m.Config.ZDim()])
	if more, _ := v.Deepen(); more {
		t.Error("a density that is not whole becomes deeper")
	}
	for !v.Evaluate() {
	}
	whole = slices.Clone(v.P)
	for {
		before := slices.Clone(v.P)
		more, changed := v.Deepen()
		if !more {
			return whole, v.P, v
		}
		if changed != (len(before) != len(v.P)) || !changed && !slices.Equal(before, v.P) {
			t.Fatal("a part of a level changes the density, or a whole level does not")
		}
	}
}

// TestDeepen refines densities at rest. A density that is sharper than the cells gets more cells, with the same mean over
// each larger cell. The next ẑ begins with the usual number of cells, without allocating.
func TestDeepen(t *testing.T) {
	whole, deep, v := deepened(t, shipped(t, "particles-laptop"))
	side := int(math.Sqrt(float64(len(deep))))
	if len(whole) != view.Cells(2) || side <= view.GridSide || side%view.GridSide != 0 {
		t.Fatalf("%d cells become %d", len(whole), len(deep))
	}
	off, all, k := 0.0, 0.0, side/view.GridSide
	for i, p := range whole {
		x, y := k*(i%view.GridSide), k*(i/view.GridSide)
		mean := 0.0
		for j := range k * k {
			mean += float64(deep[(y+j/k)*side+x+j%k]) / float64(k*k)
		}
		off, all = off+math.Abs(mean-float64(p)), all+float64(p)
	}
	if off > 0.03*all {
		t.Errorf("the cells differ by %.3f of the density", off/all)
	}
	// A density of wide kernels needs no more cells.
	smooth, err := shipped(t, "particles-flow-tunable").At(0.3, 1)
	if err != nil {
		t.Fatal(err)
	}
	if whole, deep, _ := deepened(t, smooth); !slices.Equal(whole, deep) {
		t.Errorf("a smooth density has %d cells instead of %d", len(deep), len(whole))
	}
	w, z := view.Window{Lo: [2]float64{-1.3, -1.3}, Hi: [2]float64{1.3, 1.3}}, slices.Clone(v.Aimed())
	if n := testing.AllocsPerRun(2, func() {
		z[0] += 0.1
		v.Aim(w, z)
		for !v.Evaluate() {
		}
		if len(v.P) != view.Cells(2) {
			t.Fatalf("the next ẑ begins with %d cells", len(v.P))
		}
		for more := true; more; more, _ = v.Deepen() {
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
