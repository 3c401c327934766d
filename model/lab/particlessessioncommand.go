package lab

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"macroscope/model/wire"
	"macroscope/sim/rng"
)

// tools are what the pointer does in the picture.
var tools = []string{"look", "move", "add", "remove", "draw"}

func (s *ParticlesSession) toolNumber() int { return slices.Index(tools, s.tool) }

// The commands that the picture gives, beside those of wire.
const (
	dragCommand = "drag" // "i x y": particle i is held at (x, y)
	drawCommand = "draw" // "x y x y …": a stroke
	seekCommand = "seek" // a frame
)

// Apply implements wire.Session.
func (s *ParticlesSession) Apply(c wire.Command) *wire.Notice {
	defer func() { s.stateStale = true }()
	switch c.Kind {
	case wire.Set:
		return failure(s.set(c.Name, c.Value))
	case wire.Press:
		return failure(s.press(c.Name))
	case seekCommand:
		return failure(s.seek(c.Value))
	case dragCommand, wire.Add, wire.Remove, drawCommand:
		return failure(s.edit(c.Kind, c.Value))
	case wire.Link:
		settings, err := ParseParticlesFragment(c.Value)
		if err == nil && settings == s.linked() {
			return nil
		}
		if opened := s.open(settings); err == nil {
			err = opened
		}
		return failure(err)
	case wire.File:
		return s.file(c.Name, c.Data)
	case wire.Restore:
		return failure(s.restore(c.Data))
	case wire.Train:
		return failure(s.train())
	case wire.Pause:
		s.stopTraining()
		return nil
	}
	return failure(fmt.Errorf("the lab has no command called %s", quote(c.Kind)))
}

// press follows a button.
func (s *ParticlesSession) press(id string) error {
	switch id {
	case "play", "step", "restart":
		if s.blank {
			return errors.New("there are too few particles to move; draw more first")
		}
	}
	switch id {
	case "play":
		if s.play.playing {
			s.play.pause()
		} else {
			s.play.play()
		}
	case "step":
		s.play.step()
		s.moved()
	case "restart":
		playing := s.play.playing
		s.play.seek(0)
		if s.play.playing = false; playing {
			s.play.play()
		}
		s.moved()
	case "another":
		was := s.settings
		s.settings.Set = (s.settings.Set + 1) % maxSet
		return s.rebuild(was)
	case "clear":
		s.play.pause()
		s.blank, s.sketch, s.note, s.tool = true, s.sketch[:0], "an empty plane: draw particles", "draw"
		s.centre, s.half = [2]float64{}, 1.25 // about where training's sets are
	case "encode":
		return s.reveal(1, showCode)
	case "decode":
		return s.reveal(2, showDensity)
	case "rollout":
		return s.reveal(3, showPrediction)
	case "shuffle":
		return s.shuffle()
	case "train":
		if s.status == wire.Training {
			s.stopTraining()
			return nil
		}
		return s.train()
	case "keep":
		return s.keepShown()
	case "simulate":
		return s.closeData()
	default:
		return fmt.Errorf("there is no button called %s", quote(id))
	}
	s.changed()
	return nil
}

// reveal runs one stage of the model on the frame on show, which stays.
func (s *ParticlesSession) reveal(stage, bit int) error {
	if s.a == nil {
		return errors.New("the model is still on its way")
	}
	if bit != showCode && s.shown&showCode == 0 {
		return errors.New("this stage works on ẑ, so encode first")
	}
	s.play.pause()
	s.shown |= bit
	s.lit, s.litTill = stage, s.now().Add(litFor)
	s.changed()
	return nil
}

// set changes a control.
func (s *ParticlesSession) set(id, value string) error {
	was := s.settings
	switch id {
	case "preset":
		p, ok := findPlay(value)
		if !ok {
			return fmt.Errorf("there is no system called %s", quote(value))
		}
		p.apply(&s.settings)
		if s.blank { // what had been there comes back with the system
			if err := s.generate(); err != nil {
				return err
			}
			s.play.play()
			return nil
		}
		return s.rebuild(was)
	case "tool":
		return assignChoice(&s.tool, "the pointer’s tool", value, tools)
	case "at", "frame":
		return s.seek(value)
	case "runA", "runB":
		return s.choose(value, id == "runB")
	case "dropRun":
		return s.drop(value)
	case "trajectory":
		return s.setTrajectory(value)
	case "observable":
		return s.setObservable(value)
	case "name":
		s.keepAs = strings.TrimSpace(value)
		return nil
	}
	if err := s.settings.assign(id, value); err != nil {
		return err
	}
	switch id {
	case "a", "b", "n", "dt", "steps", "components", "seed", "set":
		return s.rebuild(was)
	case "eps", "zdim", "size", "tseed", "from":
		if s.settings != was {
			s.paused = nil // the visitor wants something else than to go on with it
		}
	case "all":
		s.shown = 0
		if s.settings.All {
			s.shown = showAll
		}
	}
	if s.settings != was {
		s.changed()
	}
	return nil
}

// rebuild plays a run under settings that have changed from was. If they cannot
// be played, all stays as it is.
func (s *ParticlesSession) rebuild(was ParticlesSettings) error {
	if s.settings == was && !s.blank && !s.hand && !s.recorded() {
		return nil
	}
	err := s.settings.checkSystem()
	keeps := keepsStart(was, s.settings)
	if err == nil && !(s.blank && keeps) {
		if s.hand && keeps {
			err = s.fromHand(slices.Clone(s.play.frame(0)), s.note)
		} else {
			err = s.generate()
		}
		if err == nil {
			s.play.play()
		}
	}
	if err != nil {
		s.settings = was
	}
	return err
}

// keepsStart says whether a change leaves a first frame as it is that was made
// by hand.
func keepsStart(was, is ParticlesSettings) bool {
	return was.N == is.N && was.Components == is.Components && was.Seed == is.Seed && was.Set == is.Set
}

func (s *ParticlesSession) seek(value string) error {
	k, err := strconv.Atoi(strings.TrimSpace(value))
	if err != nil {
		return fmt.Errorf("the frame cannot be %s: give a whole number from 0 to %d", quote(value), s.play.horizon)
	}
	if s.blank {
		return errors.New("there is no run yet; draw particles first")
	}
	s.play.pause()
	if err := s.play.seek(k); err != nil {
		return err
	}
	s.moved()
	return nil
}

// edit changes the particles of the frame on show, which becomes the first of a
// new run.
func (s *ParticlesSession) edit(kind, value string) error {
	numbers, err := coordinates(value)
	if err != nil {
		return err
	}
	at := s.sketch
	if !s.blank {
		at = slices.Clone(s.play.frame(s.play.now))
	}
	note := "edited by hand"
	switch {
	case kind == dragCommand && len(numbers) == 3:
		i := numbers[0]
		if i != math.Trunc(i) || i < 0 || int(i) >= len(at)/2 {
			return fmt.Errorf("there is no particle %g; there are %d", i, len(at)/2)
		}
		at[2*int(i)], at[2*int(i)+1] = float32(numbers[1]), float32(numbers[2])
	case kind == wire.Add && len(numbers) == 2:
		at = append(at, float32(numbers[0]), float32(numbers[1]))
	case kind == wire.Remove && len(numbers) == 2:
		if at, err = s.without(at, numbers[0], numbers[1]); err != nil {
			return err
		}
	case kind == drawCommand && len(numbers) >= 2 && len(numbers)%2 == 0:
		at = s.stroke(at, numbers)
		note = "drawn by hand"
	default:
		return fmt.Errorf("%s is no position; give two numbers for each point", quote(value))
	}
	if n := len(at) / 2; n > MaxParticles {
		return fmt.Errorf("there would be %d particles, and the page has room for %d", n, MaxParticles)
	}
	if s.blank && len(at)/2 < MinParticles {
		s.sketch = at
		s.note = fmt.Sprintf("%d of at least %d particles", len(at)/2, MinParticles)
		s.changed()
		return nil
	}
	if s.hand && note == "edited by hand" {
		note = s.note
	}
	return s.fromHand(at, note)
}

// coordinates reads numbers that stand between spaces.
func coordinates(text string) ([]float64, error) {
	const most, furthest = 4096, 1000
	words := strings.Fields(text)
	if len(words) > most {
		return nil, fmt.Errorf("a stroke of %d numbers is too long; at most %d can be read", len(words), most)
	}
	numbers := make([]float64, len(words))
	for i, word := range words {
		v, err := strconv.ParseFloat(word, 32)
		if err != nil || !(math.Abs(v) <= furthest) {
			return nil, fmt.Errorf("a particle cannot be at %s: give numbers from %d to %d", quote(word), -furthest, furthest)
		}
		numbers[i] = v
	}
	return numbers, nil
}

// without returns the particles less the one nearest to (x, y).
func (s *ParticlesSession) without(at []float32, x, y float64) ([]float32, error) {
	if len(at)/2 <= MinParticles && !s.blank || len(at) == 0 {
		return nil, fmt.Errorf("no particle can be removed: there must be %d at least", MinParticles)
	}
	i := nearestPoint(at, x, y)
	return slices.Delete(at, 2*i, 2*i+2), nil
}

const (
	strokeSpacing = 0.012 // along a stroke, from one particle to the next
	strokeWidth   = 0.03  // standard deviation across it
)

// stroke adds particles along a line through the points (n, 2).
func (s *ParticlesSession) stroke(at []float32, points []float64) []float32 {
	r := rng.New(s.settings.Seed, "particles strokes", uint64(len(at)))
	put := func(x, y float64) {
		at = append(at, float32(x+strokeWidth*r.NormFloat64()), float32(y+strokeWidth*r.NormFloat64()))
	}
	put(points[0], points[1])
	rest := strokeSpacing
	for i := 2; i+1 < len(points); i += 2 {
		x, y := points[i-2], points[i-1]
		dx, dy := points[i]-x, points[i+1]-y
		length := math.Hypot(dx, dy)
		for ; rest <= length && len(at)/2 <= MaxParticles; rest += strokeSpacing {
			put(x+dx*rest/length, y+dy*rest/length)
		}
		rest -= length
	}
	return at
}
