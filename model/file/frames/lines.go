package frames

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"macroscope/model/file/data"
	"macroscope/model/setting"
)

// maxLine is the longest line of a dump or an XYZ file, in bytes.
const maxLine = 1 << 14

// lines reads a text line by line.
type lines struct {
	r     *bufio.Reader
	n     int  // number of the last line read, from 1
	ended bool // whether the last line read had a line break
}

func newLines(r io.Reader) *lines { return &lines{r: bufio.NewReaderSize(r, maxLine), ended: true} }

// next returns the next line without its line break. It is valid until the next call. After the
// last line, next returns io.EOF.
func (l *lines) next() ([]byte, error) {
	b, err := l.r.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull && bytes.IndexByte(b, '\r') >= 0:
		l.n++
		return nil, errors.New("the lines end with a carriage return alone; end them with a line feed")
	case err == bufio.ErrBufferFull:
		l.n++
		return nil, fmt.Errorf("it is longer than %d bytes; choose a file in text form", maxLine)
	case err == io.EOF && len(b) == 0:
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("reading failed: %w", err)
	}
	l.ended = err == nil
	if l.n++; l.n == 1 {
		if err := data.CheckText(b); err != nil {
			return nil, err
		}
		b = bytes.TrimPrefix(b, []byte(data.ByteOrderMark))
	}
	b = bytes.TrimRight(b, "\r\n")
	if bytes.IndexByte(b, '\r') >= 0 {
		return nil, errors.New("the lines end with a carriage return alone; end them with a line feed")
	}
	return b, nil
}

// inside returns the next line of a frame. Where the file ends, it returns errCut.
func (l *lines) inside() ([]byte, error) {
	b, err := l.next()
	if err == io.EOF {
		return nil, errCut
	}
	return b, err
}

// errCut says that a file ends within a frame.
var errCut = errors.New("the file ends within a frame")

// whole returns an error if the last line read has no line break: its last number may be cut.
func (l *lines) whole() error {
	if l.ended {
		return nil
	}
	return errors.New("the last line has no line break, so its last number may be cut short; take another copy of the file, or add the line break if the number is whole")
}

// parse reads a finite number.
func parse(b []byte) (float64, error) {
	v, err := strconv.ParseFloat(string(b), 64)
	if err == nil && math.Abs(v) <= math.MaxFloat32 {
		return v, nil
	}
	return 0, data.NotNumber(string(b))
}

func parseInt(b []byte) (int64, error) {
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number", setting.Quote(string(b)))
	}
	return v, nil
}
