package httpd

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
)

// readZip reads a lab from a zip file. If a file has a Brotli form, the zip file contains only this
// form. The server sends it unchanged to browsers that accept Brotli.
func readZip(packed []byte) (map[string]*file, error) {
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, fmt.Errorf("the lab in this program cannot be read: %w", err)
	}
	raw := map[string][]byte{}
	for _, f := range z.File {
		body, err := readPart(f, f.Open)
		if err != nil {
			return nil, err
		}
		raw[f.Name] = body
		if name, ok := strings.CutSuffix(f.Name, ".br"); ok {
			if raw[name], err = io.ReadAll(brotli.NewReader(bytes.NewReader(body))); err != nil {
				return nil, fmt.Errorf("%s in this program's lab cannot be read: %w", f.Name, err)
			}
			continue
		}
		if f.Method != zip.Deflate {
			continue
		}
		deflated, err := readPart(f, f.OpenRaw)
		if err != nil {
			return nil, err
		}
		raw[f.Name+".gz"] = gzipOf(deflated, f.CRC32, uint32(len(body)))
	}
	if raw[indexName] == nil {
		return nil, fmt.Errorf("%w (the zip file in this program holds no %s)", ErrNotBuilt, indexName)
	}
	return filesOf(raw), nil
}

// readPart reads one file of a zip file. The function `open` is f.OpenRaw for the bytes in the
// zip file, or f.Open for the decompressed bytes.
func readPart[R io.Reader](f *zip.File, open func() (R, error)) ([]byte, error) {
	r, err := open()
	if err != nil {
		return nil, fmt.Errorf("%s in this program's lab cannot be read: %w", f.Name, err)
	}
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s in this program's lab cannot be read: %w", f.Name, err)
	}
	return b, nil
}

// gzipOf returns the gzip file (RFC 1952) with this deflate stream. crc and size are the CRC-32
// and the length of the decompressed bytes.
func gzipOf(deflated []byte, crc, size uint32) []byte {
	const deflate, unknownSystem = 8, 255
	b := []byte{0x1f, 0x8b, deflate, 0, 0, 0, 0, 0, 0, unknownSystem}
	b = append(b, deflated...)
	b = binary.LittleEndian.AppendUint32(b, crc)
	return binary.LittleEndian.AppendUint32(b, size)
}
