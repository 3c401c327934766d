package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"macroscope/model/file/bundle"
)

// TestBundle trains into a bundle and evaluates the bundle. It then continues the training from
// the bundle, on the trajectories in the bundle.
func TestBundle(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "simulate", "-n", "3", "-particles", "12", "-steps", "40", "-out", at("f.npz"))
	args := []string{"train", "-experiment", "particles", "-preset", "browser", "-data", at("f.npz"), "-steps", "3", "-law-steps", "3", "-workers", "1", "-out"}
	mustRun(t, append(args, at("m.safetensors"))...)
	mustRun(t, append(args, at("m.macroscope"))...)
	b := open(t, at("m.macroscope"))
	plain, err := os.ReadFile(at("m.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(at("f.npz"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b.Model, plain) || !bytes.Equal(b.Training, plain) || !bytes.Equal(b.Data, data) || b.DataName != "f.npz" {
		t.Errorf("the bundle holds %d, %d and %d bytes of %q, want the checkpoint's %d and the data's %d", len(b.Model), len(b.Training), len(b.Data), b.DataName, len(plain), len(data))
	}
	of := func(model, data string) string {
		out := mustRun(t, "eval", "-model", at(model), "-data", at(data), "-json")
		return out[:strings.Index(out, `"seconds"`)]
	}
	if a, b := of("m.safetensors", "f.npz"), of("m.macroscope", "m.macroscope"); a != b {
		t.Errorf("eval prints %s of the checkpoint and %s of the bundle", a, b)
	}

	// The training must keep the parts of the bundle that the page adds.
	b.Session, b.Runs, b.Metrics = []byte("session"), [][]byte{[]byte("run")}, []byte("stale")
	var file bytes.Buffer
	if err := b.Encode(&file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("page.macroscope"), file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "train", "-resume", at("page.macroscope"), "-workers", "1", "-out", at("on.macroscope"))
	mustRun(t, "train", "-resume", at("m.safetensors"), "-data", at("f.npz"), "-workers", "1", "-out", at("on.safetensors"))
	want, err := os.ReadFile(at("on.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	on := open(t, at("on.macroscope"))
	if !bytes.Equal(on.Model, want) || !bytes.Equal(on.Training, want) || on.Metrics != nil {
		t.Error("the training that went on from the bundle ended with another model, or with figures of the one before")
	}
	if !bytes.Equal(on.Session, b.Session) || !reflect.DeepEqual(on.Runs, b.Runs) || !bytes.Equal(on.Data, data) {
		t.Error("settings, runs or data of the bundle were lost")
	}

	b.Data = nil
	file.Reset()
	if err := b.Encode(&file); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		file []byte
		args []string
		says string
	}{
		"no data":  {file.Bytes(), []string{"eval", "-data", at("x.macroscope")}, "no trajectories"},
		"damaged":  {file.Bytes()[:file.Len()/2], []string{"eval"}, "damaged or cut short"},
		"no model": {encoded(t, &bundle.Bundle{Session: []byte("s")}), []string{"eval"}, "holds no model"},
	} {
		if err := os.WriteFile(at("x.macroscope"), tc.file, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := command(t, t.Context(), append(tc.args, "-model", at("x.macroscope"))...); err == nil || !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "x.macroscope") {
			t.Errorf("%s: %v, want %q", name, err, tc.says)
		}
	}
}

func open(t *testing.T, path string) *bundle.Bundle {
	t.Helper()
	b, err := readBundle(path)
	if err != nil || b == nil {
		t.Fatalf("%s is no bundle: %v", path, err)
	}
	return b
}

func encoded(t *testing.T, b *bundle.Bundle) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := b.Encode(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
