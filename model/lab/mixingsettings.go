package lab

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/sim/lj"
)

// MixingSettings are the controls of the mixing on the page, without those of a
// pointer. They are what a link carries.
type MixingSettings struct {
	Boundary    float64 // atoms left of it are of species 1
	Height      float64 // of the box, whose width is 32
	Temperature float64
	E11         float64 // ε of species 1 with itself
	E22         float64 // of species 2 with itself
	E12         float64 // between them
	Dt          float64 // time step of the molecular dynamics
	Seed        uint64
	Set         int // index of the run among those of the seed
	Frames      int // of a run after its first

	Speed float64 // 1 is playedSteps steps a second
	Frame int     // that a paused run stands at; -1 while it plays

	All     bool // every stage of the model follows every frame
	Members int  // of the ensemble
	Colours bool // atoms by their labels

	Law      string // one of mixingLaws: what is trained next
	TrainFor uint64 // its seed
	From     string // one of beginnings

	// Scratch is set when the law on show was trained here, up to Step, rather
	// than shipped.
	Scratch bool
	Step    int
}

var (
	mixingLaws    = []string{"joint", "separate"}
	mixingMembers = []string{"39", "99", "199", "399"}
)

const (
	playedSteps     = 3000 // of molecular dynamics a second, at speed 1
	recordEvery     = 200  // steps from one frame to the next
	minMixingFrames = 10
	maxMixingFrames = 1000
	minBoxHeight    = 12
	maxBoxHeight    = 40
)

// DefaultMixingSettings is what the lab opens with: the paper's system.
func DefaultMixingSettings() MixingSettings {
	c := lj.Default()
	return MixingSettings{
		Boundary: c.Boundary, Height: c.Height, Temperature: c.Temperature,
		E11: c.AA.Epsilon, E22: c.BB.Epsilon, E12: c.AB.Epsilon, Dt: c.Dt, Seed: 1, Frames: c.Steps / c.Every,
		Speed: 1, Frame: -1, All: true, Members: 99,
		Law: mixingLaws[0], TrainFor: 1, From: beginnings[0],
	}
}

// system returns the simulation that the settings describe.
func (s MixingSettings) system() lj.Config {
	c := lj.Default()
	c.Boundary, c.Height, c.Temperature, c.Dt = s.Boundary, s.Height, s.Temperature, s.Dt
	c.AA.Epsilon, c.BB.Epsilon, c.AB.Epsilon = s.E11, s.E22, s.E12
	c.Every = recordEvery
	c.Steps = c.Every * s.Frames
	c.Damping = max(c.Damping, 10*c.Dt) // a thermostat needs as many steps
	return c
}

// checkSystem says why the settings' simulation cannot begin, if it cannot. One
// whose time step is too long begins, and stops when an atom flies off.
func (s MixingSettings) checkSystem() error { return plainMixing(s.system().Validate()) }

// plainMixing is an error of the simulation without the package's name, for the
// visitor.
func plainMixing(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "lj: "))
}

// mixingNames are the settings in the order of a link, those of the system
// first.
var mixingNames = []string{
	"boundary", "height", "temperature", "e11", "e22", "e12", "dt", "frames", "seed", "set", "speed", "frame", "all", "members", "colours",
	"law", "tseed", "from", "model", "step",
}

// get returns a setting as text.
func (s *MixingSettings) get(name string) string {
	if f := s.number(name); f != nil {
		return strconv.FormatFloat(*f, 'g', -1, 64)
	}
	switch name {
	case "seed":
		return strconv.FormatUint(s.Seed, 10)
	case "set":
		return strconv.Itoa(s.Set)
	case "frames":
		return strconv.Itoa(s.Frames)
	case "frame":
		return strconv.Itoa(s.Frame)
	case "all":
		return onOff(s.All)
	case "members":
		return strconv.Itoa(s.Members)
	case "colours":
		return onOff(s.Colours)
	case "law":
		return s.Law
	case "tseed":
		return strconv.FormatUint(s.TrainFor, 10)
	case "from":
		return s.From
	case "model":
		if s.Scratch {
			return "scratch"
		}
		return "shipped"
	case "step":
		return strconv.Itoa(s.Step)
	}
	panic("lab: there is no setting called " + name)
}

// number returns where a setting is kept that is a real number, else nil.
func (s *MixingSettings) number(name string) *float64 {
	switch name {
	case "boundary":
		return &s.Boundary
	case "height":
		return &s.Height
	case "temperature":
		return &s.Temperature
	case "e11":
		return &s.E11
	case "e22":
		return &s.E22
	case "e12":
		return &s.E12
	case "dt":
		return &s.Dt
	case "speed":
		return &s.Speed
	}
	return nil
}

// mixingBounds is what a real number is in words, and what it may be.
var mixingBounds = map[string]struct {
	what      string
	low, high float64
}{
	"height":      {"the height of the box", minBoxHeight, maxBoxHeight},
	"temperature": {"the temperature", 0.01, 100},
	"e11":         {"ε of species 1 with itself", 0.001, 20},
	"e22":         {"ε of species 2 with itself", 0.001, 20},
	"e12":         {"ε between the species", 0.001, 20},
	"dt":          {"the time step", 1e-5, 0.1},
}

// assign changes one setting from text. Its error is a sentence that says what
// the setting takes; the settings are then as they were.
func (s *MixingSettings) assign(name, value string) error {
	value = strings.TrimSpace(value)
	if b, ok := mixingBounds[name]; ok {
		return assignFloat(s.number(name), b.what, value, b.low, b.high)
	}
	switch name {
	case "boundary":
		return s.assignBoundary(value)
	case "seed":
		return assignSeed(&s.Seed, value)
	case "set":
		return assignInt(&s.Set, "the run", value, 0, maxSet)
	case "frames":
		return assignInt(&s.Frames, "the number of frames", value, minMixingFrames, maxMixingFrames)
	case "speed":
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !slices.Contains(speeds, v) {
			return fmt.Errorf("the speed cannot be %s: give one of %v", quote(value), speeds)
		}
		s.Speed = v
	case "frame":
		return assignInt(&s.Frame, "the frame", value, 0, maxMixingFrames)
	case "all":
		return assignSwitch(&s.All, "running all stages", value)
	case "members":
		if err := assignChoice(new(string), "the number of members", value, mixingMembers); err != nil {
			return err
		}
		s.Members, _ = strconv.Atoi(value)
	case "colours":
		return assignSwitch(&s.Colours, "colouring atoms by label", value)
	case "law":
		return assignChoice(&s.Law, "the law", value, mixingLaws)
	case "tseed":
		return assignSeed(&s.TrainFor, value)
	case "from":
		return assignChoice(&s.From, "what training begins with", value, beginnings)
	case "model":
		if value != "scratch" && value != "shipped" {
			return fmt.Errorf("the model cannot be %s: give shipped or scratch", quote(value))
		}
		s.Scratch = value == "scratch"
	case "step":
		return assignInt(&s.Step, "the step", value, 0, maxStep)
	default:
		return fmt.Errorf("there is no setting called %s", quote(name))
	}
	return nil
}

func (s *MixingSettings) assignBoundary(value string) error {
	width := lj.Default().Width
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) {
		return fmt.Errorf("the boundary cannot be at %s: give a number between 0 and %g", quote(value), width)
	}
	if v <= 0 || v >= width {
		return fmt.Errorf("the boundary cannot be at x = %g, outside the box: one species would be empty; give a number between 0 and %g", v, width)
	}
	s.Boundary = v
	return nil
}

// Fragment returns the settings as a URL fragment, without '#'. View settings
// that are the lab's own are left out.
func (s MixingSettings) Fragment() string {
	var b strings.Builder
	b.WriteString("v=" + linkVersion + "&lab=" + mixingName)
	own := DefaultMixingSettings()
	for i, name := range mixingNames {
		system := i <= slices.Index(mixingNames, "seed")
		switch value := s.get(name); {
		case name == "step":
			if s.Scratch {
				b.WriteString("&step=" + value)
			}
		case name == "frame" && s.Frame < 0:
		case system || value != own.get(name):
			b.WriteString("&" + name + "=" + value)
		}
	}
	return b.String()
}

// ParseMixingFragment reads a fragment. What it does not mention has its
// default; what it gets wrong keeps its default too and is named in the error,
// beside which the settings can be used.
func ParseMixingFragment(fragment string) (MixingSettings, error) {
	s := DefaultMixingSettings()
	values, err := fragmentValues(fragment, mixingName)
	if err != nil {
		return s, err
	}
	wrong := assignAll(values, mixingNames, s.assign)
	if !s.Scratch {
		s.Step = 0
	}
	// Each may be right by itself and all of them no system.
	if err := s.checkSystem(); err != nil {
		own := DefaultMixingSettings()
		for _, name := range mixingNames[:slices.Index(mixingNames, "speed")] {
			_ = s.assign(name, own.get(name)) // which it takes
		}
		wrong = append(wrong, fmt.Errorf("its system cannot be simulated: %w", err))
	}
	if s.Frame > s.Frames {
		wrong = append(wrong, fmt.Errorf("there is no frame %d; the run goes from 0 to %d", s.Frame, s.Frames))
		s.Frame = s.Frames
	}
	if len(wrong) > 0 {
		return s, fmt.Errorf("the link was read in part: %w", wrong[0])
	}
	return s, nil
}
