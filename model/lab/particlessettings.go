package lab

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/target"
	"macroscope/sim/particle"
)

// ParticlesSettings are the controls of the particles on the page, without
// those of a pointer. They are what a link carries.
type ParticlesSettings struct {
	A, B       float64 // of the force, see particle.Config
	N          int
	Dt         float64
	Steps      int
	Components int // Gaussians that the first frame is drawn from
	Seed       uint64
	Set        int // index of the first frame among those of the seed

	Speed float64 // 1 is thirty frames a second
	Frame int     // that a paused run stands at; -1 while it plays

	All     bool   // every stage of the model follows every frame
	Density string // one of densities
	Source  string // one of sources: what the density is decoded from
	Samples bool   // draw from the flow
	Colours bool   // particles by their labels

	Eps      float64 // of the target, and of what is trained next
	ZDim     int     // of what is trained next
	Size     string  // ParticlesPreset that is trained next
	TrainFor uint64  // seed of what is trained next
	Workers  int     // that share a training
	From     string  // one of beginnings

	// Scratch is set when the model on show was trained here from the seed, up to
	// Step of Stage, rather than shipped.
	Scratch     bool
	Stage, Step int
}

var (
	densities  = []string{"both", "learned", "target", "difference"}
	sources    = []string{"particles", "prediction"}
	beginnings = []string{"scratch", "model"}
	speeds     = []float64{0.25, 0.5, 1, 2, 4}
	trainSizes = []string{"quick", "browser", "laptop"}
)

const (
	minPlayedSteps, maxPlayedSteps = 1, 5000
	maxComponents                  = 16
	maxWorkers                     = 64
)

// DefaultParticlesSettings is what the lab opens with: the paper's system.
func DefaultParticlesSettings() ParticlesSettings {
	c := particle.Default()
	return ParticlesSettings{
		A: c.A, B: c.B, N: c.N, Dt: c.Dt, Steps: c.Steps, Components: c.Components, Seed: 1,
		Speed: 1, Frame: -1, All: true, Density: "both", Source: "particles", Colours: true,
		Eps: 0.01, ZDim: 8, Size: "browser", TrainFor: 1, Workers: 4, From: "scratch",
	}
}

// system returns the simulation that the settings describe.
func (s ParticlesSettings) system() particle.Config {
	c := particle.Default()
	c.A, c.B, c.N, c.Dt, c.Steps, c.Components = s.A, s.B, s.N, s.Dt, s.Steps, s.Components
	return c
}

// checkSystem says why the settings' simulation cannot be played, if it cannot:
// settings that are no system, that do not fit, or under which the first steps
// of a few particles are unstable.
func (s ParticlesSettings) checkSystem() error {
	c := s.system()
	if err := c.Validate(); err != nil {
		return plainError(err)
	}
	if err := checkPlayed(c.N, c.Steps); err != nil {
		return err
	}
	const trialParticles, trialSteps = 200, 40
	c.N = min(c.N, trialParticles)
	sim, err := particle.New(c, particle.InitialPositions(c, s.Seed, s.Set))
	for k := 0; err == nil && k < min(trialSteps, c.Steps); k++ {
		err = sim.Step()
	}
	return plainError(err)
}

// plainError is an error of the simulation without the package's name, for the
// visitor.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "particle: "))
}

// particlesNames are the settings in the order of a link.
var particlesNames = []string{
	"a", "b", "n", "dt", "steps", "components", "seed", "set", "speed", "frame", "all", "density", "source", "samples", "colours",
	"eps", "zdim", "size", "tseed", "workers", "from", "model", "stage", "step",
}

// get returns a setting as text.
func (s *ParticlesSettings) get(name string) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	switch name {
	case "a":
		return number(s.A)
	case "b":
		return number(s.B)
	case "n":
		return strconv.Itoa(s.N)
	case "dt":
		return number(s.Dt)
	case "steps":
		return strconv.Itoa(s.Steps)
	case "components":
		return strconv.Itoa(s.Components)
	case "seed":
		return strconv.FormatUint(s.Seed, 10)
	case "set":
		return strconv.Itoa(s.Set)
	case "speed":
		return number(s.Speed)
	case "frame":
		return strconv.Itoa(s.Frame)
	case "all":
		return onOff(s.All)
	case "density":
		return s.Density
	case "source":
		return s.Source
	case "samples":
		return onOff(s.Samples)
	case "colours":
		return onOff(s.Colours)
	case "eps":
		return number(s.Eps)
	case "zdim":
		return strconv.Itoa(s.ZDim)
	case "size":
		return s.Size
	case "tseed":
		return strconv.FormatUint(s.TrainFor, 10)
	case "workers":
		return strconv.Itoa(s.Workers)
	case "from":
		return s.From
	case "model":
		if s.Scratch {
			return "scratch"
		}
		return "shipped"
	case "stage":
		return strconv.Itoa(s.Stage)
	case "step":
		return strconv.Itoa(s.Step)
	}
	panic("lab: there is no setting called " + name)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// assign changes one setting from text. Its error is a sentence that says what
// the setting takes; the settings are then as they were.
func (s *ParticlesSettings) assign(name, value string) error {
	value = strings.TrimSpace(value)
	switch name {
	case "a":
		return assignFloat(&s.A, "the steepness a of the force", value, 0.1, 1000)
	case "b":
		return assignFloat(&s.B, "the constant force b", value, -100, 100)
	case "n":
		return assignInt(&s.N, "the number of particles", value, MinParticles, MaxParticles)
	case "dt":
		return assignFloat(&s.Dt, "the time step Δt", value, 1e-5, 10)
	case "steps":
		return assignInt(&s.Steps, "the number of steps", value, minPlayedSteps, maxPlayedSteps)
	case "components":
		return assignInt(&s.Components, "the number of initial clusters", value, 1, maxComponents)
	case "seed":
		return assignSeed(&s.Seed, value)
	case "set":
		return assignInt(&s.Set, "the set", value, 0, maxSet)
	case "speed":
		v, err := strconv.ParseFloat(value, 64)
		if err != nil || !slices.Contains(speeds, v) {
			return fmt.Errorf("the speed cannot be %s: give one of %v", quote(value), speeds)
		}
		s.Speed = v
	case "frame":
		return assignInt(&s.Frame, "the frame", value, 0, maxStep)
	case "all":
		return assignSwitch(&s.All, "running all stages", value)
	case "density":
		return assignChoice(&s.Density, "the density shown", value, densities)
	case "source":
		return assignChoice(&s.Source, "what the density is decoded from", value, sources)
	case "samples":
		return assignSwitch(&s.Samples, "drawing samples", value)
	case "colours":
		return assignSwitch(&s.Colours, "colouring particles", value)
	case "eps":
		return assignFloat(&s.Eps, "ε", value, target.MinEps, MaxEps)
	case "zdim":
		return assignInt(&s.ZDim, "the latent dimension", value, 1, MaxZDim)
	case "size":
		return assignChoice(&s.Size, "the size of what is trained", value, trainSizes)
	case "tseed":
		return assignSeed(&s.TrainFor, value)
	case "workers":
		return assignInt(&s.Workers, "the number of workers", value, 1, maxWorkers)
	case "from":
		return assignChoice(&s.From, "what training begins with", value, beginnings)
	case "model":
		if value != "scratch" && value != "shipped" {
			return fmt.Errorf("the model cannot be %s: give shipped or scratch", quote(value))
		}
		s.Scratch = value == "scratch"
	case "stage":
		return assignInt(&s.Stage, "the stage", value, 0, StageDone)
	case "step":
		return assignInt(&s.Step, "the step", value, 0, maxStep)
	default:
		return fmt.Errorf("there is no setting called %s", quote(name))
	}
	return nil
}

func assignFloat(dst *float64, what, value string, lo, hi float64) error {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(v) || v < lo || v > hi {
		return fmt.Errorf("%s cannot be %s: give a number from %g to %g", what, quote(value), lo, hi)
	}
	*dst = v
	return nil
}

func assignSeed(dst *uint64, value string) error {
	v, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return fmt.Errorf("the seed cannot be %s: give a whole number from 0 to %d", quote(value), uint64(math.MaxUint64))
	}
	*dst = v
	return nil
}

func assignSwitch(dst *bool, what, value string) error {
	if value != "on" && value != "off" {
		return fmt.Errorf("%s cannot be %s: give on or off", what, quote(value))
	}
	*dst = value == "on"
	return nil
}

func assignChoice(dst *string, what, value string, among []string) error {
	if !slices.Contains(among, value) {
		return fmt.Errorf("%s cannot be %s: give one of %s", what, quote(value), strings.Join(among, ", "))
	}
	*dst = value
	return nil
}

// Fragment returns the settings as a URL fragment, without '#'. View settings
// that are the lab's own are left out.
func (s ParticlesSettings) Fragment() string {
	var b strings.Builder
	b.WriteString("v=" + linkVersion + "&lab=" + particlesName)
	own := DefaultParticlesSettings()
	for i, name := range particlesNames {
		system := i <= slices.Index(particlesNames, "seed")
		switch value := s.get(name); {
		case name == "stage" || name == "step":
			if s.Scratch {
				b.WriteString("&" + name + "=" + value)
			}
		case name == "frame" && s.Frame < 0:
		case system || value != own.get(name):
			b.WriteString("&" + name + "=" + value)
		}
	}
	return b.String()
}

// ParseParticlesFragment reads a fragment. What it does not mention has its
// default; what it gets wrong keeps its default too and is named in the error,
// beside which the settings can be used.
func ParseParticlesFragment(fragment string) (ParticlesSettings, error) {
	s := DefaultParticlesSettings()
	values, err := fragmentValues(fragment, particlesName)
	if err != nil {
		return s, err
	}
	wrong := assignAll(values, particlesNames, s.assign)
	// Each may be right by itself and all of them no system.
	if err := s.checkSystem(); err != nil {
		own := DefaultParticlesSettings()
		s.A, s.B, s.N, s.Dt, s.Steps, s.Components = own.A, own.B, own.N, own.Dt, own.Steps, own.Components
		wrong = append(wrong, fmt.Errorf("its system cannot be played: %w", err))
	}
	if !s.Scratch {
		s.Stage, s.Step = 0, 0
	}
	if s.Frame > s.Steps {
		wrong = append(wrong, fmt.Errorf("there is no frame %d; the run goes from 0 to %d", s.Frame, s.Steps))
		s.Frame = s.Steps
	}
	if len(wrong) > 0 {
		return s, fmt.Errorf("the link was read in part: %w", wrong[0])
	}
	return s, nil
}
