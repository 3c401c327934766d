package kernel

import (
	"bytes"
	"os"
	"testing"
)

// The code for 256 bits is written by go generate from that for 512.
func TestNarrowIsGeneratedFromWide(t *testing.T) {
	for _, name := range []string{"attend", "gemm", "math", "reduce"} {
		wide, err := os.ReadFile(name + "512.go")
		if err != nil {
			t.Fatal(err)
		}
		narrow, err := os.ReadFile(name + "256.go")
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.ReplaceAll(bytes.ReplaceAll(wide, []byte("512"), []byte("256")), []byte("32x16"), []byte("32x8"))
		if !bytes.Equal(narrow, want) {
			t.Errorf("%s256.go is not %s512.go for 256 bits: run go generate", name, name)
		}
	}
}
