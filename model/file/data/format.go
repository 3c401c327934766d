package data

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
)

// Format is a file format for numbers.
type Format int

// The supported formats.
const (
	CSV      Format = iota // text in columns
	NPY                    // an array
	NPZ                    // an archive of arrays
	DumpText               // a LAMMPS dump
)

// HeadBytes is the number of bytes at a file's start that FormatOf reads.
const HeadBytes = 16

// FormatOf returns the format of a file. It looks at the start of the file and, if that is
// ambiguous, at the extension of the name.
func FormatOf(name string, head []byte) Format {
	ext := strings.ToLower(path.Ext(name))
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte(byteOrderMark)), "\r\n\t ")
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return NPZ
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return NPY
	case bytes.HasPrefix(text, []byte("ITEM:")):
		return DumpText
	case ext == ".npz":
		return NPZ
	case ext == ".npy":
		return NPY
	}
	return CSV
}

// byteOrderMark may precede a text.
const byteOrderMark = "\ufeff"

var errUTF16 = errors.New("the text is in UTF-16; save it as UTF-8")

func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// Pause is called between short pieces of long work. done is the finished share of the work.
// Pause may stop the work by a panic.
type Pause func(done float64)

// pauseEvery is the number of values between two calls of a Pause, about a millisecond of work.
const pauseEvery = 4096

func (p Pause) at(done float64) {
	if p != nil {
		p(done)
	}
}

func tooManyBytes(limit int) error {
	return fmt.Errorf("the file is over the limit of %.3g MB; keep fewer numbers", float64(limit)/1e6)
}
