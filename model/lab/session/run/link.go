package run

import (
	"fmt"

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

// Turned returns the changes made while the run was playing, as a text for links, or "" if there are
// none. ok is false if the text is too long for a link.
func (r *Run) Turned() (text string, ok bool) {
	if t, is := r.live.(turner); is {
		text = t.Turned()
	}
	return text, len(text) <= maxTurned
}

// Points returns the particles that the user has drawn, edited or opened, as a text for links. It
// returns "" if there are none, or if a link cannot contain them.
func (r *Run) Points() string {
	text, _, err := r.carried()
	if err != nil {
		return ""
	}
	return text
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
	switch turned, ok := r.Turned(); {
	case !ok:
		leaves = append(leaves, "what was changed in mid-run, which is too much for a link: the run begins with the temperature and the forces that it has now")
	case turned != "":
		carries = "what was changed in mid-run"
	}
	if l, ok := r.live.(interface{ Unlinked() string }); ok && l.Unlinked() != "" {
		leaves = append(leaves, l.Unlinked())
	}
	return carries, leaves
}
