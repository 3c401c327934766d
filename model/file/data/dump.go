package data

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Dump reads a trajectory of atoms in the plane, frame by frame, from a LAMMPS dump
// file in text form (LAMMPS manual, command dump, styles atom and custom). Each of
// its frames is
//
//	ITEM: TIMESTEP
//	ITEM: NUMBER OF ATOMS
//	ITEM: BOX BOUNDS, of an upright box
//	ITEM: ATOMS with the columns id, type and two coordinates: x y, xu yu (unwrapped),
//	xs ys (shares of the box), or xsu ysu (unwrapped shares)
//
// Other items and columns are skipped. Atoms may come in any order. Their number
// and types must not change, and steps must increase.
type Dump struct {
	// Walls says that the edges of the box are walls. The box must then not move, and positions
	// are relative to its lower corner. Without Walls positions are relative to the origin, and
	// the box may change from frame to frame.
	Walls bool

	// Step is the time step of the last frame read. Types (N) contains the types of the atoms in
	// the order of their ids. Positions (N, 2) contains the positions in the same order. The two
	// slices are valid until the next frame is read.
	Step      int64
	Types     []int64
	Positions []float32

	r      *bufio.Reader
	line   int
	frames int // number of frames read so far
	err    error

	// State of the current frame, as far as it has been read.
	began   bool
	step    int64
	apart   int64 // steps between two frames
	atoms   int   // number of atoms; 0: not yet known
	bounded bool
	box     box
	units   string // "": not stated

	place map[int64]int // index of an atom, by its id
	seen  []int         // for each atom, the number of frames that contain it
}

// box holds the bounds of a box, by axis.
type box struct{ low, high [2]float64 }

// outside is how far an atom may be beyond a wall, as a share of the box: a potential of the wall can
// let an atom through a little.
const outside = 0.05

// maxDumpValues is the largest number of coordinates in a dump.
const maxDumpValues = MaxBytes / 4

// maxDumpLine is the longest line of a dump, in bytes.
const maxDumpLine = 1 << 14

// stepItem begins the first line of every frame.
const stepItem = "ITEM: TIMESTEP"

// NewDump returns a reader of a dump.
func NewDump(r io.Reader) *Dump { return &Dump{r: bufio.NewReaderSize(r, maxDumpLine)} }

// Next reads the next frame. After the last frame it returns io.EOF. Any other error is one
// sentence with the line and the problem; later calls return the same error.
func (p *Dump) Next() error {
	for before := p.frames; p.err == nil && p.frames == before; {
		p.err = p.item()
		switch {
		case p.err == nil:
		case p.err != io.EOF:
			p.err = fmt.Errorf("line %d: %w", max(p.line, 1), p.err)
		case p.began:
			p.err = fmt.Errorf("the file ends within the frame of step %d; take another copy of it", p.step)
		case p.frames == 0:
			p.err = errors.New("the file holds no frame; write one with LAMMPS's command dump")
		}
	}
	return p.err
}

// CountFrames returns the number of frames that start in a dump of `size` bytes. It does not parse
// the frames. `atoms` is the number of atoms in a frame. If all frames together are too large to
// read, CountFrames returns an error.
func CountFrames(r io.ReaderAt, size int64, atoms int) (frames int, err error) {
	mark := []byte("\n" + stepItem)
	buf := make([]byte, len(mark)+int(min(size, 1<<20)))
	for at, kept := int64(0), 0; at < size; {
		n, err := r.ReadAt(buf[kept:min(int64(len(buf)), int64(kept)+size-at)], at)
		if err != nil && !(err == io.EOF && at+int64(n) == size) {
			return 0, fmt.Errorf("reading failed: %w", err)
		}
		if at == 0 && bytes.HasPrefix(bytes.TrimPrefix(buf[:n], []byte(byteOrderMark)), mark[1:]) {
			frames = 1
		}
		frames += bytes.Count(buf[:kept+n], mark)
		if frames > maxDumpValues/2/max(atoms, 1) {
			return 0, tooManyCoordinates()
		}
		at += int64(n)
		kept = copy(buf, buf[max(0, kept+n-len(mark)+1):kept+n])
	}
	return frames, nil
}

func tooManyCoordinates() error {
	return fmt.Errorf("the file is over the limit of %d coordinates; keep fewer frames", maxDumpValues)
}

// next returns the next line without its ending. It is valid until the next call.
func (p *Dump) next() ([]byte, error) {
	b, err := p.r.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		p.line++
		return nil, fmt.Errorf("it is longer than %d bytes, as no line of a dump is; choose a dump in text form", maxDumpLine)
	case err == io.EOF && len(b) == 0:
		return nil, io.EOF
	case err != nil && err != io.EOF:
		return nil, fmt.Errorf("reading failed: %w", err)
	}
	if p.line++; p.line == 1 {
		if isUTF16(b) {
			return nil, errUTF16
		}
		b = bytes.TrimPrefix(b, []byte(byteOrderMark))
	}
	return bytes.TrimRight(b, "\r\n"), nil
}

// inside returns the next line of a frame. It is an error if the file ends there.
func (p *Dump) inside(what string) ([]byte, error) {
	b, err := p.next()
	if err == io.EOF {
		return nil, fmt.Errorf("the file ends where %s should be; take another copy of it", what)
	}
	return b, err
}

// item reads one item of a frame.
func (p *Dump) item() error {
	head, err := p.next()
	if err != nil {
		return err
	}
	name, isItem := bytes.CutPrefix(head, []byte("ITEM: "))
	switch {
	case len(bytes.TrimSpace(head)) == 0:
		return nil
	case !isItem:
		return fmt.Errorf("it is %s where “ITEM: …” should be; choose a LAMMPS dump in text form", quote(string(head)))
	case bytes.HasPrefix(head, []byte(stepItem)):
		return p.timestep()
	case bytes.HasPrefix(name, []byte("NUMBER OF ATOMS")):
		return p.number()
	case bytes.HasPrefix(name, []byte("BOX BOUNDS")):
		return p.bounds(bytes.Fields(name[len("BOX BOUNDS"):]))
	case bytes.HasPrefix(name, []byte("ATOMS")):
		return p.frame(bytes.Fields(name[len("ATOMS"):]))
	}
	value, err := p.inside("a value") // the value of UNITS or TIME
	if err == nil && bytes.HasPrefix(name, []byte("UNITS")) {
		err = p.measure(string(bytes.TrimSpace(value)))
	}
	return err
}

// The method `measure` reads the units. Between walls, they must be those of Lennard-Jones.
func (p *Dump) measure(units string) error {
	switch {
	case p.units != "" && units != p.units:
		return fmt.Errorf("the units change from %s to %s; keep one run in a file", quote(p.units), quote(units))
	case p.Walls && units != "lj":
		return fmt.Errorf("the units are %s, and lj is needed; divide positions by σ and times by σ√(m/ε)", quote(units))
	}
	p.units = units
	return nil
}

func (p *Dump) timestep() error {
	b, err := p.inside("a step")
	if err != nil {
		return err
	}
	step, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("%s is not a step", quote(string(b)))
	case p.began:
		return fmt.Errorf("step %d begins before the atoms of step %d", step, p.step)
	case p.frames > 0 && step <= p.step:
		return fmt.Errorf("step %d comes after step %d; keep one run in a file", step, p.step)
	case p.frames > 1 && step-p.step != p.apart:
		return fmt.Errorf("step %d comes %d steps after step %d, and the first two frames are %d steps apart; keep frames at equal distances", step, step-p.step, p.step, p.apart)
	}
	p.apart = step - p.step
	p.step, p.began, p.bounded = step, true, false
	p.atoms = 0
	return nil
}

func (p *Dump) number() error {
	b, err := p.inside("the number of atoms")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(bytes.TrimSpace(b)))
	switch {
	case err != nil || n < 1 || n > MaxParticles:
		return fmt.Errorf("the number of atoms is %s; 1 to %d can be read", quote(string(b)), MaxParticles)
	case p.Types != nil && n != len(p.Types):
		return fmt.Errorf("step %d has %d atoms and the first had %d; keep their number", p.step, n, len(p.Types))
	}
	p.atoms = n
	return nil
}

// bounds reads the box and ignores its third dimension. kind lists the boundary type of each
// dimension. LAMMPS wrote no boundary types until 2010. In a dump without boundary types, the box
// has a third dimension if a third line precedes the next item.
func (p *Dump) bounds(kind [][]byte) error {
	if len(kind) > 3 || len(kind) > 0 && string(kind[0]) == "xy" {
		return errors.New("the box is tilted or in general form; use an upright one")
	}
	before, sides := p.box, max(len(kind), 2)
	for d := 0; d < sides; d++ {
		b, err := p.inside("the box's bounds")
		if err != nil {
			return err
		}
		fields := bytes.Fields(b)
		if len(fields) != 2 {
			return fmt.Errorf("the box's bounds are %s, and two numbers are needed", quote(string(b)))
		}
		low, err := dumpNumber(fields[0])
		if err != nil {
			return err
		}
		high, err := dumpNumber(fields[1])
		if err != nil {
			return err
		}
		if d < 2 {
			if !(high > low) {
				return fmt.Errorf("the box goes from %g to %g; the second bound must be the larger", low, high)
			}
			p.box.low[d], p.box.high[d] = low, high
		}
		if next, _ := p.r.Peek(1); len(kind) == 0 && d == 1 && len(next) == 1 && next[0] != stepItem[0] {
			sides = 3
		}
	}
	if p.Walls && p.frames > 0 && p.box != before {
		return fmt.Errorf("the walls move: the box of step %d is not the box of step %d; dump a run in a box that stays", p.step, p.Step)
	}
	p.bounded = true
	return nil
}

// dumpNumber reads a finite number.
func dumpNumber(b []byte) (float64, error) {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil || math.IsNaN(v) || math.Abs(v) > math.MaxFloat32 {
		return 0, fmt.Errorf("%s is not a finite number in single precision", quote(string(b)))
	}
	return v, nil
}

// dumpColumns holds the index of each quantity's column.
type dumpColumns struct {
	id, kind int
	x        [2]int
	scaled   bool
	count    int
}

func findColumns(names [][]byte) (c dumpColumns, err error) {
	at := func(name string) int {
		return slices.IndexFunc(names, func(b []byte) bool { return string(b) == name })
	}
	c.id, c.kind, c.count = at("id"), at("type"), len(names)
	for i, form := range [...]string{"", "u", "s", "su"} {
		c.x, c.scaled = [2]int{at("x" + form), at("y" + form)}, i >= 2
		if c.x[0] >= 0 && c.x[1] >= 0 {
			break
		}
	}
	if c.id < 0 || c.kind < 0 || c.x[0] < 0 || c.x[1] < 0 {
		return c, fmt.Errorf("the columns are %s; id, type, x and y are needed", quote(string(bytes.Join(names, []byte(" ")))))
	}
	return c, nil
}

// atom is one line of a frame.
type atom struct {
	id, kind int64
	x        [2]float32
}

// frame reads the atoms of the current frame. The frame is then complete.
func (p *Dump) frame(names [][]byte) error {
	if !p.began || p.atoms == 0 || !p.bounded {
		return errors.New("atoms come before the step, their number and the box; choose a whole dump")
	}
	if (p.frames+1)*p.atoms*2 > maxDumpValues {
		return tooManyCoordinates()
	}
	columns, err := findColumns(names)
	if err != nil {
		return err
	}
	if p.frames == 0 {
		err = p.first(columns)
	} else {
		err = p.further(columns)
	}
	if err == nil {
		p.frames++
		p.Step, p.began = p.step, false
	}
	return err
}

// The method `first` reads the first frame. This frame lists the atoms. Memory grows with the atoms
// read, not with the number that the file claims.
func (p *Dump) first(c dumpColumns) error {
	var atoms []atom
	for range p.atoms {
		a, err := p.atom(c)
		if err != nil {
			return err
		}
		atoms = append(atoms, a)
	}
	slices.SortFunc(atoms, func(a, b atom) int { return cmp.Compare(a.id, b.id) })
	p.place, p.seen = make(map[int64]int, len(atoms)), make([]int, len(atoms))
	for i, a := range atoms {
		if i > 0 && a.id == atoms[i-1].id {
			return fmt.Errorf("atom %d comes twice in step %d", a.id, p.step)
		}
		p.place[a.id], p.seen[i] = i, 1
		p.Types = append(p.Types, a.kind)
		p.Positions = append(p.Positions, a.x[0], a.x[1])
	}
	return nil
}

// The method `further` reads any frame except the first.
func (p *Dump) further(c dumpColumns) error {
	for range p.atoms {
		a, err := p.atom(c)
		if err != nil {
			return err
		}
		i, known := p.place[a.id]
		switch {
		case !known:
			return fmt.Errorf("atom %d of step %d was not there in the first; keep the same atoms", a.id, p.step)
		case p.seen[i] > p.frames:
			return fmt.Errorf("atom %d comes twice in step %d", a.id, p.step)
		case a.kind != p.Types[i]:
			return fmt.Errorf("atom %d becomes type %d in step %d after type %d; begin the dump when the types are settled", a.id, a.kind, p.step, p.Types[i])
		}
		p.seen[i]++
		copy(p.Positions[2*i:], a.x[:])
	}
	return nil
}

// atom reads the line of an atom.
func (p *Dump) atom(c dumpColumns) (a atom, err error) {
	b, err := p.inside("an atom")
	if err != nil {
		return a, err
	}
	count := 0
	for field := range bytes.FieldsSeq(b) {
		switch count {
		case c.id:
			a.id, err = whole64(field)
		case c.kind:
			a.kind, err = whole64(field)
		case c.x[0], c.x[1]:
			d := 0
			if count == c.x[1] {
				d = 1
			}
			var v float64
			v, err = dumpNumber(field)
			low := p.box.low[d]
			if c.scaled {
				v = low + v*(p.box.high[d]-low)
			}
			if p.Walls {
				if side := p.box.high[d] - low; err == nil && (v < low-outside*side || v > p.box.high[d]+outside*side) {
					err = fmt.Errorf("the coordinate %s is outside of the walls at %g and %g; dump a run that they hold together", quote(string(field)), low, p.box.high[d])
				}
				v -= low
			}
			if a.x[d] = float32(v); err == nil && math.IsInf(float64(a.x[d]), 0) {
				err = fmt.Errorf("%s is too far from the box", quote(string(field)))
			}
		}
		if err != nil {
			return a, err
		}
		count++
	}
	if count != c.count {
		return a, fmt.Errorf("the atom has %d columns and the header lists %d", count, c.count)
	}
	return a, nil
}

func whole64(b []byte) (int64, error) {
	v, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is not a whole number", quote(string(b)))
	}
	return v, nil
}
