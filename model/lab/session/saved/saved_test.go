package saved_test

import (
	"bytes"
	"macroscope/model/lab/origin"
	"macroscope/model/learn/curve"
	"reflect"
	"slices"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/session/runs"
	"macroscope/model/lab/session/saved"
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

// TestVisit checks that all fields of the user's view, the particles, the curves and a run
// are restored.
func TestVisit(t *testing.T) {
	v := saved.Visit{
		Lab: "line", Fragment: "v=1&lab=line", Tool: "draw", KeepAs: "mine", Note: "edited", Origin: origin.Origin{Kind: origin.Scratch, Seed: 3, Data: "a b.csv"}, Edited: true, Playing: true, OnCodes: true,
		Frame: 7, Status: int(wire.Idle), A: "a", B: "b", Before: "c", Phase: 2, Step: 30, Until: "measure", Most: 1e-3, Trajectory: 3, Observable: "array", Data: "a b.csv",
		Trains: runs.Recipe{Method: "flow", Scope: "all", Size: "browser", Form: "joint", From: "scratch", Eps: 0.1, ZDim: 4, Seed: 1 << 63},
	}
	for i, f := 0, reflect.ValueOf(v); i < f.NumField(); i++ {
		if name := f.Type().Field(i).Name; f.Field(i).IsZero() && name != "Status" {
			t.Fatalf("%s is not tested", name)
		}
	}
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
	positions := []float32{1, 2.5}
	files := new(saved.Files)
	if files.Session, err = v.Encode(line.System(), positions, curves); err != nil {
		t.Fatal(err)
	}
	list.Save(func(key string, file []byte) { files.Runs = append(files.Runs, saved.File{Key: key, Bytes: file}) })
	got, err := files.Open(func(f *ckpt.File) (*model.Model, error) { return model.Open(systems, f) })
	if err != nil {
		t.Fatal(err)
	}
	if got.Visit != v || !slices.Equal(got.Positions, positions) || got.Curves.KL.Last() != 0.5 || got.Training != nil || files.Lab() != "line" {
		t.Errorf("%+v became %+v of the lab %q", v, got.Visit, files.Lab())
	}
	if len(got.Runs) != 1 || got.Runs[0].Name != "a" || got.Runs[0].Origin != r.Origin {
		t.Errorf("the runs are %+v", got.Runs)
	}

	// Earlier versions wrote the origin as a sentence.
	old, err := ckpt.Decode(bytes.NewReader(files.Session))
	if err != nil {
		t.Fatal(err)
	}
	old.Metadata["session.trainedfrom"] = "trained here from scratch, seed 3, on a b.csv"
	if files.Session, err = saved.Encoded(old); err != nil {
		t.Fatal(err)
	}
	if got, err := files.Open(func(f *ckpt.File) (*model.Model, error) { return model.Open(systems, f) }); err != nil || got.Visit != v {
		t.Errorf("a session of an earlier version: %+v, %v", got, err)
	}

	// The error must name what is missing.
	paused := v
	paused.Status = int(wire.Paused)
	for _, tc := range []struct {
		says      string
		visit     saved.Visit
		positions []float32
	}{{"its particles are missing", v, nil}, {"its training is missing", paused, positions}} {
		session, err := tc.visit.Encode(line.System(), tc.positions, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := (&saved.Files{Session: session}).Open(func(f *ckpt.File) (*model.Model, error) { return model.Open(systems, f) }); err == nil || err.Error() != tc.says {
			t.Errorf("%v, want %s", err, tc.says)
		}
	}
	if (&saved.Files{Session: []byte("no checkpoint")}).Lab() != "" {
		t.Error("what is no checkpoint has a lab")
	}
}

// FuzzSplit checks that Split does not panic, and that the files that it returns are the same
// after joining and splitting them again.
func FuzzSplit(f *testing.F) {
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
		if _, err := files.Open(func(*ckpt.File) (*model.Model, error) { return nil, bytes.ErrTooLarge }); err == nil && len(files.Runs) > 0 {
			t.Error("a run without a model has been opened")
		}
	})
}
