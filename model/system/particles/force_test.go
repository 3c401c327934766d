package particles

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/sim/particle"
)

// TestForceOfYourOwn plays a formula. The run must be a simulation with this formula, and the
// sliders must set the formula's a and b. An empty formula must restore the default force. The
// picture must then equal the first picture in every bit.
func TestForceOfYourOwn(t *testing.T) {
	s := newStage(t)
	s.set("n", "40")
	usual := s.picture().Numbers("x")
	s.set("force", " b*exp(−a·r)  − r ")
	if got := s.Table.Find("force").Text(); got != "b*exp(-a*r)-r" || s.Run().Force != got {
		t.Errorf("the force is %s, of the run %s", got, s.Run().Force)
	}
	s.set("b", "2")
	c := particle.Default()
	c.N = 40
	var err error
	if c.Force, err = particle.Tabulate(func(r float64) float64 { return 2*math.Exp(-4*r) - r }); err != nil {
		t.Fatal(err)
	}
	sim, err := particle.New(t.Context(), c, particle.InitialPositions(c, 1, 0))
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := sim.Step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s.seek(20)
	want := make([]float32, 80)
	sim.Positions(want)
	for i, v := range s.picture().Numbers("x") {
		if math.Abs(float64(v-want[i])) > 1e-6 {
			t.Fatalf("coordinate %d is %g, want %g", i, v, want[i])
		}
	}
	if got := s.Macro(20)[0]; math.Abs(got-sim.Energy()) > 1e-6 {
		t.Errorf("the energy is %g, want %g", got, sim.Energy())
	}
	if len(s.Idle()) != 0 {
		t.Errorf("%v do nothing", s.Idle())
	}
	s.set("b", "0.1")
	s.set("force", "a*(1-r)")
	var f system.Frame
	if s.Frame(&f, 0); strings.Join(s.Idle(), " ") != "b" || f.Params[1] != 0.1 || f.Params[0] != 4 {
		t.Errorf("%v do nothing, and the parameters are %v", s.Idle(), f.Params)
	}
	s.set("force", "")
	if s.settings.Force != (force{}) || s.Table.Find("force").Text() != usualForce {
		t.Errorf("the force is %s", s.Table.Find("force").Text())
	}
	for i, v := range s.picture().Numbers("x") {
		if v != usual[i] {
			t.Fatalf("coordinate %d is %g, and was %g", i, v, usual[i])
		}
	}
}

// TestDrawn checks the points of the force's curve on the page. It uses the default force, and a
// formula with the function `curve`. A force that cannot be simulated must be rejected.
func TestDrawn(t *testing.T) {
	s := newStage(t)
	values := map[string]string{}
	s.Values(values)
	usual := strings.Fields(values["curve"])
	if len(usual) != drawnPoints+2 || usual[0] != "2" || usual[1] != "1.099" || usual[33] != "0.1" {
		t.Fatalf("drawn is %q", usual)
	}
	s.set("force", "curve(r, 2, 1.099, 0, -0.5)")
	s.Values(values)
	if drawn := strings.Fields(values["curve"]); drawn[1] != usual[1] || drawn[33] != "0" || drawn[65] != "-0.5" {
		t.Errorf("drawn is %q", drawn)
	}
	for text, says := range map[string]string{"curve(r,2,1e300,-1e300,1)": "cannot be used", "curve(r,2,1e30,1)": "cannot be used", "curve(r,2,9e5,1)": "a time step below"} {
		if err := s.Set("force", text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

func TestPlayed(t *testing.T) {
	const force = "a*r+b"
	for _, tc := range []struct {
		force  string
		values []float64
		given  system.Ranges
		want   string
	}{
		{force, []float64{6, 0.2}, nil, "6*r+0.2"}, {force, []float64{6, 0.2}, system.Ranges{{Name: "a", Low: 2, High: 8}}, "a*r+0.2"}, {force, nil, nil, force},
		{force, []float64{4, -1}, nil, "a*r+(-1)"}, {usualForce, []float64{6, 0.2}, nil, usualForce}, {"1/r", []float64{6, 0.2}, nil, "1/r"},
	} {
		if got := System().Played(tc.force, tc.values, tc.given); got != tc.want {
			t.Errorf("%s of %v given %v is %s, want %s", tc.force, tc.values, tc.given, got, tc.want)
		}
	}
}

// TestForceRefused checks that text that is not a force is rejected with a sentence. The former
// force and run must stay.
func TestForceRefused(t *testing.T) {
	s := newStage(t)
	s.set("force", "sqrt(b) - r")
	s.seek(7)
	was := s.Run().Generation
	for _, c := range []struct{ name, value, says string }{
		{"force", "tanh(", `the force F(r) cannot be "tanh(": before the end a number`},
		{"force", "2x", `operator is missing`},
		{"force", "q - r", `there is no "q"; it can have r, a, b, pi`},
		{"force", strings.Repeat("r+", 200), "letters; use 200 at most"},
		{"force", "sqrt(1-r)", "F(r) = sqrt(1-r) cannot be used: at the distance r = 1.00"},
		{"force", "exp(r)", "at most 1e24; bound what grows, as in min(exp(r), 100)"},
		{"force", "1e7*r", "step 1 moves particles further than 10000"},
		{"force", "1000*(1-r)", "choose a time step below 0.01"},
		{"b", "-1", "F(r) = sqrt(b)-r cannot be used: at the distance r = 0 the force is not a number"},
	} {
		err := s.Set(c.name, c.value)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s %s: %v; want %q", c.name, c.value, err, c.says)
		}
		if s.Table.Find("force").Text() != "sqrt(b)-r" || s.Run().Generation != was || s.Player().Now() != 7 {
			t.Errorf("%s %s: the run is another", c.name, c.value)
		}
	}
}

// TestForceInFiles writes trajectories and their force to a file, and computes their energies
// with the force that it reads there.
func TestForceInFiles(t *testing.T) {
	with, err := forces{}.With("1/r - a*r")
	if err != nil {
		t.Fatal(err)
	}
	src, err := shown(with, 1, 3, 40, 2, 12, system.Range{Name: "a", Low: 1, High: 2})
	if err != nil {
		t.Fatal(err)
	}
	list := all(t, src)
	var b bytes.Buffer
	archive := data.NewArchive(&b)
	rows, err := archive.Rows(system.TrajectoriesArray, []int{3, 13, 40, 2})
	var params [][]float64
	for _, r := range list {
		if err == nil {
			err = rows.Write(r.Points)
		}
		params = append(params, r.Params)
	}
	for _, write := range []func() error{
		func() error { return parameters.Write(archive, params) },
		func() error { return with.WriteForce(archive, with.Force) },
		archive.Close,
	} {
		if err == nil {
			err = write()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	own, err := System().Open(system.File{Name: "F.npz", Bytes: bytes.NewReader(b.Bytes()), Size: int64(b.Len())}, "")
	if err != nil {
		t.Fatal(err)
	}
	if own.Facts().Force != "1/r-a*r" || own.Facts().Remarks != nil {
		t.Errorf("the file has the force %s, and %q", own.Facts().Force, own.Facts().Remarks)
	}
	for i, r := range all(t, own) {
		for k, e := range r.Macro {
			if e != list[i].Macro[k] {
				t.Fatalf("trajectory %d has the energy %g in frame %d, want %g", i, e, k, list[i].Macro[k])
			}
		}
	}
	for text, says := range map[string]string{"rm -rf": "the force of the file cannot be used: there is no", "log(1-r)": "infinite"} {
		b.Reset()
		archive := data.NewArchive(&b)
		rows, _ := archive.Rows(system.TrajectoriesArray, []int{1, 2, 1, 2})
		rows.Write(make([]float32, 4))
		with.WriteForce(archive, text)
		archive.Close()
		if _, err := System().Open(system.File{Name: "F.npz", Bytes: bytes.NewReader(b.Bytes()), Size: int64(b.Len())}, ""); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
