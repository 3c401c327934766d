package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// slots is how many programs can write to one place at the same time.
const slots = 100

// ErrLocked is the error of New if another program has the lock.
var ErrLocked = errors.New("another program is writing this file")

var errMoved = errors.New("its temporary file has been moved")

// temporary returns an empty file next to the target, locked by this program until it is closed.
// If another program has such a file, it returns ErrLocked if `alone` is set, and another file
// otherwise.
func temporary(target string, alone bool) (*os.File, error) {
	for slot := range slots {
		name := fmt.Sprintf("%s.%d.tmp", target, slot)
		file, err := hold(name, os.O_CREATE)
		switch {
		case err == nil:
			return file, file.Truncate(0)
		case errors.Is(err, errors.ErrUnsupported): // a system without locks
			os.Remove(name)
			if alone && inUse(target) {
				return nil, ErrLocked
			}
			return os.Create(fmt.Sprintf("%s.p%d.tmp", target, os.Getpid()))
		case alone && errors.Is(err, ErrLocked):
			return nil, err
		}
		if _, there := os.Lstat(name); there != nil {
			return nil, err
		}
	}
	return nil, ErrLocked
}

// inUse reports, on Windows, whether another program has a temporary file next to the target. Windows
// cannot remove a file that is open. Those of killed programs are removed.
func inUse(target string) bool {
	if runtime.GOOS != "windows" {
		return false
	}
	others, _ := filepath.Glob(filepath.Join(filepath.Dir(target), "*.tmp"))
	return slices.ContainsFunc(others, func(name string) bool {
		return strings.HasPrefix(name, target+".p") && os.Remove(name) != nil
	})
}

// hold opens and locks the regular file with this name.
func hold(name string, flag int) (file *os.File, err error) {
	for range 10 { // another program may rename or remove the file before it is locked
		file, err = os.OpenFile(name, os.O_RDWR|flag, 0o666)
		if err != nil {
			return nil, err
		}
		if err = held(file, name); err == nil {
			return file, nil
		}
		file.Close()
		if !errors.Is(err, errMoved) {
			break
		}
	}
	return nil, err
}

// held locks a file, and returns errMoved if the name is that of another file afterwards.
func held(file *os.File, name string) error {
	if err := lock(file); err != nil {
		return err
	}
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errMoved
	case err != nil:
		return err
	case !named.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case !os.SameFile(opened, named):
		return errMoved
	}
	return nil
}

// discard removes a file that `hold` has opened. It removes the name before it releases the lock,
// unless the system cannot remove open files.
func discard(file *os.File) error {
	if runtime.GOOS == "windows" {
		file.Close()
	}
	err := os.Remove(file.Name())
	file.Close()
	return err
}

// renamed gives a new name to a file that `hold` has opened. It then closes the file.
func renamed(file *os.File, target string) error {
	if runtime.GOOS == "windows" {
		file.Close()
	}
	err := os.Rename(file.Name(), target)
	if err == nil {
		file.Close()
		// Once the folder is on the disk too, the rename survives a power cut. On systems that
		// cannot write a folder to the disk, the file is complete all the same.
		if dir, err := os.Open(filepath.Dir(target)); err == nil {
			dir.Sync()
			dir.Close()
		}
	}
	return err
}

// clean removes the files that killed programs have left next to the target.
func clean(target string) {
	for slot := range slots {
		name := fmt.Sprintf("%s.%d.tmp", target, slot)
		if _, err := os.Lstat(name); err != nil {
			continue
		}
		if file, err := hold(name, 0); err == nil {
			discard(file)
		}
	}
}
