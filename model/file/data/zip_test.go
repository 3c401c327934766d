package data

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"testing"
)

// TestArchiveBytes compares an archive with fixed bytes: equal arrays must give equal bytes in
// every version of the program.
func TestArchiveBytes(t *testing.T) {
	var b bytes.Buffer
	a := NewArchive(&b)
	for _, err := range []error{
		a.Array("x", NewArray([]int{2, 2}, []float32{1, 2, 3, 4})),
		a.Array("ẑ", NewArray([]int{1, 0}, []float64{})),
		a.File("note.txt", []byte("no array")),
		a.Close(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	const want = "5cc8e9626990b0a7598831855ae2ef02c9c08925d11c8ff0a93b1ec33de9ebf7"
	if got := fmt.Sprintf("%x", sha256.Sum256(b.Bytes())); got != want {
		t.Errorf("got %d bytes of checksum %s, want %s", b.Len(), got, want)
	}
}

func unpack(m *zipMember) ([]byte, error) {
	r, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// TestZipDeflated reads an archive as other programs write it, with a deflated member and a
// comment.
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
	if got, err := unpack(members[0]); err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
	members[0].CRC32++
	if _, err := unpack(members[0]); err == nil {
		t.Error("a wrong checksum: got no error")
	}
	for n := range b.Len() {
		if members, err := readZip(bytes.NewReader(b.Bytes()[:n]), int64(n)); err == nil {
			t.Errorf("cut to %d bytes: got %d members and no error", n, len(members))
		}
	}
}

// TestZipSizes changes the sizes in an archive, so that they contradict each other or the archive's
// size. The archive must be rejected before any allocation.
func TestZipSizes(t *testing.T) {
	whole := writeNPZ(t, map[string]*Array{"x": NewArray([]int{1}, []float64{1})})
	for name, lie := range map[string]func(f *zip.File){
		"a stored member that grows": func(f *zip.File) { f.UncompressedSize64++ },
		"more than deflate can pack": func(f *zip.File) { f.Method, f.UncompressedSize64 = zip.Deflate, 1033*(f.CompressedSize64+1) },
		"more than the archive has":  func(f *zip.File) { f.CompressedSize64, f.UncompressedSize64 = 1<<40, 1<<40 },
		"a negative length":          func(f *zip.File) { f.CompressedSize64, f.UncompressedSize64 = 1<<63, 1<<63 },
	} {
		members, err := readZip(bytes.NewReader(whole), int64(len(whole)))
		if err != nil {
			t.Fatal(err)
		}
		lie(members[0].File)
		if _, err := members[0].Open(); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
