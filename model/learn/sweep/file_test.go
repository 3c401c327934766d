package sweep_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"macroscope/model/learn/sweep"
)

// TestEncode reads shipped files and encodes them again: every byte must stay the same. For a file
// with odd values, Encode must write the same bytes as encoding/json. Decoding these bytes with
// encoding/json must give the same file.
func TestEncode(t *testing.T) {
	files, err := filepath.Glob("../../../assets/sweeps/*.json")
	if err != nil || len(files) < 2 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f sweep.File
		if err := json.Unmarshal(b, &f); err != nil {
			t.Fatal(err)
		}
		if got := f.Encode(); !bytes.Equal(got, b) {
			t.Errorf("%s is written as\n%.400s", name, got)
		}
	}
	odd := sweep.File{
		Experiment: "a\"\\\x01\u2028é<&>", Fields: []sweep.Field{}, Programs: []string{"p"},
		Points: []sweep.Point{{At: map[string]float64{"b": 1e-9, "a": -1e30}, Values: []float64{}, Missing: 2}, {At: map[string]float64{}, Values: []float64{0, 1e21, 123456.5, 5e-7}}},
	}
	var back sweep.File
	if err := json.Unmarshal(odd.Encode(), &back); err != nil || !reflect.DeepEqual(back, odd) {
		t.Errorf("%v: %+v", err, back)
	}
	want, err := json.MarshalIndent(&odd, "", " ")
	if err != nil || !bytes.Equal(odd.Encode(), append(want, '\n')) {
		t.Errorf("%v: %s\nwant %s", err, odd.Encode(), want)
	}
}
