package export

import (
	"bytes"
	"strconv"

	"macroscope/model/file/data"
	"macroscope/model/wire"
)

// Set is the picture of a single set of particles on a line, in the user's coordinate.
type Set struct {
	frame *wire.Frame
	grid  []float32 // grid of the densities
}

// position is the name of a set's grid in files.
const position = "position"

// curve is a density of a set: its name in files, and its row in a frame.
type curve struct{ name, row string }

// densities lists a set's densities.
var densities = [...]curve{
	{"target", "q"}, {"learned", "p"}, {"learned_b", "pB"}, {"mixture", "mixture"},
}

// NewSet returns the set displayed by a frame.
func NewSet(f *wire.Frame) Set {
	s := Set{frame: f}
	if w, n := f.Numbers("window"), len(f.Numbers("q")); len(w) == 2 {
		for i := range n {
			s.grid = append(s.grid, w[0]+(w[1]-w[0])*float32(i)/float32(n-1))
		}
	}
	return s
}

// each calls do with every density that is displayed.
func (s Set) each(do func(name string, density []float32)) {
	for _, c := range densities {
		if d := s.frame.Numbers(c.row); len(d) > 0 && len(d) == len(s.grid) {
			do(c.name, d)
		}
	}
}

// CSV writes a row of all densities for every position of their grid.
func (s Set) CSV(out *bytes.Buffer) {
	out.WriteString(position)
	var columns [][]float32
	s.each(func(name string, density []float32) {
		out.WriteString("," + name)
		columns = append(columns, density)
	})
	number := func(v float32) { out.WriteString(strconv.FormatFloat(float64(v), 'g', -1, 32)) }
	for i, x := range s.grid {
		out.WriteByte('\n')
		number(x)
		for _, of := range columns {
			out.WriteByte(',')
			number(of[i])
		}
	}
	out.WriteByte('\n')
}

// NPZ writes the particles as "x", ẑ as "z", and the densities. The page can open this file: it
// reads "x".
func (s Set) NPZ(out *bytes.Buffer) error {
	archive := data.NewArchive(out)
	var err error
	put := func(name string, values []float32) {
		if err == nil && len(values) > 0 {
			err = archive.Array(name, data.NewArray([]int{len(values)}, values))
		}
	}
	put("x", s.frame.Numbers("x"))
	put("z", s.frame.Numbers("z"))
	put(position, s.grid)
	s.each(put)
	if err != nil {
		return err
	}
	return archive.Close()
}
