package session

import (
	"fmt"

	"macroscope/model/file/points"
	"macroscope/model/lab"
	"macroscope/model/lab/session/runs"
	"macroscope/model/setting"
)

// Fragment implements wire.Session.
func (s *Session) Fragment() string {
	fragment := opening{s}.fragment(opening{s}.linked())
	if text, _, err := (opening{s}).carried(); err == nil && text != "" {
		fragment += "&" + lab.Particles + "=" + text
	}
	if turned := (opening{s}).turned(); len(turned) <= maxTurned {
		fragment += turned
	}
	return fragment
}

// short is Fragment without what the lab opens with anyway.
func (s *Session) short() string {
	return lab.Short(&s.lab, s.opensWith, opening{s}.defaults(), s.Fragment())
}

// fragment writes the settings as a URL fragment, without '#'.
func (s opening) fragment(l lab.Settings) string {
	return l.Fragment(&s.lab, s.live, s.defaults())
}

// parse reads a fragment into the system's settings and returns the others, which
// can be used beside an error.
func (s opening) parse(fragment string) (lab.Settings, error) {
	return s.defaults().Parse(&s.lab, s.live, fragment)
}

// linked returns the settings as a link carries them.
func (s opening) linked() lab.Settings {
	l := s.settings
	if l.Frame = -1; !s.lab.IsSampler() {
		switch what, _ := s.live.Preparing(); {
		case what != "":
			l.Frame = s.run.begin
		case !s.live.Player().Playing():
			l.Frame = s.live.Player().Goal()
		}
	}
	l.Phase, l.Step = 0, 0
	if l.Model == "scratch" && s.trainer.repeatable() {
		l.Phase, l.Step = int(s.trainer.live.Phase()), s.trainer.live.Step()
	} else {
		l.Model = "shipped"
	}
	return l
}

// fromLink is the note of particles of a link.
const fromLink = "from a link"

// carried returns the particles on show that were drawn, edited or brought, as a
// link carries them, and how many there are; "" is none. The error says why they
// cannot be carried.
func (s opening) carried() (text string, n int, err error) {
	positions, _ := s.live.Save()
	if positions == nil {
		return "", 0, nil
	}
	n = s.live.Run().Particles
	of := n * s.traits.Dim
	text, err = s.points.Encode(positions[:of], s.traits.Dim, positions[of:])
	return text, n, err
}

// turner is a Live whose settings can be changed in mid-run.
type turner interface {
	// Turned says what was changed, as Turn takes it; "" is nothing.
	Turned() string
	// Turn begins the run of the settings anew, to be changed so.
	Turn(text string) error
}

// maxTurned is how many letters of a link may say what was changed in mid-run: some
// hundred changes.
const maxTurned = 3000

// turned returns the part of a fragment that says what was changed in mid-run; "" is
// nothing.
func (s opening) turned() string {
	if t, ok := s.live.(turner); ok && t.Turned() != "" {
		return "&" + lab.Turned + "=" + t.Turned()
	}
	return ""
}

// turn changes the run to come as a fragment says, if it does, and lets it begin at a
// frame; -1 lets it play.
func (s opening) turn(fragment string, frame int) error {
	values, err := setting.ParseLink(fragment, s.lab.Link())
	t, ok := s.live.(turner)
	if err != nil || !ok || !values.Has(lab.Turned) {
		return nil // which parse has said
	}
	if err := t.Turn(values.Get(lab.Turned)); err != nil {
		return err
	}
	s.run.begin = frame
	s.run.look()
	return nil
}

// brought reads the particles of a link; nil if there are none.
func (s opening) brought(fragment string) ([]float32, error) {
	values, err := setting.ParseLink(fragment, s.lab.Link())
	if err != nil || !values.Has(lab.Particles) {
		return nil, nil // which parse has said
	}
	particles, exact, err := points.Decode(values.Get(lab.Particles), s.traits.Dim)
	if err != nil {
		return nil, err
	}
	return append(particles, exact...), nil
}

// place lets the run begin with particles as Live.Save has them, at a frame; -1
// lets it play.
func (s opening) place(positions []float32, note string, frame int) error {
	if err := s.live.Restore(positions, note); err != nil {
		return err
	}
	s.run.begin = frame
	s.run.look()
	return nil
}

// share says what a link carries beside settings, and what it leaves out.
func (s opening) share() (carries string, leaves []string) {
	text, n, err := s.carried()
	particles := setting.Count(n, "particle", "particles")
	switch {
	case err != nil:
		leaves = append(leaves, fmt.Sprintf("the %s on show: %v", particles, err))
	case text != "":
		carries = "the " + particles + " on show"
	case s.own.data != nil && s.live.Recorded():
		leaves = append(leaves, "your trajectories, "+setting.Quote(s.own.data.Name))
	}
	switch turned := s.turned(); {
	case len(turned) > maxTurned:
		leaves = append(leaves, "what was changed in mid-run, which is too much for a link: the run begins with the temperature and the forces that it has now")
	case turned != "":
		carries = "what was changed in mid-run"
	}
	if l, ok := s.live.(interface{ Unlinked() string }); ok && l.Unlinked() != "" {
		leaves = append(leaves, l.Unlinked())
	}
	return carries, append(leaves, s.models(len(leaves) > 0)...)
}

// models names the models that a link leaves out: all that are not shipped and
// cannot be trained again from its settings. Those that were kept by themselves are
// no reason to ask, and are named where something else is.
func (s opening) models(asks bool) (leaves []string) {
	repeats := s.linked().Model == lab.Trained
	if s.trainer.run() != nil && !repeats {
		leaves = append(leaves, "the model in training")
	}
	if a := s.display.a; a != nil && !a.Training && !runs.IsShipped(a.Name) && !repeats {
		leaves = append(leaves, "the model on show, "+setting.Quote(a.Name))
	}
	kept, auto := 0, 0
	for _, r := range s.library.kept.All() {
		switch {
		case runs.IsShipped(r.Name) || r.Name == s.display.a.Called():
		case r.Auto:
			auto++
		default:
			kept++
		}
	}
	if kept > 0 {
		leaves = append(leaves, setting.Count(kept, "model", "models")+" that you kept or opened")
	}
	if auto > 0 && (asks || len(leaves) > 0) {
		leaves = append(leaves, setting.Count(auto, "model that was kept by itself", "models that were kept by themselves"))
	}
	return leaves
}
