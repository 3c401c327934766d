package session

import (
	"fmt"
	"path"
	"slices"

	"macroscope/model/lab/session/effect"
	"macroscope/model/setting"
	"macroscope/model/system"
	"macroscope/model/wire"
)

// A lab of a system of the user's own. A file, a checkpoint or a saved session describes the system. If it is another
// system than before, the session begins anew: all its parts are made for one system.

var _ wire.Renewing = (*Session)(nil)

// Renewed implements wire.Renewing.
func (s *Session) Renewed() (renewed bool) {
	renewed, s.renewed = s.renewed, false
	return renewed
}

// inWords describes runs of the session's system.
func (a *arrivals) inWords(shape system.Shape) string {
	species := ""
	if n := len(a.w.lab.System.Sets); n > 1 {
		species = fmt.Sprintf(" of %d species", n)
	}
	return fmt.Sprintf("%s of %s and %s%s with %s", setting.Count(shape.Trajectories, "run", "runs"), setting.Count(shape.Frames, "frame", "frames"),
		setting.Count(shape.Particles, "particle", "particles"), species, setting.Count(shape.Dim, "coordinate", "coordinates"))
}

// openExample fetches a file of runs that comes with the page. value is its name among the page's assets.
func (a *arrivals) openExample(value string) error {
	for _, g := range a.w.run.Live().Page().Groups {
		for _, c := range g.Controls {
			if c.ID == "example" && slices.ContainsFunc(c.Options[1:], func(o wire.Option) bool { return o.Value == value }) {
				a.example = value
				return nil
			}
		}
	}
	return fmt.Errorf("there is no example called %s", setting.Quote(value))
}

// fetchedExample opens the file of an example, as if the user had dropped it.
func (a *arrivals) fetchedExample(b []byte, err error) *wire.Notice {
	name := path.Base(a.example)
	if a.example = ""; err != nil {
		return effect.Failure(fmt.Errorf("the example %s could not be fetched; check the connection, and choose it again: %w", setting.Quote(name), err))
	}
	return a.take(name, b)
}
