package model

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"

	"macroscope/model/file/data"
	"macroscope/model/system"
	"macroscope/model/work"
)

// Codes holds trajectories in the form that stage II needs: only z of every frame. With
// them a tab can train the dynamics without simulating and encoding first.
type Codes struct {
	Trajectories, Frames, Variables int
	Lengths                         []int // frames of each trajectory (Trajectories), if some have fewer than Frames; nil: all have Frames

	Validation int       // number of trajectories for validation; they come last
	Z          []float32 // (Trajectories, Frames, Variables) in [-1, 1]
	Low, High  []float64 // (Variables): scales of the model that encoded the trajectories
}

// Names of the arrays in a file of codes. The array z stores each value as an integer, in units of
// the variable's step. This takes half the space of float32. The rounding error is about 1e-5 of
// the range.
const (
	codesArray      = "z"     // (E, T, V) int16
	stepsArray      = "steps" // each variable's step (V)
	lowArray        = "low"   // lower ends of the variables' ranges (V)
	highArray       = "high"  // upper ends (V)
	validationArray = "held"  // number of trajectories for validation
	lengthsArray    = "ends"  // frames of each trajectory (E); missing: all have T
)

// Codes encodes the first `count` trajectories of a source. The last `validation` of these are
// reserved for validation.
func (m *Model) Codes(pause work.Pause, src system.Source, count, validation, workers int) (*Codes, error) {
	s := src.Shape()
	if count = min(count, s.Trajectories); validation < 1 || validation >= count {
		return nil, fmt.Errorf("%d of %d trajectories are for validation; use 1 at least, and leave some to train on", validation, count)
	}
	c := &Codes{Trajectories: count, Frames: s.Frames, Variables: m.Config.States(), Validation: validation}
	c.Low, c.High = slices.Clone(m.Scale.Low), slices.Clone(m.Scale.High)
	row := c.Frames * c.Variables
	c.Z = make([]float32, count*row)
	lengths := make([]int, count)
	err := system.Each(pause, src, count, workers, func(e int, t *system.Trajectory) error {
		lengths[e] = t.Frames(m.Config.Variables)
		z := c.Z[e*row:][:lengths[e]*c.Variables]
		if err := m.NewCoder().Trajectory(z, t, e); err != nil {
			return err
		}
		for _, i := range m.ranged {
			for j := i; j < len(z); j += c.Variables {
				z[j] = float32(m.Scale.State(i, float64(z[j])))
			}
		}
		return nil
	})
	if slices.Min(lengths) < c.Frames {
		c.Lengths = lengths
	}
	return c, err
}

// Write writes the codes as a NumPy archive.
func (c *Codes) Write(w io.Writer) error {
	steps := make([]float64, c.Variables)
	for i, v := range c.Z {
		steps[i%c.Variables] = max(steps[i%c.Variables], math.Abs(float64(v))/math.MaxInt16)
	}
	whole := make([]int16, len(c.Z))
	for i, v := range c.Z {
		if step := steps[i%c.Variables]; step > 0 {
			whole[i] = int16(math.Round(float64(v) / step))
		}
	}
	archive := data.NewArchive(w)
	if c.Lengths != nil {
		of := make([]int64, c.Trajectories)
		for e, n := range c.Lengths {
			of[e] = int64(n)
		}
		if err := archive.Array(lengthsArray, data.NewArray([]int{c.Trajectories}, of)); err != nil {
			return err
		}
	}
	for _, a := range []struct {
		name  string
		array *data.Array
	}{
		{codesArray, data.NewArray([]int{c.Trajectories, c.Frames, c.Variables}, whole)},
		{stepsArray, data.NewArray([]int{c.Variables}, steps)},
		{lowArray, data.NewArray([]int{c.Variables}, c.Low)},
		{highArray, data.NewArray([]int{c.Variables}, c.High)},
		{validationArray, data.NewArray([]int{}, []int64{int64(c.Validation)})},
	} {
		if err := archive.Array(a.name, a.array); err != nil {
			return err
		}
	}
	return archive.Close()
}

// maxVariables is the largest number of variables in a file of codes.
const maxVariables = 64

// ReadCodes is the inverse of Write.
func ReadCodes(b []byte) (*Codes, error) {
	arrays, err := data.ReadNPZ(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{codesArray, stepsArray, lowArray, highArray, validationArray} {
		if arrays[name] == nil {
			return nil, fmt.Errorf("the file has no array %s; take one that macroscope encode wrote", name)
		}
	}
	z := arrays[codesArray]
	if len(z.Shape) != 3 || z.Shape[0] < 2 || z.Shape[1] < 2 || z.Shape[2] < 2 || z.Shape[2] > maxVariables {
		return nil, fmt.Errorf("the array z has the shape %v; it needs trajectories, frames and from 2 to %d variables", z.Shape, maxVariables)
	}
	c := &Codes{Trajectories: z.Shape[0], Frames: z.Shape[1], Variables: z.Shape[2], Z: z.Float32s()}
	var vectors [3][]float64
	for i, name := range []string{stepsArray, lowArray, highArray} {
		vectors[i] = arrays[name].Float64s()
		if len(vectors[i]) != c.Variables {
			return nil, fmt.Errorf("the array %s has %d numbers, and the codes have %d variables", name, len(vectors[i]), c.Variables)
		}
	}
	c.Low, c.High = vectors[1], vectors[2]
	validation := arrays[validationArray].Float64s()
	if len(validation) != 1 || !(validation[0] >= 1 && validation[0] < float64(c.Trajectories)) || validation[0] != math.Trunc(validation[0]) {
		return nil, fmt.Errorf("the number of trajectories for validation is %v; it must be from 1 to %d", validation, c.Trajectories-1)
	}
	c.Validation = int(validation[0])
	if of := arrays[lengthsArray]; of != nil {
		for e, n := range of.Float64s() {
			if !(n >= 1 && n <= float64(c.Frames)) || n != math.Trunc(n) {
				return nil, fmt.Errorf("trajectory %d has %g frames; it must be from 1 to %d", e, n, c.Frames)
			}
			c.Lengths = append(c.Lengths, int(n))
		}
		if len(c.Lengths) != c.Trajectories {
			return nil, fmt.Errorf("the array %s has %d numbers, and there are %d trajectories", lengthsArray, len(c.Lengths), c.Trajectories)
		}
	}
	for i, v := range c.Z {
		c.Z[i] = v * float32(vectors[0][i%c.Variables])
		if !(math.Abs(float64(c.Z[i])) <= maxCode) {
			return nil, fmt.Errorf("variable %d is %g in frame %d of trajectory %d, far out of the range from -1 to 1", i%c.Variables, c.Z[i], i/c.Variables%c.Frames, i/c.Variables/c.Frames)
		}
	}
	return c, nil
}

// maxCode is the largest absolute value of a scaled variable in a file of codes. The scaled
// variables of the training data lie in [-1, 1].
const maxCode = 100

// Check returns an error unless the codes were made with the model's scales.
func (c *Codes) Check(m *Model) error {
	if v := m.Config.States(); c.Variables != v {
		return fmt.Errorf("the encoded trajectories have %d variables and the model %d", c.Variables, v)
	}
	for i := range c.Low {
		if c.Low[i] != m.Scale.Low[i] || c.High[i] != m.Scale.High[i] {
			return fmt.Errorf("the encoded trajectories are another encoder's, which scales variable %d from %g to %g and not from %g to %g",
				i, c.Low[i], c.High[i], m.Scale.Low[i], m.Scale.High[i])
		}
	}
	return nil
}

// Truth writes the macroscopic variables of trajectory e (T, M) to dst, in the units of a
// measure.Prediction. T is the trajectory's own.
func (c *Codes) Truth(dst []float32, m *Model, e int) {
	z, n := c.Of(e), m.Config.Variables
	for i := range c.Length(e) * n {
		v := z[i/n*c.Variables+i%n]
		if m.Config.Traits.Stochastic {
			v = float32(m.Scale.Value(i%n, float64(v)))
		}
		dst[i] = v
	}
}

// Length returns the number of frames of trajectory e.
func (c *Codes) Length(e int) int {
	if c.Lengths == nil {
		return c.Frames
	}
	return c.Lengths[e]
}

// Of returns z of trajectory e (T, V), for its own T.
func (c *Codes) Of(e int) []float32 {
	return c.Z[e*c.Frames*c.Variables:][:c.Length(e)*c.Variables]
}
