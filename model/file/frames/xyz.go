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

	columns xyzColumns    // of the first frame
	place   map[int64]int // index of a particle, by its id; nil: there are no ids
	seen    []int         // for each particle with an id, the number of frames that contain it
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
	x, kind, id, count int // first coordinate; species and id, -1: none; number of columns, 0: any
	dim                int
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
		return fmt.Errorf("it is %s where the number of particles should be, 1 to %d; choose an XYZ file", setting.Quote(string(line)), MaxParticles)
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
	case p.read > 0 && !columns.alike(&p.columns):
		return fmt.Errorf("the columns of frame %d are others than those of the first; keep one run in a file", p.read)
	case p.read > 0 && n != before:
		return fmt.Errorf("frame %d has %d particles and the first has %d; XYZ gives particles no names, so their number must not change", p.read, n, before)
	case (p.read+1)*n*columns.dim > maxValues:
		return tooManyCoordinates()
	}
	if p.read == 0 {
		p.frame.Points, p.columns = nil, columns
	}
	for i := range n {
		if err := p.particle(i, &columns); err != nil {
			return err
		}
	}
	if p.read == 0 && columns.id >= 0 {
		if err := p.sort(); err != nil {
			return err
		}
	}
	return p.in.whole()
}

// alike reports whether two frames tell the same about their particles.
func (c *xyzColumns) alike(d *xyzColumns) bool {
	return c.dim == d.dim && (c.kind < 0) == (d.kind < 0) && (c.id < 0) == (d.id < 0)
}

// sort sorts the particles of the first frame by their ids.
func (p *xyz) sort() error {
	h, dim := &p.head, p.columns.dim
	points, kinds, ids := p.frame.Points, h.Species, h.IDs
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(ids[a], ids[b]) })
	p.frame.Points, h.Species, h.IDs = nil, nil, nil
	p.place, p.seen = make(map[int64]int, len(ids)), slices.Repeat([]int{1}, len(ids))
	for k, i := range order {
		if k > 0 && ids[i] == ids[order[k-1]] {
			return p.twice(ids[i])
		}
		p.place[ids[i]] = k
		h.IDs = append(h.IDs, ids[i])
		p.frame.Points = append(p.frame.Points, points[i*dim:(i+1)*dim]...)
		if kinds != nil {
			h.Species = append(h.Species, kinds[i])
		}
	}
	return nil
}

func (p *xyz) twice(id int64) error {
	return fmt.Errorf("particle %d comes twice in frame %d; keep it once", id, p.read)
}

// index returns the index of the particle with an id. In the first frame, it stores the id.
func (p *xyz) index(i int, field []byte) (int, error) {
	id, err := parseInt(field)
	if err != nil {
		return 0, err
	}
	if p.read == 0 {
		p.head.IDs = append(p.head.IDs, id)
		return i, nil
	}
	i, known := p.place[id]
	switch {
	case !known:
		return 0, fmt.Errorf("particle %d of frame %d was not there in the first; keep the same particles", id, p.read)
	case p.seen[i] > p.read:
		return 0, p.twice(id)
	}
	p.seen[i]++
	return i, nil
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
		more := len(fields) - c.x - c.dim
		p.head.Unused = []string{fmt.Sprintf("%s after z", setting.Count(more, "column", "columns"))}
	}
	if c.id >= 0 {
		if i, err = p.index(i, fields[c.id]); err != nil {
			return err
		}
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
	c = xyzColumns{x: 1, kind: 0, id: -1, dim: 3}
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
	c = xyzColumns{x: -1, kind: -1, id: -1}
	parts := strings.Split(text, ":")
	for i := 0; i+2 < len(parts); i += 3 {
		n, err := strconv.Atoi(parts[i+2])
		if err != nil || n < 1 || n > 100 {
			return c, nil, fmt.Errorf("the columns are %s, which cannot be read; give name, type and number of each", setting.Quote(text))
		}
		switch name := strings.ToLower(parts[i]); {
		case name == "pos" && n <= len(axes):
			c.x, c.dim = c.count, n
		case name == "species" || name == "type" && c.kind < 0:
			c.kind = c.count
		case name == "id" && n == 1:
			c.id = c.count
		default:
			unused = append(unused, parts[i])
		}
		c.count += n
	}
	if c.x < 0 {
		return c, nil, fmt.Errorf("the columns are %s; pos is needed", setting.Quote(text))
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
