package data

import (
	"bytes"
	"fmt"
	"io"

	"macroscope/model/setting"
)

// Member is one file of a ZIP archive.
type Member struct {
	Name  string
	Bytes []byte
}

// maxMembers is the largest number of files in an archive that ReadMembers reads.
const maxMembers = 256

// IsArchive reports whether bytes start like a ZIP archive.
func IsArchive(b []byte) bool { return bytes.HasPrefix(b, []byte("PK\x03\x04")) }

// ReadMembers reads all files of a ZIP archive, in the archive's order. Their total size is at
// most MaxBytes, and their names must differ. It checks every checksum.
func ReadMembers(b []byte) ([]Member, error) {
	files, err := readZip(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	if len(files) > maxMembers {
		return nil, fmt.Errorf("the archive holds %d files, and the limit is %d", len(files), maxMembers)
	}
	room := uint64(MaxBytes)
	names := make(map[string]bool)
	members := make([]Member, len(files))
	for i, f := range files {
		switch {
		case f.UncompressedSize64 > room:
			return nil, fmt.Errorf("the archive unpacks to more than the limit of %d MiB", MaxBytes>>20)
		case names[f.Name]:
			return nil, fmt.Errorf("the archive holds two files named %s", setting.Quote(f.Name))
		}
		names[f.Name] = true
		room -= f.UncompressedSize64
		content, err := f.readAll()
		if err != nil {
			return nil, fmt.Errorf("the archive's file %s is damaged (%w); take another copy", setting.Quote(f.Name), err)
		}
		members[i] = Member{f.Name, content}
	}
	return members, nil
}

// CheckMembers returns an error if ReadMembers, or a page that opens no larger files, would not read an archive
// of these members.
func CheckMembers(members []Member) error {
	const heads = 1 << 10 // at most, of a member
	size := 0
	for _, m := range members {
		size += len(m.Bytes) + heads
	}
	switch {
	case len(members) > maxMembers:
		return fmt.Errorf("there are %d files, and the limit is %d", len(members), maxMembers)
	case size > MaxBytes:
		return fmt.Errorf("all of it takes %.1f MiB, and a file that can be opened again holds %d MiB; save the model and the data apart, or delete some runs", float64(size)/(1<<20), MaxBytes>>20)
	}
	return nil
}

// readAll reads a member. Memory grows with the bytes read, not with the size that the
// archive claims.
func (m *zipMember) readAll() ([]byte, error) {
	r, err := m.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

// File adds a member that is not an array.
func (a *Archive) File(name string, content []byte) error {
	f, err := a.create(name)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	return err
}
