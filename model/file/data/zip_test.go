package data

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// The standard library's archives and ours are the same, byte for byte, and each
// reads the other's.
func TestZipAgainstTheStandardLibrary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, count := range []int{0, 1, 3, 70_000} { // more than 65 535 need the end record of 64 bits
		var ours, theirs bytes.Buffer
		a, b := &zipWriter{w: &ours}, zip.NewWriter(&theirs)
		var contents [][]byte
		for i := range count {
			body := make([]byte, r.IntN(20))
			for j := range body {
				body[j] = byte(r.Uint32())
			}
			contents = append(contents, body)
			name := fmt.Sprintf("ẑ%d.npy", i)
			if i%2 == 0 {
				name = fmt.Sprintf("plain%d.npy", i)
			}
			w, err := a.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			v, err := b.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
			if err != nil {
				t.Fatal(err)
			}
			for _, to := range []io.Writer{w, v} {
				if _, err := to.Write(body); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(ours.Bytes(), theirs.Bytes()) {
			t.Errorf("%d members: %d bytes that differ from the standard library's %d", count, ours.Len(), theirs.Len())
		}
		members, err := readZip(bytes.NewReader(ours.Bytes()), int64(ours.Len()))
		if err != nil || len(members) != count {
			t.Fatalf("%d members: got %d, %v", count, len(members), err)
		}
		for i, m := range members {
			if got := unpack(t, m); !bytes.Equal(got, contents[i]) {
				t.Fatalf("member %d: got %x, want %x", i, got, contents[i])
			}
		}
	}
}

func unpack(t *testing.T, m *zipMember) []byte {
	t.Helper()
	r, err := m.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A deflated member with a comment on the archive, as other programs write them.
func TestZipDeflated(t *testing.T) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	want := bytes.Repeat([]byte("particles "), 1000)
	f, err := w.Create("a.npy")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Write(want); err != nil {
		t.Fatal(err)
	}
	if err := w.SetComment("made elsewhere"); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	members, err := readZip(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil || len(members) != 1 {
		t.Fatalf("got %d members, %v", len(members), err)
	}
	if got := unpack(t, members[0]); !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, want %d", len(got), len(want))
	}
	// One wrong bit is found.
	broken := bytes.Clone(b.Bytes())
	members[0].crc++
	r, err := members[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(r); err == nil {
		t.Error("a wrong checksum: got no error")
	}
	for n := range broken {
		if members, err := readZip(bytes.NewReader(broken[:n]), int64(n)); err == nil {
			t.Errorf("cut to %d bytes: got %d members and no error", n, len(members))
		}
	}
}
