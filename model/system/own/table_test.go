package own

import (
	"bytes"
	"io"
	"testing"

	"macroscope/model/system"
)

// TestTable joins text files with tables and divides them again. Other files stay as they are.
func TestTable(t *testing.T) {
	of := func(content string) system.File {
		return divided(system.File{Name: "a.csv", Bytes: bytes.NewReader([]byte(content)), Size: int64(len(content))})
	}
	for _, text := range []string{"", "a", "frame,x\n0,1\n", "\n\n"} {
		for _, table := range []string{"", "run,frame,E\n0,0,1\n", "\n"} {
			f := of(string(WithTable([]byte(text), `my "observables".csv`, []byte(table))))
			got, err := io.ReadAll(io.NewSectionReader(f.Bytes, 0, f.Size))
			if err != nil || string(got) != text || f.Name != "a.csv" || f.BesideName != `my "observables".csv` || f.Beside == nil {
				t.Fatalf("%q with %q: text %q, table called %q, %v", text, table, got, f.BesideName, err)
			}
			in, err := f.Beside()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(in); err != nil || string(got) != table {
				t.Errorf("%q with %q: table %q, %v", text, table, got, err)
			}
		}
	}
	for _, plain := range []string{"", "a\n", tableLine + "5 \"x\"\n", "a\n" + tableLine + "-1 \"x\"\n", "a\n" + tableLine + "5\n"} {
		if f := of(plain); f.Size != int64(len(plain)) || f.Beside != nil || f.BesideName != "" {
			t.Errorf("%q: %d bytes, beside it %q", plain, f.Size, f.BesideName)
		}
	}
}
