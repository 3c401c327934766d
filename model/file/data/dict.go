package data

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// dict reads the Python dict of an NPY header: strings without escapes, True, False and tuples
// of integers. An error message is the end of a sentence that begins with "the array's header".
type dict struct {
	text string
	i    int
}

// next skips white space and returns the next byte without consuming it. It returns 0 at the
// end.
func (d *dict) next() byte {
	for ; d.i < len(d.text); d.i++ {
		switch c := d.text[d.i]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (d *dict) unexpected(want string) error {
	if d.i >= len(d.text) {
		return fmt.Errorf("ends where %s should be", want)
	}
	return fmt.Errorf("has %s where %s should be", Quote(d.text[d.i:d.i+1]), want)
}

func (d *dict) expect(c byte) error {
	if d.next() != c {
		return d.unexpected("“" + string(c) + "”")
	}
	d.i++
	return nil
}

// list reads items up to the closing bracket. A comma may follow the last item. It returns the
// number of items and whether a comma follows the last item.
func (d *dict) list(closing byte, item func() error) (n int, comma bool, err error) {
	for d.next() != closing {
		if n > 0 && !comma {
			return n, comma, d.unexpected("a comma")
		}
		if err := item(); err != nil {
			return n, comma, err
		}
		n++
		if comma = d.next() == ','; comma {
			d.i++
		}
	}
	d.i++
	return n, comma, nil
}

// each reads the whole dict. It calls value after each key, to read the key's value.
func (d *dict) each(value func(key string) error) error {
	if err := d.expect('{'); err != nil {
		return err
	}
	_, _, err := d.list('}', func() error {
		key, err := d.string()
		if err != nil {
			return err
		}
		if err := d.expect(':'); err != nil {
			return err
		}
		return value(key)
	})
	if err == nil && (d.next() != 0 || d.i < len(d.text)) {
		return d.unexpected("its end")
	}
	return err
}

func (d *dict) string() (string, error) {
	q := d.next()
	if q != '\'' && q != '"' {
		return "", d.unexpected("a string")
	}
	s, _, ok := strings.Cut(d.text[d.i+1:], string(q))
	if !ok {
		return "", errors.New("has a string without an end")
	}
	d.i += len(s) + 2
	return s, nil
}

func (d *dict) bool() (bool, error) {
	word, value := "False", false
	if d.next() == 'T' {
		word, value = "True", true
	}
	if !strings.HasPrefix(d.text[d.i:], word) {
		return false, d.unexpected("True or False")
	}
	d.i += len(word)
	return value, nil
}

// tuple reads a tuple of at most MaxRank dimensions. A negative dimension is an error.
func (d *dict) tuple() ([]int, error) {
	if err := d.expect('('); err != nil {
		return nil, err
	}
	shape := []int{}
	n, comma, err := d.list(')', func() error {
		d.next()
		at := d.i
		for d.i < len(d.text) && (d.text[d.i] == '-' || '0' <= d.text[d.i] && d.text[d.i] <= '9') {
			d.i++
		}
		v, err := strconv.Atoi(d.text[at:d.i])
		if err != nil || v < 0 || len(shape) == MaxRank {
			return fmt.Errorf("claims a shape with %s, where up to %d dimensions from 0 upwards can be read", Quote(d.text[at:d.i]), MaxRank)
		}
		shape = append(shape, v)
		return nil
	})
	if err == nil && n == 1 && !comma {
		return nil, errors.New("has a number where a tuple should be its shape")
	}
	return shape, err
}
