// Package input opens the files that a command line names, and files from earlier commands. It
// opens only regular files, because a pipe may have no writer and a device may have no end.
package input

import (
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Open opens a file, and returns its size. Its error names the path.
func Open(path string) (file *os.File, size int64, err error) {
	// The file is checked before it is opened, because opening a pipe waits for a writer.
	info, err := os.Stat(path)
	if err == nil {
		err = regular(path, info)
	}
	if err != nil {
		return nil, 0, err
	}
	if file, err = os.Open(path); err != nil {
		return nil, 0, err
	}
	if info, err = file.Stat(); err == nil {
		err = regular(path, info)
	}
	if err != nil {
		file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

func regular(path string, info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		return fmt.Errorf("%s is a folder; give a file in it", path)
	case mode&fs.ModeNamedPipe != 0:
		return fmt.Errorf("%s is a pipe; write its bytes to a file, and give that", path)
	}
	return fmt.Errorf("%s is a device; give a file", path)
}

// Read returns the content of a file. More than `most` bytes are an error. Errors name the path.
func Read(path string, most int64) ([]byte, error) {
	file, size, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size > most {
		return nil, tooLarge(path, most)
	}
	b, err := io.ReadAll(io.LimitReader(file, most+1))
	if err == nil && int64(len(b)) > most { // the file has become longer
		err = tooLarge(path, most)
	}
	return b, err
}

func tooLarge(path string, most int64) error {
	return fmt.Errorf("%s is larger than the limit of %d bytes; choose another file", path, most)
}
