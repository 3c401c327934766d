package flock

import (
	"slices"
	"strings"
	"testing"

	"macroscope/model/system"
	"macroscope/model/wire"
)

// begun returns a run of few birds at frame 0, after changes of its settings.
func begun(t *testing.T, changes ...string) *Live {
	t.Helper()
	l := newLive()
	for _, c := range append([]string{"n=40", "steps=30"}, changes...) {
		name, value, _ := strings.Cut(c, "=")
		if err := l.Table.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Generate(); err != nil {
		t.Fatal(err)
	}
	return l
}

// fly shows the next frames.
func fly(l *Live, frames int) {
	for range frames {
		l.Player().Next()
	}
}

// TestNoiseInMidRun changes the noise while a flock flies. Earlier frames stay, later ones are dropped, and a link
// repeats the run with the same bits.
func TestNoiseInMidRun(t *testing.T) {
	l := begun(t, "eta=0")
	fly(l, 20)
	was, before := slices.Clone(l.Points(10)), l.Run().Generation
	if err := l.Player().Seek(10); err != nil {
		t.Fatal(err)
	}
	if err := l.Set("eta", "1"); err != nil {
		t.Fatal(err)
	}
	if r := l.Run(); l.Player().Now() != 10 || r.Known != 10 || r.Generation == before || r.Note != "changed at frame 10" {
		t.Errorf("at frame %d of %+v", l.Player().Now(), r)
	}
	if !slices.Equal(l.Points(10), was) {
		t.Error("the displayed frame has changed")
	}
	fly(l, 20)
	var f system.Frame
	for k, want := range map[int]float64{0: 0, 9: 0, 10: 1, 30: 1} {
		if l.Frame(&f, k); len(f.Params) != 1 || f.Params[0] != want {
			t.Errorf("frame %d has the parameters %v, want %g", k, f.Params, want)
		}
	}
	if l.Foreign(false) == "" {
		t.Error("the model is for a run whose noise has changed")
	}

	again := begun(t, "eta=1")
	if err := again.Turn(l.Turned()); err != nil {
		t.Fatal(err)
	}
	fly(again, 30)
	if !slices.Equal(again.Points(30), l.Points(30)) || again.Turned() != l.Turned() {
		t.Errorf("a link with the changes %q repeats another run, with %q", l.Turned(), again.Turned())
	}
	if err := l.Player().Seek(0); err != nil {
		t.Fatal(err)
	}
	if err := l.Set("eta", "0.5"); err != nil || l.Turned() != "" || l.Run().Known != 0 {
		t.Errorf("a change at frame 0 begins no other run: %v, %q", err, l.Turned())
	}
}

// TestBadTurns reads damaged links.
func TestBadTurns(t *testing.T) {
	l := begun(t)
	for _, text := range []string{"0.1", "0.1~", "0.1~5", "0.1~5,2", "2~5,0.1", "0.1~5,0.2~5,0.3", "0.1~0,0.2", "x~1,0.1", strings.Repeat("0.1~", 200)} {
		if err := l.Turn(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
	if l.Turned() != "" || l.settings.eta != 0.2 {
		t.Error("a damaged link has changed the run")
	}
}

// TestSettings changes every setting. All but the noise restart the run, and a value that is refused changes nothing.
func TestSettings(t *testing.T) {
	l := begun(t)
	for name, value := range map[string]string{"n": "50", "spread": "30", "steps": "40", "seed": "5", "set": "3"} {
		fly(l, 3)
		if err := l.Set(name, value); err != nil || l.Player().Now() != 0 || !l.Player().Playing() {
			t.Errorf("%s: %v, at frame %d", name, err, l.Player().Now())
		}
	}
	if r := l.Run(); r.Particles != 50 || r.Horizon != 40 || !r.Repeats[0] {
		t.Errorf("%+v", r)
	}
	if p := l.Macro(0)[0]; p < 0.9 {
		t.Errorf("birds within 30° of a direction have a polarisation of %g", p)
	}
	was := l.settings
	for name, value := range map[string]string{"n": "5", "eta": "1.5", "spread": "200", "steps": "0"} {
		if err := l.Set(name, value); err == nil || l.settings != was {
			t.Errorf("%s=%s is accepted", name, value)
		}
	}
}

// TestForeign says to which runs a model does not apply.
func TestForeign(t *testing.T) {
	for change, foreign := range map[string]bool{"n=300": false, "n=400": false, "n=40": true, "n=900": true, "spread=10": true} {
		changes := []string{"n=300", change}
		if got := begun(t, changes...).Foreign(false); (got != "") != foreign {
			t.Errorf("%s: %q", change, got)
		}
	}
}

// TestRecord shows a recorded run.
func TestRecord(t *testing.T) {
	l := begun(t)
	fly(l, 5)
	tr := l.Frames.Clone()
	l = begun(t)
	l.Record(tr, "a file")
	if r := l.Run(); !l.Recorded() || r.Horizon != 5 || r.Hi != [2]float64{10, 10} {
		t.Errorf("%+v", r)
	}
	if err := l.Set("eta", "0.9"); err != nil || l.Recorded() {
		t.Errorf("a setting leaves the recording: %v", err)
	}
}

// TestPage checks the rows, the figures and the sentence of a run, and that every preset can be simulated.
func TestPage(t *testing.T) {
	l := begun(t)
	fly(l, 2)
	var f wire.Frame
	l.Put(&f)
	for name, n := range map[string]int{"x": 80, "v": 80, "variables": 1, "time": 1} {
		if got := len(f.Numbers(name)); got != n {
			t.Errorf("row %s has %d numbers, want %d", name, got, n)
		}
	}
	if b := l.Now(); f.Numbers("x")[79] != b[157] || f.Numbers("v")[79] != b[159] {
		t.Error("the rows are in another order")
	}
	at := make(map[string]string)
	if l.Figures(at); len(at) != 3 {
		t.Errorf("figures %v", at)
	}
	if s := l.Summary(system.Prediction{}); !strings.Contains(s, "**40** birds at frame 2") {
		t.Errorf("%q", s)
	}
	for _, p := range l.Page().Systems {
		l := newLive()
		for name, value := range p.Values {
			if err := l.Table.Set(name, value); err != nil {
				t.Errorf("preset %s: %v", p.Name, err)
			}
		}
		if err := l.Generate(); err != nil {
			t.Errorf("preset %s: %v", p.Name, err)
		}
	}
}
