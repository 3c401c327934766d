package kernel

import (
	"bytes"
	"os"
	"testing"
)

// The code for 256 bits is written by go generate from that for 512.
func TestNarrowIsGeneratedFromWide(t *testing.T) {
	for _, name := range []string{"gemm", "math", "reduce"} {
		wide, err := os.ReadFile(name + "512.go")
		if err != nil {
			t.Fatal(err)
		}
		narrow, err := os.ReadFile(name + "256.go")
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(bytes.ReplaceAll(wide, []byte("512"), []byte("256")), narrow) {
			t.Errorf("%s256.go is not %s512.go for 256 bits: run go generate", name, name)
		}
	}
}
