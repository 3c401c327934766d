package main

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const root = "../.."

// TestCurrent wants every generated file of the module as its go:generate line
// writes it.
func TestCurrent(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("needs the module's files")
	}
	made, marked := map[string][]byte{}, map[string][]byte{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if bytes.HasPrefix(text, []byte(marker)) {
			marked[path] = text
		}
		for _, args := range calls(text) {
			if bytes.HasPrefix(text, []byte("//go:build")) {
				t.Errorf("%s has a go:generate line, which go generate passes over where the file is not built: move it", path)
			}
			files, err := generate(filepath.Dir(path), args)
			if err != nil {
				t.Errorf("%s: %v", path, err)
			}
			for name, text := range files {
				made[filepath.Join(filepath.Dir(path), name)] = text
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(made) == 0 {
		t.Error("no go:generate line was found")
	}
	for path, text := range made {
		if !bytes.Equal(text, marked[path]) {
			dir, _ := filepath.Rel(root, filepath.Dir(path))
			t.Errorf("%s is not what its go:generate line writes: run go generate ./%s", path, filepath.ToSlash(dir))
		}
		delete(marked, path)
	}
	for path := range maps.Keys(marked) {
		t.Errorf("%s says it is generated, and no go:generate line writes it: remove it", path)
	}
}

// calls returns the arguments of the program in a file's go:generate lines.
func calls(text []byte) (args [][]string) {
	for line := range strings.Lines(string(text)) {
		if call, ok := strings.CutPrefix(line, "//go:generate go run macroscope/serve/generate "); ok {
			args = append(args, strings.Fields(call))
		}
	}
	return args
}

func TestNarrow(t *testing.T) {
	const wide = `//go:build goexperiment.simd && amd64

package p

import (
	"simd/archsimd"
	"unsafe"
)

//go:generate echo

// load512 fills 512 bits, for AVX-512.
func load512(p unsafe.Pointer, at [16]int32, four [4]float32) archsimd.Float32x16 {
	x := archsimd.LoadInt8x64Array((*[64]int8)(p))
	use(x, archsimd.BroadcastFloat32x4(1))
	archsimd.ClearAVXUpperBits()
}
`
	for bits, want := range map[string][]string{
		"256": {"&& amd64", "load256", "at [8]int32, four [4]float32) archsimd.Float32x8", "LoadInt8x32Array((*[32]int8)", "BroadcastFloat32x4", "fills 512 bits, for AVX-512", "Clear"},
		"128": {"&& (arm64 || wasm)", "load128", "at [4]int32, four [4]float32) archsimd.Float32x4", "LoadInt8x16Array((*[16]int8)"},
	} {
		got, err := narrow(wide, bits)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s bits: %q is missing in\n%s", bits, part, got)
			}
		}
		if strings.Contains(got, "go:generate") || strings.Contains(got, "Clear") != (bits == "256") {
			t.Errorf("%s bits: too much is left in\n%s", bits, got)
		}
	}
	if _, err := narrow(wide, "64"); err == nil {
		t.Error("64 bits: no error")
	}
}

func TestExecute(t *testing.T) {
	got, err := execute(`package p
var {{each .rows "x#"}} = {{each .rows "f(" 2 "*#)"}}{{range $n := list 4 (sub 3 2)}} // {{$n}} {{$.arch}}{{end}}`, []string{"rows=2", "arch=wasm"})
	if want := "package p\nvar x0, x1 = f(2*0), f(2*1) // 4 wasm // 1 wasm"; got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "", got, 0); err != nil {
		t.Error(err)
	}
	if _, err := execute("{{.rows}}", nil); err == nil {
		t.Error("a missing value: no error")
	}
}
