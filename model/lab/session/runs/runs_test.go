package runs_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"macroscope/model/file/ckpt"
	"macroscope/model/lab/origin"
	"macroscope/model/lab/session/runs"
	"macroscope/model/learn/method"
	"macroscope/model/learn/model"
	"macroscope/model/system/line"
)

// opened opens a model of the line.
func opened(f *ckpt.File) (*model.Model, error) {
	return model.Open(method.Systems{line.System()}, f)
}

// untrained returns an untrained model of the line.
func untrained(t testing.TB) *model.Model {
	c, err := method.Systems{line.System()}.Preset("line")
	if err != nil {
		t.Fatal(err)
	}
	return model.New(c, line.System())
}

// TestNames checks that the names of runs are unique and not too long.
func TestNames(t *testing.T) {
	var l runs.List
	for _, tc := range []struct{ name, want string }{
		{"a", "a"}, {"a", "a (2)"}, {"a", "a (3)"}, {"", "run 1"}, {"", "run 2"}, {runs.Training, runs.Training + " (2)"},
		{strings.Repeat("ẑ", 70), strings.Repeat("ẑ", 60)},
	} {
		got := l.Free(tc.name)
		if got != tc.want {
			t.Errorf("for %q: %q, want %q", tc.name, got, tc.want)
		}
		if err := l.Keep(runs.Run{Name: got, Model: untrained(t)}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestLimit checks that adding to a full list returns an error, and that adding is possible
// again after a deletion.
func TestLimit(t *testing.T) {
	var l runs.List
	var err error
	n := 0
	for ; err == nil && n < 100; n++ {
		err = l.Keep(runs.Run{Name: l.Free(""), Model: untrained(t)})
	}
	if err == nil || len(l.All()) != n-1 {
		t.Fatalf("%d runs were kept of %d: %v", len(l.All()), n, err)
	}
	if err := l.Keep(runs.Run{Name: "run 1", Model: untrained(t)}); err != nil {
		t.Errorf("one in the place of another: %v", err)
	}
	l.Drop("run 1")
	if err := l.Keep(runs.Run{Name: "new", Model: untrained(t)}); err != nil {
		t.Error(err)
	}
}

// TestSaved writes a list and reads it back, and checks that invalid runs are rejected.
func TestSaved(t *testing.T) {
	var l runs.List
	l.Ship(runs.Run{Name: runs.Shipped, Model: untrained(t)})
	for _, name := range []string{"a", "b"} {
		if err := l.Keep(runs.Run{Name: name, Origin: origin.Origin{Kind: origin.OnRun, Name: "from " + name}, Reached: "KL", Model: untrained(t)}); err != nil {
			t.Fatal(err)
		}
	}
	var read []runs.Run
	var last *ckpt.File
	l.Save(func(_ string, file []byte) {
		f, err := ckpt.Decode(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		last = f
		if read, err = runs.Read(read, f, opened); err != nil {
			t.Error(err)
		}
	})
	if len(read) != 2 || read[0].Name != "a" || read[1].Origin != (origin.Origin{Kind: origin.OnRun, Name: "from b"}) || read[1].Reached != "KL" {
		t.Fatalf("read %+v", read)
	}
	// Earlier versions wrote the origin as a sentence.
	last.Metadata["session.origin"] = "trained here from scratch, seed 7, with ε changed in between"
	if old, err := runs.Read(nil, last, opened); err != nil || old[0].Origin != (origin.Origin{Kind: origin.Scratch, Seed: 7, Retargeted: true}) {
		t.Errorf("a file of an earlier version: %+v, %v", old, err)
	}
	for _, name := range []string{"b", "", runs.Shipped, runs.Training} {
		last.Metadata["session.name"] = name
		if _, err := runs.Read(read, last, opened); err == nil {
			t.Errorf("a run called %q was read", name)
		}
	}
	l.Replace(read[:1])
	if len(l.All()) != 2 || l.Find(runs.Shipped) == nil || l.Find("a") == nil {
		t.Errorf("replaced by one: %d runs", len(l.All()))
	}
}

func ExampleList() {
	var l runs.List
	l.Ship(runs.Run{Name: runs.Shipped})
	fmt.Println(l.Find(runs.Shipped).Name, l.Find("a") == nil, l.Free(runs.Shipped))
	// Output: shipped true shipped (2)
}
