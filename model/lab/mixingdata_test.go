package lab

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"macroscope/model/data"
)

func readMixed(t *testing.T, src MixingSource) []*Mixed {
	t.Helper()
	all := make([]*Mixed, src.Shape().Trajectories)
	err := src.Each(context.Background(), len(all), 3, func(i int, r *Mixed) error {
		all[i] = &Mixed{slices.Clone(r.Frames), slices.Clone(r.Types), slices.Clone(r.Ratios)}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mixedArrays returns three simulated trajectories and the arrays of a file
// that holds them.
func mixedArrays(t *testing.T) ([]*Mixed, map[string]*data.Array) {
	system := smallBox()
	system.Steps = 60
	simulated := readMixed(t, NewSimulatedMixing(system, []Range{{3, 5}}, 4, 3))
	var x []float32
	var types []int64
	var macro []float64
	for _, r := range simulated {
		x, macro = append(x, r.Frames...), append(macro, r.Ratios...)
		for _, k := range r.Types {
			types = append(types, int64(k))
		}
	}
	return simulated, map[string]*data.Array{
		"trajectories": data.NewArray([]int{3, 4, 36, 2}, x), "types": data.NewArray([]int{3, 36}, types),
		"macro": data.NewArray([]int{3, 4, 2}, macro),
	}
}

// checkMixed wants the same positions and species, and ratios that are the same
// or a pair apart, which is how float32 and float64 may differ on the cutoff:
// of 36 atoms with 5 neighbours one pair is 0.01.
func checkMixed(t *testing.T, got, want []*Mixed, tolerance float64) {
	t.Helper()
	for i := range want {
		for k, x := range want[i].Frames {
			if !(math.Abs(float64(got[i].Frames[k]-x)) <= tolerance*1e-4) {
				t.Fatalf("trajectory %d: coordinate %d is %g, want %g", i, k, got[i].Frames[k], x)
			}
		}
		if !slices.Equal(got[i].Types, want[i].Types) {
			t.Errorf("trajectory %d has other species", i)
		}
		for k, r := range want[i].Ratios {
			if !(math.Abs(got[i].Ratios[k]-r) <= tolerance) {
				t.Errorf("trajectory %d: ratio %d is %g, want %g", i, k, got[i].Ratios[k], r)
			}
		}
	}
}

func TestMixingRecordingIsWhatWasSimulated(t *testing.T) {
	simulated, arrays := mixedArrays(t)
	for name, tolerance := range map[string]float64{"with ratios": 0, "without": 0.02} {
		if name == "without" {
			delete(arrays, "macro")
		}
		file := archive(t, arrays)
		r, err := OpenMixing(file, file.Size())
		if err != nil {
			t.Fatal(err)
		}
		checkMixed(t, readMixed(t, r), simulated, tolerance)
	}
}

func TestOpenMixingRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, says string
		change     func(map[string]*data.Array)
	}{
		{"no species", "no array “types”", func(a map[string]*data.Array) { delete(a, "types") }},
		{"species of another shape", "needs [3 36]", func(a map[string]*data.Array) { a["types"] = data.NewArray([]int{36}, make([]int64, 36)) }},
		{"a third species", "of species 3; use 1 and 2", func(a map[string]*data.Array) {
			v, _ := a["types"].Int64s()
			v = slices.Clone(v)
			v[5] = 3
			a["types"] = data.NewArray([]int{3, 36}, v)
		}},
		{"an empty species", "trajectory 0: no particle is of species 2", func(a map[string]*data.Array) {
			v := make([]int64, 3*36)
			for i := range v {
				v[i] = 1
			}
			a["types"] = data.NewArray([]int{3, 36}, v)
		}},
		{"space", "3 coordinates", func(a map[string]*data.Array) {
			a["trajectories"] = data.NewArray([]int{3, 4, 36, 3}, make([]float32, 3*4*36*3))
		}},
		{"an energy", "need [3 4 2]", func(a map[string]*data.Array) { a["macro"] = data.NewArray([]int{3, 4, 1}, make([]float64, 12)) }},
		{"a ratio above 1", "the mixing ratio 7 for frame 1 of trajectory 0", func(a map[string]*data.Array) {
			v := make([]float64, 24)
			v[3] = 7
			a["macro"] = data.NewArray([]int{3, 4, 2}, v)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, arrays := mixedArrays(t)
			tc.change(arrays)
			file := archive(t, arrays)
			if _, err := OpenMixing(file, file.Size()); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("error %v, want one that says %q", err, tc.says)
			}
		})
	}
	var bare bytes.Buffer
	_, arrays := mixedArrays(t)
	if err := data.WriteNPY(&bare, arrays["trajectories"]); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenMixing(bytes.NewReader(bare.Bytes()), int64(bare.Len())); err == nil || !strings.Contains(err.Error(), "needs species") {
		t.Errorf("an .npy without species: %v", err)
	}
}

// dumpOf writes a trajectory as LAMMPS does, with the atoms backwards and the
// box off the origin.
func dumpOf(m *Mixed) string {
	var b strings.Builder
	n := len(m.Types)
	for f := range len(m.Ratios) / 2 {
		fmt.Fprintf(&b, "ITEM: TIMESTEP\n%d\nITEM: NUMBER OF ATOMS\n%d\nITEM: BOX BOUNDS ff ff pp\n1 9\n-2 6\n-0.5 0.5\nITEM: ATOMS id type x y\n", 200*f, n)
		for i := n - 1; i >= 0; i-- {
			fmt.Fprintf(&b, "%d %d %.9g %.9g\n", i+1, m.Types[i], m.Frames[2*(f*n+i)]+1, m.Frames[2*(f*n+i)+1]-2)
		}
	}
	return b.String()
}

func TestDumpsAreWhatWasSimulated(t *testing.T) {
	simulated, _ := mixedArrays(t)
	files := make(map[string]string)
	for i, m := range simulated {
		files[fmt.Sprint(i)] = dumpOf(m)
	}
	open := func(name string) (io.ReadCloser, error) {
		if text, ok := files[name]; ok {
			return io.NopCloser(strings.NewReader(text)), nil
		}
		return nil, os.ErrNotExist
	}
	d, err := OpenDumps([]string{"0", "1", "2"}, open)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Shape(), (Shape{3, 4, 36, 2}); got != want {
		t.Errorf("shape %v, want %v", got, want)
	}
	checkMixed(t, readMixed(t, d), simulated, 0.02)

	files["short"] = files["0"][:strings.LastIndex(files["0"], "ITEM: TIMESTEP")]
	files["far"] = strings.Replace(files["0"], "\n36 ", "\n36 1 2e6 0\n99 ", 1)
	files["one"] = strings.ReplaceAll(files["0"], " 2 ", " 1 ")
	files["third"] = strings.ReplaceAll(files["0"], " 2 ", " 3 ")
	for name, says := range map[string]string{
		"short": "3 frames of 36 atoms, and the first file 4 of 36", "missing": "not exist", "one": "no particle is of species 2", "third": "type 3; use 1 and 2", "far": "far: line ",
	} {
		d, err := OpenDumps([]string{"0", name}, open)
		if err != nil {
			t.Fatal(err)
		}
		err = d.Each(context.Background(), 2, 1, func(int, *Mixed) error { return nil })
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: error %v, want one that says %q", name, err, says)
		}
	}
}

// TestBoundaries draws from two intervals in proportion to their lengths: of
// 3000 the share of the shorter is 0.25 ± 0.04, five standard deviations.
func TestBoundaries(t *testing.T) {
	s := NewSimulatedMixing(smallBox(), []Range{{1, 2}, {4, 7}}, 1, 3000)
	short := 0
	for i := range s.Count {
		switch b := s.Boundary(i); {
		case b >= 1 && b < 2:
			short++
		case !(b >= 4 && b < 7):
			t.Fatalf("boundary %g", b)
		}
	}
	if share := float64(short) / 3000; math.Abs(share-0.25) > 0.04 {
		t.Errorf("%g of the boundaries are in the first interval", share)
	}
	if b := MixingAt(12).Source(1, 3).Boundary(2); b != 12 {
		t.Errorf("boundary %g, want 12", b)
	}
	if s := MixingTests()[2].Source(1, 1).Shape(); s.Particles != 437 || s.Frames != 501 {
		t.Errorf("the smaller box has shape %v", s)
	}
}

func TestMixingFrames(t *testing.T) {
	if got := len(mixingFrames(501, 1)); got != 311 {
		t.Errorf("%d frames are used, want 311", got)
	}
	if got, want := mixingFrames(5, 2), []int{0, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("frames %v, want %v", got, want)
	}
}
