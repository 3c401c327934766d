package data

import (
	"archive/zip"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// ReadNPZ reads every array of a NumPy archive of size bytes. The keys are the
// names that were given to numpy.savez, without ".npy".
func ReadNPZ(r io.ReaderAt, size int64) (map[string]*Array, error) {
	members, err := openNPZ(r, size)
	if err != nil {
		return nil, err
	}
	room := uint64(MaxBytes)
	for _, f := range members {
		if f.UncompressedSize64 > room {
			return nil, fmt.Errorf("the archive unpacks to more than the limit of %d MiB; save fewer arrays in it", MaxBytes>>20)
		}
		room -= f.UncompressedSize64
	}
	arrays := make(map[string]*Array, len(members))
	for _, name := range slices.Sorted(maps.Keys(members)) {
		arrays[name], err = readMember(members[name], nil)
		if err != nil {
			return nil, fmt.Errorf("array %s: %w", quote(name), err)
		}
	}
	return arrays, nil
}

// openNPZ lists an archive's arrays by name.
func openNPZ(r io.ReaderAt, size int64) (map[string]*zip.File, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, fmt.Errorf("the archive is damaged or cut short (%w); take another copy of the file", err)
	}
	members := make(map[string]*zip.File, len(z.File))
	for _, f := range z.File {
		name, isArray := strings.CutSuffix(f.Name, ".npy")
		if !isArray {
			return nil, fmt.Errorf("the archive holds %s, which is not a NumPy array; save the numbers with numpy.savez or as CSV", quote(f.Name))
		}
		if members[name] != nil {
			return nil, fmt.Errorf("the archive holds two arrays named %s; save it again with numpy.savez", quote(name))
		}
		members[name] = f
	}
	return members, nil
}

// readMember reads one array, unless check, if there is one, refuses its
// header.
func readMember(f *zip.File, check func(*npyHeader) error) (*Array, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked (%w); save the archive again with numpy.savez", err)
	}
	defer r.Close()
	h, err := readNPYHeader(r)
	if err != nil {
		return nil, err
	}
	if check != nil {
		if err := check(h); err != nil {
			return nil, err
		}
	}
	if want := uint64(h.count * h.size); want > f.UncompressedSize64 {
		return nil, fmt.Errorf("the shape %s needs %d bytes and the archive lists %d; take another copy of the file", shapeText(h.shape), want, f.UncompressedSize64)
	}
	return h.read(r)
}

// WriteNPZ writes an archive of arrays, uncompressed as numpy.savez does. The
// same arrays always make the same bytes.
func WriteNPZ(w io.Writer, arrays map[string]*Array) error {
	z := zip.NewWriter(w)
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if err := WriteNPY(f, arrays[name]); err != nil {
			return fmt.Errorf("array %s: %w", quote(name), err)
		}
	}
	return z.Close()
}
