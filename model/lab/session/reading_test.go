package session_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"macroscope/model/file/data"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/session"
	"macroscope/model/system"
	"macroscope/model/wire"
	"macroscope/model/work"
)

// slow is a system whose files are slow to read. If opening is set, every piece of a file takes
// time; otherwise every frame does. The system counts the open files.
type slow struct {
	of      *system.System
	open    *int
	fail    int // number of the call of Advance that fails; 0: no call fails
	opening bool
}

// system returns the system with files that are slow to read.
func (s slow) system() *system.System {
	of, files := *s.of, *s.of.Files
	files.Read = s.read
	of.Files = &files
	return &of
}

const pieceTime = 100 * time.Millisecond

func (s slow) read(_ *system.System, f system.File, observable string) (system.Recorded, error) {
	if s.opening {
		piece := f.Pause
		f.Pause = func(done float64) error {
			time.Sleep(pieceTime)
			return piece(done)
		}
		f.Bytes = slowBytes{f.Bytes}
	}
	r, err := s.of.Open(f, observable)
	if err != nil {
		return nil, err
	}
	*s.open++
	return slowFile{r, s}, nil
}

type slowBytes struct{ io.ReaderAt }

func (b slowBytes) ReadAt(to []byte, at int64) (int, error) {
	time.Sleep(pieceTime)
	return b.ReaderAt.ReadAt(to, at)
}

type slowFile struct {
	system.Recorded
	of slow
}

func (f slowFile) Close() error {
	*f.of.open--
	return f.Recorded.Close()
}

func (f slowFile) Make(t *system.Trajectory, index int, pause work.Pause) error {
	frame := 0
	return f.Recorded.Make(t, index, func(share float64) error {
		if !f.of.opening {
			time.Sleep(pieceTime)
		}
		if frame++; frame == f.of.fail {
			return errors.New("the disk is gone")
		}
		return pause(share)
	})
}

// slowly(…) calls `test` with a visitor of the particles' lab. Files in this lab are slow to read.
func slowly(t *testing.T, fail int, test func(v *visitor, open *int)) {
	slowlyAt(t, slow{fail: fail}, test)
}

func slowlyAt(t *testing.T, like slow, test func(v *visitor, open *int)) {
	if testing.Short() {
		t.Skip("sessions are tested with SIMD")
	}
	synctest.Test(t, func(t *testing.T) {
		all, open := session.List(slices.Clone(catalogue.All())), 0
		for i := range all {
			like.of, like.open = all[i].System, &open
			all[i].System = like.system()
		}
		v := visiting(t, all.Open("particles").(*session.Session), "particles")
		v.apply(wire.Link, "", small["particles"])
		v.prepare()
		v.fetch()
		v.settle()
		test(v, &open)
	})
}

// The method `reading` calls Work until no file is being read, and returns the number of calls. It
// checks that the progress never falls.
func (v *visitor) reading() (pieces int) {
	v.t.Helper()
	last := -1.0
	for st := v.State(); strings.HasPrefix(st.Task, "Reading"); st = v.State() {
		if st.Progress < last || st.Progress > 1 || pieces > 1000 {
			v.t.Fatalf("progress goes from %g to %g after %d pieces", last, st.Progress, pieces)
		}
		last = st.Progress
		busy, n := v.Work(0)
		if n != nil || !busy && strings.HasPrefix(v.State().Task, "Reading") {
			v.t.Fatalf("busy %v, %s", busy, sentenceOf(n))
		}
		if !busy {
			v.rests()
		}
		pieces++
	}
	return pieces
}

// TestReadInPieces drops a file that is slow to read. The session must answer commands between
// two pieces, show the progress, and allow the user to cancel.
func TestReadInPieces(t *testing.T) {
	const frames = 12
	slowly(t, 0, func(v *visitor, open *int) {
		own := wire.Command{Kind: wire.File, Name: "mine.npy", Data: npy(t, 3, frames, 20, 2)}
		before, x := v.is(), v.row("x")
		began := time.Now()
		if n := v.Apply(own); n != nil || time.Since(began) > pieceTime {
			t.Fatalf("the command took %v, %s", time.Since(began), sentenceOf(n))
		}
		v.Work(0)
		if st := v.State(); !strings.HasPrefix(st.Task, `Reading "mine.npy", frame `) || st.Ask.Title != "" {
			t.Fatalf("task %q, asks %q", st.Task, st.Ask.Title)
		}
		// The session answers commands between two pieces.
		v.seek(3)
		if v.number("now") != 3 {
			t.Error("a command has not been carried out while a file is read")
		}
		v.seek(40)
		for range 3 {
			v.Work(0)
		}
		if ask := v.State().Ask; !strings.Contains(ask.Title, "mine.npy") || ask.Accept != "" || !sentence(ask.Text) {
			t.Errorf("what takes long asks %+v", ask)
		}
		v.press(wire.Cancel)
		v.settle()
		if st := v.State(); *open != 0 || st.Ask.Title != "" || v.is() != before || !slices.Equal(v.row("x"), x) {
			t.Errorf("cancelled: %d files open, asks %q\n%s, was\n%s", *open, st.Ask.Title, v.is(), before)
		}

		// Another file, and a link, end the reading.
		v.Apply(own)
		v.Apply(own)
		if *open != 1 {
			t.Errorf("%d files are open for one", *open)
		}
		v.apply(wire.Link, "", small["particles"]+"&seed=4")
		v.prepare()
		if *open != 0 || v.reading() != 0 {
			t.Errorf("a link leaves %d files open", *open)
		}

		// When the reading is complete, the session shows a preview and the user can accept
		// the file.
		v.Apply(own)
		if n := v.reading(); n < frames-1 {
			t.Errorf("%d frames were read in %d pieces", frames, n)
		}
		if v.State().Ask.Accept == "" {
			t.Fatal("the file is read, and nothing is asked")
		}
		v.press(wire.Accept)

		// Another trajectory is also read in pieces. The displayed trajectory stays until the
		// other trajectory is complete.
		x = v.row("x")
		v.set("trajectory", "3")
		v.Work(0)
		if at := v.State().Values["trajectory"]; at != "3" || !slices.Equal(v.row("x"), x) {
			t.Errorf("while it is read, trajectory %s is chosen", at)
		}
		v.press(wire.Cancel)
		if at := v.State().Values["trajectory"]; at != "1" || *open != 1 || v.reading() != 0 {
			t.Errorf("cancelled, trajectory %s is chosen, %d files are open", at, *open)
		}
		v.set("trajectory", "2")
		v.set("trajectory", "3")
		v.reading()
		if at := v.State().Values["trajectory"]; at != "3" || slices.Equal(v.row("x"), x) {
			t.Errorf("trajectory %s is on show", at)
		}

		// The trajectories of a bundle are also read in pieces.
		name, b, err := v.Save(wire.Bundle)
		if err != nil {
			t.Fatal(err)
		}
		v.Apply(wire.Command{Kind: wire.File, Name: name, Data: b})
		if n := v.reading(); n < frames-1 || v.State().Ask.Accept == "" {
			t.Errorf("a bundle is read in %d pieces, and asks %+v", n, v.State().Ask)
		}
		v.press(wire.Cancel)
		if at := v.State().Values["trajectory"]; at != "3" || *open != 1 {
			t.Errorf("a bundle that was cancelled leaves trajectory %s and %d files", at, *open)
		}

		// A file that is dropped while the bundle is read is not lost when the bundle is
		// complete.
		v.Apply(own)
		if n := v.try(wire.Set, "trajectory", "1"); n == nil || !n.Error || !sentence(n.Text) {
			t.Errorf("a trajectory is chosen while another file is read: %+v", n)
		}
		if v.reading(); v.State().Ask.Accept == "" {
			t.Error("the file that was read is gone")
		}
		v.press(wire.Cancel)
		v.set("trajectory", "1")
		v.press("simulate")
		if *open != 0 || v.reading() != 0 {
			t.Errorf("simulated again, %d files are open", *open)
		}
	})
}

// TestOpenInPieces drops files that are slow to open: a table and a compressed archive. It
// then displays trajectories of the archive in any order.
func TestOpenInPieces(t *testing.T) {
	const count, frames, particles = 16, 10, 1000
	var table, npy, archive bytes.Buffer
	table.WriteString("frame,x,y\n")
	numbers := make([]float32, 0, count*frames*particles*2)
	for i := range count * frames * particles {
		x, y := float32(i%977)/977, float32(i%1009)/1009
		numbers = append(numbers, x, y)
		if i < frames*particles {
			fmt.Fprintf(&table, "%d,%g,%g\n", i/particles, x, y)
		}
	}
	if err := data.WriteNPY(&npy, data.NewArray([]int{count, frames, particles, 2}, numbers)); err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(&archive)
	w, err := z.Create("trajectories.npy") // compressed
	if err == nil {
		_, err = w.Write(npy.Bytes())
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	slowlyAt(t, slow{opening: true}, func(v *visitor, open *int) {
		brief := func(what string, c wire.Command) {
			t.Helper()
			began := time.Now()
			if n := v.Apply(c); n != nil || time.Since(began) > pieceTime || !strings.HasPrefix(v.State().Task, "Reading") {
				t.Fatalf("%s: the command took %v, %s, %s", what, time.Since(began), v.State().Task, sentenceOf(n))
			}
		}
		for _, file := range []struct {
			name  string
			b     []byte
			least int // smallest allowed number of pieces in which the file is read
		}{{"own.csv", table.Bytes(), frames * particles * 3 / 4096}, {"own.npz", archive.Bytes(), 2 * archive.Len() / (64 << 10)}} {
			v.settle()
			before, others := v.is(), *open
			own := wire.Command{Kind: wire.File, Name: file.name, Data: file.b}
			brief(file.name, own)
			v.Work(0)
			v.Work(0)
			v.press(wire.Cancel)
			if st := v.State(); v.is() != before || *open != others || strings.HasPrefix(st.Task, "Reading") {
				t.Errorf("%s, cancelled: %d files are open, %s\n%s, was\n%s", file.name, *open, st.Task, v.is(), before)
			}
			brief(file.name, own)
			if n := v.reading(); n < file.least || v.State().Ask.Accept == "" {
				t.Errorf("%s was opened in %d pieces, want %d or more, and asks %+v", file.name, n, file.least, v.State().Ask)
			}
			v.press(wire.Accept)
		}
		for _, to := range []string{"14", "2"} {
			brief("trajectory "+to, wire.Command{Kind: wire.Set, Name: "trajectory", Value: to})
			v.Work(0)
			v.press(wire.Cancel)
			if at := v.State().Values["trajectory"]; at == to || *open != 1 {
				t.Errorf("cancelled, trajectory %s is chosen, %d files are open", at, *open)
			}
			brief("trajectory "+to, wire.Command{Kind: wire.Set, Name: "trajectory", Value: to})
			if n := v.reading(); n < 2 || v.State().Values["trajectory"] != to {
				t.Errorf("trajectory %s in %d pieces", v.State().Values["trajectory"], n)
			}
		}
	})
}

// TestReadFails reads a file with an unreadable frame. The session must name the file and the
// reason, and must not change.
func TestReadFails(t *testing.T) {
	slowly(t, 5, func(v *visitor, open *int) {
		before := v.is()
		v.Apply(wire.Command{Kind: wire.File, Name: "mine.npy", Data: npy(t, 2, 8, 20, 2)})
		var n *wire.Notice
		for range 8 {
			if _, said := v.Work(0); said != nil {
				n = said
			}
		}
		if n == nil || !n.Error || !strings.Contains(n.Text, "mine.npy") || !strings.Contains(n.Text, "disk") {
			t.Errorf("notice %+v", n)
		}
		if v.is() != before || *open != 0 || v.State().Ask.Title != "" {
			t.Errorf("%d files are open\n%s, was\n%s", *open, v.is(), before)
		}
	})
}

// TestOwnDataAreJudged opens trajectories of the lab's own simulator. At first the lab must
// warn that the trajectories may follow other physics. Once the prediction holds, the warning
// must disappear.
func TestOwnDataAreJudged(t *testing.T) {
	in(t, "particles", func(t *testing.T, v *visitor) {
		v.apply(wire.Link, "", "v=1&lab=particles&n=200&steps=40&seed=1&frame=40")
		v.settle()
		_, file, err := v.Save("npz")
		if err != nil {
			t.Fatal(err)
		}
		v.drop("own.npz", file)
		v.settle()
		const may = "may follow other physics"
		v.seek(0)
		v.settle()
		if st := v.State(); !strings.Contains(st.Warning, may) {
			t.Errorf("before anything is measured: %q, %q", st.Warning, st.Summary)
		}
		v.seek(40)
		v.settle()
		if st := v.State(); strings.Contains(st.Warning, may) || !strings.Contains(st.Summary, "**holds**") {
			t.Errorf("where the prediction holds: %q, %q", st.Warning, st.Summary)
		}
	})
}
