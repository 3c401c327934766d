package bundle

import (
	"archive/zip"
	"bytes"
	"io"
	"reflect"
	"strings"
	"testing"
)

func whole() *Bundle {
	return &Bundle{
		Session: []byte("session"), Model: []byte("model"), Training: []byte("training"), Runs: [][]byte{[]byte("first"), []byte("second")},
		Sweep: []byte("sweep"), Points: [][]byte{[]byte("one"), []byte("other")}, Swept: []byte("{}"),
		Data: []byte("1,2\n"), DataName: "my data.csv", Metrics: []byte("run,figure,value\n"), Run: []byte("frame,time\n"),
	}
}

func encoded(t testing.TB, b *Bundle) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := b.Encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestTooLarge checks that a bundle that could not be read again is refused before a byte of it is written.
func TestTooLarge(t *testing.T) {
	for _, size := range []int{MaxBytes, MaxBytes - 100} { // the heads of the files count too
		b := whole()
		b.Data = make([]byte, size)
		var out bytes.Buffer
		if err := b.Encode(&out); err == nil || !strings.Contains(err.Error(), "MiB, and a file that can be opened again holds 256 MiB") || out.Len() > 0 {
			t.Errorf("%d bytes: error %v, after %d bytes", size, err, out.Len())
		}
	}
	many := whole()
	for range MaxRuns {
		many.Points = append(many.Points, make([]byte, 1))
	}
	for len(many.Points) < 2000 {
		many.Points = append(many.Points, many.Points...)
	}
	var out bytes.Buffer
	if err := many.Encode(&out); err == nil || out.Len() > 0 {
		t.Errorf("%d points of a sweep: error %v", len(many.Points), err)
	}
}

// TestRoundTrip writes and reads bundles with all members and with as few as possible.
func TestRoundTrip(t *testing.T) {
	for _, b := range []*Bundle{whole(), {Model: []byte("m")}, {Session: []byte{}}} {
		file := encoded(t, b)
		got, err := Decode(file)
		if err != nil || !reflect.DeepEqual(got, b) {
			t.Errorf("%+v became %+v, %v", b, got, err)
		}
		if !Is(file) {
			t.Error("it is not recognised")
		}
	}
	if err := new(Bundle).Encode(io.Discard); err == nil {
		t.Error("an empty bundle was written")
	}
}

// TestOtherPrograms reads a bundle with archive/zip. It repacks the bundle with compression and
// folders, as other programs do, and decodes the result.
func TestOtherPrograms(t *testing.T) {
	file := encoded(t, whole())
	r, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for i, f := range r.File {
		if i == 3 {
			if _, err := w.Create(runsFolder); err != nil {
				t.Fatal(err)
			}
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		to, err := w.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(to, in); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := Decode(out.Bytes()); err != nil || !reflect.DeepEqual(got, whole()) || !Is(out.Bytes()) {
		t.Errorf("packed again: %+v, %v", got, err)
	}
}

// TestDecodeRefuses checks that archives that are not bundles are rejected.
func TestDecodeRefuses(t *testing.T) {
	archive := func(names ...string) []byte {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, n := range names {
			f, err := w.Create(n)
			if err != nil {
				t.Fatal(err)
			}
			f.Write([]byte("x"))
		}
		w.Close()
		return out.Bytes()
	}
	damaged := encoded(t, whole())
	damaged[bytes.Index(damaged, []byte("training.safetensors"))+22] ^= 1
	many := &Bundle{Model: []byte("m"), Runs: make([][]byte, MaxRuns)}
	for i := range many.Runs {
		many.Runs[i] = []byte{byte(i)}
	}
	if _, err := Decode(encoded(t, many)); err != nil {
		t.Errorf("%d runs: %v", MaxRuns, err)
	}
	for _, tc := range []struct {
		name, says string
		file       []byte
	}{
		{"nothing", "cut short", nil},
		{"cut", "cut short", encoded(t, whole())[:200]},
		{"a flipped bit", "damaged", damaged},
		{"neither", "neither", archive("runs/01.safetensors")},
		{"another file", "no bundle", archive("model.safetensors", "virus.exe")},
		{"a path", "no bundle", archive("model.safetensors", "data/../../x")},
		{"two data", "no bundle", archive("model.safetensors", "data/a", "data/b")},
		{"twice", "two files", archive("model.safetensors", "model.safetensors")},
	} {
		if b, err := Decode(tc.file); err == nil || b != nil || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.says)
		}
	}
	if Is(archive("trajectories.npy")) || Is(nil) || Is([]byte("PK\x03\x04")) {
		t.Error("another archive is recognised as a bundle")
	}
}

// TestCheckpoint checks which checkpoint Bundle.Checkpoint returns with and without goOn.
func TestCheckpoint(t *testing.T) {
	b := whole()
	for goOn, want := range map[bool]string{true: "training", false: "model"} {
		if got, err := b.Checkpoint(goOn); err != nil || string(got) != want {
			t.Errorf("go on %v: %s, %v", goOn, got, err)
		}
	}
	b.Trained([]byte("new"))
	for _, goOn := range []bool{true, false} {
		if got, err := b.Checkpoint(goOn); err != nil || string(got) != "new" {
			t.Errorf("go on %v after training: %s, %v", goOn, got, err)
		}
	}
	if b.Metrics != nil || b.Run != nil || b.Data == nil || len(b.Runs) != 2 {
		t.Errorf("training left %+v", b)
	}
	if _, err := (&Bundle{Session: []byte{}}).Checkpoint(true); err == nil {
		t.Error("a bundle without a model has one")
	}
}

// FuzzDecode reads any file. A decoded bundle must be the same after writing and reading it
// again.
func FuzzDecode(f *testing.F) {
	f.Add(encoded(f, whole()))
	f.Add(encoded(f, &Bundle{Model: []byte("m")}))
	f.Add([]byte("PK\x05\x06"))
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := Decode(file)
		if err != nil {
			return
		}
		got, err := Decode(encoded(t, b))
		if err != nil || !reflect.DeepEqual(got, b) {
			t.Errorf("%+v became %+v, %v", b, got, err)
		}
	})
}
