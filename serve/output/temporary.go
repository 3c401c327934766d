package output

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

// slots is how many programs can write to one place at the same time.
const slots = 100

// errLocked is the error of lock if another program has the lock.
var errLocked = errors.New("another program is writing it")

// temporary returns an empty file next to the target, locked by this program until it is
// closed.
func temporary(target string) (*os.File, error) {
	for slot := range slots {
		name := fmt.Sprintf("%s.%d.tmp", target, slot)
		file, err := hold(name, os.O_CREATE)
		switch {
		case err == nil:
			return file, file.Truncate(0)
		case errors.Is(err, errors.ErrUnsupported): // a system without locks
			return os.Create(fmt.Sprintf("%s.p%d.tmp", target, os.Getpid()))
		}
		if _, there := os.Lstat(name); there != nil {
			return nil, err
		}
	}
	return nil, errLocked
}

// hold opens and locks the regular file with this name.
func hold(name string, flag int) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|flag, 0o666)
	if err != nil {
		return nil, err
	}
	if err = lock(file); err == nil {
		// Another program may have renamed or removed the file before it was locked.
		var opened, named fs.FileInfo
		if opened, err = file.Stat(); err == nil {
			named, err = os.Lstat(name)
		}
		if err == nil && !(os.SameFile(opened, named) && named.Mode().IsRegular()) {
			err = errLocked
		}
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
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
