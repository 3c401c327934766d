package own

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/system"
)

// tableLine begins the last line of a text file that is followed by its table of observables. Then come the number of bytes of the
// table and its name.
const tableLine = "# macroscope: table of observables, "

// longestLine is the largest number of bytes of that line.
const longestLine = 2000

// WithTable returns a text file and its table of observables as one file.
func WithTable(text []byte, name string, table []byte) []byte {
	return slices.Concat(text, table, []byte(fmt.Sprintf("\n%s%d %s\n", tableLine, len(table), name)))
}

// divided returns a file without the table at its end, and with the table beside it, if WithTable has made it.
func divided(f system.File) system.File {
	end := make([]byte, min(longestLine, f.Size))
	if n, _ := f.Bytes.ReadAt(end, f.Size-int64(len(end))); n < len(end) || f.Beside != nil { // reading the file later returns the same error
		return f
	}
	text := strings.TrimSuffix(string(end), "\n")
	at := strings.LastIndex(text, "\n")
	line, is := strings.CutPrefix(text[at+1:], tableLine)
	number, name, named := strings.Cut(line, " ")
	size, err := strconv.ParseInt(number, 10, 64)
	rest := f.Size - int64(len(end)) + int64(at) - size
	if at < 0 || !is || !named || err != nil || size < 0 || rest < 0 {
		return f
	}
	in := f.Bytes
	f.Beside = func() (io.ReadCloser, error) { return io.NopCloser(io.NewSectionReader(in, rest, size)), nil }
	f.BesideName, f.Size = name, rest
	return f
}
