package ckpt

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSaveAndLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("loading an absent file: %v", err)
	}
	want := sample()
	if err := Save(path, want); err != nil {
		t.Fatal(err)
	}
	want.Metadata["name"] = "second"
	if err := Save(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(encode(t, got)) != string(encode(t, want)) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	checkAlone(t, path)
}

func TestSaveKeepsThePreviousOnError(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := Save(path, sample()); err != nil {
		t.Fatal(err)
	}
	if err := Save(path, &File{Tensors: []Tensor{{Name: "a", Shape: []int{2}}}}); err == nil {
		t.Fatal("saved a tensor without elements")
	}
	if _, err := Load(path); err != nil {
		t.Error(err)
	}
	checkAlone(t, path)
	if err := Save(filepath.Join(path, "m.safetensors"), sample()); err == nil {
		t.Error("saved below a file")
	}
}

// checkAlone fails unless the file at path is the only one in its folder.
func checkAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v (%v), want one file", names(entries), err)
	}
}

func names(entries []fs.DirEntry) (s []string) {
	for _, e := range entries {
		s = append(s, e.Name())
	}
	return s
}
