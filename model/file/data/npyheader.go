package data

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"macroscope/model/file/literal"
	"macroscope/model/setting"
)

const (
	npyMagic = "\x93NUMPY"

	// maxHeader is the largest number of bytes in a header. A shape of MaxRank dimensions takes
	// far fewer.
	maxHeader = 1 << 16
)

// npyHeader is the description of an array in its header.
type npyHeader struct {
	kind      byte // letter of the element type: f, i, u or b; S or U for texts
	size      int  // bytes per element
	bigEndian bool
	fortran   bool
	shape     []int
	count     int    // product of shape
	length    int    // bytes before the elements, including the header
	descr     string // element type as the header has it, for texts
}

// maxLetters is the largest number of letters of an element that is a text.
const maxLetters = 1 << 10

// textSize returns the number of bytes of an element of a type such as S3 or U3, or 0 if it is no type of texts.
func textSize(kind string) int {
	if kind == "" || kind[0] != 'S' && kind[0] != 'U' {
		return 0
	}
	n, err := strconv.Atoi(kind[1:])
	switch {
	case err != nil || n < 1 || n > maxLetters:
		return 0
	case kind[0] == 'U': // a letter takes four bytes
		n *= 4
	}
	return n
}

// text reports whether the elements are texts.
func (h *npyHeader) text() bool { return h.kind == 'S' || h.kind == 'U' }

// checkNumbers returns an error if the elements are texts.
func (h *npyHeader) checkNumbers() error {
	if h.text() {
		return fmt.Errorf("the array's header %w", unfit(h.descr, strings.TrimLeft(h.descr, "<>=|")))
	}
	return nil
}

// room returns the number of bytes that one element takes in memory.
func (h *npyHeader) room() int {
	switch {
	case h.kind == 'f':
		return max(4, h.size)
	case h.text():
		return h.size + 16
	}
	return 8
}

// checkLength compares the length according to the header with the actual number of bytes. Both
// lengths include the header.
func (h *npyHeader) checkLength(bytes uint64) error {
	switch want := uint64(h.length) + uint64(h.count)*uint64(h.size); {
	case bytes < want:
		return fmt.Errorf("the array of shape %s needs %d bytes and %d are there; take another copy of the file",
			shapeText(h.shape), h.count*h.size, max(bytes, uint64(h.length))-uint64(h.length))
	case bytes > want:
		return fmt.Errorf("the file goes on after the array of shape %s; save it again with numpy.save", shapeText(h.shape))
	}
	return nil
}

func readNPYHeader(r io.Reader) (*npyHeader, error) { return readNPYHeaderUpTo(r, MaxBytes) }

// readNPYHeaderUpTo reads a header. It rejects an array that takes more than limit bytes in
// memory.
func readNPYHeaderUpTo(r io.Reader, limit int) (*npyHeader, error) {
	var head [8]byte
	n, err := io.ReadFull(r, head[:])
	if begin := string(head[:min(n, len(npyMagic))]); !strings.HasPrefix(npyMagic, begin) {
		return nil, fmt.Errorf("the file begins with %s, which is not a NumPy array; save one with numpy.save", setting.Quote(begin))
	}
	if err == io.EOF {
		return nil, errors.New("the file is empty; choose one with numbers in it")
	}
	if err != nil {
		return nil, cutShort(err)
	}
	length := make([]byte, 2)
	switch version := head[6]; version {
	case 1:
	case 2, 3:
		length = make([]byte, 4)
	default:
		return nil, fmt.Errorf("the file is of NPY version %d.%d, and 1.0 to 3.0 can be read; save it again with numpy.save", version, head[7])
	}
	if _, err := io.ReadFull(r, length); err != nil {
		return nil, cutShort(err)
	}
	claim := littleEndian(length)
	if claim > maxHeader {
		return nil, fmt.Errorf("the array's header claims %d bytes, and the limit is %d; save it again with numpy.save", claim, maxHeader)
	}
	text := make([]byte, claim)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, cutShort(err)
	}
	h, err := parseNPYHeader(string(text), limit)
	if err != nil {
		var unfit *unfitError
		if errors.As(err, &unfit) {
			return nil, fmt.Errorf("the array's header %w", err)
		}
		return nil, fmt.Errorf("the array's header %w; save it again with numpy.save", err)
	}
	h.length = len(head) + len(length) + len(text)
	return h, nil
}

// cutShort returns a sentence for the error of an incomplete read.
func cutShort(err error) error {
	if err != io.EOF && err != io.ErrUnexpectedEOF {
		return fmt.Errorf("reading failed: %w", err)
	}
	return errors.New("the array is cut short; take another copy of the file")
}

// parseNPYHeader reads the dict in the header. The dict has three keys in any order, each once.
func parseNPYHeader(text string, limit int) (*npyHeader, error) {
	p := literal.Scanner{Text: text, Python: true}
	h := new(npyHeader)
	seen := make(map[string]bool, 3)
	err := p.Object(func(key string) (err error) {
		if seen[key] {
			return fmt.Errorf("has %s twice", setting.Quote(key))
		}
		seen[key] = true
		switch key {
		case "descr":
			err = h.setType(&p)
		case "fortran_order":
			h.fortran = p.Accept("True")
			if !h.fortran && !p.Accept("False") {
				err = p.Unexpected("True or False")
			}
		case "shape":
			h.shape, err = tuple(&p)
		default:
			err = fmt.Errorf("has the unknown key %s", setting.Quote(key))
		}
		return err
	})
	if err == nil {
		err = p.End()
	}
	if err != nil {
		return nil, err
	}
	if len(seen) != 3 {
		return nil, errors.New("lacks its type, its order or its shape")
	}
	h.count = 1
	for _, s := range h.shape {
		if s > 0 && h.count > limit/h.room()/s {
			return nil, fmt.Errorf("claims the shape %s, which is over the limit of %d MiB", shapeText(h.shape), limit>>20)
		}
		h.count *= s
	}
	return h, nil
}

// unfitError says that an array is whole but has elements that cannot be read, and what to save
// instead.
type unfitError struct{ text string }

func (e *unfitError) Error() string { return e.text }

// unfit returns the error for elements of a type that cannot be read. kind is the type without its
// byte order.
func unfit(descr, kind string) error {
	advice := "save it with .astype(\"float64\")"
	switch {
	case strings.HasPrefix(kind, "c"):
		advice = "save its real and imaginary parts as two coordinates: numpy.stack([a.real, a.imag], -1)"
	case strings.HasPrefix(kind, "O"):
		advice = "it holds Python objects; make one array of numbers of them with numpy.stack or numpy.array(list(a), dtype=float), where NaN fills what is not there"
	case strings.HasPrefix(kind, "S"), strings.HasPrefix(kind, "U"):
		advice = "it holds text; save numbers"
	case strings.HasPrefix(kind, "M"), strings.HasPrefix(kind, "m"):
		advice = "it holds dates or durations; save them as seconds with .astype(\"float64\")"
	}
	return &unfitError{fmt.Sprintf("names the type %s, and plain real numbers can be read (float16 to float64, integers, bool); %s", setting.Quote(descr), advice)}
}

// setType reads the element type, such as '<f8'.
func (h *npyHeader) setType(p *literal.Scanner) error {
	if p.Next() == '[' {
		return &unfitError{"describes records of several fields; save one array of plain numbers for each field"}
	}
	descr, err := p.String()
	if err != nil {
		return err
	}
	kind := strings.TrimLeft(descr, "<>=|")
	switch kind {
	case "b1", "f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8":
	default:
		if h.size = textSize(kind); h.size == 0 {
			return unfit(descr, kind)
		}
		h.kind, h.bigEndian, h.descr = kind[0], descr[0] == '>', descr
		return nil
	}
	if len(descr)-len(kind) > 1 {
		return fmt.Errorf("names the type %s, which has two byte orders", setting.Quote(descr))
	}
	h.kind, h.size, h.bigEndian = kind[0], int(kind[1]-'0'), descr[0] == '>'
	return nil
}

// tuple reads a shape: a tuple of at most MaxRank dimensions, none of them negative.
func tuple(p *literal.Scanner) ([]int, error) {
	shape := []int{}
	comma, err := p.List('(', ')', func() error {
		v, err := p.Int()
		if err == nil && (v < 0 || len(shape) == MaxRank) {
			err = fmt.Errorf("claims a shape with %d, where up to %d dimensions from 0 upwards can be read", v, MaxRank)
		}
		shape = append(shape, v)
		return err
	})
	if err == nil && len(shape) == 1 && !comma {
		return nil, errors.New("has a number where a tuple should be its shape")
	}
	return shape, err
}
