package ownfile_test

import (
	"bytes"
	"testing"
	"time"

	"macroscope/model/file/data"
	"macroscope/model/lab"
	"macroscope/model/lab/session/ownfile"
	"macroscope/model/lab/view"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system/particles"
)

// TestFigure measures a model on a file. Every state of the page has the figure, so asking for it must not
// compute it again.
func TestFigure(t *testing.T) {
	sys := particles.System()
	c, err := method.Systems{sys}.Preset("particles/flow@browser")
	if err != nil {
		t.Fatal(err)
	}
	numbers := make([]float32, 3*4*6*2)
	for i := range numbers {
		numbers[i] = 0.1 * float32(i%13)
	}
	var file bytes.Buffer
	if err := data.WriteNPZ(&file, map[string]*data.Array{"trajectories": data.NewArray([]int{3, 4, 6, 2}, numbers)}); err != nil {
		t.Fatal(err)
	}
	o := ownfile.New(&lab.Lab{System: sys}, sys.Live(), time.Now)
	f := &ownfile.File{Name: "own.npz", Bytes: file.Bytes()}
	r := o.Read(f, 0, ownfile.Dropped, -1)
	for r == nil {
		_, r, _ = o.Work(time.Now(), time.Second)
	}
	if r.Err != nil {
		t.Fatal(r.Err)
	}
	o.Use(f, r.Index)
	o.Measure(&view.Shown{Model: model.New(c, sys)})
	if figure := o.Figure(); figure != "" {
		t.Errorf("before the end of the measurement, the figure is %q", figure)
	}
	for busy := true; busy; {
		busy, _, _ = o.Work(time.Now(), time.Second)
	}
	if figure := o.Figure(); figure == "" {
		t.Error("there is no figure after the measurement")
	}
	if n := testing.AllocsPerRun(10, func() { o.Figure() }); n > 0 {
		t.Errorf("the figure is computed again, with %g allocations", n)
	}
}
