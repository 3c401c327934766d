package frames

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/setting"
)

// dump reads a LAMMPS dump in text form (LAMMPS manual, command dump, styles atom and custom).
// Each of its frames is
//
//	ITEM: UNITS and ITEM: TIME, if dump_modify asks for them
//	ITEM: TIMESTEP
//	ITEM: NUMBER OF ATOMS
//	ITEM: BOX BOUNDS, of an upright box
//	ITEM: ATOMS with the columns id, perhaps type or element, and coordinates
//
// Coordinates are xu yu zu, or their shares of the box xsu ysu zsu, which are unwrapped. Otherwise
// they are x y z or xs ys zs; with the columns ix iy iz, which count how often an atom has left the
// box, these are unwrapped too. The file decides the number of coordinates. Atoms may come in any
// order.
type dump struct {
	failed
	in      *lines
	columns []string // see Options
	head    Head
	frame   Frame
	read    int // number of complete frames

	// State of the current frame, as far as it has been read.
	began   bool
	atoms   int // number of atoms; -1: not yet known
	bounded bool
	timed   bool
	box     Box

	kinds map[string]string // the names of species so far
}

func newDump(r io.Reader, o Options) *dump {
	return &dump{in: newLines(r), columns: o.Columns, kinds: make(map[string]string)}
}

// Head implements Reader.
func (p *dump) Head() *Head { return &p.head }

// Next implements Reader.
func (p *dump) Next() (*Frame, error) {
	for before := p.read; p.err == nil && p.read == before; {
		p.err = p.item()
		switch {
		case p.err == nil:
		case p.read > 0 && (p.err == errCut || p.err == io.EOF && p.began):
			p.cut, p.err = fmt.Sprintf("the frame of step %d", p.frame.Step), io.EOF
			if !p.began {
				p.cut = "the frame after the last whole one"
			}
		case p.err == errCut || p.err == io.EOF && p.began:
			p.err = fmt.Errorf("line %d: the file ends within its first frame; take another copy of it", max(p.in.n, 1))
		case p.err == io.EOF && p.read == 0:
			p.err = errors.New("the file holds no frame; write one with LAMMPS's command dump")
		case p.err != io.EOF:
			p.err = fmt.Errorf("line %d: %w", max(p.in.n, 1), p.err)
		}
	}
	return &p.frame, p.err
}

// item reads one item of a frame.
func (p *dump) item() error {
	line, err := p.in.next()
	if err != nil {
		return err
	}
	head := strings.Join(strings.Fields(string(line)), " ") // a copy: reading on overwrites the line
	name, isItem := strings.CutPrefix(head, "ITEM: ")
	switch {
	case head == "", strings.HasPrefix(head, "#") && p.read == 0 && !p.began:
		return nil
	case !p.in.ended && !isItem && p.read > 0, !p.in.ended && strings.HasPrefix("ITEM: ", head):
		return errCut
	case !isItem:
		return fmt.Errorf("it is %s where \"ITEM: …\" should be; choose a LAMMPS dump in text form", setting.Quote(head))
	}
	for _, item := range items {
		if rest, is := strings.CutPrefix(name+" ", item.name+" "); is {
			return item.read(p, strings.Fields(rest))
		}
	}
	if !p.in.ended {
		return errCut
	}
	_, err = p.in.inside() // the value of an item that is not needed
	return err
}

// items are the items that are needed. `read` reads an item; its argument is the rest of the
// item's first line.
var items = []struct {
	name string
	read func(p *dump, rest []string) error
}{
	{"TIMESTEP", (*dump).timestep}, {"NUMBER OF ATOMS", (*dump).number}, {"BOX BOUNDS", (*dump).bounds},
	{"ATOMS", (*dump).list}, {"UNITS", (*dump).units}, {"TIME", (*dump).time},
}

// value returns the line below an item, as text.
func (p *dump) value() (string, error) {
	b, err := p.in.inside()
	if err == nil && !p.in.ended {
		err = errCut // the value may be cut
	}
	return strings.TrimSpace(string(b)), err
}

func (p *dump) units([]string) error {
	text, err := p.value()
	switch {
	case err != nil:
		return err
	case p.head.Units != "" && text != p.head.Units:
		return fmt.Errorf("the units change from %s to %s; keep one run in a file", setting.Quote(p.head.Units), setting.Quote(text))
	}
	p.head.Units = text
	return nil
}

func (p *dump) time([]string) error {
	text, err := p.value()
	if err != nil {
		return err
	}
	p.frame.Time, err = parse([]byte(text))
	p.timed = true
	return err
}

func (p *dump) timestep([]string) error {
	text, err := p.value()
	if err != nil {
		return err
	}
	step, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("%s is not a step", setting.Quote(text))
	case p.began:
		return fmt.Errorf("step %d begins before the atoms of step %d", step, p.frame.Step)
	}
	p.frame.Step, p.began, p.bounded, p.atoms = step, true, false, -1
	return nil
}

func (p *dump) number([]string) error {
	text, err := p.value()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > MaxParticles {
		return fmt.Errorf("the number of atoms is %s; 0 to %d can be read", setting.Quote(text), MaxParticles)
	}
	p.atoms = n
	return nil
}

// bounds reads the box. kind lists the boundary type of each dimension: p for a box that repeats.
// LAMMPS wrote no boundary types until 2010. In a dump without boundary types, the box has a third
// dimension if a third line precedes the next item.
func (p *dump) bounds(kind []string) error {
	tilted := errors.New("the box is tilted or in general form; use an upright one")
	bounds := 2
	if len(kind) > 3 && kind[0] == "xy" { // upright if the tilts, a third column, are 0
		kind, bounds = kind[3:], 3
	}
	if len(kind) > 3 {
		return tilted
	}
	sides := max(len(kind), 2)
	p.box = Box{}
	for d := 0; d < sides; d++ {
		text, err := p.value()
		if err != nil {
			return err
		}
		fields := strings.Fields(text)
		if len(fields) != bounds {
			return fmt.Errorf("the box's bounds are %s, and %s numbers are needed", setting.Quote(text), map[int]string{2: "two", 3: "three"}[bounds])
		}
		if bounds > 2 {
			if tilt, err := parse([]byte(fields[2])); err != nil || tilt != 0 {
				return cmp.Or(err, tilted)
			}
		}
		low, err := parse([]byte(fields[0]))
		if err != nil {
			return err
		}
		high, err := parse([]byte(fields[1]))
		if err != nil {
			return err
		}
		if !(high > low) && d < 2 {
			return fmt.Errorf("the box goes from %g to %g; the second bound must be the larger", low, high)
		}
		p.box.Low[d], p.box.High[d] = low, high
		p.box.Repeats[d] = d < len(kind) && strings.HasPrefix(kind[d], "p")
		if next, _ := p.in.r.Peek(1); len(kind) == 0 && d == 1 && len(next) == 1 && next[0] != 'I' {
			sides = 3
		}
	}
	p.bounded = true
	return nil
}

// dumpColumns holds the index of each quantity's column; -1: there is none.
type dumpColumns struct {
	id, kind int
	x, image []int // for each coordinate
	scaled   bool
	count    int
}

// axes are the names of coordinates in space.
var axes = []string{"x", "y", "z"}

// otherAxes are the names of coordinates along y and z. A file with one of them also needs y for its x.
var otherAxes = []string{"y", "yu", "ys", "ysu", "z", "zu", "zs", "zsu"}

// findColumns finds the columns of a dump and completes the head.
func (p *dump) findColumns(names []string) (c dumpColumns, err error) {
	at := func(name string) int { return slices.Index(names, name) }
	c.id, c.kind, c.count = at("id"), at("type"), len(names)
	if c.kind < 0 {
		c.kind = at("element")
	}
	h := &p.head
	h.Axes, h.Images, h.Clock = nil, true, Steps
	if p.columns != nil {
		for _, name := range p.columns {
			i := matching(names, name)
			if i < 0 {
				return c, noColumn(name, names)
			}
			c.x, c.image, h.Axes = append(c.x, i), append(c.image, -1), append(h.Axes, names[i])
		}
	} else {
		for _, form := range [...]string{"u", "su", "", "s"} {
			for d, axis := range axes {
				if i := at(axis + form); i >= 0 && len(c.x) == d {
					c.x, c.image, h.Axes = append(c.x, i), append(c.image, -1), append(h.Axes, axis)
				}
			}
			c.scaled = form == "s" || form == "su"
			if len(c.x) == 0 {
				continue
			}
			if len(c.x) == 1 && slices.ContainsFunc(names, func(s string) bool { return slices.Contains(otherAxes, s) }) {
				return c, fmt.Errorf("the columns are %s, where x has no y of its kind; name the coordinates with -columns", setting.Quote(strings.Join(names, " ")))
			}
			for d := range c.x {
				if form == "" || form == "s" {
					c.image[d] = at("i" + axes[d])
					h.Images = h.Images && (c.image[d] >= 0 || !p.box.Repeats[d])
				}
			}
			break
		}
	}
	if c.id < 0 || len(c.x) == 0 {
		return c, fmt.Errorf("the columns are %s; id and x, y (and z) are needed", setting.Quote(strings.Join(names, " ")))
	}
	if c.scaled && len(c.x) == 3 && !(p.box.High[2] > p.box.Low[2]) {
		return c, errors.New("the box has no height, and zs is a share of it; leave zs out")
	}
	h.Unused = nil
	for i, name := range names {
		if i != c.id && i != c.kind && !slices.Contains(c.x, i) && !slices.Contains(c.image, i) {
			h.Unused = append(h.Unused, name)
		}
	}
	return c, nil
}

// list reads the atoms of the current frame. The frame is then complete.
func (p *dump) list(names []string) error {
	if !p.in.ended {
		return errCut
	}
	if !p.began || p.atoms < 0 || !p.bounded {
		return errors.New("atoms come before the step, their number and the box; choose a whole dump")
	}
	if p.read > 0 && p.timed != p.head.Timed {
		return fmt.Errorf("some frames have a time and step %d has it not, or the other way round; keep one run in a file", p.frame.Step)
	}
	before := p.head.Axes
	columns, err := p.findColumns(names)
	if err != nil {
		return err
	}
	if p.read > 0 && !slices.Equal(before, p.head.Axes) {
		return fmt.Errorf("the coordinates change from %s to %s in step %d; keep one run in a file", strings.Join(before, " "), strings.Join(p.head.Axes, " "), p.frame.Step)
	}
	if (p.read+1)*p.atoms*len(columns.x) > maxValues {
		return tooManyCoordinates()
	}
	if p.read > 0 && (columns.kind >= 0) != (p.frame.Species != nil) {
		return errors.New("the column of species is not in every frame; keep one run in a file")
	}
	f := &p.frame
	f.Points, f.IDs, f.Species = f.Points[:0], f.IDs[:0], f.Species[:0]
	for range p.atoms { // memory grows with the atoms read, not with the number that the file claims
		if err := p.atom(&columns); err != nil {
			return err
		}
	}
	if err := p.in.whole(); err != nil {
		return err
	}
	p.head.Timed = p.timed
	p.frame.Box = &p.box
	p.read++
	p.began, p.timed = false, false
	return nil
}

// atom reads the line of an atom into the frame.
func (p *dump) atom(c *dumpColumns) error {
	b, err := p.in.inside()
	if err != nil {
		return err
	}
	f := &p.frame
	var id int64
	var kind []byte
	var x [MaxAxes]float64
	count := 0
	var image [MaxAxes]int64
	for field := range bytes.FieldsSeq(b) {
		switch {
		case count == c.id:
			id, err = parseInt(field)
		case count == c.kind:
			kind = field
		default:
			for d := range c.x {
				if count == c.x[d] {
					x[d], err = parse(field)
				}
				if count == c.image[d] {
					image[d], err = parseInt(field)
				}
			}
		}
		if err != nil {
			if !p.in.ended { // the line is cut
				err = errCut
			}
			return err
		}
		count++
	}
	switch {
	case count < c.count && !p.in.ended:
		return errCut
	case count != c.count:
		return fmt.Errorf("the atom has %d columns and the header lists %d", count, c.count)
	}
	for d := range c.x {
		if d < len(axes) {
			low, side := p.box.Low[d], p.box.High[d]-p.box.Low[d]
			if c.scaled {
				x[d] = low + x[d]*side
			}
			if image[d] != 0 {
				x[d] += float64(image[d]) * side
			}
		}
	}
	f.IDs, f.Points = append(f.IDs, id), append(f.Points, x[:len(c.x)]...)
	if c.kind >= 0 {
		name, known := p.kinds[string(kind)]
		if !known {
			name = string(kind)
			p.kinds[name] = name
		}
		f.Species = append(f.Species, name)
	}
	return nil
}
