package frames

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
)

// xyz reads an XYZ file. Each of its frames is the number of particles, a comment, and a line with
// a name and three coordinates for each particle. In extended XYZ, the comment names the columns
// (Properties=…), the box (Lattice="…", pbc="…") and the time (Time=…). LAMMPS writes the step into
// the comment of plain XYZ (“Timestep: 100”). The file lists the particles of all frames in the same
// order.
type xyz struct {
	failed
	in    *lines
	head  Head
	frame Frame
	box   Box
	read  int
}

func newXYZ(r io.Reader) *xyz { return &xyz{in: newLines(r)} }

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
	x, kind, count int // first coordinate; species, -1: none; number of columns, 0: any
	dim            int
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
	case err != nil || n < 1 || n > MaxParticles:
		return fmt.Errorf("it is %s where the number of particles should be, 1 to %d; choose an XYZ file", data.Quote(string(line)), MaxParticles)
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
	switch before := len(p.frame.Points) / columns.dim; {
	case p.read > 0 && n != before:
		return fmt.Errorf("frame %d has %d particles and the first has %d; XYZ gives particles no names, so their number must not change", p.read, n, before)
	case (p.read+1)*n*columns.dim > maxValues:
		return tooManyCoordinates()
	}
	if p.read == 0 {
		p.frame.Points = nil
	}
	for i := range n {
		if err := p.particle(i, &columns); err != nil {
			return err
		}
	}
	return p.in.whole()
}

// particle reads the line of particle i.
func (p *xyz) particle(i int, c *xyzColumns) error {
	line, err := p.in.inside()
	if err != nil {
		return err
	}
	fields := bytes.Fields(line)
	if len(fields) < c.x+c.dim || c.count > 0 && len(fields) != c.count {
		if !p.in.ended {
			return errCut
		}
		return fmt.Errorf("the particle has %d columns, and %d are needed", len(fields), max(c.count, c.x+c.dim))
	}
	if p.read == 0 && c.count == 0 && i == 0 && len(fields) > c.x+c.dim {
		p.head.Unused = []string{fmt.Sprintf("%d columns after z", len(fields)-c.x-c.dim)}
	}
	for d := range c.dim {
		v, err := parse(fields[c.x+d])
		if err != nil && !p.in.ended {
			return errCut
		}
		if err != nil {
			return err
		}
		if p.read == 0 {
			p.frame.Points = append(p.frame.Points, v)
		} else {
			p.frame.Points[i*c.dim+d] = v
		}
	}
	if c.kind < 0 {
		return nil
	}
	switch kind := fields[c.kind]; {
	case p.read == 0:
		p.head.Species = append(p.head.Species, string(kind))
	case string(kind) != p.head.Species[i]:
		return fmt.Errorf("particle %d is %s here and %s in the first frame; keep the particles in the same order", i, kind, p.head.Species[i])
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
		}
	}
	if v, has := values["time"]; has {
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
	if err := p.lattice(values["lattice"], values["pbc"]); err != nil {
		return c, err
	}
	c = xyzColumns{x: 1, kind: 0, dim: 3}
	var unused []string
	if v := values["properties"]; v != "" {
		if c, unused, err = properties(v); err != nil {
			return c, err
		}
	}
	h.Axes, h.Images = axes[:c.dim], p.box.Repeats == [3]bool{}
	if p.read == 0 {
		h.Unused = unused
	}
	return c, nil
}

// properties reads the value of Properties=: name, type and number of columns of each property.
func properties(text string) (c xyzColumns, unused []string, err error) {
	c = xyzColumns{x: -1, kind: -1}
	parts := strings.Split(text, ":")
	for i := 0; i+2 < len(parts); i += 3 {
		n, err := strconv.Atoi(parts[i+2])
		if err != nil || n < 1 || n > 100 {
			return c, nil, fmt.Errorf("the columns are %s, which cannot be read; give name, type and number of each", data.Quote(text))
		}
		switch name := strings.ToLower(parts[i]); {
		case name == "pos" && n <= len(axes):
			c.x, c.dim = c.count, n
		case name == "species" || name == "type" && c.kind < 0:
			c.kind = c.count
		default:
			unused = append(unused, parts[i])
		}
		c.count += n
	}
	if c.x < 0 {
		return c, nil, fmt.Errorf("the columns are %s; pos is needed", data.Quote(text))
	}
	return c, unused, nil
}

// lattice reads the box. A box whose sides are not along the axes is no Box.
func (p *xyz) lattice(text, pbc string) error {
	fields := strings.Fields(text)
	if len(fields) != 9 {
		return nil
	}
	var m [9]float64
	for i, f := range fields {
		v, err := parse([]byte(f))
		if err != nil {
			return err
		}
		m[i] = v
	}
	periodic := strings.Fields(strings.ToUpper(pbc))
	for d := range 3 {
		p.box.High[d] = m[4*d]
		p.box.Repeats[d] = len(periodic) != 3 || strings.HasPrefix(periodic[d], "T") // without pbc, a lattice repeats
	}
	if off := []float64{m[1], m[2], m[3], m[5], m[6], m[7]}; !slices.Equal(off, make([]float64, 6)) {
		return errors.New("the lattice is tilted; use an upright box")
	}
	p.frame.Box = &p.box
	return nil
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
		if quoted, is := strings.CutPrefix(rest, `"`); is {
			if end = strings.IndexByte(quoted, '"'); end < 0 {
				end = len(quoted)
			}
			values[strings.ToLower(strings.TrimSpace(name))], rest = quoted[:end], quoted[end:]
			text = strings.TrimPrefix(rest, `"`)
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
