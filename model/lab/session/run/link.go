package run

import (
	"fmt"

	"macroscope/model/file/points"
	"macroscope/model/lab"
	"macroscope/model/lab/session/effect"
	"macroscope/model/setting"
)

// FromLink is the note on a run whose particles came with a link.
const FromLink = "from a link"

// maxTurned limits the changes in a link, in bytes. It is enough for about a hundred changes.
const maxTurned = 3000

// turner is a Live with settings that can change while the run plays.
type turner interface {
	// Turned returns the changes as text for Turn, or "" if there are none.
	Turned() string
	// Turn restarts the run with the present settings, and repeats these changes at their
	// times.
	Turn(text string) error
}

// Turned returns the changes made while the run was playing, as part of a URL fragment, or ""
// if there are none.
func (r *Run) Turned() string {
	if t, ok := r.live.(turner); ok && t.Turned() != "" {
		return "&" + lab.Turned + "=" + t.Turned()
	}
	return ""
}

// Fragment returns the parts of a link that are not settings. One part is the particles that the
// user has drawn, edited or opened. The other part is the changes made while the run was playing. A
// part that is too long is left out.
func (r *Run) Fragment() (fragment string) {
	if text, _, err := r.carried(); err == nil && text != "" {
		fragment = "&" + lab.Particles + "=" + text
	}
	if turned := r.Turned(); len(turned) <= maxTurned {
		fragment += turned
	}
	return fragment
}

// carried returns a text for links that contains the edited particles. n is the number of
// particles. If there are no edited particles, the text is "". The error says why a link cannot
// contain them.
func (r *Run) carried() (text string, n int, err error) {
	positions, _ := r.live.Save()
	if positions == nil {
		return "", 0, nil
	}
	n = r.live.Run().Particles
	of := n * r.traits.Dim
	text, err = r.points.Encode(positions[:of], r.traits.Dim, positions[of:])
	return text, n, err
}

// Share says what Fragment contains, and which parts of the run it leaves out. file is the name
// of the user's trajectories, or "".
func (r *Run) Share(file string) (carries string, leaves []string) {
	text, n, err := r.carried()
	particles := setting.Count(n, "particle", "particles")
	switch {
	case err != nil:
		leaves = append(leaves, fmt.Sprintf("the %s on show: %v", particles, err))
	case text != "":
		carries = "the " + particles + " on show"
	case file != "" && r.live.Recorded():
		leaves = append(leaves, "your trajectories, "+setting.Quote(file))
	}
	switch turned := r.Turned(); {
	case len(turned) > maxTurned:
		leaves = append(leaves, "what was changed in mid-run, which is too much for a link: the run begins with the temperature and the forces that it has now")
	case turned != "":
		carries = "what was changed in mid-run"
	}
	if l, ok := r.live.(interface{ Unlinked() string }); ok && l.Unlinked() != "" {
		leaves = append(leaves, l.Unlinked())
	}
	return carries, leaves
}

// Brought returns the particles in a fragment, in the format of Live.Save. It returns nil if
// there are none or if they cannot be read.
func (r *Run) Brought(fragment, link string) ([]float32, error) {
	values, err := setting.ParseLink(fragment, link)
	if err != nil || !values.Has(lab.Particles) {
		return nil, nil
	}
	particles, exact, err := points.Decode(values.Get(lab.Particles), r.traits.Dim)
	if err != nil {
		return nil, err
	}
	return append(particles, exact...), nil
}

// Turn restarts the run with the changes in a fragment, if there are any. If frame is Playing, the
// run plays from frame 0; otherwise it goes to that frame and pauses.
func (r *Run) Turn(fragment, link string, frame int) (e effect.Effect, err error) {
	values, err := setting.ParseLink(fragment, link)
	t, ok := r.live.(turner)
	if err != nil || !ok || !values.Has(lab.Turned) {
		return e, nil
	}
	if err := t.Turn(values.Get(lab.Turned)); err != nil {
		return e, err
	}
	r.begin = frame
	return r.look(), nil
}
