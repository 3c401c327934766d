package system

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Files that describe the trajectories in the same folder.
const (
	ObservablesFile = "observables.csv" // a table of observables
	LinesFile       = "system"          // lines that describe the system
)

// InFolder divides the names of what a folder contains into files of trajectories, sorted, and the rest: other folders,
// which end with a slash, and files that are certainly no data, such as logs and scripts. It leaves out hidden files.
func InFolder(folder string, names []string) (data, left []string, err error) {
	for _, name := range names {
		plain := strings.TrimSuffix(name, "/")
		switch {
		case name == ".zarray" || name == ".zgroup" || name == "zarr.json":
			return nil, nil, fmt.Errorf(`%s is a Zarr store, which cannot be read; convert it with Python: import zarr, numpy; numpy.save("run.npy", zarr.open("%s")[:])`, folder, folder)
		case strings.HasPrefix(name, "."): // macOS makes such files in every folder
		case plain == name && !noData(name):
			data = append(data, name)
		default:
			left = append(left, plain)
		}
	}
	slices.Sort(data)
	return data, left, nil
}

// noData reports whether a file's name is that of a log, a script or a text about the data.
func noData(name string) bool {
	lower := strings.ToLower(name)
	return lower == LinesFile || lower == ObservablesFile || strings.HasPrefix(lower, "log.") || strings.HasPrefix(lower, "readme") || strings.HasPrefix(lower, "in.") ||
		slices.Contains([]string{".log", ".md", ".py", ".sh", ".in", ".ipynb", ".m", ".pdf", ".png", ".svg"}, path.Ext(lower))
}

// NotRead says that these contents of a folder are not read, in a part of a sentence.
func NotRead(left []string) string {
	are := "are"
	if len(left) == 1 {
		are = "is"
	}
	return fmt.Sprintf("%s in the folder %s not read", strings.Join(left, ", "), are)
}

const (
	// jointLine begins the line after each of several files in one. Then come the file's number of bytes and its name.
	jointLine = "# macroscope: file, "
	// tableLine is the line of earlier versions. It stands after a table, which follows its text file.
	tableLine = "# macroscope: table of observables, "
	// longestLine is the largest number of bytes of these lines.
	longestLine = 2000
	mostParts   = 100_000
)

// part is one of several files in one.
type part struct {
	name        string
	begin, size int64
}

// Join returns several files as one, as the page does with the files of a folder: a session and a bundle keep one file.
func Join(names []string, files [][]byte) (all []byte) {
	for i, name := range names {
		all = fmt.Appendf(append(all, files[i]...), "\n%s%d %s\n", jointLine, len(files[i]), name)
	}
	return all
}

// IsJoined reports whether a file is several in one.
func IsJoined(b []byte) bool {
	return parts(bytes.NewReader(b), int64(len(b)), "", 1) != nil
}

// parts returns the last of several files in one, `most` at most. What is before them has a name of its own. The result is
// nil if the file is one.
func parts(in io.ReaderAt, size int64, first string, most int) (all []part) {
	for size > 0 && len(all) < most {
		end := make([]byte, min(longestLine, size))
		if n, _ := in.ReadAt(end, size-int64(len(end))); n < len(end) { // reading the file later returns the same error
			return nil
		}
		text := strings.TrimSuffix(string(end), "\n")
		at := strings.LastIndexByte(text, '\n')
		line, is := strings.CutPrefix(text[at+1:], jointLine)
		if !is {
			line, is = strings.CutPrefix(text[at+1:], tableLine)
		}
		number, name, named := strings.Cut(line, " ")
		of, err := strconv.ParseInt(number, 10, 64)
		begin := size - int64(len(end)) + int64(at) - of
		if at < 0 || !is || !named || err != nil || of < 0 || begin < 0 {
			break
		}
		all, size = append(all, part{name, begin, of}), begin
	}
	if all != nil && size > 0 {
		all = append(all, part{first, 0, size})
	}
	slices.Reverse(all)
	return all
}

// Divided returns the first file of trajectories of several in one, with the others. A single file stays as it is. `left`
// names what is not read.
func (f File) Divided() (of File, left []string, err error) {
	all := parts(f.Bytes, f.Size, f.Name, mostParts)
	if all == nil {
		return f, nil, nil
	}
	if len(all) >= mostParts {
		return f, nil, fmt.Errorf("there are %d files or more; open fewer", mostParts)
	}
	in, byName, names := f.Bytes, make(map[string]part), []string(nil)
	section := func(name string) *io.SectionReader {
		of := byName[name]
		return io.NewSectionReader(in, of.begin, of.size)
	}
	f.Open = func(name string) (io.ReadCloser, error) { return io.NopCloser(section(name)), nil }
	f.OpenNumPy = func(name string) (File, io.Closer, error) {
		file := section(name)
		return File{Name: name, Bytes: file, Size: file.Size()}, io.NopCloser(nil), nil
	}
	for _, p := range all {
		if _, twice := byName[p.name]; twice {
			return f, nil, fmt.Errorf("two files are called %s; rename one", p.name)
		}
		byName[p.name] = p
		lower, was := strings.ToLower(p.name), ""
		switch open := func() (io.ReadCloser, error) { return f.Open(p.name) }; {
		case strings.HasSuffix(lower, ObservablesFile):
			was, f.Beside, f.BesideName = f.BesideName, open, p.name
		case lower == LinesFile, strings.HasSuffix(lower, "."+LinesFile):
			was, f.Lines, f.LinesName = f.LinesName, open, p.name
		case slices.Contains([]string{".safetensors", ".macroscope", ".session"}, path.Ext(lower)):
			return f, nil, fmt.Errorf("%s is a model or a saved session; open it alone", p.name)
		default:
			names = append(names, p.name)
		}
		if was != "" {
			return f, nil, fmt.Errorf("%s and %s describe the same files; make one of them", was, p.name)
		}
	}
	data, left, err := InFolder(f.Name, names)
	switch {
	case err != nil:
		return f, nil, err
	case data == nil && left != nil:
		return f, nil, fmt.Errorf("there is no file of trajectories, but %s; open one folder with all files", strings.Join(left, ", "))
	case data == nil:
		return f, nil, errors.New("there is no file of trajectories; open these files together with it")
	}
	first := section(data[0])
	f.Name, f.Bytes, f.Size, f.More = data[0], first, first.Size(), data[1:]
	return f, left, nil
}
