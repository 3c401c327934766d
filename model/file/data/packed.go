package data

import (
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
	"path"
	"strings"
)

// Unpack returns the name and the content of a file that gzip or bzip2 has compressed, according to
// its first bytes. Any other file is returned as it is.
func Unpack(name string, r io.Reader) (string, io.Reader, error) {
	head := make([]byte, 3)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return name, nil, fmt.Errorf("reading failed: %w", err)
	}
	all := io.MultiReader(bytes.NewReader(head[:n]), r)
	inner := strings.TrimSuffix(strings.TrimSuffix(name, path.Ext(name)), ".")
	switch head = head[:n]; {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		packed, err := gzip.NewReader(all)
		if err != nil {
			return name, nil, fmt.Errorf("it cannot be unpacked (%w); take another copy of the file", err)
		}
		return inner, unpacking{packed}, nil
	case bytes.HasPrefix(head, []byte("BZh")):
		return inner, unpacking{bzip2.NewReader(all)}, nil
	}
	return name, all, nil
}

// unpacking is a Reader of compressed bytes. Its errors say that they are damaged.
type unpacking struct{ io.Reader }

// Read implements io.Reader.
func (u unpacking) Read(b []byte) (int, error) {
	n, err := u.Reader.Read(b)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("the compressed file is cut or damaged (%w); take another copy of it", err)
	}
	return n, err
}

// IsPacked reports whether a file begins like one that Unpack unpacks.
func IsPacked(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\x1f\x8b")) || bytes.HasPrefix(head, []byte("BZh"))
}

// unpacked is Unpack for the bytes of a file, up to MaxFileBytes.
func unpacked(name string, b []byte) ([]byte, string, error) {
	if !IsPacked(b) {
		return b, name, nil
	}
	inner, r, err := Unpack(name, bytes.NewReader(b))
	if err == nil {
		b, err = io.ReadAll(io.LimitReader(r, MaxFileBytes+1))
	}
	switch {
	case err != nil:
		return nil, name, err
	case len(b) > MaxFileBytes:
		return nil, name, errTooManyBytes
	}
	return b, inner, nil
}
