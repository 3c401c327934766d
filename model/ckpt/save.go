package ckpt

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// Save writes f to the file at path, see Write.
func Save(path string, f *File) error {
	return Write(path, func(w io.Writer) error { return Encode(w, f) })
}

// Write lets write fill the file at path. It writes beside it first and renames
// once everything is on the disk: whatever ends the program, path holds either
// the new checkpoint whole or what was there before.
func Write(path string, write func(io.Writer) error) (err error) {
	// Named for the process, so that two that save to one path do not write
	// into each other, and what a killed one left behind is used again.
	temp := fmt.Sprintf("%s.%d.tmp", path, os.Getpid())
	file, err := os.Create(temp)
	if err != nil {
		return fmt.Errorf("cannot save the checkpoint: %w", err)
	}
	defer func() {
		if err != nil {
			os.Remove(temp)
			err = fmt.Errorf("cannot save the checkpoint: %w", err)
		}
	}()
	err = write(file)
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		return err
	}
	// The rename itself lasts through a power cut once the folder is on the
	// disk too. Not every system can do that, and without it the file is whole
	// all the same.
	if dir, err := os.Open(filepath.Dir(path)); err == nil {
		dir.Sync()
		dir.Close()
	}
	return nil
}

// Load reads the file at path. Its error names the path.
func Load(path string) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot open the checkpoint: %w", err)
	}
	defer file.Close()
	f, err := Decode(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}
