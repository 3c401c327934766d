// Package output writes the files that a command line names.
//
// The package writes a temporary file in the folder of the named file. Once the temporary file is
// complete and on the disk, it is renamed. Whenever the program is killed, the named file has
// either the complete new content or the old content. If the name is a link, the link's target is
// replaced. Permissions are kept. Devices, pipes, and files that are already open, such as the
// file behind /dev/stdout, are written directly.
//
// A killed program that was writing the file OUT leaves OUT.0.tmp. The next program that writes OUT
// uses OUT.0.tmp again. A second program that writes OUT at the same time finds OUT.0.tmp locked
// and uses OUT.1.tmp. OUT then has the content from the program that ends last.
package output

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Input is an input of a command: its flag, and its path, which may be a folder. The path is ""
// if the flag was not given.
type Input struct{ Flag, Path string }

// File is a place to which a command writes.
type File struct {
	Path string // path on the command line
	// Kept is the path where KeepOld has kept the old content; "" if there was none.
	Kept string

	target  string // path of the file after all links; "" for a device, a pipe or an open file
	keep    bool
	own     fs.FileInfo // file that keepOld need not keep, because the program has read or written it; may be nil
	cleaned bool
}

// New returns the File for path, the value of the given flag. It returns an error if the file
// cannot be written, or if it is one of the command's inputs, even under another path. New changes
// no file.
func New(flag, path string, inputs ...Input) (*File, error) {
	if path == "" {
		return nil, fmt.Errorf("%s \"\" names no file; give the name of the file to write", flag)
	}
	f := &File{Path: path}
	info, err := f.resolve()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %s cannot be written: %w", flag, path, err)
	case info != nil && info.IsDir():
		return nil, fmt.Errorf("%s %s is a folder; give the name of a file in it, such as %s", flag, path, filepath.Join(path, "NAME"))
	case info != nil && info.Mode().Perm()&0o222 == 0:
		return nil, fmt.Errorf("%s %s is read-only; choose another name", flag, path)
	}
	for _, in := range inputs {
		if err := f.apart(flag, info, in); err != nil {
			return nil, err
		}
	}
	if f.target == "" {
		return f, nil
	}
	// The temporary file is created now, so an error is reported before the work instead of
	// after it.
	temp, err := temporary(f.target)
	if err != nil {
		return nil, fmt.Errorf("%s %s cannot be written: %w", flag, path, err)
	}
	return f, discard(temp)
}

// Same reports whether two Files are the same file. It is false for devices, pipes and open files.
func (f *File) Same(other *File) bool { return f.target != "" && f.target == other.target }

// resolve follows links to the target. info is nil if the target does not exist.
func (f *File) resolve() (info fs.FileInfo, err error) {
	info, err = os.Stat(f.Path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return info, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	case err != nil:
		info = nil
	}
	path := f.Path
	for range 40 { // a link may lead to a file that does not exist yet
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return nil, fmt.Errorf("there is no folder %s; make it first", filepath.Dir(path))
		}
		if info != nil && (strings.HasPrefix(folder, "/proc/") || strings.HasPrefix(folder, "/dev/fd")) {
			return info, nil // a file that is already open, such as the file behind /dev/stdout
		}
		path = filepath.Join(folder, filepath.Base(path))
		to, err := os.Readlink(path)
		if err != nil {
			f.target = path
			return info, nil
		}
		if path = to; !filepath.IsAbs(to) {
			path = filepath.Join(folder, to)
		}
	}
	return nil, errors.New("it is a link that leads nowhere")
}

// apart returns an error if the file is an input, or is inside a folder that is an input. info
// describes the file; it is nil if the file does not exist.
func (f *File) apart(flag string, info fs.FileInfo, in Input) error {
	if in.Path == "" {
		return nil
	}
	read, err := os.Stat(in.Path)
	if err != nil {
		return nil // the command that reads the input reports the error
	}
	if info != nil && info.Mode().IsRegular() && os.SameFile(info, read) {
		return fmt.Errorf("%s %s is the file that %s reads, which is never written over; choose another name", flag, f.Path, in.Flag)
	}
	if !read.IsDir() {
		return nil
	}
	if folder, err := os.Stat(filepath.Dir(f.target)); f.target != "" && err == nil && os.SameFile(folder, read) {
		return fmt.Errorf("%s %s is in the folder of which %s reads every file; write it elsewhere", flag, f.Path, in.Flag)
	}
	entries, err := os.ReadDir(in.Path)
	if err != nil || info == nil {
		return nil
	}
	for _, e := range entries {
		if read, err := os.Stat(filepath.Join(in.Path, e.Name())); err == nil && os.SameFile(info, read) {
			return fmt.Errorf("%s %s is the file %s that %s reads, which is never written over; choose another name", flag, f.Path, filepath.Join(in.Path, e.Name()), in.Flag)
		}
	}
	return nil
}

// Direct reports whether the place is a device, a pipe or a file that is already open. Bytes that
// are written there cannot be replaced.
func (f *File) Direct() bool { return f.target == "" }

// KeepOld makes the first Write keep the old content as OUT.bak, or as OUT.bak2 and so on if
// such a file exists. It keeps neither an empty file nor the file at the path `except`, which
// may be "".
func (f *File) KeepOld(except string) {
	f.keep, f.own = true, nil
	if info, err := os.Stat(except); err == nil {
		f.own = info
	}
}

// Write replaces the content of the file by the output of a function. If the function fails,
// the file is unchanged.
func (f *File) Write(write func(io.Writer) error) error {
	err := f.write(write)
	if err != nil {
		err = fmt.Errorf("%s was not written: %w", f.Path, err)
	}
	return err
}

func (f *File) write(write func(io.Writer) error) (err error) {
	if f.Direct() {
		file, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return errors.Join(buffered(file, write), file.Close())
	}
	file, err := temporary(f.target)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			discard(file)
		}
	}()
	if old, err := os.Stat(f.target); err == nil {
		if err := file.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err = buffered(file, write); err != nil {
		return err
	}
	if err = file.Sync(); err != nil {
		return err
	}
	if f.keep {
		if err = f.keepOld(); err != nil {
			return err
		}
		f.keep = false
	}
	if err = renamed(file, f.target); err != nil {
		return err
	}
	// Once the folder is on the disk too, the rename survives a power cut. On systems that
	// cannot write a folder to the disk, the file is complete all the same.
	if dir, err := os.Open(filepath.Dir(f.target)); err == nil {
		dir.Sync()
		dir.Close()
	}
	if !f.cleaned {
		f.cleaned = true
		clean(f.target)
	}
	return nil
}

func buffered(to io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(to, 1<<20)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// keepOld keeps the old content of the place under another name.
func (f *File) keepOld() error {
	old, err := os.Stat(f.target)
	if errors.Is(err, fs.ErrNotExist) || err == nil && old.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if f.own != nil && os.SameFile(old, f.own) {
		return nil
	}
	for n := 1; ; n++ {
		name := f.target + ".bak"
		if n > 1 {
			name += fmt.Sprint(n)
		}
		// A hard link to the old content is made first, so there is always a file at the place.
		// On systems without hard links, the file is renamed.
		err := os.Link(f.target, name)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			if _, taken := os.Lstat(name); errors.Is(taken, fs.ErrNotExist) {
				err = os.Rename(f.target, name)
			}
		}
		switch {
		case err == nil:
			f.Kept = name
			return nil
		case !errors.Is(err, fs.ErrExist):
			return fmt.Errorf("what is there cannot be kept: %w", err)
		}
	}
}
