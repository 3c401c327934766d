package data

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strconv"
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
	XYZ                    // XYZ, or extended XYZ
)

// HeadBytes is the number of bytes at a file's start that FormatOf reads.
const HeadBytes = 512

// FormatOf returns the format of a file. It looks at the start of the file and, if that is
// ambiguous, at the extension of the name. If it recognises a format that cannot be read, it
// returns an error with the name of the format and a way to convert it.
func FormatOf(name string, head []byte) (Format, error) {
	ext := strings.ToLower(path.Ext(name))
	if len(head) == 0 {
		return CSV, errors.New("the file is empty; choose one with numbers in it")
	}
	if f := foreignOf(ext, head); f != nil {
		return CSV, f
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte(ByteOrderMark)), "\r\n\t ")
	switch {
	case IsArchive(head), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return NPZ, nil
	case bytes.HasPrefix(head, []byte(npyMagic)):
		return NPY, nil
	case bytes.HasPrefix(text, []byte("ITEM:")), bytes.HasPrefix(text, []byte("#")) && bytes.Contains(text, []byte("\nITEM:")):
		return DumpText, nil
	case ext == ".npz":
		return NPZ, nil
	case ext == ".npy":
		return NPY, nil
	case ext == ".xyz", ext == ".extxyz", likeXYZ(text):
		return XYZ, nil
	}
	return CSV, nil
}

// likeXYZ reports whether a text begins like an XYZ file: a number alone, a line of any kind, and a
// name with three numbers.
func likeXYZ(text []byte) bool {
	lines := strings.SplitN(string(text), "\n", 4)
	if len(lines) < 4 {
		return false
	}
	if _, err := strconv.Atoi(strings.TrimSpace(lines[0])); err != nil {
		return false
	}
	fields := strings.Fields(lines[2])
	if len(fields) < 4 {
		return false
	}
	if _, err := strconv.ParseFloat(fields[0], 64); err == nil && !strings.Contains(lines[1], "Properties=") {
		return false
	}
	for _, f := range fields[1:4] {
		if _, err := strconv.ParseFloat(f, 64); err != nil {
			return false
		}
	}
	return true
}

// ByteOrderMark may precede a text.
const ByteOrderMark = "\ufeff"

// CheckText returns an error if bytes are not text in UTF-8 or a related encoding.
func CheckText(b []byte) error {
	switch {
	case bytes.HasPrefix(b, []byte("\xff\xfe")), bytes.HasPrefix(b, []byte("\xfe\xff")):
		return errors.New("the text is in UTF-16; save it as UTF-8")
	case bytes.IndexByte(b, 0) >= 0:
		return errors.New("the file is not text; save the numbers as CSV, NPY or NPZ")
	}
	return nil
}

// pauseEvery is the number of values between two pauses, about a millisecond of work.
const pauseEvery = 4096

var errTooManyBytes = fmt.Errorf("the file is over the limit of %.3g MB; keep fewer numbers", MaxFileBytes/1e6)
