package system

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"macroscope/model/file/data"
	"macroscope/model/file/frames"
	"macroscope/model/setting"
)

// Names of arrays that say how to read the trajectories. They are never observables.
const (
	BoxArray  = "box"  // sides of a box that repeats (D); 0: the coordinate does not repeat
	TimeArray = "time" // times (T) or (E, T)
	DtArray   = "dt"   // time between two frames, one number
)

// Reserved reports whether an array of this name is never an observable.
func Reserved(name string) bool {
	return slices.Contains([]string{TrajectoriesArray, TypesArray, MacroArray, BoxArray, TimeArray, DtArray}, name)
}

// Archive is an opened NumPy file of trajectories. Its shape, parameters and force have been
// read. Its other arrays are read later.
type Archive struct {
	file   File
	Shape  Shape
	Names  []string // names of the arrays; nil if the arrays have no names
	Others []string // names of all arrays except the parameters and the force
	Forces Forced   // the system, with the force that the file contains; nil if the system has no choice of forces

	params [][]float64 // (E, P); nil: all parameters have their defaults
	runs   []int       // indices of the trajectories that are read; nil: all
	facts  Facts
}

// ReadArchive reads the shape, the parameters and the force from a NumPy file. `forces` is the
// system if the user can choose its force, otherwise nil. If `forces` is nil, no force is read.
func ReadArchive(f File, offered Parameters, forces Forced) (a *Archive, err error) {
	a = &Archive{file: f, Forces: forces}
	if f.As.Columns != nil {
		return nil, errors.New("columns are chosen in text files, and a NumPy file has none; leave them out")
	}
	if a.Shape, err = ReadShape(f); err != nil {
		return nil, err
	}
	if a.Names, err = data.Names(f.Bytes, f.Size); err != nil {
		return nil, err
	}
	a.Others = a.Names
	if forces != nil {
		if a.Forces, a.Others, err = ReadForce(f.Bytes, f.Size, a.Names, forces); err != nil {
			return nil, err
		}
	}
	a.params, a.Others, err = offered.Read(f.Bytes, f.Size, a.Others, a.Shape.Trajectories)
	return a, err
}

// Open opens the trajectories in the archive. It reads all of them once.
func (a *Archive) Open(as Contents) (_ Recorded, err error) {
	r := &Recording{file: a.file, shape: a.Shape, of: as, archive: a}
	if err := as.checkShape(a.Shape); err != nil {
		return nil, err
	}
	if r.species, err = a.types(&as); err != nil {
		return nil, err
	}
	if r.macro, err = a.macro(&as); err != nil {
		return nil, err
	}
	if err := a.clock(); err != nil {
		return nil, err
	}
	if err := a.box(&as); err != nil {
		return nil, err
	}
	if err := a.census(); err != nil {
		return nil, err
	}
	a.unused(&as, r)
	r.facts = a.facts
	if a.runs != nil {
		r.shape.Trajectories = len(a.runs)
	}
	r.rows = data.NewAnyRow(a.file.Bytes, a.file.Size, TrajectoriesArray, r.facts.Offset)
	_, err = r.observer()
	return r, err
}

// has reports whether the archive has an array.
func (a *Archive) has(name string) bool { return slices.Contains(a.Names, name) }

// unused lists the arrays that are not used.
func (a *Archive) unused(c *Contents, r *Recording) {
	for _, name := range a.Others {
		switch {
		case name == TrajectoriesArray, name == BoxArray, name == TimeArray, name == DtArray, r.macro != nil && name == c.Array:
		case name == TypesArray && (c.Species != nil || a.oneType()):
		default:
			a.facts.Unused = append(a.facts.Unused, name)
		}
	}
	if c.Hint != "" {
		a.facts.Remarks = append(a.facts.Remarks, c.Hint)
	}
	if r.macro != nil {
		a.facts.Observed = fmt.Sprintf("%s from the array %s", cmp.Or(c.Observable, "observables"), c.Array)
	}
}

// oneType reports whether all particles have the same type.
func (a *Archive) oneType() bool {
	types, err := data.ReadArray(a.file.Bytes, a.file.Size, TypesArray, func([]int) error { return nil })
	if err != nil {
		return false
	}
	v := types.Float64s()
	return len(v) == 0 || slices.Min(v) == slices.Max(v)
}

// clock reads the times of the frames.
func (a *Archive) clock() error {
	switch {
	case a.file.As.Interval > 0:
		a.facts.Interval, a.facts.Clock = a.file.As.Interval, frames.Times
		return nil
	case a.has(DtArray):
		array, err := data.ReadArray(a.file.Bytes, a.file.Size, DtArray, func(shape []int) error {
			if len(shape) > 1 || len(shape) == 1 && shape[0] != 1 {
				return fmt.Errorf("it has the shape %v, and one number is needed: the time between two frames", shape)
			}
			return nil
		})
		if err != nil {
			return err
		}
		dt := array.Float64s()[0]
		if !(dt > 0) || math.IsInf(dt, 0) {
			return fmt.Errorf("the array %s is %v; the time between two frames must be above 0", DtArray, dt)
		}
		a.facts.Interval, a.facts.Clock = dt, frames.Times
	}
	if !a.has(TimeArray) {
		return nil
	}
	rows := 1
	array, err := data.ReadArray(a.file.Bytes, a.file.Size, TimeArray, func(shape []int) error {
		if slices.Equal(shape, []int{a.Shape.Trajectories, a.Shape.Frames}) {
			rows = a.Shape.Trajectories
		} else if !slices.Equal(shape, []int{a.Shape.Frames}) {
			return fmt.Errorf("it has the shape %v, and with these trajectories it needs %v or %v", shape, []int{a.Shape.Frames}, []int{a.Shape.Trajectories, a.Shape.Frames})
		}
		return nil
	})
	if err != nil {
		return err
	}
	times := array.Float64s()
	for e := range rows {
		interval, err := frames.Interval(times[e*a.Shape.Frames : (e+1)*a.Shape.Frames])
		switch {
		case err != nil:
			return OfTrajectory(e, err)
		case e == 0 && !a.has(DtArray):
			a.facts.Interval, a.facts.Clock = interval, frames.Times
		case e == 0 && math.Abs(interval-a.facts.Interval) > 0.01*a.facts.Interval:
			return fmt.Errorf("the array %s has a frame every %.4g, and %s is %.4g; leave one of them out", TimeArray, interval, DtArray, a.facts.Interval)
		case math.Abs(interval-a.facts.Interval) > 0.01*a.facts.Interval:
			return fmt.Errorf("trajectory %d has a frame every %.4g, and trajectory 0 every %.4g; save runs with one interval", e, interval, a.facts.Interval)
		}
	}
	return nil
}

// box reads the box that repeats.
func (a *Archive) box(c *Contents) error {
	if !a.has(BoxArray) {
		return nil
	}
	array, err := data.ReadArray(a.file.Bytes, a.file.Size, BoxArray, func(shape []int) error {
		if !slices.Equal(shape, []int{a.Shape.Dim}) {
			return fmt.Errorf("it has the shape %v, and with these trajectories it needs %v: the side of the box along each coordinate, 0 where it does not repeat", shape, []int{a.Shape.Dim})
		}
		return nil
	})
	if err != nil {
		return err
	}
	for d, side := range array.Float64s() {
		if side < 0 || side-side != 0 {
			return fmt.Errorf("side %d of the array %s is %v; use the length of a side, or 0", d, BoxArray, side)
		}
		if side > 0 {
			a.facts.Repeats = append(a.facts.Repeats, a.facts.axis(d))
		}
	}
	a.facts.Wrapped = a.facts.Repeats != nil
	if c.Walls && a.facts.Wrapped {
		return fmt.Errorf("the box repeats in %s, and the system has walls; simulate with walls, or leave the array %s out if there are some", frames.And(a.facts.Repeats), setting.Quote(BoxArray))
	}
	return nil
}

// census reads all trajectories once: it finds runs with absurd coordinates, and the offset.
func (a *Archive) census() error {
	rows, err := data.OpenRows(a.file.Bytes, a.file.Size, TrajectoriesArray)
	if err != nil {
		return err
	}
	defer rows.Close()
	s := a.Shape
	var names []string
	for d := range s.Dim {
		names = append(names, a.facts.axis(d))
	}
	c := frames.NewCensus(names)
	size := s.Particles * s.Dim
	var single []float32
	var double []float64
	if rows.Double() {
		double = make([]float64, s.Frames*size)
	} else {
		single = make([]float32, s.Frames*size)
	}
	how := a.file.As.Outliers
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
		for k := range s.Frames {
			if double != nil {
				frames.Add(c, double[k*size:(k+1)*size])
			} else {
				frames.Add(c, single[k*size:(k+1)*size])
			}
			if err := a.file.Pause.At((float64(e) + float64(k)/float64(s.Frames)) / float64(s.Trajectories)); err != nil {
				return err
			}
		}
		bad, finite := c.End(how == frames.LeaveOut)
		switch {
		case bad == "":
			a.runs = append(a.runs, e)
			continue
		case how == frames.LeaveOut:
			a.facts.Remarks = append(a.facts.Remarks, fmt.Sprintf("left out: trajectory %d (%s)", e, bad))
			continue
		case !finite || how == frames.Refuse:
			return fmt.Errorf("trajectory %d: %s; correct it, or leave that trajectory out%s", e, bad, a.file.As.leaveOut())
		}
		a.runs = append(a.runs, e)
		a.facts.Remarks = append(a.facts.Remarks, fmt.Sprintf("trajectory %d: %s", e, bad))
	}
	switch len(a.runs) {
	case 0:
		return errors.New("every trajectory has a coordinate absurdly far from all others; correct the file")
	case s.Trajectories:
		a.runs = nil
	}
	if a.facts.Offset = a.file.As.Offset; len(a.facts.Offset) != s.Dim {
		a.facts.Offset = c.Offset()
	}
	return c.Check(a.facts.Offset, rows.Bits())
}

// array reads an array and checks its shape. A last dimension of 1 may be missing.
func (a *Archive) array(name string, shape ...int) (*data.Array, error) {
	return data.ReadArray(a.file.Bytes, a.file.Size, name, func(is []int) error {
		last := len(shape) - 1
		if !slices.Equal(is, shape) && (shape[last] != 1 || !slices.Equal(is, shape[:last])) {
			return fmt.Errorf("it has the shape %v, and with these trajectories it needs %v", is, shape)
		}
		return nil
	})
}

// types returns the species of every trajectory (E, N), or nil if all particles have one
// species.
func (a *Archive) types(c *Contents) (species [][]uint8, err error) {
	n := a.Shape.Particles
	if c.Species == nil || a.Names == nil {
		_, err := c.species(nil, n)
		return nil, err
	}
	array, err := a.array(TypesArray, a.Shape.Trajectories, n)
	if err != nil {
		return nil, err
	}
	types := make([]int64, array.Len())
	for i, v := range array.Float64s() {
		if types[i] = int64(v); float64(types[i]) != v {
			return nil, fmt.Errorf("particle %d of trajectory %d is of the type %v; use whole numbers", i%n, i/n, v)
		}
	}
	for _, v := range slices.Compact(slices.Sorted(slices.Values(types))) {
		a.facts.Species = append(a.facts.Species, strconv.FormatInt(v, 10))
	}
	for e := range a.Shape.Trajectories {
		of, err := c.species(types[e*n:(e+1)*n], n)
		if err != nil {
			return nil, OfTrajectory(e, err)
		}
		species = append(species, of)
	}
	return species, nil
}

// macro returns the macroscopic variables (E, T, M) from the file's array, or nil if the file
// has no such array.
func (a *Archive) macro(c *Contents) ([]float64, error) {
	if c.Array == "" || !slices.Contains(a.Names, c.Array) {
		return nil, nil
	}
	frames := a.Shape.Frames
	array, err := a.array(c.Array, a.Shape.Trajectories, frames, c.Variables)
	if err != nil {
		return nil, err
	}
	values := array.Float64s()
	for i, v := range values {
		if k := i / c.Variables; v-v != 0 || c.Valid != nil && !c.Valid(v) {
			return nil, fmt.Errorf("the array %s holds %v for frame %d of trajectory %d; correct it, or leave the array out", setting.Quote(c.Array), v, k%frames, k/frames)
		}
	}
	return values, nil
}
