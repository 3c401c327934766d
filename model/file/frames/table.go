package frames

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/setting"
	"macroscope/model/work"
)

// table reads a table with a row for each particle of each frame (see data.ReadColumns). The header
// names the columns. A column for the frame (or a step, or a time) tells the frames apart. A column for
// the particle tells the particles apart; without one, all frames list the particles in the same order. A
// column for the run tells several runs apart, see runs.
// Coordinates are the columns x, y and z, or the columns in Options. Frames are sorted by their numbers.
type table struct {
	failed
	head  Head
	frame Frame
	rows  *data.Table
	order []int // rows, sorted by run and frame
	at    int   // next row in `order`
	read  int   // frames

	// Columns of rows; -1: there is none.
	clock, time, particle, kind, run int
	x                                []int
	names                            map[int]string // their names in the file

	ids []int64 // of the particles, by the numbers of their names; nil: these numbers are the ids
}

// maxTableValues is the largest number of values in a table.
const maxTableValues = 1 << 22

func newTable(r io.Reader, o Options) (*table, error) {
	text, err := io.ReadAll(io.LimitReader(r, data.MaxFileBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading failed: %w", err)
	case len(text) > data.MaxFileBytes:
		return nil, fmt.Errorf("the table is over the limit of %.3g MB; keep fewer numbers, or save them as NPY", data.MaxFileBytes/1e6)
	}
	t := &table{clock: -1, time: -1, particle: -1, kind: -1, run: -1, names: make(map[int]string)}
	t.rows, err = data.ReadColumns(string(text), maxTableValues, func(header []string, _ int) ([]data.Column, error) { return t.choose(header, o.Columns) }, o.Pause)
	if err != nil {
		return nil, err
	}
	t.number()
	return t, t.sort(o.Pause)
}

// number sets the ids of particles if all their names are whole numbers.
func (t *table) number() {
	if t.particle < 0 {
		return
	}
	ids := make([]int64, len(t.rows.Names))
	for k := range t.rows.Rows() {
		code := int(t.row(k)[t.particle])
		v, err := strconv.ParseFloat(t.rows.Names[code], 64)
		if ids[code] = int64(v); err != nil || float64(ids[code]) != v {
			return
		}
	}
	t.ids = ids
}

// id returns the id of the particle in the row at the given place in the order.
func (t *table) id(at int) int64 {
	code := int(t.of(at, t.particle))
	if t.ids == nil {
		return int64(code)
	}
	return t.ids[code]
}

// runs returns a reader of each run, in the order of their first rows.
func (t *table) runs() (all []*table) {
	for at := 0; at < len(t.order); {
		end := at + t.group(at, t.run)
		one := *t
		one.order = t.order[at:end]
		all, at = append(all, &one), end
	}
	return all
}

// name returns the name of the run.
func (t *table) name() string { return t.rows.Names[int(t.of(0, t.run))] }

// again returns a reader of the same rows.
func (t *table) again() *table {
	return &table{head: t.head, rows: t.rows, order: t.order, clock: t.clock, time: t.time, particle: t.particle, kind: t.kind, run: t.run, x: t.x, names: t.names, ids: t.ids}
}

// Head implements Reader.
func (t *table) Head() *Head { return &t.head }

// choose finds the column of each quantity.
func (t *table) choose(header, coordinates []string) (chosen []data.Column, err error) {
	if header == nil {
		return nil, errors.New("the table has no header; name its columns in the first line: frame, id, x, y")
	}
	best := make(map[column]int) // index in the header
	rank := make(map[column]int)
	for i, name := range header {
		if name != "" && slices.ContainsFunc(header[:i], func(s string) bool { return strings.EqualFold(s, name) }) {
			if strings.EqualFold(header[0], "scorer") { // DeepLabCut
				return nil, errWide
			}
			return nil, fmt.Errorf("two columns have the name %s; keep one, or give them different names", setting.Quote(name))
		}
		c, r := kindOf(name)
		if c == unknown {
			continue
		}
		if before, has := rank[c]; !has || r < before {
			best[c], rank[c] = i, r
		}
	}
	instead(best, track, particle)
	instead(best, track, run)
	if _, has := best[timeOf]; !has {
		instead(best, image, frameOf)
	}
	add := func(i int, names bool) int {
		t.names[len(chosen)] = header[i]
		chosen = append(chosen, data.Column{Index: i, Names: names})
		return len(chosen) - 1
	}
	find := func(c column, names bool) int {
		if i, has := best[c]; has {
			return add(i, names)
		}
		return -1
	}
	if t.x, err = t.coordinates(header, coordinates, best, add); err != nil {
		return nil, err
	}
	t.clock, t.time, t.particle, t.kind = find(frameOf, false), find(timeOf, false), find(particle, true), find(species, true)
	t.run = find(run, true)
	h := &t.head
	h.Timed = t.time >= 0
	switch {
	case t.clock >= 0 && strings.Contains(strings.ToLower(t.names[t.clock]), "step"):
		h.Clock = Steps
	case t.clock >= 0:
		h.Clock = Frames
	case t.time >= 0:
		h.Clock, t.clock = Times, t.time
	default:
		return nil, fmt.Errorf("no column tells the frames apart: the columns are %s; name one frame, step or time", data.List(header))
	}
	for i, name := range header {
		if name != "" && !slices.ContainsFunc(chosen, func(c data.Column) bool { return c.Index == i }) { // pandas gives its index no name
			h.Unused = append(h.Unused, name)
		}
	}
	return chosen, nil
}

// instead moves a column to another kind, unless there is a column of that kind.
func instead(best map[column]int, from, to column) {
	i, has := best[from]
	if _, taken := best[to]; has && !taken {
		best[to] = i
		delete(best, from)
	}
}

// errWide is about a table with several particles in a row.
var errWide = errors.New("the table has a column for each coordinate of each particle; write a row for each particle of each frame, with the columns frame, id, x, y")

// coordinates adds the columns of the coordinates. `wanted` are their names, or nil if they are
// recognised by their names.
func (t *table) coordinates(header, wanted []string, best map[column]int, add func(i int, names bool) int) (x []int, err error) {
	for _, name := range wanted {
		i := matching(header, name)
		if i < 0 {
			return nil, noColumn(name, header)
		}
		x, t.head.Axes = append(x, add(i, false)), append(t.head.Axes, header[i])
	}
	for d, c := range []column{axisX, axisY, axisZ} {
		if i, has := best[c]; has && wanted == nil {
			x, t.head.Axes = append(x, add(i, false)), append(t.head.Axes, axes[d])
		}
	}
	if len(x) > 0 {
		return x, nil
	}
	if wide(header) {
		return nil, errWide
	}
	return nil, fmt.Errorf("no column is a coordinate: the columns are %s; name the coordinates x, y and z, or name their columns with -columns", data.List(header))
}

// wide reports whether columns have names such as x0, y0, x1, y1.
func wide(header []string) bool {
	numbered := 0
	for _, name := range header {
		if w := strings.ToLower(name); len(w) > 1 && strings.ContainsRune("xyz", rune(w[0])) {
			if _, err := strconv.Atoi(strings.Trim(w[1:], "_")); err == nil {
				numbered++
			}
		}
	}
	return numbered > 3
}

func (t *table) row(k int) []float64 { return t.rows.Values[k*t.rows.Columns : (k+1)*t.rows.Columns] }

// sort sorts the rows by run and then by frame.
func (t *table) sort(pause work.Pause) (err error) {
	t.order = make([]int, t.rows.Rows())
	for k := range t.order {
		t.order[k] = k
	}
	compared := 0
	by := func(of func(row int) float64) {
		slices.SortStableFunc(t.order, func(a, b int) int {
			if compared++; compared%4096 == 0 && err == nil {
				err = pause.At(1)
			}
			return cmp.Compare(of(a), of(b))
		})
	}
	if by(func(row int) float64 { return t.row(row)[t.clock] }); t.run >= 0 {
		first := make([]float64, len(t.rows.Names)) // the first row of the run with each name; the names of species are among them
		for k := len(t.order) - 1; k >= 0; k-- {
			first[int(t.row(k)[t.run])] = float64(k)
		}
		by(func(row int) float64 { return first[int(t.row(row)[t.run])] })
	}
	return err
}

// group returns how many rows have the same value of a column, from the given place in the order on.
func (t *table) group(at, column int) int {
	n := 1
	for at+n < len(t.order) && t.of(at+n, column) == t.of(at, column) {
		n++
	}
	return n
}

// of returns the value of a column in the row at the given place in the order.
func (t *table) of(at, column int) float64 { return t.row(t.order[at])[column] }

// Next implements Reader.
func (t *table) Next() (*Frame, error) {
	if t.err == nil {
		t.err = t.next()
	}
	return &t.frame, t.err
}

func (t *table) next() error {
	if t.at == len(t.order) {
		return io.EOF
	}
	n := t.group(t.at, t.clock)
	if n > MaxParticles {
		return fmt.Errorf("a frame has %d particles, and the limit is %d; keep fewer", n, MaxParticles)
	}
	f, first := &t.frame, t.at
	f.Step = int64(t.read)
	if t.clock != t.time {
		v := t.of(first, t.clock)
		if f.Step = int64(v); float64(f.Step) != v {
			return fmt.Errorf("%s %g is not a whole number; number the frames, or name the column time", t.names[t.clock], v)
		}
	}
	f.Points, f.IDs, f.Species = f.Points[:0], f.IDs[:0], f.Species[:0]
	for i := range n {
		if t.time >= 0 {
			if f.Time = t.of(first, t.time); t.of(first+i, t.time) != f.Time {
				return fmt.Errorf("%s has both the times %g and %g; give all particles of a frame one time", t.place(), f.Time, t.of(first+i, t.time))
			}
		}
		for _, c := range t.x {
			f.Points = append(f.Points, t.of(first+i, c))
		}
		if t.particle >= 0 {
			f.IDs = append(f.IDs, t.id(first+i))
		}
		if t.kind >= 0 {
			f.Species = append(f.Species, t.rows.Names[int(t.of(first+i, t.kind))])
		}
	}
	t.at += n
	t.read++
	return nil
}

// place names the current frame.
func (t *table) place() string {
	return fmt.Sprintf("%s %g", t.names[t.clock], t.of(t.at, t.clock))
}
