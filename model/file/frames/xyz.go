package frames

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/setting"
)

// xyz reads an XYZ file. Each of its frames is the number of particles, a comment, and a line with
// a name and three coordinates for each particle. In extended XYZ, the comment names the columns
// (Properties=…), the box (Lattice="…", Origin="…", pbc="…") and the time (Time=…). LAMMPS writes the
// step into the comment of plain XYZ (“Timestep: 100”). Without a column id, the file lists the
// particles of all frames in the same order.
type xyz struct {
	failed
	in    *lines
	head  Head
	frame Frame
	box   Box
	read  int

	wanted  []string   // see Options.Columns
	columns xyzColumns // of the first frame
}

func newXYZ(r io.Reader, o Options) *xyz { return &xyz{in: newLines(r), wanted: o.Columns} }

// Head implements Reader.
func (p *xyz) Head() *Head { return &p.head }

// Next implements Reader.
func (p *xyz) Next() (*Frame, error) {
	if p.err == nil {
		p.err = p.next()
		switch {
		case p.err == nil:
			p.read++
		case p.err == errCut && p.read > 0:
			p.cut, p.err = fmt.Sprintf("frame %d", p.read), io.EOF
		case p.err == errCut:
			p.err = fmt.Errorf("line %d: the file ends within its first frame; take another copy of it", p.in.n)
		case p.err == io.EOF && p.read == 0:
			p.err = errors.New("the file holds no frame; choose one with particles in it")
		case p.err != io.EOF:
			p.err = fmt.Errorf("line %d: %w", p.in.n, p.err)
		}
	}
	return &p.frame, p.err
}

// xyzColumns holds the columns of the particles' lines.
type xyzColumns struct {
	x               []int // coordinates
	axes            []string
	kind, id, count int // species and id, -1: none; number of columns, 0: any
}

func (p *xyz) next() error {
	line, err := p.in.next()
	for err == nil && len(bytes.TrimSpace(line)) == 0 {
		line, err = p.in.next()
	}
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	switch {
	case !p.in.ended:
		return errCut
	case err != nil || n < 0 || n > MaxParticles:
		return fmt.Errorf("it is %s where the number of particles should be, 0 to %d; choose an XYZ file", setting.Quote(string(line)), MaxParticles)
	}
	comment, err := p.in.inside()
	if err != nil {
		return err
	}
	if !p.in.ended {
		return errCut
	}
	columns, err := p.comment(string(comment))
	if err != nil {
		return err
	}
	switch {
	case p.read > 0 && !columns.alike(&p.columns):
		return fmt.Errorf("the columns of frame %d are others than those of the first; keep one run in a file", p.read)
	case (p.read+1)*n*len(columns.x) > maxValues:
		return tooManyCoordinates()
	}
	f := &p.frame
	p.columns, f.Points, f.IDs, f.Species = columns, f.Points[:0], f.IDs[:0], f.Species[:0]
	for i := range n {
		if err := p.particle(i, &columns); err != nil {
			return err
		}
	}
	return p.in.whole()
}

// alike reports whether two frames tell the same about their particles.
func (c *xyzColumns) alike(d *xyzColumns) bool {
	return slices.Equal(c.axes, d.axes) && (c.kind < 0) == (d.kind < 0) && (c.id < 0) == (d.id < 0)
}

// particle reads the line of particle i.
func (p *xyz) particle(i int, c *xyzColumns) error {
	line, err := p.in.inside()
	if err != nil {
		return err
	}
	fields := bytes.Fields(line)
	needed := max(c.count, slices.Max(c.x)+1)
	if len(fields) < needed || c.count > 0 && len(fields) != c.count {
		if !p.in.ended {
			return errCut
		}
		return fmt.Errorf("the particle has %d columns, and %d are needed", len(fields), needed)
	}
	if p.read == 0 && c.count == 0 && i == 0 && len(fields) > needed {
		p.head.Unused = []string{fmt.Sprintf("%s after z", setting.Count(len(fields)-needed, "column", "columns"))}
	}
	f := &p.frame
	if c.id >= 0 {
		id, err := parseInt(fields[c.id])
		if err != nil {
			return err
		}
		f.IDs = append(f.IDs, id)
	}
	for _, at := range c.x {
		v, err := parse(fields[at])
		if err != nil && !p.in.ended {
			return errCut
		}
		if err != nil {
			return err
		}
		f.Points = append(f.Points, v)
	}
	if c.kind >= 0 {
		f.Species = append(f.Species, string(fields[c.kind]))
	}
	return nil
}

// comment reads the second line of a frame.
func (p *xyz) comment(text string) (c xyzColumns, err error) {
	values := pairs(text)
	h := &p.head
	clock, timed := Order, false
	p.frame.Step, p.box, p.frame.Box = int64(p.read), Box{}, nil
	for _, name := range []string{"step", "timestep"} {
		if v, has := values[name]; has {
			if p.frame.Step, err = parseInt([]byte(v)); err != nil {
				return c, err
			}
			clock = Steps
			break
		}
	}
	if v, err := parseInt([]byte(values["frame"])); err == nil && clock == Order {
		p.frame.Step, clock = v, Frames
	}
	if v, has := values["time"]; has {
		v, _, _ = strings.Cut(v, " ") // a unit may follow
		if p.frame.Time, err = parse([]byte(v)); err == nil {
			timed = true
		} else if values["properties"] != "" {
			return c, err
		}
	}
	if timed && clock == Order {
		clock = Times
	}
	if p.read > 0 && (clock != h.Clock || timed != h.Timed) {
		return c, errors.New("the frames do not all tell their step or time; keep one run in a file")
	}
	h.Clock, h.Timed = clock, timed
	if err := p.lattice(values["lattice"], values["origin"], values["pbc"]); err != nil {
		return c, err
	}
	c = xyzColumns{x: []int{1, 2, 3}, axes: axes, kind: 0, id: -1}
	var unused []string
	if v := values["properties"]; v != "" {
		c, unused, err = properties(v, p.wanted)
	} else if p.wanted != nil {
		err = errors.New("only the columns of extended XYZ have names; add Properties=…, or leave the columns out")
	}
	if err != nil {
		return c, err
	}
	h.Axes, h.Images = c.axes, p.box.Repeats == [3]bool{}
	if p.read == 0 {
		h.Unused = unused
	}
	return c, nil
}

// properties reads the value of Properties=: name, type and number of columns of each property. The columns of pos are
// x, y and z; those of another property have its name, and numbers from 1 if there are several.
func properties(text string, wanted []string) (c xyzColumns, unused []string, err error) {
	c = xyzColumns{kind: -1, id: -1}
	var names, of []string // of each column: its name, and its property
	parts := strings.Split(text, ":")
	for i := 0; i+2 < len(parts); i += 3 {
		n, err := strconv.Atoi(parts[i+2])
		if err != nil || n < 1 || n > 100 {
			return c, nil, fmt.Errorf("the columns are %s, which cannot be read; give name, type and number of each", setting.Quote(text))
		}
		name := strings.ToLower(parts[i])
		for k := range n {
			column := parts[i]
			switch {
			case name == "pos" && n <= len(axes):
				if column = axes[k]; wanted == nil {
					c.x, c.axes = append(c.x, c.count+k), append(c.axes, column)
				}
			case n > 1:
				column += strconv.Itoa(k + 1)
			}
			names = append(names, column)
			if of = append(of, parts[i]); name == "pos" {
				of[c.count+k] = column
			}
		}
		switch {
		case name == "species" || name == "type" && c.kind < 0:
			c.kind = c.count
		case name == "id" && n == 1:
			c.id = c.count
		}
		c.count += n
	}
	for _, name := range wanted {
		i := matching(names, name)
		if i < 0 {
			return c, nil, noColumn(name, names)
		}
		c.x, c.axes = append(c.x, i), append(c.axes, names[i])
	}
	if c.x == nil {
		return c, nil, fmt.Errorf("the columns are %s; pos is needed", setting.Quote(text))
	}
	for i, name := range of {
		if i != c.kind && i != c.id && !slices.Contains(c.x, i) && !slices.Contains(unused, name) {
			unused = append(unused, name)
		}
	}
	return c, unused, nil
}

// lattice reads the box: nine numbers, or three sides. A tilted box is an error.
func (p *xyz) lattice(text, origin, pbc string) error {
	m, err := numbers(text)
	if err != nil || len(m) == 0 {
		return err
	}
	if len(m) == 3 {
		m = []float64{m[0], 0, 0, 0, m[1], 0, 0, 0, m[2]}
	}
	if len(m) != 9 {
		return fmt.Errorf("the lattice is %s, and nine numbers are needed", setting.Quote(text))
	}
	if off := []float64{m[1], m[2], m[3], m[5], m[6], m[7]}; !slices.Equal(off, make([]float64, 6)) {
		return errors.New("the lattice is tilted; use an upright box")
	}
	corner, err := numbers(origin)
	if err != nil {
		return err
	}
	if len(corner) == 0 {
		corner = make([]float64, 3)
	}
	periodic := list(strings.ToUpper(pbc))
	if len(periodic) == 0 {
		periodic = []string{"T", "T", "T"} // without pbc, a lattice repeats
	}
	if len(corner) != 3 || len(periodic) != 3 {
		return fmt.Errorf("the box has the origin %s and pbc %s, and three values of each are needed", setting.Quote(origin), setting.Quote(pbc))
	}
	for d := range 3 {
		p.box.Low[d], p.box.High[d] = corner[d], corner[d]+m[4*d]
		switch v := periodic[d]; v {
		case "T", "TRUE", "1":
			p.box.Repeats[d] = true
		case "F", "FALSE", "0":
		default:
			return fmt.Errorf("pbc is %s; write T or F for each side", setting.Quote(pbc))
		}
	}
	p.frame.Box = &p.box
	return nil
}

// list returns the values in a text such as “1 2 3” or “[1, 2, 3]”.
func list(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t,[]{}", r) })
}

// numbers returns the numbers in a list.
func numbers(text string) (v []float64, err error) {
	for _, f := range list(text) {
		x, err := parse([]byte(f))
		if err != nil {
			return nil, err
		}
		v = append(v, x)
	}
	return v, nil
}

// pairs returns the values of a comment such as `Time=0.5 pbc="T T F"` or `Timestep: 100`, by their
// names in lower case.
func pairs(text string) map[string]string {
	values := make(map[string]string)
	for text != "" {
		at := strings.IndexAny(text, "=:")
		if at < 0 {
			break
		}
		name := text[:at]
		if i := strings.LastIndexAny(strings.TrimRight(name, " "), " \t,"); i >= 0 {
			name = name[i+1:]
		}
		rest := strings.TrimLeft(text[at+1:], " ")
		end := len(rest)
		if open := strings.TrimLeft(rest, "\"'[{"); open != rest {
			shut := strings.NewReplacer("[", "]", "{", "}").Replace(rest[:len(rest)-len(open)])
			if end = strings.Index(open, shut); end < 0 {
				end = len(open)
			}
			values[strings.ToLower(strings.TrimSpace(name))] = open[:end]
			text = strings.TrimPrefix(open[end:], shut)
			continue
		}
		if i := strings.IndexAny(rest, " \t,"); i >= 0 {
			end = i
		}
		values[strings.ToLower(strings.TrimSpace(name))] = rest[:end]
		text = rest[end:]
	}
	return values
}
