package system

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
	"macroscope/model/setting"
)

// Names of arrays that say how to read the trajectories. They are never observables.
const (
	boxArray  = "box"  // sides of a box that repeats (D); 0: the coordinate does not repeat
	timeArray = "time" // times (T) or (E, T)
	dtArray   = "dt"   // time between two frames, one number
)

// LinesArray is the name of an array of bytes: lines that describe a system of the user's own.
const LinesArray = "system"

// Reserved reports whether an array of this name is never an observable.
func Reserved(name string) bool {
	return slices.Contains([]string{TrajectoriesArray, TypesArray, MacroArray, boxArray, timeArray, dtArray}, name)
}

// OwnArray, as an observable, means an array of the user: the first array of the file that is not a
// parameter, not the force and not one of the arrays above.
const OwnArray = "array"

// archive is an opened NumPy file of trajectories.
type archive struct {
	file   File
	shape  Shape
	single bool     // whether the trajectories are an array (T, N, D) of one run
	names  []string // names of the arrays; nil if the arrays have no names

	others []string    // names of all arrays except the parameters and the force
	params [][]float64 // (E, P); nil: all parameters have their defaults
	runs   []int       // indices of the trajectories that are read
	facts  Facts

	lengths   []int     // (E) frames of each trajectory
	particles [][]int   // (E) particles of each trajectory; nil: all
	sides     []float64 // see ReadBox
	most      int       // particles of the largest frame
	empty     int       // number of frames without particles
}

// openArchive opens a NumPy file. It reads all trajectories once. If the file contains a force, the system gets
// this force.
func openArchive(f File, c *reader) (_ *recording, err error) {
	c.empty = f.As.Empty
	a := &archive{file: f, facts: Facts{described: c.Axes}}
	if f.As.Columns != nil {
		return nil, errors.New("columns are chosen in text files, and a NumPy file has none; leave them out")
	}
	if a.shape, a.single, err = readShape(f, c.Ragged); err != nil {
		return nil, err
	}
	if a.names, err = data.Names(f.Bytes, f.Size); err != nil {
		return nil, err
	}
	if c.of, a.others, err = c.of.withForce(f, a.names); err != nil {
		return nil, err
	}
	if a.params, a.others, err = c.of.Parameters.read(f.Bytes, f.Size, a.others, a.shape.Trajectories); err != nil {
		return nil, err
	}
	for _, p := range c.of.Parameters {
		if c.Parameters && !slices.Contains(a.names, p.Name) {
			return nil, fmt.Errorf("the file has no array %s of a number for each run, which the dynamics take as an input; add it", setting.Quote(p.Name))
		}
	}
	if c.of.Observables != nil {
		if err := a.choose(c); err != nil {
			return nil, err
		}
	}
	r := &recording{file: f, shape: a.shape, of: c, archive: a}
	if err := c.checkShape(a.shape); err != nil {
		return nil, err
	}
	if err := a.census(c.Ragged); err != nil {
		return nil, err
	}
	if r.species, err = a.types(c); err != nil {
		return nil, err
	}
	if r.macro, err = a.macro(c); err != nil {
		return nil, err
	}
	if err := a.clock(); err != nil {
		return nil, err
	}
	if err := a.box(c); err != nil {
		return nil, err
	}
	a.unused(c, r)
	if f.Beside != nil {
		a.facts.Remarks = append(a.facts.Remarks, path.Base(f.BesideName)+" is not read, because the observables of a NumPy file are its arrays")
	}
	r.facts, r.shape.Particles = a.facts, a.most
	for _, e := range a.runs {
		r.lengths = append(r.lengths, a.lengths[e])
	}
	if r.shape.Trajectories = len(a.runs); r.shape.Trajectories < a.shape.Trajectories {
		r.runs = a.runs
	}
	r.rows = data.NewAnyRow(a.file.Bytes, a.file.Size, TrajectoriesArray, r.facts.Offset)
	if a.single {
		r.rows.Whole()
	}
	_, err = r.observer()
	return r, err
}

// choose finds the array of an observable from which the user can choose.
func (a *archive) choose(c *reader) error {
	own := "" // name of the array that OwnArray stands for
	if i := slices.IndexFunc(a.others, func(name string) bool { return !Reserved(name) }); i >= 0 {
		own = a.others[i]
	}
	if c.observable == OwnArray && !a.has(OwnArray) {
		if c.observable = own; own == "" {
			return errors.New("the file has no array beside trajectories, macro and types that could be the observable")
		}
	}
	if c.Array = c.observable; c.Array == c.of.Macro[0] && a.has(MacroArray) {
		c.Array = MacroArray
	}
	if own != "" && own != c.Array {
		c.hint = fmt.Sprintf("the array %s can be the observable too", setting.Quote(own))
	}
	return nil
}

// has reports whether the archive has an array.
func (a *archive) has(name string) bool { return slices.Contains(a.names, name) }

// unused lists the arrays that are not used.
func (a *archive) unused(c *reader, r *recording) {
	for _, name := range a.others {
		switch {
		case name == TrajectoriesArray, name == boxArray, name == timeArray, name == dtArray, r.macro != nil && (name == c.Array || c.column(name)):
		case name == TypesArray && (c.Species != nil || a.oneType()), name == LinesArray && c.of.Described != nil:
		default:
			a.facts.Unused = append(a.facts.Unused, name)
		}
	}
	if c.hint != "" {
		a.facts.Remarks = append(a.facts.Remarks, c.hint)
	}
	switch {
	case c.Columns != nil:
		a.facts.Observed = "observables " + frames.And(c.of.Macro)
	case r.macro != nil:
		a.facts.Observed = fmt.Sprintf("%s from the array %s", cmp.Or(c.observable, "observables"), c.Array)
	}
}

// oneType reports whether all particles have the same type.
func (a *archive) oneType() bool {
	any := func([]int) error { return nil }
	names, err := data.ReadNames(a.file.Bytes, a.file.Size, TypesArray, any)
	if err != nil || names != nil {
		return err == nil && len(slices.Compact(names)) < 2
	}
	types, err := data.ReadArray(a.file.Bytes, a.file.Size, TypesArray, any)
	if err != nil {
		return false
	}
	v := types.Float64s()
	return len(v) == 0 || slices.Min(v) == slices.Max(v)
}

// clock reads the times of the frames.
func (a *archive) clock() error {
	switch {
	case a.file.As.Interval > 0:
		a.facts.Interval, a.facts.Clock = a.file.As.Interval, frames.Times
		return nil
	case a.has(dtArray):
		array, err := a.array(dtArray, []int{1}) // the time between two frames
		if err != nil {
			return err
		}
		dt := array.Float64s()[0]
		if !(dt > 0) || math.IsInf(dt, 0) {
			return fmt.Errorf("the array %s is %v; the time between two frames must be above 0", dtArray, dt)
		}
		a.facts.Interval, a.facts.Clock = dt, frames.Times
	}
	if !a.has(timeArray) {
		return nil
	}
	array, err := a.array(timeArray, []int{a.shape.Frames}, []int{a.shape.Trajectories, a.shape.Frames})
	if err != nil {
		return err
	}
	times := array.Float64s()
	for e := range len(times) / a.shape.Frames {
		last := a.shape.Frames
		if len(times) > last || a.shape.Trajectories == 1 {
			last = a.lengths[e]
		}
		interval, err := frames.Interval(times[e*a.shape.Frames:][:last])
		switch {
		case err != nil:
			return OfTrajectory(e, err)
		case interval == 0: // of one frame
		case a.facts.Interval == 0:
			a.facts.Interval, a.facts.Clock = interval, frames.Times
		case e == 0 && math.Abs(interval-a.facts.Interval) > 0.01*a.facts.Interval:
			return fmt.Errorf("the array %s has a frame every %.4g, and %s is %.4g; leave one of them out", timeArray, interval, dtArray, a.facts.Interval)
		case math.Abs(interval-a.facts.Interval) > 0.01*a.facts.Interval:
			return fmt.Errorf("trajectory %d has a frame every %.4g, and trajectory 0 every %.4g; save runs with one interval", e, interval, a.facts.Interval)
		}
	}
	return nil
}

// box reads the box that repeats.
func (a *archive) box(c *reader) error {
	sides, err := ReadBox(a.file, a.names, a.shape.Dim)
	if err != nil {
		return err
	}
	a.sides = sides
	for d, side := range sides {
		if side > 0 {
			a.facts.Repeats = append(a.facts.Repeats, a.facts.Axis(d))
		}
	}
	a.facts.Wrapped = a.facts.Repeats != nil && c.of.Periods == nil
	if c.Walls && a.facts.Wrapped {
		return fmt.Errorf("the box repeats in %s, and the system has walls; simulate with walls, or leave the array %s out if there are some", frames.And(a.facts.Repeats), setting.Quote(boxArray))
	}
	return nil
}

// ReadBox returns the side of the box along each of dim coordinates, 0 where it does not repeat. The
// result is nil if the archive, which has arrays of the given names, does not say.
func ReadBox(f File, names []string, dim int) ([]float64, error) {
	if !slices.Contains(names, boxArray) {
		return nil, nil
	}
	array, err := f.array(boxArray, []int{dim})
	if err != nil {
		return nil, fmt.Errorf("%w: the side of the box along each coordinate, 0 where it does not repeat", err)
	}
	sides := array.Float64s()
	for d, side := range sides {
		if !(side >= 0 && side <= math.MaxFloat32) {
			return nil, fmt.Errorf("side %d of the array %s is %v; use the length of a side, or 0", d, boxArray, side)
		}
	}
	return sides, nil
}

// census reads all trajectories once: it finds what of them is there, runs with absurd coordinates, and the offset.
func (a *archive) census(ragged bool) error {
	rows, err := data.OpenRows(a.file.Bytes, a.file.Size, TrajectoriesArray)
	if err != nil {
		return err
	}
	defer rows.Close()
	s := a.shape
	var names []string
	for d := range s.Dim {
		names = append(names, a.facts.Axis(d))
	}
	c := frames.NewCensus(names)
	size := s.Particles * s.Dim
	var single []float32
	var double []float64
	if a.single {
		rows.Whole()
	}
	if rows.Double() {
		double = make([]float64, s.Frames*size)
	} else {
		single = make([]float32, s.Frames*size)
	}
	how, listed := a.file.As.Outliers, 0
	for e := 0; ; e++ {
		if double != nil {
			err = rows.Next64(double)
		} else {
			err = rows.Next(single)
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		x := extent{frames: s.Frames, fewest: s.Particles, most: s.Particles}
		switch {
		case !ragged:
		case double != nil:
			x, err = extentOf(double, s.Frames, s.Particles, s.Dim, a.file.As)
		default:
			x, err = extentOf(single, s.Frames, s.Particles, s.Dim, a.file.As)
		}
		if listed += len(x.particles); listed > data.MaxBytes/8 {
			return fmt.Errorf("the runs have different particles, over %d in all; divide the file", data.MaxBytes/8)
		}
		a.lengths, a.particles = append(a.lengths, x.frames), append(a.particles, x.particles)
		if err != nil && how == frames.LeaveOut {
			a.facts.Remarks = append(a.facts.Remarks, fmt.Sprintf("left out: trajectory %d (%v)", e, err))
			continue
		}
		if err != nil {
			return OfTrajectory(e, err)
		}
		for k := range x.frames {
			switch {
			case double != nil && ragged:
				frames.Add(c, compact(double[k*size:(k+1)*size], s.Dim))
			case double != nil:
				frames.Add(c, double[k*size:(k+1)*size])
			case ragged:
				frames.Add(c, compact(single[k*size:(k+1)*size], s.Dim))
			default:
				frames.Add(c, single[k*size:(k+1)*size])
			}
			if err := a.file.Pause.At((float64(e) + float64(k)/float64(s.Frames)) / float64(s.Trajectories)); err != nil {
				return err
			}
		}
		bad, finite := c.End(how == frames.LeaveOut)
		switch {
		case bad == "":
			a.add(e, &x)
			continue
		case how == frames.LeaveOut:
			a.facts.Remarks = append(a.facts.Remarks, fmt.Sprintf("left out: trajectory %d (%s)", e, bad))
			continue
		case !finite || how == frames.Refuse:
			return fmt.Errorf("trajectory %d: %s; correct it, or leave that trajectory out%s", e, bad, a.file.As.leaveOut())
		}
		a.add(e, &x)
		a.facts.Remarks = append(a.facts.Remarks, fmt.Sprintf("trajectory %d: %s", e, bad))
	}
	if len(a.runs) == 0 {
		return errors.New("every trajectory has a coordinate absurdly far from all others; correct the file")
	}
	if a.empty > 0 {
		a.facts.Remarks = append(a.facts.Remarks, frames.Empty(a.empty))
	}
	if a.facts.Offset = a.file.As.Offset; len(a.facts.Offset) != s.Dim {
		a.facts.Offset = c.Offset()
	}
	return c.Check(a.facts.Offset, rows.Bits())
}

// perRun returns a check that an array has this shape, see Shape.PerRun.
func (a *archive) perRun(shape ...int) func(is []int) error {
	return func(is []int) error {
		err := shaped(shape)(is)
		if err != nil && shaped(shape)(a.shape.PerRun(is)) == nil {
			err = nil
		}
		return err
	}
}

// add adds a trajectory that is read.
func (a *archive) add(e int, x *extent) {
	if a.runs == nil {
		a.facts.Fewest = x.fewest
	}
	a.runs = append(a.runs, e)
	a.facts.Fewest, a.most, a.empty = min(a.facts.Fewest, x.fewest), max(a.most, x.most), a.empty+x.empty
}

// array reads an array that has one of these shapes. A last dimension of 1 may be missing.
func (a *archive) array(name string, shapes ...[]int) (*data.Array, error) {
	return a.file.array(name, shapes...)
}

func (f File) array(name string, shapes ...[]int) (*data.Array, error) {
	return data.ReadArray(f.Bytes, f.Size, name, shaped(shapes...))
}

// shaped returns a check that an array has one of these shapes. A last dimension of 1 may be missing.
func shaped(shapes ...[]int) func(is []int) error {
	return func(is []int) error {
		var needs []string
		for _, shape := range shapes {
			if last := len(shape) - 1; slices.Equal(is, shape) || shape[last] == 1 && slices.Equal(is, shape[:last]) {
				return nil
			}
			needs = append(needs, fmt.Sprint(shape))
		}
		return fmt.Errorf("it has the shape %v, and with these trajectories it needs %s", is, strings.Join(needs, " or "))
	}
}

// types returns the species of every trajectory (E, N), or nil if all particles have one
// species.
func (a *archive) types(c *reader) (species [][]uint8, err error) {
	n := a.shape.Particles
	if c.Species == nil || a.names == nil {
		_, err := c.species(nil, n)
		return nil, err
	}
	types, err := a.typeNumbers(c)
	if err != nil {
		return nil, err
	}
	species = make([][]uint8, a.shape.Trajectories)
	for _, e := range a.runs {
		row := types[e*n : (e+1)*n]
		if particles := a.particles[e]; particles != nil {
			there := make([]int64, len(particles))
			for i, k := range particles {
				there[i] = row[k]
			}
			row = there
		}
		if species[e], err = c.species(row, len(row)); err != nil {
			return nil, OfTrajectory(e, err)
		}
	}
	return species, nil
}

// typeNumbers returns the types (E, N) in the file. Types that are texts get the numbers 1, 2, … in their alphabetic
// order, and c gets the texts. A particle that is not there can have the type NaN or "".
func (a *archive) typeNumbers(c *reader) ([]int64, error) {
	n := a.shape.Particles
	check := a.perRun(a.shape.Trajectories, n)
	names, err := data.ReadNames(a.file.Bytes, a.file.Size, TypesArray, check)
	if err != nil {
		return nil, err
	}
	if names != nil {
		c.names = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(names))), func(name string) bool { return name == "" })
		a.facts.Species = c.names
		types := make([]int64, len(names))
		for i, name := range names {
			if k, found := slices.BinarySearch(c.names, name); found {
				types[i] = int64(k + 1)
			}
		}
		return types, nil
	}
	array, err := data.ReadArray(a.file.Bytes, a.file.Size, TypesArray, check)
	if err != nil {
		return nil, err
	}
	values, types := array.Float64s(), make([]int64, array.Len())
	var known []int64
	for _, e := range a.runs {
		there := a.particles[e]
		for i, v := range values[e*n : (e+1)*n] {
			if v != v && there != nil && !slices.Contains(there, i) {
				continue
			}
			whole := int64(v)
			if float64(whole) != v {
				return nil, fmt.Errorf("particle %d of trajectory %d is of the type %v; use whole numbers", i, e, v)
			}
			types[e*n+i], known = whole, append(known, whole)
		}
	}
	for _, v := range slices.Compact(slices.Sorted(slices.Values(known))) {
		a.facts.Species = append(a.facts.Species, strconv.FormatInt(v, 10))
	}
	return types, nil
}

// macro returns the macroscopic variables (E, T, M) from the file's array, or nil if the file
// has no such array.
func (a *archive) macro(c *reader) ([][]float64, error) {
	if c.reads() {
		return a.columns(c)
	}
	if c.Array == "" || !a.has(c.Array) {
		return nil, nil
	}
	frames := a.shape.Frames
	array, err := a.array(c.Array, []int{a.shape.Trajectories, frames, c.variables})
	if err != nil {
		return nil, err
	}
	values := array.Float64s()
	for i, v := range values {
		if k := i / c.variables; v-v != 0 || c.Valid != nil && !c.Valid(v) {
			return nil, fmt.Errorf("the array %s holds %v for frame %d of trajectory %d; correct it, or leave the array out", setting.Quote(c.Array), v, k%frames, k/frames)
		}
	}
	var runs [][]float64
	for run := range slices.Chunk(values, frames*c.variables) {
		runs = append(runs, run)
	}
	return runs, nil
}

// arrayOf returns the array of one of Contents.Columns, and the index of its column: "macro 2" is column 1 of macro.
func arrayOf(column string) (array string, index int) {
	if i := strings.LastIndexByte(column, ' '); i > 0 {
		if k, err := strconv.Atoi(column[i+1:]); err == nil && k > 0 {
			return column[:i], k - 1
		}
	}
	return column, 0
}

// column reports whether an array has one of the Columns.
func (c *reader) column(array string) bool {
	return slices.ContainsFunc(c.Columns, func(column string) bool {
		of, _ := arrayOf(column)
		return array == of || array == column
	})
}

// columns returns the macroscopic variables (E) of (T, M) from several arrays (E, T) or (E, T, columns).
func (a *archive) columns(c *reader) ([][]float64, error) {
	runs, frames, m := a.shape.Trajectories, a.shape.Frames, c.variables
	if runs > data.MaxBytes/(8*frames*m) {
		return nil, fmt.Errorf("%d observables of %d frames of %d runs are over the limit of %d MiB; divide the file", m, frames, runs, data.MaxBytes>>20)
	}
	all := make([][]float64, runs)
	for e := range all {
		all[e] = make([]float64, frames*m)
	}
	for i, column := range c.Columns {
		if column == "" {
			continue
		}
		name, k := column, 0
		if !a.has(name) {
			name, k = arrayOf(column)
		}
		array, err := data.ReadArray(a.file.Bytes, a.file.Size, name, func(is []int) error {
			of := a.shape.PerRun(is)
			if n := len(of); n < 2 || n > 3 || of[0] != runs || of[1] != frames || n == 3 && k >= of[2] || n == 2 && k > 0 {
				return fmt.Errorf("it has the shape %v, and the observable %s needs a number for each of %d frames of %d runs", is, setting.Quote(column), frames, runs)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		values := array.Float64s()
		each := len(values) / (runs * frames)
		for _, e := range a.runs {
			for t := range a.lengths[e] {
				v := values[(e*frames+t)*each+k]
				if v-v != 0 {
					return nil, fmt.Errorf("the observable %s is %v in frame %d of run %d; correct it", setting.Quote(column), v, t, e)
				}
				all[e][t*m+i] = v
			}
		}
	}
	return all, nil
}
