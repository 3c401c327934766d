package mixing

import (
	"fmt"
	"math"
	"strconv"

	"macroscope/model/setting"
	"macroscope/model/system/core"
	"macroscope/sim/lj"
)

// settings describes the physics of a run on the page.
type settings struct {
	boundary    place   // x of the boundary; atoms to its left become species 1
	halves      bool    // if set, the leftmost half of the atoms becomes species 1, whatever the boundary
	height      float64 // height of the box; the width is 32
	temperature float64
	e11         float64 // well depth of species A with itself
	e22         float64 // well depth of species B with itself
	e12         float64 // well depth between species A and B
	dt          float64 // time step of the molecular dynamics
	frames      int     // number of frames that follow frame 0
	seed        uint64
	set         int // index that distinguishes runs with the same seed
}

const (
	playedSteps = 3000 // steps of molecular dynamics per second at speed 1
	recordEvery = 200  // steps from one frame to the next
	minFrames   = 10
	maxFrames   = 1000
	minHeight   = 12
	maxHeight   = 40
	maxSet      = 1_000_000
)

// defaults returns the settings of the paper's system.
func defaults() settings {
	c := lj.Default()
	return settings{
		boundary: place(c.Boundary), height: c.Height, temperature: c.Temperature,
		e11: c.AA.Epsilon, e22: c.BB.Epsilon, e12: c.AB.Epsilon,
		dt: c.Dt, frames: c.Steps / c.Every, seed: 1,
	}
}

// config returns the configuration of the simulation that the settings describe.
func (s settings) config() lj.Config {
	c := lj.Default()
	c.Boundary, c.Height, c.Temperature, c.Dt = float64(s.boundary), s.height, s.temperature, s.dt
	c.AA.Epsilon, c.BB.Epsilon, c.AB.Epsilon = s.e11, s.e22, s.e12
	c.Every = recordEvery
	c.Steps = c.Every * s.frames
	c.Damping = max(c.Damping, 10*c.Dt) // the thermostat's response time must be at least ten steps
	if s.halves {
		c.Left = half(c)
	}
	return c
}

// The method `tune` copies values from the simulation's configuration to the settings that can
// change during a run.
func (s *settings) tune(c lj.Config) {
	s.temperature, s.e11, s.e22, s.e12 = c.Temperature, c.AA.Epsilon, c.BB.Epsilon, c.AB.Epsilon
}

// table lists the settings. A change through the table changes s.
func (s *settings) table() setting.Table {
	return setting.Table{
		{Name: "boundary", What: "the boundary", Value: &s.boundary},
		{Name: "halves", What: "as many atoms of each species", Value: &s.halves, Switch: true, Absent: "off"},
		{Name: "height", What: "the height of the box", Value: &s.height, Low: minHeight, High: maxHeight},
		{Name: "temperature", What: "the temperature", Value: &s.temperature, Low: 0.01, High: 100},
		{Name: "e11", What: "the well depth of species A with itself", Value: &s.e11, Low: 0.001, High: 20},
		{Name: "e22", What: "the well depth of species B with itself", Value: &s.e22, Low: 0.001, High: 20},
		{Name: "e12", What: "the well depth between the species", Value: &s.e12, Low: 0.001, High: 20},
		{Name: "dt", What: "the time step", Value: &s.dt, Low: 1e-5, High: 0.1},
		{Name: "frames", What: "the number of frames", Value: &s.frames, Low: minFrames, High: maxFrames},
		{Name: "seed", What: "the seed", Value: &s.seed},
		{Name: "set", What: "the run", Value: &s.set, Low: 0, High: maxSet, Hidden: true},
	}
}

// place is an x strictly between the walls of the box.
type place float64

// MarshalText writes the shortest text from which UnmarshalText reads the same value.
func (p *place) MarshalText() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(*p), 'g', -1, 64), nil
}

// UnmarshalText reads a place. On an error p stays unchanged.
func (p *place) UnmarshalText(text []byte) error {
	width := lj.Default().Width
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(v) {
		return fmt.Errorf("give a number between 0 and %g", width)
	}
	if v <= 0 || v >= width {
		return fmt.Errorf("x = %g is outside the box, so that one species would be empty; give a number between 0 and %g", v, width)
	}
	*p = place(v)
	return nil
}

// simulator is the name of the simulator's package.
const simulator = "lj"

// plain removes the simulator's name from an error.
func plain(err error) error { return core.Plain(err, simulator) }
