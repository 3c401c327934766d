package system

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/setting"
)

// Contents describes a system's files of trajectories: how to read, check and complete them.
type Contents struct {
	// Own is a sentence that names the predicted variables. It is set if the user cannot choose
	// an observable.
	Own      string
	Particle string   // a particle's name in errors: "bead"
	Axes     []string // names of the coordinates; nil: x, y, z
	Walls    bool     // whether particles are in a box with its lower corner at the origin
	// Check returns an error if the system cannot use trajectories of this shape, which is within the limits of
	// all systems. If Check is nil, the system can use every such shape.
	Check func(Shape) error
	// Species returns an error if the system cannot use the species (N) of a trajectory. If
	// Species is nil, all particles have one species.
	Species func([]uint8) error
	// Kinds name the species by the numbers or texts in the array types; nil: the numbers are 1, 2, ….
	Kinds []string
	// Array is the name of the array of macroscopic variables in a NumPy file. If the file has no such
	// array, or is a text file, the variables are computed. If the user can choose an observable, Array is "":
	// the array has the observable's name, and MacroArray can have the values of the system's own observable.
	Array string
	// Columns name the arrays that have the macroscopic variables, if they are in several: the name of an array
	// (E, T), or the name of an array (E, T, K) with a space and a number from 1 to K. "" is for a variable that the
	// Observer computes; it leaves the others unchanged.
	Columns []string
	// Parameters is set if a file must have the values of all parameters: none has a usual value.
	Parameters bool
	// Ragged is set if runs may differ in their numbers of frames and particles, and particles need not be there in
	// all frames. In a NumPy file, NaN fills what is not there.
	Ragged bool
	// Frames is the number of frames to which longer runs are cut; 0: none is cut.
	Frames int
	// Valid reports whether a macroscopic variable in a file can have this value. If Valid is
	// nil, any number is valid.
	Valid func(float64) bool
	// Observer makes an Observer of an observable, for particles with dim coordinates, of a system with
	// a force. The error says why macroscopic variables cannot be computed.
	Observer func(force, observable string, dim int) (Observer, error)
	// Read opens files for an observable, such as ReadRecordings.
	Read func(s *System, f File, observable string) (Recorded, error)
}

// reader reads files of a system's trajectories for an observable.
type reader struct {
	Contents
	of         *System
	observable string
	variables  int      // M: number of macroscopic variables
	names      []string // names of the species in the file, by their numbers from 1; nil: the numbers are the names
	empty      bool     // see Reading.Empty
	hint       string   // tells the user of another observable in the file, as a part of a sentence, or ""
}

// reader returns the reader of the system's files for an observable; "" means the system's own.
func (s *System) reader(observable string) (*reader, error) {
	switch {
	case s.Files == nil:
		return nil, fmt.Errorf("the system %s only plays its own simulation and reads no files", s.Name)
	case s.Observables != nil:
		observable = cmp.Or(observable, s.Macro[0])
	case observable != "":
		return nil, fmt.Errorf("there is no observable %s here; %s", setting.Quote(observable), s.Files.Own)
	}
	return &reader{Contents: *s.Files, of: s, observable: observable, variables: len(s.Variables(observable))}, nil
}

// reads reports whether macroscopic variables are in Columns of a file.
func (c *reader) reads() bool {
	return slices.ContainsFunc(c.Columns, func(name string) bool { return name != "" })
}

// observer makes an Observer for particles with dim coordinates.
func (c *reader) observer(dim int) (Observer, error) {
	return c.Observer(c.of.Force, c.observable, dim)
}

// Observer computes the macroscopic variables (M) of a frame (N, Dim) of a trajectory. It
// is not safe for concurrent use.
type Observer func(macro []float64, frame []float32, of *Trajectory) error

// oneSpecies returns the species of n particles that all have the same species.
func oneSpecies(n int) []uint8 { return slices.Repeat([]uint8{1}, n) }

// species converts a file's particle types (N) to species. `types` is nil if the file contains
// none.
func (c *reader) species(types []int64, particles int) ([]uint8, error) {
	switch {
	case c.Species == nil:
		return oneSpecies(particles), nil
	case types == nil:
		return nil, fmt.Errorf("the file says nothing of the particles' types, and the system needs species; add a column type of 1 and 2, or save an .npz with the arrays %s and %s", TrajectoriesArray, TypesArray)
	}
	species := make([]uint8, particles)
	for i, v := range types {
		name := ""
		if name = strconv.FormatInt(v, 10); c.names != nil && v >= 1 && v <= int64(len(c.names)) {
			name = c.names[v-1]
		}
		if c.Kinds != nil {
			v = 1 + int64(slices.Index(c.Kinds, name))
		}
		if v < 1 || v > math.MaxUint8 {
			return nil, fmt.Errorf("particle %d is of species %s; use %s", i, name, cmp.Or(strings.Join(c.Kinds, ", "), "1 and 2"))
		}
		species[i] = uint8(v)
	}
	return species, c.Species(species)
}

// checkShape returns an error if trajectories of a shape cannot be used.
func (c *reader) checkShape(s Shape) error {
	if c.Check == nil {
		return nil
	}
	return c.Check(s)
}

// Finish checks a trajectory of particles with dim coordinates, and computes missing
// macroscopic variables for an observable.
func (s *System) Finish(t *Trajectory, dim int, observable string) error {
	c, err := s.reader(observable)
	if err != nil {
		return err
	}
	if c.variables == 0 {
		return c.finish(t, 0, len(t.Points), dim, nil, -1)
	}
	if c.Species != nil {
		if err := c.Species(t.Species); err != nil {
			return err
		}
	} else if len(t.Species) == 0 && len(t.Macro) > 0 { // the number of macroscopic values gives the number of frames
		t.Species = oneSpecies(len(t.Points) * c.variables / (len(t.Macro) * dim))
	}
	n := len(t.Species)
	if err := c.checkShape(Shape{Trajectories: 1, Frames: 2, Particles: n, Dim: dim}); err != nil {
		return err
	}
	if err := s.Parameters.Check(t.Params); err != nil {
		return err
	}
	var observe Observer
	if len(t.Macro) == 0 {
		if slices.ContainsFunc(c.Columns, func(name string) bool { return name != "" }) {
			return fmt.Errorf("the trajectory lacks its observables, and not all of %s can be computed; give the file again", strings.Join(s.Macro, ", "))
		}
		if observe, err = c.observer(dim); err != nil {
			return err
		}
	}
	frames := len(t.Points) / max(1, n*dim)
	if n == 0 || frames*n*dim != len(t.Points) || observe == nil && len(t.Macro) != c.variables*frames {
		return fmt.Errorf("%d coordinates and %d macroscopic variables are no frames of %d %ss; read the file again", len(t.Points), len(t.Macro), n, c.Particle)
	}
	if observe != nil {
		t.Macro = make([]float64, c.variables*frames)
	}
	for k := range frames {
		if err := c.finish(t, k, n*dim, dim, observe, -1); err != nil {
			return err
		}
	}
	return nil
}

// finish checks frame k of a trajectory. A frame has `size` numbers. finish computes the frame's
// macroscopic variables unless `observe` is nil. Errors contain the trajectory's `index` unless the
// index is -1.
func (c *reader) finish(t *Trajectory, k, size, dim int, observe Observer, index int) error {
	frame := t.Points[k*size : (k+1)*size]
	if c.Ragged {
		there := &Trajectory{Macro: t.Macro}
		frame, there.Species = present(frame, t.Species, dim)
		if t = there; c.Species != nil && len(frame) < size && !c.empty {
			if err := c.Species(t.Species); err != nil {
				return fmt.Errorf("%s: %w", frameName(k, index), err)
			}
		}
	}
	for i, v := range frame {
		if v-v != 0 {
			return fmt.Errorf("%s of %s %d in %s is %v; leave that trajectory out", axis(c.Axes, i%dim), c.Particle, i/dim, frameName(k, index), v)
		}
	}
	if observe == nil {
		return nil
	}
	err := observe(t.Macro[k*c.variables:(k+1)*c.variables], frame, t)
	if err != nil && len(frame) == 0 {
		return fmt.Errorf("%s has no particle, and not all observables can be computed of it; give them in the file", frameName(k, index))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", frameName(k, index), err)
	}
	return nil
}

func frameName(k, index int) string {
	if index < 0 {
		return fmt.Sprintf("frame %d", k)
	}
	return fmt.Sprintf("frame %d of trajectory %d", k, index)
}
