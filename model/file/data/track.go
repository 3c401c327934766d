package data

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Track is a trajectory given as columns.
type Track struct {
	Frames, Particles, Dim int

	Positions []float32 // (Frames, Particles, Dim)
	Types     []int64   // (Particles); nil if there is no such column
	Timed     bool      // whether a column contains the frame of each row
}

// MaxTrackValues is the largest number of values in a table of a Track.
const MaxTrackValues = 1 << 22

// Column names, in lower case.
var (
	frameNames    = []string{"frame", "step", "timestep", "time", "t"}
	particleNames = []string{"particle", "id", "atom"}
	typeNames     = []string{"type", "species"}
	axisNames     = []string{"x", "y", "z"}
)

// ReadTrack reads a text in columns (see ReadCSV). A row is one particle in one frame. Three
// columns have special names: frame (or step or time), particle (or id) and type. The coordinates
// are the columns x, y and z, in this order. If no column is named x, all other columns are
// coordinates. Without a frame column, the rows are the particles of one frame. Without a
// particle column, all frames must list the particles in the same order. Frames are sorted by their
// numbers. ReadTrack calls pause, which may be nil, every few thousand numbers.
func ReadTrack(text []byte, pause Pause) (*Track, error) {
	if len(text) > MaxFileBytes {
		return nil, tooManyBytes(MaxFileBytes)
	}
	t, err := ReadCSV(string(text), MaxTrackValues, pause)
	if err != nil {
		return nil, err
	}
	r := trackReader{table: t, pause: pause, frame: -1, particle: -1, kind: -1}
	if err := r.columns(); err != nil {
		return nil, err
	}
	return r.read()
}

// trackReader holds a table and the index of each quantity's column. The index is -1 if there is no
// such column.
type trackReader struct {
	table                 *Table
	pause                 Pause
	frame, particle, kind int
	x                     []int
}

// columns finds the column of each quantity.
func (r *trackReader) columns() error {
	names := make([]string, r.table.Columns)
	for c := range r.table.Header {
		names[c] = strings.ToLower(r.table.Header[c])
	}
	for c, name := range names {
		if name != "" && slices.Contains(names[:c], name) {
			return fmt.Errorf("two columns have the name %s; keep one, or give them different names", quote(r.table.Header[c]))
		}
		at := &r.frame
		switch {
		case slices.Contains(frameNames, name):
		case slices.Contains(particleNames, name):
			at = &r.particle
		case slices.Contains(typeNames, name):
			at = &r.kind
		case name == "" && c == 0 && r.table.Header != nil: // the unnamed index that pandas writes
			continue
		default:
			r.x = append(r.x, c)
			continue
		}
		if *at >= 0 {
			return fmt.Errorf("the columns %s and %s say the same; keep one", quote(r.table.Header[*at]), quote(r.table.Header[c]))
		}
		*at = c
	}
	if slices.Contains(names, axisNames[0]) {
		for _, c := range r.x {
			if !slices.Contains(axisNames, names[c]) {
				return fmt.Errorf("the column %s is none of frame, particle, type, x, y and z; leave it out", quote(r.table.Header[c]))
			}
		}
		slices.SortFunc(r.x, func(a, b int) int { return strings.Compare(names[a], names[b]) })
	}
	if len(r.x) == 0 {
		return errors.New("the file has no column of coordinates; name them x and y")
	}
	return nil
}

func (r *trackReader) row(k int) []float64 {
	return r.table.Values[k*r.table.Columns : (k+1)*r.table.Columns]
}

// read makes a Track of the rows, sorted by frame and particle.
func (r *trackReader) read() (*Track, error) {
	rows := make([]int, r.table.Rows())
	for k := range rows {
		rows[k] = k
	}
	since := 0
	tick := func() {
		if since++; since%pauseEvery == 0 {
			r.pause.at(1)
		}
	}
	by := func(column int) func(a, b int) int {
		return func(a, b int) int {
			tick()
			switch x, y := r.row(a)[column], r.row(b)[column]; {
			case x < y:
				return -1
			case x > y:
				return 1
			}
			return 0
		}
	}
	if r.particle >= 0 {
		slices.SortStableFunc(rows, by(r.particle))
	}
	t := &Track{Frames: 1, Particles: len(rows), Dim: len(r.x)}
	if r.frame >= 0 {
		slices.SortStableFunc(rows, by(r.frame))
		t.Timed, t.Particles = true, 1
		for t.Particles < len(rows) && by(r.frame)(rows[0], rows[t.Particles]) == 0 {
			t.Particles++
		}
		t.Frames = len(rows) / t.Particles
	}
	if r.kind >= 0 {
		t.Types = make([]int64, t.Particles)
	}
	if t.Frames*t.Particles != len(rows) {
		return nil, fmt.Errorf("the file has %d rows, which are no frames of %d particles as the first; give every frame all particles", len(rows), t.Particles)
	}
	t.Positions = make([]float32, 0, len(rows)*t.Dim)
	for at, k := range rows {
		tick()
		if err := r.check(t, rows, at); err != nil {
			return nil, err
		}
		for _, c := range r.x {
			v := r.row(k)[c]
			if math.Abs(v) > math.MaxFloat32 {
				return nil, fmt.Errorf("%g is not a finite number in single precision; leave it out", v)
			}
			t.Positions = append(t.Positions, float32(v))
		}
	}
	return t, nil
}

// check returns an error if one row of the file has a wrong frame, particle or type. The index of
// this row is rows[at]. The slice `rows` contains the indices of all rows, sorted by frame and then
// by particle. For the first frame, check stores the types in t.
func (r *trackReader) check(t *Track, rows []int, at int) error {
	row, i := r.row(rows[at]), at%t.Particles
	name := func(c int) string { return r.table.Header[c] }
	if r.frame >= 0 {
		if v := r.row(rows[at-i])[r.frame]; row[r.frame] != v || i == 0 && at > 0 && r.row(rows[at-1])[r.frame] == v {
			return fmt.Errorf("%s %g has another number of particles than the %d of the first; give every frame all particles", name(r.frame), row[r.frame], t.Particles)
		}
	}
	if r.frame >= 0 && i == 0 && at >= 2*t.Particles {
		of := func(at int) float64 { return r.row(rows[at])[r.frame] }
		apart, first := of(at)-of(at-t.Particles), of(t.Particles)-of(0)
		if math.Abs(apart-first) > 0.4*first { // times in a file are rounded: 0.03, 0.07, 0.1
			return fmt.Errorf("%s %g comes %.4g after %g, and the first two are %.4g apart; keep frames at equal distances", name(r.frame), of(at), apart, of(at-t.Particles), first)
		}
	}
	if r.particle >= 0 {
		switch v := row[r.particle]; {
		case i > 0 && r.row(rows[at-1])[r.particle] == v:
			return fmt.Errorf("%s %g comes twice in one frame; keep it once", name(r.particle), v)
		case r.row(rows[i])[r.particle] != v:
			return fmt.Errorf("%s %g is not in every frame; keep the same particles", name(r.particle), v)
		}
	}
	if r.kind >= 0 {
		v := row[r.kind]
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			return fmt.Errorf("the type %g is not a whole number", v)
		}
		if at < t.Particles {
			t.Types[i] = int64(v)
		} else if t.Types[i] != int64(v) {
			return fmt.Errorf("a particle of type %d becomes type %g later; keep the types", t.Types[i], v)
		}
	}
	return nil
}
