package lab

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"macroscope/model/data"
	"macroscope/sim/lj"
)

// MixingCodes is trajectories as stage II sees them: nothing but the variables
// [R_AB, R_BA, ẑ_A, ẑ_B, share] of every frame. A law can be trained on them in a
// tab, which need not simulate and encode them first.
type MixingCodes struct {
	Trajectories, Frames, Variables int

	Held      int       // of the trajectories, the last so many are for testing
	Z         []float32 // (Trajectories, Frames, Variables) in [-1, 1]
	Low, High []float64 // (Variables): the scales of the model that encoded them
}

// The arrays of a file of codes. Variables are whole numbers times their steps,
// which takes half of the room and rounds by 1e-5 of a range.
const (
	codesArray = "z"     // (E, T, V) int16
	stepsArray = "steps" // (V)
	lowArray   = "low"   // (V)
	highArray  = "high"  // (V)
	heldArray  = "held"  // ()
)

// codesFirst is the index of the first trajectory that is encoded for a tab.
const codesFirst = testFirst + 1<<32

// CodesSource returns count trajectories like those of training that neither
// training nor a test draws from.
func (c MixingConfig) CodesSource(seed uint64, count int) *SimulatedMixing {
	return &SimulatedMixing{System: lj.Default(), Boundaries: TrainingBoundaries(), Seed: seed, Count: count, first: codesFirst}
}

// Codes encodes the first count trajectories of a source, of which held are for
// testing. done is told how many have been.
func (m *MixingModel) Codes(ctx context.Context, src MixingSource, count, held, workers int, done func(int)) (*MixingCodes, error) {
	s := src.Shape()
	if count = min(count, s.Trajectories); held < 1 || held >= count {
		return nil, fmt.Errorf("%d of %d trajectories are held out; use 1 at least, and leave some to train on", held, count)
	}
	c := &MixingCodes{Trajectories: count, Frames: s.Frames, Variables: m.variables(), Held: held, Low: m.Scale.Low, High: m.Scale.High}
	row := c.Frames * c.Variables
	c.Z = make([]float32, count*row)
	seen := counter(done)
	err := src.Each(ctx, count, workers, func(e int, t *Mixed) error {
		z := c.Z[e*row : (e+1)*row]
		m.newEncoder(s.Particles).encode(z, t.Frames, t.Types, t.Ratios)
		for i := 2; i < m.closures(); i++ {
			for j := i; j < row; j += c.Variables {
				z[j] = float32(m.Scale.Macro(i, float64(z[j])))
			}
		}
		seen()
		return nil
	})
	return c, err
}

// Write writes the codes as a NumPy archive.
func (c *MixingCodes) Write(w io.Writer) error {
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
	for _, a := range []struct {
		name  string
		array *data.Array
	}{
		{codesArray, data.NewArray([]int{c.Trajectories, c.Frames, c.Variables}, whole)},
		{stepsArray, data.NewArray([]int{c.Variables}, steps)},
		{lowArray, data.NewArray([]int{c.Variables}, c.Low)},
		{highArray, data.NewArray([]int{c.Variables}, c.High)},
		{heldArray, data.NewArray([]int{}, []int64{int64(c.Held)})},
	} {
		if err := archive.Array(a.name, a.array); err != nil {
			return err
		}
	}
	return archive.Close()
}

// ReadMixingCodes reads what Write wrote.
func ReadMixingCodes(b []byte) (*MixingCodes, error) {
	arrays, err := data.ReadNPZ(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	for _, name := range []string{codesArray, stepsArray, lowArray, highArray, heldArray} {
		if arrays[name] == nil {
			return nil, fmt.Errorf("the file has no array %s; take one that macroscope encode wrote", name)
		}
	}
	z := arrays[codesArray]
	if len(z.Shape) != 3 || z.Shape[0] < 2 || z.Shape[1] < 2 || z.Shape[2] < 4 || z.Shape[2] > 3+2*MaxZDim {
		return nil, fmt.Errorf("the array z has the shape %v; it needs trajectories, frames and from 4 to %d variables", z.Shape, 3+2*MaxZDim)
	}
	c := &MixingCodes{Trajectories: z.Shape[0], Frames: z.Shape[1], Variables: z.Shape[2], Z: z.Float32s()}
	var vectors [3][]float64
	for i, name := range []string{stepsArray, lowArray, highArray} {
		vectors[i] = arrays[name].Float64s()
		if len(vectors[i]) != c.Variables {
			return nil, fmt.Errorf("the array %s has %d numbers, and the codes have %d variables", name, len(vectors[i]), c.Variables)
		}
	}
	c.Low, c.High = vectors[1], vectors[2]
	held := arrays[heldArray].Float64s()
	if len(held) != 1 || !(held[0] >= 1 && held[0] < float64(c.Trajectories)) || held[0] != math.Trunc(held[0]) {
		return nil, fmt.Errorf("the number of trajectories that are held out is %v; it must be from 1 to %d", held, c.Trajectories-1)
	}
	c.Held = int(held[0])
	for i, v := range c.Z {
		c.Z[i] = v * float32(vectors[0][i%c.Variables])
		if !(math.Abs(float64(c.Z[i])) <= maxCode) {
			return nil, fmt.Errorf("variable %d is %g in frame %d of trajectory %d, far out of the range from -1 to 1", i%c.Variables, c.Z[i], i/c.Variables%c.Frames, i/c.Variables/c.Frames)
		}
	}
	return c, nil
}

// maxCode is how far from the range of a model's training a variable may be.
const maxCode = 100

// check says whether the codes are a model's.
func (c *MixingCodes) check(m *MixingModel) error {
	if c.Variables == m.variables() {
		for i := range c.Low {
			if c.Low[i] != m.Scale.Low[i] || c.High[i] != m.Scale.High[i] {
				return fmt.Errorf("the encoded trajectories are another encoder's, which scales variable %d from %g to %g and not from %g to %g",
					i, c.Low[i], c.High[i], m.Scale.Low[i], m.Scale.High[i])
			}
		}
		return nil
	}
	return fmt.Errorf("the encoded trajectories have %d variables and the model %d", c.Variables, m.variables())
}

// training returns the codes of the trajectories that are not held out.
func (c *MixingCodes) training() *lawData {
	n := c.Trajectories - c.Held
	return &lawData{trajectories: n, frames: c.Frames, dim: c.Variables, z: c.Z[:n*c.Frames*c.Variables]}
}

// held returns the codes of trajectory e of those that are held out (T, V).
func (c *MixingCodes) held(e int) []float32 {
	row := c.Frames * c.Variables
	at := (c.Trajectories - c.Held + e) * row
	return c.Z[at : at+row]
}
