package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// entry is a file of an archive.
type entry struct {
	name string // path in the archive, separated by slashes
	mode fs.FileMode
	body []byte
}

// folder returns the files in a folder in alphabetical order. In the archive, their names begin
// with the given prefix.
func folder(root, prefix string) ([]entry, error) {
	var files []entry
	fsys := os.DirFS(root)
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := fs.ReadFile(fsys, name)
		files = append(files, entry{path.Join(prefix, name), 0o644, body})
		return err
	})
	return files, err
}

// readme is the text that lies next to a program.
//
//go:embed README.txt
var readme []byte

// programFiles returns the files of a program's archive. They are in the archive's folder `dir`.
func programFiles(t target, program []byte, lab, dir string) ([]entry, error) {
	licence, err := os.ReadFile("LICENSE")
	if err != nil {
		return nil, err
	}
	parts, err := os.ReadFile(filepath.Join(lab, "licences.txt"))
	if err != nil {
		return nil, err
	}
	return []entry{
		{path.Join(dir, t.program()), 0o755, program},
		{path.Join(dir, "LICENSE"), 0o644, licence},
		{path.Join(dir, "README.txt"), 0o644, readme},
		{path.Join(dir, "licences.txt"), 0o644, parts},
	}, nil
}

// writeZip writes a zip file.
func writeZip(path string, files []entry, date time.Time) error {
	return create(path, func(w io.Writer) error {
		z := zip.NewWriter(w)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(w, flate.BestCompression)
		})
		for _, f := range files {
			h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
			h.SetMode(f.mode)
			part, err := z.CreateHeader(h)
			if err != nil {
				return err
			}
			if _, err := part.Write(f.body); err != nil {
				return err
			}
		}
		return z.Close()
	})
}

// writeTar writes a tar file that is compressed with gzip.
func writeTar(path string, files []entry, date time.Time) error {
	return create(path, func(w io.Writer) error {
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		t := tar.NewWriter(z)
		for _, f := range files {
			h := &tar.Header{Name: f.name, Mode: int64(f.mode), Size: int64(len(f.body)), ModTime: date, Format: tar.FormatUSTAR}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			if _, err := t.Write(f.body); err != nil {
				return err
			}
		}
		if err := t.Close(); err != nil {
			return err
		}
		return z.Close()
	})
}

// create writes a file with the output of a function.
func create(path string, write func(io.Writer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// sumsFile holds the checksums, in the form that sha256sum -c reads.
const sumsFile = "SHA256SUMS"

// writeSums writes the checksums of all files in a folder.
func writeSums(dir string) error {
	files, err := folder(dir, "")
	if err != nil {
		return err
	}
	return create(filepath.Join(dir, sumsFile), func(w io.Writer) error {
		for _, f := range files {
			if _, err := fmt.Fprintf(w, "%x  %s\n", sha256.Sum256(f.body), f.name); err != nil {
				return err
			}
		}
		return nil
	})
}
