package saved_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/catalogue"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/doc"
	"macroscope/model/lab/session/run"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
	"macroscope/model/learn/curve"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system/line"
	"macroscope/model/wire"
)

// systems contains the systems for opening models.
var systems = method.Systems{line.System()}

// parts returns files with arbitrary content; Split does not look at the content.
func parts() *saved.Files {
	return &saved.Files{
		Session: []byte("settings"), Training: []byte{},
		Runs: []saved.File{{Key: "1", Bytes: []byte("one")}, {Key: "2", Bytes: []byte("another")}}, Data: saved.File{Key: "3", Bytes: []byte("numbers")},
	}
}

func same(a, b *saved.Files) bool {
	same := func(a, b saved.File) bool { return bytes.Equal(a.Bytes, b.Bytes) }
	return bytes.Equal(a.Session, b.Session) && bytes.Equal(a.Training, b.Training) && (a.Training == nil) == (b.Training == nil) && slices.EqualFunc(a.Runs, b.Runs, same) && same(a.Data, b.Data)
}

// TestSplit checks that Split reads joined files, and rejects truncated files and unknown
// parts.
func TestSplit(t *testing.T) {
	of := parts()
	whole := wire.Whole(of.Parts())
	got, err := saved.Split(whole)
	if err != nil || !same(got, of) || !saved.Is(whole) {
		t.Fatalf("%+v became %+v: %v", of, got, err)
	}
	ends := 0 // number of prefixes that are themselves saved sessions
	for n := range whole {
		if _, err := saved.Split(whole[:n]); err == nil {
			ends++
		}
	}
	if ends != 4 { // the prefixes end after the settings, after the training, and after each run
		t.Errorf("%d prefixes can be read, want 4", ends)
	}
	for _, tc := range []struct{ b, says string }{
		{"", "not of this lab"},
		{"MSS1", "no settings"},
		{"MSS1\xff\x00\x00\x00\x00", "cut short"}, // the length of the name is the largest that a byte can hold
		{"MSS1\x05other\x00\x00\x00\x00", "a part called"},
		{string(whole) + string(whole[4:]), "a part called"},
	} {
		if _, err := saved.Split([]byte(tc.b)); err == nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%q: %v, want %q", tc.b, err, tc.says)
		}
	}
}

// TestParts checks the keys of the parts of a saved session, and that the session can be opened
// without one of its parts. Data beyond a browser's limit must be left out.
func TestParts(t *testing.T) {
	of := parts()
	all := of.Parts()
	var keys []string
	for i, p := range all {
		keys = append(keys, p.Key)
		got, err := saved.Split(wire.Whole(slices.Delete(slices.Clone(all), max(1, i), max(1, i)+1)))
		if err != nil || !bytes.Equal(got.Session, of.Session) || len(got.Runs)+min(1, len(got.Data.Bytes)) != 2 {
			t.Errorf("without part %d: %+v, %v", i, got, err)
		}
	}
	if strings.Join(keys, ",") != ",run 1,run 2,data 3" {
		t.Errorf("the keys are %q", keys)
	}
	of.Data.Bytes = make([]byte, saved.MaxData+1)
	if n := len(of.Parts()); n != 3 {
		t.Errorf("%d parts with data that are too large, want 3", n)
	}
}

// TestOpen checks that the document, the curves and a run of a session are read, that a file of an earlier version
// is, and that the error says what is missing.
func TestOpen(t *testing.T) {
	l := catalogue.Line()
	d := doc.NewSheet(&l, l.System.Live())
	d.Trained.Origin = origin.Origin{Kind: origin.Scratch, Seed: 3, Data: "a b.csv"}
	d.Run = run.Work{Particles: []float32{1, 2.5}, Note: "edited"}
	c, err := systems.Preset("line")
	if err != nil {
		t.Fatal(err)
	}
	r := runs.Run{Name: "a", Origin: origin.Origin{Kind: origin.OnEarlier, Retargeted: true}, Model: model.New(c, line.System())}
	if err := r.Take(r.Model.Checkpoint(), nil); err != nil {
		t.Fatal(err)
	}
	var list runs.List
	if err := list.Keep(r); err != nil {
		t.Fatal(err)
	}
	curves := new(curve.Curves)
	curves.KL.Add(5, 0.5)
	files := new(saved.Files)
	if files.Session, err = d.Encode(d, curves); err != nil {
		t.Fatal(err)
	}
	list.Save(func(key string, file []byte) { files.Runs = append(files.Runs, saved.File{Key: key, Bytes: file}) })
	open := func(f *ckpt.File) (*model.Model, error) { return model.Open(systems, f) }
	got, err := files.Open(&l, open)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Doc, d.Doc) || got.Curves.KL.Last() != 0.5 || got.Training != nil || files.Lab() != l.Link() {
		t.Errorf("%+v became %+v of the lab %q", d.Doc, got.Doc, files.Lab())
	}
	if len(got.Runs) != 1 || got.Runs[0].Name != "a" || got.Runs[0].Origin != r.Origin {
		t.Errorf("the runs are %+v", got.Runs)
	}
	edit := func(name, text string) []byte {
		f, err := ckpt.Decode(bytes.NewReader(files.Session))
		if err == nil {
			f.Metadata["session."+name] = text
			files.Session, err = saved.Encoded(f)
		}
		if err != nil {
			t.Fatal(err)
		}
		return files.Session
	}
	edit("trainedfrom", "trained here from scratch, seed 3, on a b.csv") // as earlier versions wrote it
	edit("before", "b")
	if got, err := files.Open(&l, open); err != nil || got.Trained.Origin != d.Trained.Origin || got.B != "b" {
		t.Errorf("a session of an earlier version: %+v, %v", got, err)
	}
	edit("status", "paused")
	if _, err := files.Open(&l, open); err == nil {
		t.Error("the status paused is no number, and it is read")
	}
	edit("status", fmt.Sprint(int(wire.Paused)))
	if _, err := files.Open(&l, open); err == nil || err.Error() != "its training is missing" {
		t.Errorf("without the training: %v", err)
	}
	if (&saved.Files{Session: []byte("no checkpoint")}).Lab() != "" {
		t.Error("what is no checkpoint has a lab")
	}
}

// FuzzSplit checks that Split does not panic, and that the files that it returns are the same
// after joining and splitting them again.
func FuzzSplit(f *testing.F) {
	l := catalogue.Line()
	f.Add(wire.Whole(parts().Parts()))
	f.Add([]byte("MSS1\xff\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		files, err := saved.Split(b)
		if err != nil {
			return
		}
		if again, err := saved.Split(wire.Whole(files.Parts())); err != nil || !same(again, files) {
			t.Errorf("%+v became %+v: %v", files, again, err)
		}
		if _, err := files.Open(&l, func(*ckpt.File) (*model.Model, error) { return nil, bytes.ErrTooLarge }); err == nil && len(files.Runs) > 0 {
			t.Error("a run without a model has been opened")
		}
	})
}
