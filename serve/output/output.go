// Package output writes the files that a command line names.
//
// The package writes a temporary file in the folder of the named file. Once the temporary file is
// complete and on the disk, it is renamed. Whenever the program is killed, the named file has
// either the complete new content or the old content. If the name is a link, the link's target is
// replaced. Permissions are kept. Devices, pipes, and files that are already open, such as the
// file behind /dev/stdout, are written directly.
//
// A File has its temporary file, OUT.0.tmp, from New to Close, and locks it. While it is locked,
// New refuses OUT to other programs. A killed program leaves OUT.0.tmp. The next program that
// writes OUT uses OUT.0.tmp again.
//
// Content that this File has not written is kept as OUT.bak, or as OUT.bak2 and so on if such a
// file exists, before it is replaced by other content.
package output

import (
	"bufio"
	"bytes"
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
	Flag string // flag of the command line
	Path string // its value
	// Say is told what Write keeps, and of other programs that write the file. It may be nil.
	Say func(line string)

	target  string      // path of the file after all links; "" for a device, a pipe or an open file
	temp    *os.File    // the locked temporary file; nil after Close and for a target of ""
	own     fs.FileInfo // file that need not be kept, because the program has read or written it; may be nil
	written bool        // whether Write has replaced the content
}

// New returns the File for path, the value of the given flag. It returns an error if the file
// cannot be written, if another program writes it, or if it is one of the command's inputs, even
// under another path. The caller closes the File.
func New(flag, path string, inputs ...Input) (*File, error) {
	if path == "" {
		return nil, fmt.Errorf("%s \"\" names no file; give the name of the file to write", flag)
	}
	f := &File{Flag: flag, Path: path}
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
	f.temp, err = temporary(f.target, true)
	switch {
	case errors.Is(err, ErrLocked):
		return nil, fmt.Errorf("%s %s: %w; wait until it ends, or choose another name", flag, path, err)
	case err != nil:
		return nil, fmt.Errorf("%s %s cannot be written: %w", flag, path, err)
	}
	return f, nil
}

// Close lets other programs write the file. It may be called again.
func (f *File) Close() error {
	if f.temp == nil {
		return nil
	}
	temp := f.temp
	f.temp = nil
	return discard(temp)
}

// Names reports whether a path leads to the file. It is false for devices, pipes and open files.
func (f *File) Names(path string) bool {
	other := File{Path: path}
	_, err := other.resolve()
	return err == nil && f.target != "" && f.target == other.target
}

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

// GoesOnFrom says that the program continues the file at a path, so Write need not keep this file.
func (f *File) GoesOnFrom(path string) {
	f.own = nil
	if info, err := os.Stat(path); err == nil {
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

func (f *File) write(write func(io.Writer) error) error {
	if f.Direct() {
		file, err := os.OpenFile(f.Path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		return errors.Join(buffered(file, write), file.Close())
	}
	if err := f.prepare(); err != nil {
		return err
	}
	if err := fill(f.temp, f.target, write); err != nil {
		return err
	}
	own, err := f.temp.Stat()
	if err != nil {
		return err
	}
	if err := f.keep(f.temp.Name()); err != nil {
		return err
	}
	temp := f.temp
	f.temp = nil
	if err := renamed(temp, f.target); err != nil {
		return errors.Join(err, discard(temp))
	}
	f.own = own
	if !f.written {
		f.written = true
		clean(f.target)
	}
	_ = f.prepare() // the next Write returns the error
	return nil
}

// prepare empties the temporary file, or opens a new one, which stays locked between two writings.
func (f *File) prepare() (err error) {
	if f.temp != nil {
		if err := f.temp.Truncate(0); err != nil {
			return err
		}
		_, err := f.temp.Seek(0, io.SeekStart)
		return err
	}
	if f.temp, err = temporary(f.target, true); errors.Is(err, ErrLocked) {
		f.say("another program is writing %s too; each keeps what the other has written", f.Path)
		f.temp, err = temporary(f.target, false)
	}
	return err
}

func (f *File) say(format string, args ...any) {
	if f.Say != nil {
		f.Say(fmt.Sprintf(format, args...))
	}
}

// Replace replaces the content of a file of the program's own, which it need not keep. Several
// programs may do so at the same time. The file then has the content from the program that ends last.
func Replace(path string, write func(io.Writer) error) error {
	f := &File{Path: path}
	_, err := f.resolve()
	if err == nil && f.Direct() {
		return f.Write(write)
	}
	if err == nil {
		err = f.replace(write)
	}
	if err != nil {
		return fmt.Errorf("%s was not written: %w", path, err)
	}
	clean(f.target)
	return nil
}

func (f *File) replace(write func(io.Writer) error) error {
	temp, err := temporary(f.target, false)
	if err != nil {
		return err
	}
	if err = fill(temp, f.target, write); err == nil {
		err = renamed(temp, f.target)
	}
	if err != nil {
		discard(temp)
	}
	return err
}

// fill gives a temporary file the permissions of its target and new content, which is on the disk
// afterwards.
func fill(temp *os.File, target string, write func(io.Writer) error) error {
	if old, err := os.Stat(target); err == nil {
		if err := temp.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := buffered(temp, write); err != nil {
		return err
	}
	return temp.Sync()
}

func buffered(to io.Writer, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(to, 1<<20)
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}

// keep keeps the content of the place under another name, unless the program has read or written
// it, or the file at the path `by` has the same content.
func (f *File) keep(by string) error {
	old, err := os.Stat(f.target)
	if errors.Is(err, fs.ErrNotExist) || err == nil && old.Size() == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	if unchanged(old, f.own) {
		return nil
	}
	if same, err := equal(f.target, by); err != nil || same {
		return err
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
		case err == nil && f.written:
			f.say("another program has written %s meanwhile; its file is kept as %s", f.Path, name)
			return nil
		case err == nil:
			f.say("what was at %s is kept as %s", f.Path, name)
			return nil
		case !errors.Is(err, fs.ErrExist):
			return fmt.Errorf("what is there cannot be kept: %w", err)
		}
	}
}

// unchanged reports whether a file is one that was seen before, with the same content. A system can
// give the number of a removed file to a new one, so the time and the size count too.
func unchanged(now, before fs.FileInfo) bool {
	return before != nil && os.SameFile(now, before) && now.ModTime().Equal(before.ModTime()) && now.Size() == before.Size()
}

// equal reports whether two files have the same content.
func equal(a, b string) (bool, error) {
	var files [2]*os.File
	var sizes [2]int64
	for i, path := range []string{a, b} {
		file, err := os.Open(path)
		if err != nil {
			return false, err
		}
		defer file.Close()
		info, err := file.Stat()
		if err != nil {
			return false, err
		}
		files[i], sizes[i] = file, info.Size()
	}
	if sizes[0] != sizes[1] {
		return false, nil
	}
	x, y := make([]byte, 1<<16), make([]byte, 1<<16)
	for {
		n, err := io.ReadFull(files[0], x)
		m, err2 := io.ReadFull(files[1], y)
		if !bytes.Equal(x[:n], y[:m]) {
			return false, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return true, nil
		}
		if err := errors.Join(err, err2); err != nil {
			return false, err
		}
	}
}
